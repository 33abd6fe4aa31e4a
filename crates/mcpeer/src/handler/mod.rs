//! What a peer serves: requests and notifications, without types yet, and the context that they come with.

#[cfg(feature = "server")]
mod application;
#[cfg(feature = "server")]
pub mod ask;
mod context;
mod course;
mod question;
mod rerun;
mod resume;
mod serving;
#[cfg(all(feature = "server", feature = "tasks"))]
mod task;
#[cfg(test)]
mod tests;
mod trace;

use std::borrow::Cow;

#[cfg(feature = "server")]
#[doc(hidden)]
pub use application::Needed;
#[cfg(feature = "server")]
pub(crate) use application::{Application, States};
pub use context::Context;
pub use serving::Serving;
pub use trace::TraceContext;
#[allow(unused_imports, reason = "tasks are a feature")]
pub(crate) use {
    context::Answers,
    course::Course,
    question::{Lack, lack},
};

pub use crate::driver::{
    BoxFuture, Run,
    io::{Misbehaved, Payload, Reply},
};
use crate::driver::{Remote, io::Handle};
use crate::{
    error::Error,
    peer::Peer,
    rpc::{Raw, RequestId},
};

/// What a peer serves. One serves any number of connections.
///
/// ```
/// use mcpeer::handler::{Context, Reply, Request, Run, Service};
/// use mcpeer::rpc::Raw;
///
/// struct Echo;
///
/// impl Service for Echo {
///     fn call(&self, request: Request, _cx: Context) -> Run {
///         let text = request.params.unwrap_or_else(|| Raw::parse("{}").unwrap());
///         Run::Ready(Reply::Complete(text.into()))
///     }
/// }
/// # let _: &dyn Service = &Echo;
/// ```
pub trait Service: Send + Sync + 'static {
    /// Serves a request: at once, or by a future.
    ///
    /// This runs in the task that reads and writes the connection, so what computes for long or blocks belongs into
    /// the future, behind a task of its own. A panic answers an internal error to this request and disturbs nothing
    /// else. Once the request is cancelled, [`Context::cancelled`] completes, and what is still running after the
    /// [grace](crate::driver::Options::cancel_grace) is dropped.
    fn call(&self, request: Request, cx: Context) -> Run;

    /// Hears a notification. Runs in the task that reads and writes the connection.
    fn notify(&self, notification: Notification, peer: &Peer) {
        let _ = (notification, peer);
    }

    /// Hears that the era is settled and requests flow.
    fn connected(&self, peer: &Peer) {
        let _ = peer;
    }

    /// Hears that the peer listens to changes from now on, and to which: the filter of its `subscriptions/listen` as
    /// far as it is honoured. The connection serves it.
    fn subscribed(&self, filter: &Raw, peer: &Peer) {
        let _ = (filter, peer);
    }

    /// Hears who listens to changes from now on.
    #[doc(hidden)]
    fn listens(&self, listener: Handle, cx: &Context) {
        let _ = (listener, cx);
    }

    /// Hears that a listener is gone.
    #[doc(hidden)]
    fn listens_no_more(&self, listener: Handle, remote: &Remote) {
        let _ = (listener, remote);
    }

    /// Hears that a client watches a resource from now on; once for each subscription, and once for each session of the
    /// stateful era.
    fn watched(&self, uri: &str) {
        let _ = uri;
    }

    /// Hears that a client no longer watches a resource: as often as it was told of its watching.
    fn unwatched(&self, uri: &str) {
        let _ = uri;
    }

    /// Hears that the peer broke a rule, or that a handler panicked; the connection goes on.
    fn misbehaved(&self, report: &Misbehaved) {
        let _ = report;
    }

    /// Hears that the connection has ended, and why. Said once, last.
    fn closed(&self, reason: &Error) {
        let _ = reason;
    }
}

/// A request of the peer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Cow<'static, str>,
    /// The params, without what belongs to the protocol.
    pub params: Option<Raw>,
}

/// A notification of the peer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Notification {
    /// The method.
    pub method: Cow<'static, str>,
    /// The params, without what belongs to the protocol.
    pub params: Option<Raw>,
    /// The `subscriptions/listen` of ours that it came on.
    pub subscription: Option<RequestId>,
}
