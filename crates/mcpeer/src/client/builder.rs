use std::{fmt, sync::Arc, time::Duration};

use super::{
    Client, Policy,
    hooks::Hooks,
    lifecycle::{Lifecycle, keep_alive},
};
use crate::{
    driver::{Driver, Options},
    error::{Error, Result},
    handler::{Notification, Serving},
    model::{Icon, Implementation, capabilities::ClientCapabilities, logging::MessageParams},
    proto::{Config, Connection},
    rpc::Raw,
    transport::{Connect, Once, Transport},
    version::Revision,
};

/// What a client will be, and how it connects. [`Client::builder`] makes one.
///
/// ```
/// use mcpeer::client::Client;
///
/// let builder = Client::builder("me", "1.0.0").title("My host");
/// # let _ = builder;
/// ```
#[must_use = "a builder does nothing until it connects"]
pub struct Builder {
    implementation: Implementation,
    capabilities: ClientCapabilities,
    policy: Policy,
    revisions: Vec<Revision>,
    timeout: Option<Duration>,
    max_total: Option<Duration>,
    probe_timeout: Option<Duration>,
    handshake_timeout: Option<Duration>,
    strict_capabilities: bool,
    hooks: Hooks,
    options: Options,
    pub(super) lifecycle: Lifecycle,
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            implementation: Implementation::new(name, version),
            capabilities: ClientCapabilities::new(),
            policy: Policy::Auto,
            revisions: Revision::ALL.to_vec(),
            timeout: None,
            max_total: None,
            probe_timeout: None,
            handshake_timeout: None,
            strict_capabilities: false,
            hooks: Hooks::default(),
            options: Options::default(),
            lifecycle: Lifecycle::default(),
        }
    }

    /// Sets the name that people see.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").title("My host");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.implementation = self.implementation.title(title);
        self
    }

    /// Adds an icon.
    ///
    /// ```
    /// use mcpeer::{client::Client, model::Icon};
    ///
    /// let builder = Client::builder("me", "1.0.0").icon(Icon::new("https://example.com/me.png"));
    /// ```
    pub fn icon(mut self, icon: Icon) -> Self {
        self.implementation.icons.get_or_insert_default().push(icon);
        self
    }

    /// Sets what the client declares that it can do; nothing unless set.
    ///
    /// ```
    /// use mcpeer::{client::Client, model::capabilities::ClientCapabilities};
    ///
    /// let builder = Client::builder("me", "1.0.0").capabilities(ClientCapabilities::new());
    /// ```
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets how the client finds out which era the server speaks. Unless set it asks, and falls back where the server
    /// does not know the question; what an earlier connection [found out](Client::verdict) saves asking.
    ///
    /// ```
    /// use mcpeer::client::{Client, Policy};
    ///
    /// let builder = Client::builder("me", "1.0.0").policy(Policy::LegacyOnly);
    /// ```
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets which revisions of the protocol the client speaks; all that this crate speaks unless set.
    ///
    /// ```
    /// use mcpeer::{client::Client, version::Revision};
    ///
    /// let builder = Client::builder("me", "1.0.0").revisions([Revision::V2025_06_18, Revision::V2025_11_25]);
    /// ```
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.revisions = revisions.into_iter().collect();
        self
    }

    /// Sets how long a request waits for its answer; 60 seconds unless set.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # use std::time::Duration;
    /// let builder = Client::builder("me", "1.0.0").timeout(Duration::from_secs(10));
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long a request may take in all, whatever progress comes; no limit unless set.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # use std::time::Duration;
    /// let builder = Client::builder("me", "1.0.0").max_total(Duration::from_secs(3600));
    /// ```
    pub fn max_total(mut self, limit: Duration) -> Self {
        self.max_total = Some(limit);
        self
    }

    /// Sets how long the question for the era may stay without an answer before the server counts as one of the
    /// stateful era; 5 seconds unless set.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # use std::time::Duration;
    /// let builder = Client::builder("me", "1.0.0").probe_timeout(Duration::from_secs(1));
    /// ```
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe_timeout = Some(timeout);
        self
    }

    /// Sets how long the handshake of the stateful era may take; 30 seconds unless set.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # use std::time::Duration;
    /// let builder = Client::builder("me", "1.0.0").handshake_timeout(Duration::from_secs(10));
    /// ```
    pub fn handshake_timeout(mut self, timeout: Duration) -> Self {
        self.handshake_timeout = Some(timeout);
        self
    }

    /// Has requests fail here, unsent, that need a capability which the server has not declared.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").strict_capabilities();
    /// ```
    pub fn strict_capabilities(mut self) -> Self {
        self.strict_capabilities = true;
        self
    }

    /// Hears the server's log messages. It runs on the task of the connection: it must not block.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").on_log(|message| eprintln!("{:?}: {}", message.level, message.data));
    /// ```
    pub fn on_log(mut self, hear: impl Fn(MessageParams) + Send + Sync + 'static) -> Self {
        self.hooks.on_log = Some(Box::new(hear));
        self
    }

    /// Hears every notification of the server that belongs to no call and that no other hook takes. It runs on the
    /// task of the connection: it must not block.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").on_notification(|notification| {
    ///     if notification.method == "notifications/tools/list_changed" {
    ///         eprintln!("the server has other tools now");
    ///     }
    /// });
    /// ```
    pub fn on_notification(mut self, hear: impl Fn(Notification) + Send + Sync + 'static) -> Self {
        self.hooks.on_notification = Some(Box::new(hear));
        self
    }

    /// Sets how the connection is run: time, tasks, memory.
    ///
    /// ```
    /// use mcpeer::{client::Client, driver::Options};
    ///
    /// let builder = Client::builder("me", "1.0.0").options(Options::default().max_buffered(1 << 20));
    /// ```
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Connects by something that can open a transport, again if need be: some old servers end on the first message
    /// that they do not know, and are started a second time. The connection runs in a task of its own.
    ///
    /// # Errors
    ///
    /// The transport cannot be opened, no revision can be agreed on, or the server ended or did not answer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends what was opened.
    ///
    /// ```
    /// use mcpeer::{
    ///     client::Client,
    ///     server::Server,
    ///     transport::{connect_with, memory},
    /// };
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let open = connect_with(move || {
    ///     let (ours, theirs) = memory::pair();
    ///     let server = server.clone();
    ///     tokio::spawn(async move { server.serve(theirs).await });
    ///     async { Ok(ours) }
    /// });
    /// let client = Client::builder("me", "1.0.0").connect(open).await?;
    /// assert_eq!(client.server_info().unwrap().name, "clock");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn connect<C: Connect>(self, mut connector: C) -> Result<Client> {
        if self.revisions.is_empty() {
            return Err(Error::misuse("the client speaks no revision: name at least one"));
        }
        let transport =
            connector.connect().await.map_err(|source| Error::connect("the server cannot be reached", source))?;
        let runtime = self.options.runtime.clone();
        let config = Arc::new(self.config());
        let connection = Connection::client(config, transport.link(), runtime.clock.now());
        let watches = self.hooks.watches.clone();
        let service = Serving::new(Arc::new(self.hooks));
        let driver = Driver::new(connection, transport, service, self.options)
            .reopen_with(connector)
            .restart_with(self.lifecycle.restart);
        // Made before the handshake: dropping it is what ends the connection, now as later.
        let client = Client::new(driver.remote().clone(), watches);
        runtime.spawn.spawn(Box::pin(async move { drop(driver.await) }));
        client.established().await?;
        if let Some(interval) = self.lifecycle.keep_alive {
            runtime.spawn.spawn(Box::pin(keep_alive(client.remote().clone(), interval)));
        }
        Ok(client)
    }

    /// Connects over a transport that is open already. Where a server ends on the first message that it does not know,
    /// this fails; [`connect`](Self::connect) can open it anew.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect).
    ///
    /// ```
    /// use mcpeer::{client::Client, server::Server, transport::memory};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// let (ours, theirs) = memory::pair();
    /// tokio::spawn(async move { server.serve(theirs).await });
    /// let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn connect_with(mut self, transport: impl Transport) -> Result<Client> {
        // There is nothing to open anew.
        self.lifecycle.restart = None;
        self.connect(Once::new(transport)).await
    }

    /// Changes how the connection is run.
    #[doc(hidden)]
    pub fn map_options(mut self, change: impl FnOnce(Options) -> Options) -> Self {
        self.options = change(self.options);
        self
    }

    fn config(&self) -> Config {
        let implementation = Raw::from_value(&self.implementation).expect("text can always be written");
        let mut config = Config::client(implementation);
        config.capabilities = Raw::from_value(&self.capabilities).expect("capabilities can always be written");
        config.policy = self.policy.clone();
        config.revisions = self.revisions.clone();
        config.strict_capabilities = self.strict_capabilities;
        let deadlines = &mut config.deadlines;
        deadlines.request = self.timeout.unwrap_or(deadlines.request);
        deadlines.max_total = self.max_total.or(deadlines.max_total);
        deadlines.probe = self.probe_timeout.unwrap_or(deadlines.probe);
        deadlines.handshake = self.handshake_timeout.unwrap_or(deadlines.handshake);
        config
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("implementation", &self.implementation)
            .field("capabilities", &self.capabilities)
            .field("policy", &self.policy)
            .field("revisions", &self.revisions)
            .finish_non_exhaustive()
    }
}
