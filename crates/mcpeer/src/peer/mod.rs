//! The other side of a connection: send it requests and notifications, and end the connection.

mod call;
mod extended;
mod headers;
mod meta;
mod recall;
mod rounds;
mod sent;
#[cfg(test)]
mod tests;

use std::{
    borrow::{Borrow, Cow},
    fmt,
    future::Future,
    sync::Arc,
};

use serde::Serialize;

#[allow(unused_imports, reason = "only clients")]
pub(crate) use call::complete;
pub use call::{Call, Progress};
pub use extended::Extended;
#[allow(unused_imports, reason = "only servers ask questions")]
pub(crate) use meta::merge as with_meta;
#[allow(unused_imports, reason = "only clients keep answers")]
pub(crate) use recall::{Begun, Freshness, Note, Recall};
#[allow(unused_imports, reason = "only clients answer questions")]
pub(crate) use rounds::{Answering, Answers, Question, responses};
#[allow(unused_imports, reason = "only clients follow tasks")]
pub(crate) use sent::GivenUp;
pub use sent::Sent;

use crate::{
    driver::{
        Remote,
        io::{Connected, Handle, Outgoing},
    },
    error::{Error, Result},
    model::{Implementation, Notification, Request, capabilities::ServerCapabilities},
    rpc::Raw,
    version::{Era, Revision},
};

/// The other side of a connection.
///
/// Clones are cheap and stand for the same connection. What is asked through them goes out in the order of asking.
///
/// ```
/// use std::time::Duration;
/// use mcpeer::{error::Result, peer::Peer, rpc::Raw};
///
/// async fn tools(peer: &Peer) -> Result<Raw> {
///     peer.request_raw("tools/list", None).timeout(Duration::from_secs(5)).await
/// }
/// ```
#[derive(Clone)]
pub struct Peer {
    remote: Remote,
    /// The request of the peer that everything sent belongs to.
    related: Option<Handle>,
    /// What answers the questions that come before the answer of a request.
    answers: Option<Arc<dyn Answers>>,
    /// What keeps answers of the peer.
    recall: Option<Arc<dyn Recall>>,
}

impl Peer {
    pub(crate) fn new(remote: Remote) -> Self {
        Self { remote, related: None, answers: None, recall: None }
    }

    #[allow(dead_code, reason = "only clients answer questions")]
    pub(crate) fn answering(mut self, answers: Arc<dyn Answers>) -> Self {
        self.answers = Some(answers);
        self
    }

    /// Gives what answers the questions of the other side.
    #[allow(dead_code, reason = "only clients follow tasks")]
    pub(crate) fn answers(&self) -> Option<&Arc<dyn Answers>> {
        self.answers.as_ref()
    }

    #[allow(dead_code, reason = "only clients keep answers")]
    pub(crate) fn recalling(mut self, recall: Arc<dyn Recall>) -> Self {
        self.recall = Some(recall);
        self
    }

    pub(crate) fn related_to(mut self, handle: Handle) -> Self {
        self.related = Some(handle);
        self
    }

    /// Gives the way to the driver.
    #[cfg(test)]
    pub(crate) fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Begins a request of a method. Params are given by value or by reference.
    ///
    /// ```
    /// use mcpeer::{error::Result, model::{EmptyParams, EmptyResult, ping::Ping}, peer::Peer};
    ///
    /// async fn is_there(peer: &Peer) -> Result<EmptyResult> {
    ///     peer.request::<Ping>(EmptyParams::new()).await
    /// }
    /// ```
    pub fn request<R: Request>(&self, params: impl Borrow<R::Params>) -> Call<R::Result> {
        Call::new(self, R::METHOD.into(), encode(R::METHOD, params.borrow()), call::typed)
    }

    /// Begins a request by its method and the JSON of its params, an object. Its outcome is the JSON of the result.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// async fn templates(peer: &Peer) -> mcpeer::error::Result<mcpeer::rpc::Raw> {
    ///     peer.request_raw("resources/templates/list", None).await
    /// }
    /// ```
    pub fn request_raw(&self, method: impl Into<Cow<'static, str>>, params: Option<Raw>) -> Call<Raw> {
        Call::new(self, method.into(), Ok(params), call::complete)
    }

    /// Begins a request whose params are written already, or could not be.
    #[allow(dead_code, reason = "only clients have verbs")]
    pub(crate) fn request_encoded(&self, method: &'static str, params: Result<Option<Raw>>) -> Call<Raw> {
        Call::new(self, method.into(), params, call::complete)
    }

    /// Sends a notification of a method. Params are given by value or by reference.
    ///
    /// Waits while more than the [high-water mark](crate::driver::Options::high_water) is still to be written. Before
    /// the two sides have agreed on a revision it is kept until they have; where that revision turns out not to have
    /// it, it is reported and dropped.
    ///
    /// # Errors
    ///
    /// The notification does not exist at this revision or its capability is not declared
    /// ([misuse](Error::is_misuse)); the connection has ended.
    ///
    /// ```
    /// use mcpeer::{error::Result, model::{EmptyParams, legacy::RootsListChanged}, peer::Peer};
    ///
    /// async fn tell(peer: &Peer) -> Result<()> {
    ///     peer.notify::<RootsListChanged>(EmptyParams::new()).await
    /// }
    /// ```
    pub fn notify<N: Notification>(
        &self,
        params: impl Borrow<N::Params>,
    ) -> impl Future<Output = Result<()>> + Send + '_ {
        self.notify_outgoing(N::METHOD.into(), encode(N::METHOD, params.borrow()))
    }

    /// Sends a notification by its method and the JSON of its params, an object.
    ///
    /// Waits while more than the [high-water mark](crate::driver::Options::high_water) is still to be written. Before
    /// the two sides have agreed on a revision it is kept until they have; where that revision turns out not to have
    /// it, it is reported and dropped.
    ///
    /// # Errors
    ///
    /// The notification does not exist at this revision or its capability is not declared
    /// ([misuse](Error::is_misuse)); the connection has ended.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// async fn tell(peer: &Peer) -> mcpeer::error::Result<()> {
    ///     peer.notify_raw("notifications/roots/list_changed", None).await
    /// }
    /// ```
    pub async fn notify_raw(&self, method: impl Into<Cow<'static, str>>, params: Option<Raw>) -> Result<()> {
        self.notify_outgoing(method.into(), Ok(params)).await
    }

    async fn notify_outgoing(&self, method: Cow<'static, str>, params: Result<Option<Raw>>) -> Result<()> {
        let outgoing = Outgoing { method, params: params?, related: self.related };
        self.remote.notify(outgoing).await.map_err(Error::from)
    }

    /// Gives the same peer for what belongs to no request: what is sent to it goes out at large.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn keep(cx: &Context) -> mcpeer::peer::Peer {
    ///     cx.peer().unrelated()
    /// }
    /// ```
    #[must_use]
    pub fn unrelated(&self) -> Self {
        Self { related: None, ..self.clone() }
    }

    /// Ends the connection and waits until its transport has ended. Requests that are open fail as closed, handlers
    /// are cancelled. What was sent before is written out.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// async fn stop(peer: Peer) {
    ///     peer.close().await;
    ///     assert!(peer.is_closed());
    /// }
    /// ```
    pub async fn close(&self) {
        self.remote.close().await;
    }

    /// Completes when the connection has ended, with the reason.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// async fn watch(peer: Peer) {
    ///     eprintln!("{}", peer.closed().await);
    /// }
    /// ```
    pub fn closed(&self) -> impl Future<Output = Error> + Send + use<> {
        let remote = self.remote.clone();
        async move { Error::ended(remote.closed().await, remote.diagnosis()) }
    }

    /// Whether the connection has ended. Then every request fails at once.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn living(peers: Vec<Peer>) -> Vec<Peer> {
    ///     peers.into_iter().filter(|peer| !peer.is_closed()).collect()
    /// }
    /// ```
    pub fn is_closed(&self) -> bool {
        self.remote.is_closed()
    }

    /// Gives the revision that both sides speak, once it is settled.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn version(peer: &Peer) -> String {
    ///     peer.revision().map_or("not known yet".into(), |revision| revision.to_string())
    /// }
    /// ```
    pub fn revision(&self) -> Option<Revision> {
        self.connected().map(|connected| connected.revision)
    }

    /// Gives the era that both sides speak, once it is settled.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn is_stateless(peer: &Peer) -> bool {
    ///     peer.era() == Some(mcpeer::version::Era::Modern)
    /// }
    /// ```
    pub fn era(&self) -> Option<Era> {
        self.revision().map(Revision::era)
    }

    /// Gives what the server says it is, or the client of the stateful era, once it is known. It says so itself: decide
    /// nothing of weight by it.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn name(peer: &Peer) -> Option<String> {
    ///     Some(peer.implementation()?.name)
    /// }
    /// ```
    pub fn implementation(&self) -> Option<Implementation> {
        self.implementation_raw()?.decode().ok()
    }

    /// Gives what the peer, a server, can do, once it is known.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn has_prompts(peer: &Peer) -> bool {
    ///     peer.server_capabilities().is_some_and(|server| server.prompts.is_some())
    /// }
    /// ```
    pub fn server_capabilities(&self) -> Option<ServerCapabilities> {
        self.capabilities_raw()?.decode().ok()
    }

    /// Gives what the peer declared that it can do, as JSON, once it is known.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn has_tools(peer: &Peer) -> bool {
    ///     peer.capabilities_raw().is_some_and(|raw| raw.borrow().member("tools").is_some())
    /// }
    /// ```
    pub fn capabilities_raw(&self) -> Option<Raw> {
        self.connected().map(|connected| connected.capabilities.clone())
    }

    /// Gives what the peer says it is, as JSON, once it is known.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn name(peer: &Peer) -> Option<String> {
    ///     Some(peer.implementation_raw()?.borrow().member("name")?.as_string()?.into_owned())
    /// }
    /// ```
    pub fn implementation_raw(&self) -> Option<Raw> {
        self.connected().and_then(|connected| connected.implementation.clone())
    }

    /// Gives what a server says about its use.
    ///
    /// ```
    /// # use mcpeer::peer::Peer;
    /// fn prompt(peer: &Peer) -> String {
    ///     peer.instructions().unwrap_or_default()
    /// }
    /// ```
    pub fn instructions(&self) -> Option<String> {
        self.connected().and_then(|connected| connected.instructions.clone())
    }

    pub(crate) fn connected(&self) -> Option<Arc<Connected>> {
        self.remote.peek_connected()
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("revision", &self.revision()).field("is_closed", &self.is_closed()).finish()
    }
}

/// Writes params as JSON; such as are nothing are left out.
fn encode(method: &str, params: &impl Serialize) -> Result<Option<Raw>> {
    match Raw::from_value(params) {
        Ok(raw) if raw.borrow().is_null() => Ok(None),
        Ok(raw) => Ok(Some(raw)),
        Err(source) => {
            Err(Error::misuse(format!("the params of `{method}` cannot be written as JSON")).with_source(source))
        }
    }
}
