use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::store::{Record, SessionStore};
use crate::{
    driver::LONGEST,
    proto::io::Principal,
    rpc::{Limits, Message},
};

/// How many resources of those that a client follows are kept, and how many bytes all that is kept may have.
const MOST: (usize, usize) = (1_000, 256 << 10);

/// What is kept of a session, so that another process can go on with it.
#[derive(Debug)]
pub(super) struct Keeping {
    id: Box<str>,
    store: Arc<dyn SessionStore>,
    /// For how long it is kept when it was changed last.
    lasts: Duration,
    kept: Mutex<Kept>,
}

/// What the client said that holds for the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    /// What `text` means.
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// The message that it began with.
    initialize: String,
    initialized: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    follows: Vec<String>,
}

const VERSION: u32 = 1;

impl Kept {
    pub(super) fn new(initialize: &[u8], principal: Option<&Principal>) -> Self {
        Self {
            version: VERSION,
            principal: principal.map(|principal| principal.0.to_string()),
            initialize: String::from_utf8_lossy(initialize).into_owned(),
            initialized: false,
            level: None,
            follows: Vec::new(),
        }
    }

    /// Reads what a store gives.
    ///
    /// # Errors
    ///
    /// It is not what was kept of the session of this id; the text says why.
    pub(super) fn read(record: &Record, id: &str) -> Result<Self, String> {
        if record.id != id {
            return Err("the record is that of another session".into());
        }
        if record.text.len() > MOST.1 {
            return Err(format!("the record has more than {} bytes", MOST.1));
        }
        let kept: Self =
            serde_json::from_str(&record.text).map_err(|error| format!("the record is damaged: {error}"))?;
        if kept.version != VERSION {
            return Err(format!("the record has version {}, and this is {VERSION}", kept.version));
        }
        match Message::parse(kept.initialize.as_bytes(), &Limits::default()) {
            Ok(Message::Request { method, .. }) if method == "initialize" => Ok(kept),
            _ => Err("the record does not begin with `initialize`".into()),
        }
    }

    /// Whether it is the session of this sender.
    pub(super) fn is_of(&self, principal: Option<&Principal>) -> bool {
        self.principal.as_deref() == principal.map(|principal| &*principal.0)
    }

    /// Takes note of a message; says whether it changed anything.
    fn note(&mut self, message: &[u8]) -> bool {
        match Message::parse(message, &Limits::default()) {
            Ok(Message::Notification { method, .. }) if method == "notifications/initialized" => {
                !std::mem::replace(&mut self.initialized, true)
            }
            Ok(Message::Request { method, params: Some(params), .. }) => {
                let text = |name| params.member(name).and_then(|value| value.as_string()).map(|text| text.into_owned());
                match &*method {
                    "logging/setLevel" => {
                        let level = text("level");
                        level.is_some() && std::mem::replace(&mut self.level, level.clone()) != level
                    }
                    "resources/subscribe" => text("uri").is_some_and(|uri| self.follow(uri)),
                    "resources/unsubscribe" => text("uri").is_some_and(|uri| {
                        let before = self.follows.len();
                        self.follows.retain(|followed| *followed != uri);
                        self.follows.len() < before
                    }),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn follow(&mut self, uri: String) -> bool {
        let is_new = !self.follows.contains(&uri) && self.follows.len() < MOST.0;
        if is_new {
            self.follows.push(uri);
        }
        is_new
    }

    /// Gives the messages by which another connection comes to the same state.
    pub(super) fn messages(&self) -> impl Iterator<Item = String> + use<> {
        let mut number = 0;
        let mut request = move |method: &str, params: serde_json::Value| {
            number += 1;
            // The client may use any number at the same time.
            let id = format!("taken-up-again-{number}");
            serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
        };
        let told = self.initialized.then(|| r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned());
        let level = self.level.as_ref().map(|level| request("logging/setLevel", serde_json::json!({"level": level})));
        let follows: Vec<_> =
            self.follows.iter().map(|uri| request("resources/subscribe", serde_json::json!({"uri": uri}))).collect();
        std::iter::once(self.initialize.clone()).chain(told).chain(level).chain(follows)
    }
}

impl Keeping {
    pub(super) fn new(id: Box<str>, store: Arc<dyn SessionStore>, timeout: Duration, kept: Kept) -> Self {
        // Whoever only listens is looked after once in that time.
        Self { id, store, lasts: timeout.saturating_mul(2).min(LONGEST), kept: Mutex::new(kept) }
    }

    /// Keeps what is known now.
    ///
    /// # Errors
    ///
    /// The store does not take it.
    pub(super) fn save(&self, now: SystemTime) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let text = serde_json::to_string(&*self.lock()).expect("texts can be written");
        let is_too_long = text.len() > MOST.1;
        let record = Record { id: self.id.to_string(), expires: now + self.lasts, text };
        let saving = (!is_too_long).then(|| self.store.put(record, now));
        async move {
            match saving {
                Some(saving) => saving.await,
                None => Err(io::Error::other(format!("it has more than {} bytes", MOST.1))),
            }
        }
    }

    /// Takes note of a message of the client; gives what is to be awaited where it changed what is kept.
    pub(super) fn note(
        &self,
        message: &[u8],
        now: SystemTime,
    ) -> Option<impl Future<Output = io::Result<()>> + Send + 'static> {
        // What is written takes the lock again.
        let is_changed = self.lock().note(message);
        is_changed.then(|| self.save(now))
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::SystemTime};

    use super::{Kept, Principal, Record};

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;

    fn record(text: &str) -> Record {
        Record { id: "s".into(), expires: SystemTime::UNIX_EPOCH, text: text.into() }
    }

    #[test]
    fn what_holds_for_the_session_is_kept_and_said_again() {
        let ada = Principal(Arc::from("ada"));
        let mut kept = Kept::new(INITIALIZE.as_bytes(), Some(&ada));
        for (message, changes) in [
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, true),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, false),
            (r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"error"}}"#, true),
            (r#"{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"a:1"}}"#, true),
            (r#"{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"a:2"}}"#, true),
            (r#"{"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"a:1"}}"#, true),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping"}"#, false),
            ("nonsense", false),
        ] {
            assert_eq!(kept.note(message.as_bytes()), changes, "{message}");
        }
        let read = Kept::read(&record(&serde_json::to_string(&kept).unwrap()), "s").unwrap();
        assert!(read.is_of(Some(&ada)) && !read.is_of(None));
        let messages: Vec<_> = read.messages().collect();
        assert_eq!(messages.len(), 4, "{messages:?}");
        assert_eq!(messages[0], INITIALIZE);
        assert!(messages[2].contains("\"error\"") && messages[3].contains("\"a:2\""), "{messages:?}");
    }

    #[test]
    fn what_a_store_gives_is_looked_at() {
        let good = serde_json::to_string(&Kept::new(INITIALIZE.as_bytes(), None)).unwrap();
        assert!(Kept::read(&record(&good), "s").is_ok());
        assert!(Kept::read(&record(&good), "t").is_err());
        for bad in [
            String::new(),
            "[]".into(),
            good.replace(":1,", ":2,"),
            good.replace("initialize\\\"", "ping\\\""),
            good.replace("\"initialized\"", "\"x\""),
            good.replace('{', "{\"x\":1,"),
            format!("{good}{}", " ".repeat(super::MOST.1)),
        ] {
            assert!(Kept::read(&record(&bad), "s").is_err(), "{}", &bad[..bad.len().min(200)]);
        }
    }
}
