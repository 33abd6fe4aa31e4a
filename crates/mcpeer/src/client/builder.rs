use std::{fmt, future::Future, sync::Arc, time::Duration};

use super::{
    Client, Policy,
    answers::{Answers, IntoAnswer, check_roots, erase},
    cache::Keeper,
    hooks::Hooks,
    keeping::Answered,
    later::Later,
    lifecycle::{Lifecycle, keep_alive},
    outputs::Outputs,
};
use crate::{
    driver::{Driver, Options},
    error::{Error, Result},
    extension::{self, Extension},
    handler::{Notification, Serving},
    model::{
        Icon, Implementation, capabilities::ClientCapabilities, elicitation, logging::MessageParams, roots::Root,
        sampling,
    },
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
    pub(super) policy: Policy,
    pub(super) revisions: Vec<Revision>,
    timeout: Option<Duration>,
    max_total: Option<Duration>,
    probe_timeout: Option<Duration>,
    handshake_timeout: Option<Duration>,
    strict_capabilities: bool,
    hooks: Hooks,
    answers: Answers,
    misuse: Option<String>,
    options: Options,
    pub(super) lifecycle: Lifecycle,
    pub(super) extensions: Vec<Extension>,
    pub(super) later: Option<Arc<dyn Later>>,
    pub(super) answered: Answered,
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
            answers: Answers::default(),
            misuse: None,
            options: Options::default(),
            lifecycle: Lifecycle::default(),
            extensions: Vec::new(),
            later: None,
            answered: Answered::default(),
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

    /// Sets what the client declares that it can do beside what its handlers answer, which it declares by itself.
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
    /// does not know the question; what an earlier connection [found out](Client::verdict) saves asking, and where the
    /// connector remembers that (Streamable HTTP does) it is not asked again.
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

    /// Asks the user by a form when the server wants it: in the stateful era the server sends a request, in the
    /// stateless one it asks before it answers a call, which then goes on by itself. What was filled in is checked
    /// against the form first, and fields that were left out get their defaults.
    ///
    /// Show which server asks, and let the user decline.
    ///
    /// ```
    /// use mcpeer::{client::Client, model::elicitation::{CreateResult, FormParams}};
    ///
    /// let builder = Client::builder("me", "1.0.0").on_elicit(async |form: FormParams| {
    ///     eprintln!("{}", form.message);
    ///     CreateResult::accept([("name", "Ada")])
    /// });
    /// ```
    pub fn on_elicit<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(elicitation::FormParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<elicitation::CreateResult>> + Send + 'static,
    {
        self.answers.elicit = Some(erase(handler));
        self
    }

    /// Asks the user to open an address when the server wants it. Show the whole address and who asks, and open
    /// nothing before the user agreed.
    ///
    /// ```
    /// use mcpeer::{client::Client, model::elicitation::{CreateResult, UrlParams}};
    ///
    /// let builder = Client::builder("me", "1.0.0").on_elicit_url(async |address: UrlParams| {
    ///     eprintln!("{}: {}", address.message, address.url);
    ///     CreateResult::decline()
    /// });
    /// ```
    pub fn on_elicit_url<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(elicitation::UrlParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<elicitation::CreateResult>> + Send + 'static,
    {
        self.answers.elicit_url = Some(erase(handler));
        self
    }

    /// Asks a model when the server wants it: deprecated since 2026-07-28, which still has it. Requests with tools are refused unless
    /// [`sampling_tools`](Self::sampling_tools) says that they are taken.
    ///
    /// ```
    /// use mcpeer::{client::Client, model::{content::Role, sampling::{CreateParams, CreateResult}}};
    ///
    /// let builder = Client::builder("me", "1.0.0").on_sample(async |question: CreateParams| {
    ///     let text = format!("{} messages, and nothing to say", question.messages.len());
    ///     CreateResult::new(Role::Assistant, text, "small-1")
    /// });
    /// ```
    pub fn on_sample<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(sampling::CreateParams) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<sampling::CreateResult>> + Send + 'static,
    {
        self.answers.sample = Some(erase(handler));
        self
    }

    /// Says that the model that [`on_sample`](Self::on_sample) asks may be given tools.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").sampling_tools();
    /// ```
    pub fn sampling_tools(mut self) -> Self {
        self.answers.takes_tools = true;
        self
    }

    /// Lets the server know the files and folders to work on. Each begins with `file://`, else connecting fails.
    /// Deprecated since 2026-07-28, which still has it.
    ///
    /// ```
    /// use mcpeer::{client::Client, model::roots::Root};
    ///
    /// let builder = Client::builder("me", "1.0.0").roots([Root::new("file:///home/me/project")]);
    /// ```
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        let roots: Vec<Root> = roots.into_iter().collect();
        self.misuse = check_roots(&roots).err();
        self.answers.has_changing_roots = false;
        self.answers.roots = Some(erase(move |()| std::future::ready(roots.clone())));
        self
    }

    /// Lets the server know the files and folders to work on, which may change: tell it of a change by
    /// [`Client::roots_changed`].
    ///
    /// ```
    /// use mcpeer::{client::Client, model::roots::Root};
    ///
    /// let builder = Client::builder("me", "1.0.0").on_roots(async || vec![Root::new("file:///home/me/project")]);
    /// ```
    pub fn on_roots<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<Vec<Root>>> + Send + 'static,
    {
        self.misuse = None;
        self.answers.has_changing_roots = true;
        self.answers.roots = Some(erase(move |()| handler()));
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
    pub async fn connect<C: Connect>(mut self, mut connector: C) -> Result<Client> {
        if let Some(misuse) = self.misuse {
            return Err(Error::misuse(misuse));
        }
        if self.revisions.is_empty() {
            return Err(Error::misuse("the client speaks no revision: name at least one"));
        }
        self.declare_extensions()?;
        let transport =
            connector.connect().await.map_err(|source| Error::connect("the server cannot be reached", source))?;
        let memory = self.recall(connector.memory());
        let runtime = self.options.runtime.clone();
        self.answers.max_total = self.max_total;
        self.answers.declare(&mut self.capabilities);
        let is_strict = self.strict_capabilities;
        let config = self.config();
        let outputs = Outputs::new(self.answered.checks_outputs);
        let keeper = Keeper::new(self.answered.cache, &config.capabilities, outputs);
        let connection = Connection::client(Arc::new(config), transport.link(), runtime.clock.now());
        let watches = self.hooks.watches.clone();
        let answers = Arc::new(self.answers);
        let service = Serving::new(Arc::new(Hooks {
            answers: answers.clone(),
            keeper: Some(keeper.clone()),
            memory: memory.clone(),
            ..self.hooks
        }));
        let driver = Driver::new(connection, transport, service, self.options)
            .reopen_with(connector)
            .restart_with(self.lifecycle.restart);
        // Made before the handshake: dropping it is what ends the connection, now as later.
        let client = Client::new(driver.remote().clone(), watches, answers, keeper, is_strict, self.later);
        runtime.spawn.spawn(Box::pin(async move { drop(driver.await) }));
        if let Err(error) = client.established().await {
            // Whatever it was, the next one asks.
            memory.iter().for_each(|memory| memory.note(None));
            return Err(error);
        }
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

    fn declare_extensions(&mut self) -> Result<()> {
        extension::check(&self.extensions)
            .map_err(|(name, reason)| Error::misuse(format!("the extension `{name}` cannot be used: {reason}")))?;
        if !self.extensions.is_empty() {
            let declared = self.capabilities.extensions.get_or_insert_default();
            self.extensions.iter().for_each(|extension| extension.declare(declared));
        }
        Ok(())
    }

    fn config(&self) -> Config {
        let implementation = Raw::from_value(&self.implementation).expect("text can always be written");
        let mut config = Config::client(implementation);
        config.capabilities = Raw::from_value(&self.capabilities).expect("capabilities can always be written");
        config.policy = self.policy.clone();
        config.revisions = self.revisions.clone();
        config.strict_capabilities = self.strict_capabilities;
        config.extensions = self.extensions.iter().map(Extension::rows).collect();
        config.strict_results = self.answered.is_strict;
        config.handlers.methods.extend(self.answers.methods().map(Into::into));
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
