use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::Poll,
};

use super::{
    Change, Ended,
    feed::{Feed, Source},
};
use crate::{
    client::{Backoff, Client},
    error::{Error, Result},
    model::subscriptions::{Filter, ListenParams},
    peer::Sent,
    rpc::Raw,
    version::Era,
};

/// What keeps a watch open.
pub(super) struct Life {
    client: Client,
    feed: Arc<Feed>,
    backoff: Backoff,
    /// Which opening of the connection the watch is open on.
    generation: u64,
    link: Link,
}

/// How the server was asked.
enum Link {
    None,
    /// `subscriptions/listen`, which is answered when it ends.
    Listening(Sent<Raw>),
    /// `resources/subscribe` for each resource; the rest comes unasked.
    #[allow(dead_code, reason = "it is held to be let go")]
    Following(Following),
}

impl Life {
    pub(super) fn new(client: Client, feed: Arc<Feed>, backoff: Backoff) -> Self {
        Self { client, feed, backoff, generation: 0, link: Link::None }
    }

    /// Asks the server, and waits until it has said what it will tell.
    pub(super) async fn open(&mut self) -> Result<()> {
        self.generation = self.client.remote().generation();
        match self.client.era() {
            Era::Modern => self.listen().await,
            Era::Legacy => self.follow().await,
        }
    }

    /// Keeps the watch open until it ends.
    pub(super) async fn run(mut self) -> Ended {
        let clock = self.client.remote().options().runtime.clock.clone();
        let mut attempt = 0;
        let mut opened = clock.now();
        let mut outcome = self.ended().await;
        loop {
            if self.client.peer().is_closed() {
                return Ended::Closed;
            }
            if self.is_restarted() {
                if self.client.remote().reopened_after(self.generation).await.is_none() {
                    return Ended::Closed;
                }
            } else {
                match outcome {
                    Ok(()) => return Ended::Server,
                    // The connection lives: it is the server's word that the subscription is over.
                    Err(error) if error.is_closed() => return Ended::Server,
                    Err(error) if is_refusal(&error) => return Ended::Refused(error),
                    Err(_) => {}
                }
                // What broke off at once again is no success.
                let has_lasted = clock.now().duration_since(opened) >= self.backoff.longest();
                attempt = if has_lasted { 1 } else { attempt + 1 };
                clock.sleep(self.backoff.delay(attempt)).await;
            }
            outcome = self.open().await;
            opened = clock.now();
            if outcome.is_ok() {
                // What happened meanwhile nobody told.
                let all = Change::all(&self.feed.honoured().unwrap_or_default());
                all.iter().for_each(|change| self.client.keeper().heard(change));
                self.feed.push(all);
                outcome = self.ended().await;
            }
        }
    }

    /// Waits until the server no longer tells.
    async fn ended(&mut self) -> Result<()> {
        match &mut self.link {
            Link::Listening(sent) => sent.await.map(drop),
            Link::Following(_) => {
                let _ = self.client.remote().reopened_after(self.generation).await;
                Ok(())
            }
            Link::None => Ok(()),
        }
    }

    /// Whether the connection that the watch was open on has ended.
    fn is_restarted(&self) -> bool {
        self.client.remote().generation() > self.generation
    }

    async fn listen(&mut self) -> Result<()> {
        let params = Raw::from_value(&ListenParams::new(self.feed.wanted.clone())).map_err(unwritable)?;
        let peer = self.client.peer();
        let mut sent = self.feed.open(|| {
            let sent = peer.request_raw("subscriptions/listen", Some(params)).send();
            let source = sent.sent_id().map_or(Source::Nothing, Source::Listen);
            (source, sent)
        });
        let outcome = poll_fn(|cx| {
            // First, since the server may end at once what it has acknowledged.
            if self.feed.poll_honoured(cx).is_ready() {
                return Poll::Ready(None);
            }
            Pin::new(&mut sent).poll(cx).map(Some)
        });
        match outcome.await {
            None => self.link = Link::Listening(sent),
            Some(Ok(_)) if self.feed.honoured().is_some() => self.link = Link::None,
            Some(Ok(raw)) => {
                let reason = "the server ended the subscription without an acknowledgment".to_owned();
                let failure = crate::proto::io::Failure::Invalid { reason, raw: Some(raw) };
                return Err(Error::failed("subscriptions/listen", failure));
            }
            Some(Err(error)) => return Err(error),
        }
        Ok(())
    }

    async fn follow(&mut self) -> Result<()> {
        let wanted = &self.feed.wanted;
        let capabilities = self.client.capabilities();
        let offers =
            |flag: Option<bool>, offered: Option<bool>| (flag == Some(true) && offered == Some(true)).then_some(true);
        let mut honoured = Filter::new();
        let resources = capabilities.resources.as_ref();
        honoured.tools_list_changed =
            offers(wanted.tools_list_changed, capabilities.tools.as_ref().and_then(|tools| tools.list_changed));
        honoured.prompts_list_changed =
            offers(wanted.prompts_list_changed, capabilities.prompts.as_ref().and_then(|prompts| prompts.list_changed));
        honoured.resources_list_changed =
            offers(wanted.resources_list_changed, resources.and_then(|resources| resources.list_changed));
        self.feed.open(|| (Source::Unsolicited, ()));
        let mut following = Following { client: self.client.clone(), uris: Vec::new() };
        if resources.is_some_and(|resources| resources.subscribe == Some(true))
            && let Some(uris) = wanted.resource_subscriptions.as_deref()
        {
            let asked: Vec<_> = uris.iter().map(|uri| following.ask(uri)).collect::<Result<_>>()?;
            let mut accepted = Vec::new();
            for (uri, sent) in uris.iter().zip(asked) {
                match sent.await {
                    Ok(_) => accepted.push(uri.clone()),
                    // Of this one the server will not tell; the others are not harmed.
                    Err(error) if error.rpc().is_some() => {}
                    Err(error) => return Err(error),
                }
            }
            following.keep(&accepted);
            honoured.resource_subscriptions = Some(accepted).filter(|accepted| !accepted.is_empty());
        }
        self.link = Link::Following(following);
        self.feed.honour(honoured);
        Ok(())
    }
}

/// Holds resources followed, and has the server told when nobody follows them any more.
struct Following {
    client: Client,
    uris: Vec<String>,
}

impl Following {
    fn ask(&mut self, uri: &str) -> Result<Sent<Raw>> {
        let params = of_uri(uri)?;
        let peer = self.client.peer();
        let sent = self.client.watches().follow(uri, || peer.request_raw("resources/subscribe", Some(params)).send());
        self.uris.push(uri.to_owned());
        Ok(sent)
    }

    /// Lets go of all but these.
    fn keep(&mut self, accepted: &[String]) {
        let (kept, refused) = std::mem::take(&mut self.uris).into_iter().partition(|uri| accepted.contains(uri));
        self.uris = kept;
        self.let_go(refused);
    }

    fn let_go(&self, uris: Vec<String>) {
        let remote = self.client.remote();
        for uri in uris {
            self.client.watches().unfollow(&uri, || {
                if remote.is_closed() || self.client.era() != Era::Legacy {
                    return;
                }
                let Ok(params) = of_uri(&uri) else { return };
                let sent = self.client.peer().request_raw("resources/unsubscribe", Some(params)).send();
                remote.options().runtime.spawn.spawn(Box::pin(async move { drop(sent.await) }));
            });
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let uris = std::mem::take(&mut self.uris);
        self.let_go(uris);
    }
}

/// Whether it would be answered the same if it were asked again.
fn is_refusal(error: &Error) -> bool {
    error.rpc().is_some()
        || error.is_misuse()
        || error.is_peer_misbehaved()
        || error.http_status().is_some_and(|status| (400..500).contains(&status) && status != 429)
}

fn of_uri(uri: &str) -> Result<Raw> {
    Raw::from_value(&serde_json::json!({"uri": uri})).map_err(unwritable)
}

fn unwritable(source: serde_json::Error) -> Error {
    Error::misuse("the filter cannot be written as JSON").with_source(source)
}
