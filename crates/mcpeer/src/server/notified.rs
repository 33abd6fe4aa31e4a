use std::collections::BTreeMap;

use super::Builder;
use crate::{
    handler,
    model::Notification,
    peer::Peer,
    rpc::{self, Raw},
};

impl Builder {
    /// Hears a notification of your own, or of an [extension](crate::extension), in the eras that have it. It runs on
    /// the task of the connection: it must not block. One whose params do not fit their type is logged and dropped;
    /// a second hearer of one method takes the place of the first.
    ///
    /// ```
    /// use mcpeer::{model::{EmptyParams, Notification}, server::Server};
    ///
    /// enum Seen {}
    ///
    /// impl Notification for Seen {
    ///     const METHOD: &'static str = "notifications/com.example/seen";
    ///     type Params = EmptyParams;
    /// }
    ///
    /// let builder = Server::builder("desk", "1.0.0").on_notification::<Seen>(|_, _| eprintln!("somebody saw it"));
    /// # let _ = builder;
    /// ```
    pub fn on_notification<N: Notification>(mut self, hear: impl Fn(N::Params, &Peer) + Send + Sync + 'static) -> Self {
        let hear = move |params: Option<&Raw>, peer: &Peer| {
            let text = params.map_or("{}", Raw::as_str);
            match serde_json::from_str(text) {
                Ok(params) => hear(params, peer),
                Err(error) => {
                    let reason = rpc::explain::explain("params", text, &error);
                    tracing::warn!(method = N::METHOD, reason, "a notification does not fit its type");
                }
            }
        };
        self.notified.0.insert(N::METHOD, Box::new(hear));
        self
    }
}

/// What hears notifications, by their methods.
#[derive(Default)]
pub(super) struct Notified(BTreeMap<&'static str, Hear>);

type Hear = Box<dyn Fn(Option<&Raw>, &Peer) + Send + Sync>;

impl Notified {
    pub(super) fn take(&self, notification: &handler::Notification, peer: &Peer) {
        if let Some(hear) = self.0.get(&*notification.method) {
            hear(notification.params.as_ref(), peer);
        }
    }
}
