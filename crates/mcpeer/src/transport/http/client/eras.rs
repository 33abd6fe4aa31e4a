use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use http::{HeaderMap, Uri};

use crate::{
    driver::{Clock, after},
    proto::{Verdict, io::EraMemory},
};

/// How long what was found out is gone by: a server that was replaced is met anew after that, even where it still
/// answers to the old era.
const KEPT: Duration = Duration::from_secs(3600);
/// How many servers are remembered.
const SERVERS: usize = 1000;

/// What was found out about the eras of servers, for the next connection to each: it need not ask first.
///
/// Each connector has one of its own, which its clones share; one that is given to several connectors
/// ([`Connector::eras`](super::Connector::eras)) knows the servers of all of them. A server is known by origin and path,
/// for an hour. What a server of the stateless era said of itself counts only for who asks with the same headers. What
/// turns out to be wrong is forgotten, and found out anew.
///
/// ```
/// use mcpeer::transport::http::{self, client::Eras};
///
/// let eras = Eras::default();
/// let files = http::client("https://files.example.com/mcp").eras(&eras);
/// let mail = http::client("https://mail.example.com/mcp").eras(&eras);
/// # drop((files, mail));
/// ```
#[derive(Clone, Default)]
pub struct Eras(Arc<Mutex<Vec<Kept>>>);

struct Kept {
    address: String,
    headers: HeaderMap,
    verdict: Verdict,
    until: Instant,
}

/// What is known of one server by one connector.
pub(super) struct Known {
    pub(super) eras: Eras,
    pub(super) address: String,
    pub(super) headers: HeaderMap,
    pub(super) clock: Arc<dyn Clock>,
}

/// Names a server: its origin and its path.
pub(super) fn address(target: &Uri) -> String {
    let (scheme, authority) = (target.scheme_str().unwrap_or_default(), target.authority());
    // Who a user is and what he is looking for change nothing about the era.
    let host = authority.map_or("", |authority| authority.as_str().rsplit('@').next().unwrap_or_default());
    format!("{scheme}://{}{}", host.to_ascii_lowercase(), target.path())
}

impl Eras {
    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EraMemory for Known {
    fn recall(&self) -> Option<Verdict> {
        let (now, kept) = (self.clock.now(), self.eras.lock());
        let kept = kept.iter().find(|kept| kept.address == self.address && kept.until > now)?;
        let is_for_all = matches!(kept.verdict, Verdict::Legacy);
        (is_for_all || kept.headers == self.headers).then(|| kept.verdict.clone())
    }

    fn note(&self, verdict: Option<Verdict>) {
        let (now, mut all) = (self.clock.now(), self.eras.lock());
        let earlier = all.iter().position(|kept| kept.address == self.address).map(|at| all.swap_remove(at));
        let Some(verdict) = verdict else { return };
        // To go by it is not to find it out again.
        let is_same =
            |kept: &Kept| kept.until > now && kept.headers == self.headers && is_of_one_era(&kept.verdict, &verdict);
        let until = earlier.filter(is_same).map_or_else(|| after(now, KEPT), |kept| kept.until);
        if all.len() >= SERVERS {
            all.retain(|kept| kept.until > now);
        }
        if all.len() >= SERVERS
            && let Some((first, _)) = all.iter().enumerate().min_by_key(|(_, kept)| kept.until)
        {
            all.swap_remove(first);
        }
        all.push(Kept { address: self.address.clone(), headers: self.headers.clone(), verdict, until });
    }
}

fn is_of_one_era(one: &Verdict, other: &Verdict) -> bool {
    matches!((one, other), (Verdict::Legacy, Verdict::Legacy) | (Verdict::Modern { .. }, Verdict::Modern { .. }))
}

impl fmt::Debug for Eras {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lock().iter().map(|kept| &kept.address)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Tokio;

    #[test]
    fn a_server_is_known_by_origin_and_path() {
        for (url, named) in [
            ("https://Example.com/mcp", "https://example.com/mcp"),
            ("https://ada:secret@example.com:8443/Mcp?key=secret", "https://example.com:8443/Mcp"),
            ("http://[::1]:80", "http://[::1]:80/"),
        ] {
            assert_eq!(address(&url.parse().unwrap()), named);
        }
    }

    #[tokio::test]
    async fn not_more_servers_are_remembered_than_there_is_room_for() {
        let eras = Eras::default();
        let known = |name: usize| Known {
            eras: eras.clone(),
            address: name.to_string(),
            headers: HeaderMap::new(),
            clock: Arc::new(Tokio),
        };
        (0..SERVERS + 2).for_each(|name| known(name).note(Some(Verdict::Legacy)));
        assert_eq!(eras.lock().len(), SERVERS);
        assert!(known(0).recall().is_none() && known(SERVERS + 1).recall().is_some());
        known(SERVERS + 1).note(None);
        assert!(known(SERVERS + 1).recall().is_none());
    }
}
