use std::sync::Arc;

use super::{
    Change,
    answers::Answers,
    cache::Keeper,
    remember::{Memory, verdict},
    watch::Watches,
};
use crate::{
    handler::{Context, Misbehaved, Notification, Request, Run, Service},
    model::logging::MessageParams,
    peer::{Answers as _, Peer},
    proto::io::Reply,
    rpc::{self, Raw},
};

pub(super) type OnLog = Box<dyn Fn(MessageParams) + Send + Sync>;
pub(super) type OnNotification = Box<dyn Fn(Notification) + Send + Sync>;

/// What a client does about what the server sends unasked.
#[derive(Default)]
pub(super) struct Hooks {
    pub(super) on_log: Option<OnLog>,
    pub(super) on_notification: Option<OnNotification>,
    pub(super) watches: Arc<Watches>,
    pub(super) answers: Arc<Answers>,
    pub(super) keeper: Option<Arc<Keeper>>,
    pub(super) memory: Option<Memory>,
}

impl Service for Hooks {
    fn call(&self, request: Request, cx: Context) -> Run {
        match self.answers.answer(&request.method, request.params, cx.revision()) {
            Some(answer) => Run::Pending(Box::pin(async {
                answer.await.map_or_else(Reply::Error, |result| Reply::Complete(result.into()))
            })),
            None => {
                let message = format!("this client does not serve `{}`", request.method);
                Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::METHOD_NOT_FOUND, message)))
            }
        }
    }

    fn notify(&self, notification: Notification, _: &Peer) {
        // Before anybody else: who hears of a change is not served what was before it.
        if let Some(keeper) = &self.keeper
            && let Some(change) = Change::read(&notification)
        {
            keeper.heard(&change);
        }
        if notification.method == "notifications/message"
            && let Some(on_log) = &self.on_log
        {
            match notification.params.as_ref().map(Raw::decode) {
                Some(Ok(message)) => on_log(message),
                _ => {
                    tracing::warn!("the server sent a log message without level or data");
                    tracing::trace!(params = ?notification.params, "that log message");
                }
            }
        } else if self.watches.take(&notification) {
            // It is given to who watches.
        } else if let Some(on_notification) = &self.on_notification {
            on_notification(notification);
        }
    }

    fn connected(&self, peer: &Peer) {
        if let Some(keeper) = &self.keeper {
            keeper.connected();
        }
        if let Some(memory) = &self.memory
            && let Some(connected) = peer.connected()
        {
            memory.note(verdict(&connected));
        }
    }

    fn misbehaved(&self, report: &Misbehaved) {
        // The reason is logged already; what the server said may be confidential.
        tracing::trace!(reason = report.reason, excerpt = report.excerpt, "the server broke the protocol");
    }
}
