//! What goes in and out of a [connection](super): the words that the core shares with drivers and transports.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use serde::Serialize;

use super::Verdict;
pub use crate::wire::{
    Answer, Envelope, Lifted,
    headers::{Field, Headers},
};
use crate::{
    rpc::{self, Raw, RequestId},
    version::Revision,
};

/// How messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// One ordered channel each way: stdio, a socket, memory.
    Pipe,
    /// A stream of its own for each request: Streamable HTTP.
    Exchange,
}

/// Where a message came in, and where what belongs to it goes out. The transport gives the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Route(pub u64);

impl Route {
    /// The only route of a pipe. On an exchange link it is the stream that belongs to no request: what a server sends
    /// on it goes out on the stream that a client of the stateful era opened by GET, if any.
    pub const PIPE: Self = Self(0);
}

/// A message that arrived.
#[derive(Debug)]
pub struct Inbound<'a> {
    /// The text of one message (or batch), without framing.
    pub message: &'a [u8],
    /// Where it came in.
    pub route: Route,
    /// What the transport knows besides.
    pub edge: Option<Arc<Edge>>,
}

impl<'a> Inbound<'a> {
    /// A message of a pipe.
    pub fn pipe(message: &'a [u8]) -> Self {
        Self { message, route: Route::PIPE, edge: None }
    }
}

/// What a transport knows about a message beside its text.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Edge {
    /// The headers that it came with, on HTTP.
    pub headers: Option<Box<dyn Headers>>,
    /// Who sent it, where the transport authenticated the sender.
    pub principal: Option<Principal>,
    /// What authorization says about the sender: the claims of a token, an object.
    pub claims: Option<Raw>,
    /// Where what belongs to it goes out, where that is a stream of its own that can be taken up again.
    pub channel: Option<Box<dyn Channel>>,
}

/// A stream on which what belongs to a message of the peer goes out.
pub trait Channel: fmt::Debug + Send + Sync {
    /// Whether so much waits there to be read that what is not urgent should wait.
    fn is_full(&self) -> bool;

    /// Closes the connection and not the stream: the peer shall come back for the rest after so long. `false` where it
    /// cannot, and nothing is closed.
    fn close(&self, retry: Duration) -> bool;
}

/// Who sent a message: an opaque name that authorization gave.
///
/// Where a layer in front of a server leaves it among the extensions of an HTTP request, sessions and tasks belong to
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal(pub Arc<str>);

/// What authorization says about the sender of a message: the claims of a token, an object.
///
/// Where a layer in front of a server leaves it among the extensions of an HTTP request, handlers read it as a type of
/// theirs.
#[derive(Clone, Debug)]
pub struct Claims(Raw);

impl Claims {
    /// Writes them as JSON.
    ///
    /// # Errors
    ///
    /// The value's own `Serialize` failed, or it has a map whose keys are no strings.
    ///
    /// ```
    /// # #[cfg(feature = "runtime")]
    /// use mcpeer::transport::Claims;
    /// # #[cfg(not(feature = "runtime"))]
    /// # use mcpeer::proto::io::Claims;
    ///
    /// let claims = Claims::new(&serde_json::json!({"sub": "ada", "scope": "files:read"}))?;
    /// # drop(claims);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new<T: Serialize + ?Sized>(claims: &T) -> serde_json::Result<Self> {
        Raw::from_value(claims).map(Self)
    }

    /// Gives them as JSON.
    ///
    /// ```
    /// # #[cfg(feature = "runtime")]
    /// use mcpeer::transport::Claims;
    /// # #[cfg(not(feature = "runtime"))]
    /// # use mcpeer::proto::io::Claims;
    ///
    /// let claims = Claims::new(&serde_json::json!({"sub": "ada"}))?;
    /// assert_eq!(claims.into_raw().as_str(), r#"{"sub":"ada"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn into_raw(self) -> Raw {
        self.0
    }
}

/// What a transport shall do.
#[derive(Debug)]
pub enum Outbound {
    /// Send a message.
    Message {
        /// Where it goes.
        route: Route,
        /// The request of ours that this message is; on an exchange link it opens a stream.
        request: Option<RequestId>,
        /// Whether nothing more will follow on the route.
        is_last: bool,
        /// The code of the error that it is, where that says why a message was refused before any handler saw it, or
        /// where the protocol gives it a status of its own on HTTP.
        refusal: Option<i64>,
        /// Headers that go along, where the transport has any: names and values.
        headers: Option<MoreHeaders>,
        /// The text, without framing.
        text: Vec<u8>,
    },
    /// Give up the stream on which the answer to this request of ours would come.
    Abandon {
        /// The request.
        request: RequestId,
    },
    /// End a route on which no message is due any more.
    End {
        /// The route.
        route: Route,
    },
}

/// A request of the peer that is being served; never repeats within a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

/// A request to send.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method.
    pub method: Cow<'static, str>,
    /// The params, an object, without envelope and progress token.
    pub params: Option<Raw>,
    /// Whether progress is wanted; then a progress token goes along.
    pub progress: bool,
    /// How long to wait for the answer; `None` takes the connection's default for the method.
    pub timeout: Option<Duration>,
    /// Whether each progress notification starts the timeout anew.
    pub reset_on_progress: bool,
    /// How long the whole flow may take, whatever progress comes; `None` takes the connection's default.
    pub max_total: Option<Duration>,
    /// The log level to ask for, by envelope, in the stateless era.
    pub log_level: Option<Cow<'static, str>>,
    /// The request of the peer that this one belongs to.
    pub related: Option<Handle>,
    /// Headers that go along, where the transport has any.
    pub headers: Option<MoreHeaders>,
}

/// Headers of a request beside those that belong to the transport: names and values.
pub type MoreHeaders = Arc<Vec<(String, String)>>;

impl Call {
    /// A request with the connection's defaults.
    pub fn new(method: impl Into<Cow<'static, str>>, params: Option<Raw>) -> Self {
        Self {
            method: method.into(),
            params,
            progress: false,
            timeout: None,
            reset_on_progress: false,
            max_total: None,
            log_level: None,
            related: None,
            headers: None,
        }
    }
}

/// A notification to send.
#[derive(Debug)]
pub struct Outgoing {
    /// The method.
    pub method: Cow<'static, str>,
    /// The params, an object.
    pub params: Option<Raw>,
    /// The request of the peer that it belongs to.
    pub related: Option<Handle>,
}

/// The outcome of a request of the peer.
#[derive(Debug)]
pub enum Reply {
    /// A result.
    Complete(Payload),
    /// A result that asks the client for input before the method can go on: `inputRequests` and `requestState`.
    InputRequired(Raw),
    /// A result of a type that an extension defines.
    Extension {
        /// The value of `resultType`.
        result_type: Cow<'static, str>,
        /// The result.
        payload: Payload,
    },
    /// An error.
    Error(rpc::Error),
}

/// A result as JSON, and what its writer knows about it.
#[derive(Debug)]
pub struct Payload {
    /// The result, an object.
    pub raw: Raw,
    /// That its top level has none of `_meta`, `resultType`, `ttlMs`, `cacheScope`, `structuredContent`, and that it
    /// holds nothing that a revision would have to leave out; then the codec need not look.
    pub is_plain: bool,
    /// That the `outputSchema` of the tool does not say `"type":"object"` at its root, so that revisions that know only
    /// objects get its structured content as `{"result":…}`, always.
    pub wraps_output: bool,
}

impl From<Raw> for Payload {
    fn from(raw: Raw) -> Self {
        Self { raw, is_plain: false, wraps_output: false }
    }
}

/// What happened on a connection.
#[derive(Debug)]
pub enum Event {
    /// The peer wants something.
    Request(Request),
    /// The peer no longer wants it, or the connection ends; whatever is answered now is dropped.
    Cancelled {
        /// The request.
        handle: Handle,
        /// What the peer said.
        reason: Option<String>,
    },
    /// A request of ours is settled.
    Response {
        /// The request.
        id: RequestId,
        /// The outcome.
        outcome: Result<Answer, Failure>,
    },
    /// Progress on a request of ours that asked for it.
    Progress {
        /// The request.
        id: RequestId,
        /// The params of the notification.
        params: Raw,
    },
    /// A notification.
    Notification {
        /// The method.
        method: Cow<'static, str>,
        /// The params, without the envelope keys.
        params: Option<Raw>,
        /// The `subscriptions/listen` of ours that it came on.
        subscription: Option<RequestId>,
    },
    /// The peer listens to changes now; the connection serves it.
    Subscribed {
        /// The `subscriptions/listen` request.
        handle: Handle,
        /// What it listens to: the filter, as far as it is honoured.
        filter: Raw,
        /// The request: who listens.
        request: Box<Request>,
    },
    /// The peer no longer listens.
    Unsubscribed {
        /// The `subscriptions/listen` request.
        handle: Handle,
    },
    /// The peer, of the stateful era, follows a resource now that it did not follow before.
    Followed {
        /// The resource.
        uri: String,
    },
    /// The peer, of the stateful era, no longer follows a resource.
    Unfollowed {
        /// The resource.
        uri: String,
    },
    /// The era is settled and requests flow. A client hears it a second time where a remembered verdict proved wrong.
    Connected(Arc<Connected>),
    /// A client needs its transport opened anew (the server ended on the probe); then `handle_reopened`.
    Reopen,
    /// The connection has ended. Said once, last.
    Closed(Closed),
    /// The peer broke a rule, or a handler of ours failed; the connection goes on.
    Misbehaved(Misbehaved),
}

/// A request of the peer.
#[derive(Debug)]
pub struct Request {
    /// Its local handle.
    pub handle: Handle,
    /// The id that the peer gave.
    pub id: RequestId,
    /// The method.
    pub method: Cow<'static, str>,
    /// The params, without wire-only material.
    pub params: Option<Raw>,
    /// The revision that it was admitted at.
    pub revision: Revision,
    /// The token under which the peer wants progress.
    pub progress_token: Option<RequestId>,
    /// What was lifted out of the params, where anything was.
    pub lifted: Option<Box<Lifted>>,
    /// What the transport knows.
    pub edge: Option<Arc<Edge>>,
}

/// Why a request of ours failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The peer answered with an error.
    Rpc(rpc::Error),
    /// No answer came in time.
    Timeout {
        /// How long was waited.
        after: Duration,
        /// Whether it was the limit on the whole flow.
        is_total: bool,
    },
    /// We cancelled it.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// The connection ended.
    Closed {
        /// Why.
        reason: String,
    },
    /// The answer is no valid one.
    Invalid {
        /// What is wrong with it.
        reason: String,
        /// The answer, as far as it could be read.
        raw: Option<Raw>,
    },
    /// The transport could not send it.
    Send(SendFailure),
    /// The request could not be made once the era was settled.
    Misuse(Misuse),
}

/// Why a transport could not send a request, or got no message for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendFailure {
    /// The status of an HTTP response that carried no JSON-RPC message.
    pub status: Option<u16>,
    /// What happened, for a person.
    pub reason: String,
}

/// Something that a server offers has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources or of resource templates.
    Resources,
    /// The contents of a resource.
    Resource {
        /// The resource that subscribers named.
        uri: String,
    },
    /// What an extension's [filter](super::Filter) selects.
    Extension {
        /// The notification's method.
        method: Cow<'static, str>,
        /// What the filter's list has to contain.
        key: String,
        /// The notification's params, an object.
        params: Raw,
        /// Whose subscriptions are told; everybody's unless set.
        only: Option<Principal>,
    },
}

/// Something that was asked of a connection and cannot be done; nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// The negotiated revision does not have the method.
    NotInRevision {
        /// The method.
        method: String,
        /// The revision.
        revision: Revision,
    },
    /// The capability is not declared by who has to.
    NoCapability {
        /// The method.
        method: String,
        /// The capability, as in `sampling.tools`.
        capability: String,
        /// Whether this side has to declare it, and not the peer.
        is_ours: bool,
    },
    /// The connection is closed, or its output has ended.
    Closed,
    /// The params are no object, or hold what only the connection may set.
    Params {
        /// The method.
        method: String,
        /// What is wrong.
        reason: String,
    },
    /// The direction is wrong: a server of the stateless era sends no requests.
    Direction {
        /// The method.
        method: String,
    },
    /// A table is full.
    Limit {
        /// Which.
        what: &'static str,
    },
}

/// What is known once a connection is up. A server of the stateless era knows only the revision: each request brings
/// along who sends it and what that client can do.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Connected {
    /// The revision that both speak.
    pub revision: Revision,
    /// What the peer says it is: its `Implementation`.
    pub implementation: Option<Raw>,
    /// What the peer declared.
    pub capabilities: Raw,
    /// What a server says about its use.
    pub instructions: Option<String>,
    /// The whole result of `server/discover` or `initialize`, to remember the verdict by.
    pub raw: Option<Raw>,
    /// Whether the verdict is sure enough to be remembered: silence is not.
    pub is_certain: bool,
}

/// Where a client remembers which era a server speaks.
pub trait EraMemory: Send + Sync {
    /// Gives what is remembered.
    fn recall(&self) -> Option<Verdict>;

    /// Takes note of what was found out, or that what is remembered was of no use.
    fn note(&self, verdict: Option<Verdict>);
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Closed {
    /// We closed it.
    Local,
    /// The peer ended its output and nothing is left to do.
    Remote,
    /// The transport failed.
    Transport {
        /// How.
        reason: String,
    },
    /// No revision could be agreed on, or the handshake failed.
    Negotiation {
        /// The request that it came to an end with.
        method: &'static str,
        /// Why.
        failure: Failure,
    },
}

/// A broken rule that ends nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Misbehaved {
    /// What happened, for a person.
    pub reason: String,
    /// The start of the message, at most 256 bytes, lossily.
    pub excerpt: String,
}
