use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Builder, Verdict, answers::Answers, cache::Keeper, later::Later, remember::verdict, watch::Watches};
use crate::{
    driver::Remote,
    error::{Error, Result},
    model::{Implementation, capabilities::ServerCapabilities, logging::Level},
    peer::Peer,
    proto::io::Connected,
    version::{Era, Revision},
};

/// A connection to a server. Cheap to clone; when the last clone is dropped and no call is on its way the connection
/// closes.
///
/// ```
/// use mcpeer::{client::Client, server::Server, transport::memory};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// # let (ours, theirs) = memory::pair();
/// # tokio::spawn(async move { server.serve(theirs).await });
/// let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
/// assert_eq!(client.call("now").await?.as_text(), "12:00");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Client(Arc<Open>);

/// Ends the connection when the last client goes.
struct Open {
    remote: Remote,
    peer: Peer,
    /// The same, where answers that are kept will do.
    asking: Peer,
    keeper: Arc<Keeper>,
    /// What requests say in an era in which each says it for itself.
    log_level: Mutex<Option<Level>>,
    watches: Arc<Watches>,
    is_strict: bool,
    /// What goes on with calls that are answered by the promise of a result.
    later: Option<Arc<dyn Later>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.remote.shut();
    }
}

impl Client {
    /// Starts a client, by the name and version that it tells the server.
    ///
    /// ```
    /// use mcpeer::client::Client;
    ///
    /// let builder = Client::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    /// # let _ = builder;
    /// ```
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    pub(super) fn new(
        remote: Remote,
        watches: Arc<Watches>,
        answers: Arc<Answers>,
        keeper: Arc<Keeper>,
        is_strict: bool,
        later: Option<Arc<dyn Later>>,
    ) -> Self {
        let peer = Peer::new(remote.clone()).answering(answers);
        let asking = peer.clone().recalling(Arc::new(keeper.clone()));
        Self(Arc::new(Open { peer, asking, keeper, remote, log_level: Mutex::default(), watches, is_strict, later }))
    }

    pub(super) fn later(&self) -> Option<&Arc<dyn Later>> {
        self.0.later.as_ref()
    }

    /// Gives the other side of the connection, for requests that an answer that is kept will do for.
    pub(super) fn asking(&self) -> &Peer {
        &self.0.asking
    }

    pub(super) fn keeper(&self) -> &Keeper {
        &self.0.keeper
    }

    pub(super) fn remote(&self) -> &Remote {
        &self.0.remote
    }

    pub(super) fn watches(&self) -> &Watches {
        &self.0.watches
    }

    /// Waits for the end of the negotiation.
    pub(super) async fn established(&self) -> Result<()> {
        let remote = &self.0.remote;
        let Err(closed) = remote.connected().await else { return Ok(()) };
        // Some transports can say why only once they have ended.
        if remote.diagnosis().is_none() {
            remote.finished().await;
        }
        Err(Error::ended(closed, remote.diagnosis()))
    }

    /// Gives the other side of the connection, for requests that no verb of the client covers. What
    /// is asked through it always goes to the server, whatever answers the client [keeps](super::cache).
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// let list = client.peer().request_raw("tools/list", None).await?;
    /// assert!(list.as_str().contains("now"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn peer(&self) -> &Peer {
        &self.0.peer
    }

    /// Gives the revision that both sides speak.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory, version::Revision};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert_eq!(client.revision(), Revision::V2026_07_28);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn revision(&self) -> Revision {
        self.connected().revision
    }

    /// Gives the era that both sides speak.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory, version::Era};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert_eq!(client.era(), Era::Modern);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn era(&self) -> Era {
        self.revision().era()
    }

    /// Gives what the server says it is; `None` where it says nothing, as it may in the stateless era. Nothing proves
    /// it: it is for people and logs.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert_eq!(client.server_info().unwrap().name, "clock");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn server_info(&self) -> Option<Implementation> {
        self.connected().implementation.as_ref()?.decode().ok()
    }

    /// Gives what the server declares that it can do.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert!(client.capabilities().tools.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn capabilities(&self) -> ServerCapabilities {
        self.connected().capabilities.decode().unwrap_or_else(|_| ServerCapabilities::new())
    }

    /// Gives what the server says about its use, for the model.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").instructions("Ask often.").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert_eq!(client.instructions().as_deref(), Some("Ask often."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn instructions(&self) -> Option<String> {
        self.connected().instructions.clone()
    }

    /// Gives what was found out about the server's era, to [connect](super::Policy::Remembered) without asking next
    /// time; `None` where it is not sure enough to be kept, since the server only stayed silent.
    ///
    /// ```
    /// use mcpeer::client::Policy;
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    ///
    /// let verdict = client.verdict().unwrap();
    /// let next_time = Client::builder("me", "1.0.0").policy(Policy::Remembered(verdict));
    /// # let _ = next_time;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verdict(&self) -> Option<Verdict> {
        verdict(&self.connected())
    }

    /// Closes the connection and waits until the transport has ended: a child process too.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// client.close().await;
    /// assert!(client.call("now").await.unwrap_err().is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn close(&self) {
        self.peer().close().await;
    }

    pub(super) fn keep_log_level(&self, level: Level) {
        *self.0.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    pub(super) fn request_log_level(&self) -> Option<Level> {
        self.0.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the server may be asked for what belongs to a capability, or must refuse it itself.
    pub(super) fn may_ask(&self, capability: &str) -> bool {
        self.0.is_strict
            || self.connected().capabilities.borrow().member(capability).is_some_and(|value| !value.is_null())
    }

    pub(super) fn connected(&self) -> Arc<Connected> {
        self.peer().connected().expect("a client is given out once it is connected")
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("peer", self.peer()).finish()
    }
}
