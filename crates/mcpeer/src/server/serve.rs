use std::{fmt, sync::Arc};

use super::{Builder, DisabledTool, router::Router};
use crate::{
    driver::{Driver, Options},
    error::{Error, Result},
    handler::{Service, Serving},
    proto::{
        Config, Connection,
        io::{Change, Closed},
    },
    transport::Transport,
};

/// A server: what it says it is, and what it offers. Cheap to clone; every clone is the same server.
///
/// ```
/// use mcpeer::server::Server;
///
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Server {
    pub(super) config: Arc<Config>,
    pub(super) router: Arc<Router>,
    /// The router, and the layers around it.
    pub(super) service: Arc<dyn Service>,
    pub(super) options: Options,
}

/// Puts something around every request.
pub(super) type Around = Box<dyn FnOnce(Arc<dyn Service>) -> Arc<dyn Service> + Send>;

impl Server {
    /// Starts a server, by the name and version that it tells its clients.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")).build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    pub(super) fn new(config: Config, router: Router, layers: Vec<Around>, options: Options) -> Self {
        let router = Arc::new(router);
        if router.visible.is_some() {
            let judge = Arc::downgrade(&router);
            router.connections.judge_by(move |uri, cx| judge.upgrade().is_some_and(|router| router.may_hear(uri, cx)));
        }
        let service = layers.into_iter().rev().fold(router.clone() as Arc<dyn Service>, |inner, around| around(inner));
        Self { config: Arc::new(config), router, service, options }
    }

    /// Gives the tools that were registered and are not served, and why: a schema of theirs cannot be used.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// assert!(server.disabled_tools().is_empty());
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn disabled_tools(&self) -> Vec<DisabledTool> {
        self.router.disabled.clone()
    }

    /// Changes how connections are run from now on.
    #[doc(hidden)]
    #[must_use]
    pub fn map_options(mut self, change: impl FnOnce(Options) -> Options) -> Self {
        self.options = change(self.options);
        self
    }

    /// Serves one connection to its end.
    ///
    /// It ends once the client has closed it and running calls have had their time to be answered. A client that
    /// leaves before it has said anything is no error.
    ///
    /// # Errors
    ///
    /// The transport broke.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the connection and cancels the calls that run.
    ///
    /// ```
    /// use mcpeer::{client::Client, server::Server, transport::memory};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let (ours, theirs) = memory::pair();
    /// let serving = tokio::spawn(async move { server.serve(theirs).await });
    ///
    /// let client = Client::builder("test", "1.0.0").connect_with(ours).await?;
    /// client.close().await;
    /// serving.await??;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn serve(&self, transport: impl Transport) -> Result<()> {
        let connection = Connection::server(self.config.clone(), transport.link());
        let service = Serving::new(self.service.clone());
        let driver = Driver::new(connection, transport, service, self.options.clone());
        let _entered = self.router.connections.enter(driver.remote().clone());
        match driver.await {
            Closed::Local | Closed::Remote => Ok(()),
            closed => Err(Error::from(closed)),
        }
    }

    /// Tells every client of a change that wants to hear it: sessions of the stateful era, and
    /// `subscriptions/listen` streams.
    pub(super) fn publish(&self, change: &Change) {
        self.router.connections.publish(change);
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("implementation", &self.config.implementation).finish_non_exhaustive()
    }
}
