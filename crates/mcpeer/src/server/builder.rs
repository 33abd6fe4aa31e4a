use std::{fmt, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    Completes, DisabledTool, Server, Tool, ToolHandler, UriTemplateError,
    connections::Connections,
    extend,
    method::{self, OwnMethods},
    named::AskedFor,
    notified::Notified,
    offers::Offers,
    router::Router,
    serve::Around,
    tools::{self, Declared},
    watchers::Watchers,
};
use crate::{
    driver,
    extension::Extension,
    handler::{Application, Needed, States, ask::Rounds},
    model::{Icon, implementation::Implementation},
    proto::Config,
    rpc::Raw,
    version::Revision,
};

/// What a server will be. [`Server::builder`] makes one.
///
/// ```
/// use mcpeer::server::Server;
///
/// let server = Server::builder("clock", "1.0.0")
///     .instructions("Ask for the time before you plan the day.")
///     .tool("now", async || "12:00")
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder {
    implementation: Implementation,
    instructions: Option<String>,
    revisions: Vec<Revision>,
    has_logging: bool,
    page_size: usize,
    tools: Vec<Declared>,
    pub(super) offers: Offers,
    states: States,
    /// What is around every request, the outermost first.
    pub(super) layers: Vec<Around>,
    pub(super) methods: method::Declared,
    options: driver::Options,
    rounds: Option<Rounds>,
    pub(super) watchers: Watchers,
    pub(super) extensions: Vec<Extension>,
    pub(super) notified: Notified,
    pub(super) connections: Arc<Connections>,
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            implementation: Implementation::new(name, version),
            instructions: None,
            revisions: Revision::ALL.to_vec(),
            has_logging: false,
            page_size: usize::MAX,
            tools: Vec::new(),
            offers: Offers::default(),
            states: States::default(),
            layers: Vec::new(),
            methods: method::Declared::default(),
            options: driver::Options::default(),
            rounds: None,
            watchers: Watchers::default(),
            extensions: Vec::new(),
            notified: Notified::default(),
            connections: Arc::default(),
        }
    }

    /// Sets the name that people see.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("clock", "1.0.0").title("Clock");
    /// ```
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.implementation = self.implementation.title(title);
        self
    }

    /// Says what the server is, for people.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("clock", "1.0.0").description("Tells the time");
    /// ```
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.implementation = self.implementation.description(description);
        self
    }

    /// Sets the address of the server's site.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("clock", "1.0.0").website_url("https://example.com");
    /// ```
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.implementation = self.implementation.website_url(url);
        self
    }

    /// Adds an icon.
    ///
    /// ```
    /// use mcpeer::{model::Icon, server::Server};
    ///
    /// let builder = Server::builder("clock", "1.0.0").icon(Icon::new("https://example.com/clock.png"));
    /// ```
    pub fn icon(mut self, icon: Icon) -> Self {
        self.implementation.icons.get_or_insert_default().push(icon);
        self
    }

    /// Tells the model how to use the server as a whole.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("clock", "1.0.0").instructions("Ask for the time before you plan the day.");
    /// ```
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Declares that the server sends log messages, so that [`Context::log`](crate::handler::Context::log) has an
    /// effect. Deprecated since 2026-07-28, which still has it.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("clock", "1.0.0").logging();
    /// ```
    pub fn logging(mut self) -> Self {
        self.has_logging = true;
        self
    }

    /// Sets which revisions of the protocol are served; all that this crate speaks unless set.
    ///
    /// ```
    /// use mcpeer::{server::Server, version::Revision};
    ///
    /// let builder = Server::builder("clock", "1.0.0").revisions([Revision::V2026_07_28]);
    /// ```
    pub fn revisions(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.revisions = revisions.into_iter().collect();
        self
    }

    /// Sets how many entries a page of a list has. Unless set a list is one page, because some hosts never ask for
    /// the second.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("clock", "1.0.0").page_size(100);
    /// ```
    ///
    /// # Panics
    ///
    /// A page of no entries.
    pub fn page_size(mut self, entries: usize) -> Self {
        assert!(entries > 0, "a page holds at least one entry");
        self.page_size = entries;
        self
    }

    /// Sets how connections are run: time, tasks, memory.
    ///
    /// ```
    /// use mcpeer::{driver::Options, server::Server};
    ///
    /// let builder = Server::builder("clock", "1.0.0").options(Options::default().max_running(16));
    /// ```
    pub fn options(mut self, options: driver::Options) -> Self {
        self.options = options;
        self
    }

    /// Sets how clients of the stateless era are asked: with which keys, how often, how much.
    ///
    /// ```
    /// use mcpeer::{handler::ask::{Keyring, Rounds}, server::Server};
    ///
    /// let builder = Server::builder("shop", "1.0.0").rounds(Rounds::new().keyring(Keyring::new([7; 32])));
    /// ```
    pub fn rounds(mut self, rounds: Rounds) -> Self {
        self.rounds = Some(rounds);
        self
    }

    /// Adds a tool and what handles its calls. Tools are listed in the order in which they were added.
    ///
    /// A handler that is not async is done at once, on the task of the connection: keep it short, or make it
    /// [`blocking`](super::blocking).
    ///
    /// ```
    /// use mcpeer::server::{Args, Server, Tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Add {
    ///     a: f64,
    ///     b: f64,
    /// }
    ///
    /// let server = Server::builder("adder", "1.0.0")
    ///     .tool(Tool::new("add").description("Adds two numbers"), async |Args(add): Args<Add>| {
    ///         (add.a + add.b).to_string()
    ///     })
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn tool<Signature: 'static>(self, tool: impl Into<Tool>, handler: impl ToolHandler<Signature>) -> Self {
        self.declare(Declared::new(tool.into(), handler))
    }

    /// Gives the handlers something to share, which they ask for by its type as [`State`](super::State). A second value
    /// of a type takes the place of the first.
    ///
    /// ```
    /// use mcpeer::server::{Server, State};
    ///
    /// #[derive(Clone)]
    /// struct Greeting(&'static str);
    ///
    /// let server = Server::builder("greeter", "1.0.0")
    ///     .state(Greeting("Hello!"))
    ///     .tool("greet", async |State(Greeting(text)): State<Greeting>| text)
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        self.states.insert(state);
        self
    }

    /// Makes the server.
    ///
    /// # Errors
    ///
    /// What was added does not fit together.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let error = Server::builder("twice", "1.0.0")
    ///     .tool("now", async || "12:00")
    ///     .tool("now", async || "noon")
    ///     .build()
    ///     .unwrap_err();
    /// assert_eq!(error.to_string(), "two tools are named `now`: rename one");
    /// ```
    pub fn build(self) -> Result<Server, BuildError> {
        if self.revisions.is_empty() {
            return Err(BuildError::NoRevision);
        }
        for declared in &self.tools {
            extend::check_tool(&declared.tool, &self.extensions)?;
        }
        let mut router = Router::new(self.page_size, self.states);
        router.watchers = self.watchers;
        router.notified = self.notified;
        router.connections = self.connections;
        for declared in self.tools {
            match tools::Entry::new(declared, &router.states) {
                Ok(entry) => router.add_tool(entry)?,
                Err(BuildError::UnusableTool { tool, reason }) => {
                    tracing::warn!(tool, reason, "a tool is disabled");
                    router.disabled.push(DisabledTool { name: tool, reason });
                }
                Err(error) => return Err(error),
            }
        }
        let mut capabilities = Map::new();
        let mut config = Config::server(Raw::from_value(&self.implementation).expect("text can always be written"));
        if self.has_logging {
            capabilities.insert("logging".to_owned(), json!({}));
        }
        config.cache.extend(self.offers.cache.iter().map(|(method, hint)| ((*method).into(), *hint)));
        let methods = self.offers.offer(&mut router, &mut capabilities)?;
        config.handlers.methods.extend(methods.into_iter().map(Into::into));
        if let Some(declared) = extend::configure(&self.extensions, &mut config)? {
            capabilities.insert("extensions".to_owned(), json!(declared));
        }
        router.methods = OwnMethods::new(self.methods, &self.extensions, &router.states)?;
        config.handlers.methods.extend(router.methods.names().map(Into::into));
        config.capabilities =
            Raw::from_value(&Value::Object(capabilities)).expect("a JSON value can always be written");
        config.debounced =
            ["tools", "prompts", "resources"].map(|list| format!("notifications/{list}/list_changed").into()).into();
        config.instructions = self.instructions;
        config.revisions = self.revisions;
        let mut options = self.options;
        let rounds = Arc::new(self.rounds.unwrap_or_default());
        options.sealing = Some(rounds.clone());
        options.application = Some(Arc::new(Application { rounds, states: router.states.clone() }));
        Ok(Server::new(config, router, self.layers, options))
    }

    fn declare(mut self, tool: Declared) -> Self {
        self.tools.push(tool);
        self
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(|declared| &declared.tool.model.name).collect();
        f.debug_struct("Builder").field("implementation", &self.implementation).field("tools", &tools).finish()
    }
}

/// Why a server cannot be made out of what its builder was given, or changed as it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have one name.
    DuplicateTool {
        /// The name.
        name: String,
    },
    /// The arguments of a tool are no object.
    Arguments {
        /// The tool.
        tool: String,
        /// What they are.
        found: String,
    },
    /// Two things of another kind have one name or address.
    Duplicate {
        /// What they are.
        kind: &'static str,
        /// The name or address.
        name: String,
    },
    /// A template of resources is none that can be served.
    Template {
        /// The template.
        template: String,
        /// What is wrong with it.
        error: UriTemplateError,
    },
    /// Two completions are for one argument.
    DuplicateCompletion {
        /// The argument.
        completes: Completes,
    },
    /// A completion is for an argument that is not there.
    NothingToComplete {
        /// The argument.
        completes: Completes,
    },
    /// Something of a kind that the server did not declare when it was made was added to it, so that no client would
    /// look for it.
    NotDeclared {
        /// The kind.
        kind: &'static str,
    },
    /// There is nothing of this name that could be changed.
    Missing {
        /// What it would be.
        kind: &'static str,
        /// The name or address.
        name: String,
    },
    /// A schema of a tool cannot be used. A server that is made with such a tool
    /// [disables it](Server::disabled_tools) instead.
    UnusableTool {
        /// The tool.
        tool: String,
        /// Which schema it is, and what is wrong with it.
        reason: String,
    },
    /// A handler asks for state that the server was not given.
    MissingState {
        /// What it handles.
        handler: String,
        /// The type of the state.
        state: String,
    },
    /// A handler asks for something by a name that is not there: no variable of its template, no argument of what it
    /// completes.
    UnknownName {
        /// What it handles.
        handler: String,
        /// The name of the parameter.
        name: String,
    },
    /// There is no completion for this argument that could be changed.
    MissingCompletion {
        /// The argument.
        completes: Completes,
    },
    /// A method of one's own has a name of the protocol's.
    ReservedMethod {
        /// The name.
        method: String,
    },
    /// Two methods of one's own have one name.
    DuplicateMethod {
        /// The name.
        method: String,
    },
    /// An extension cannot be used.
    Extension {
        /// Its identifier.
        identifier: String,
        /// Why.
        reason: String,
    },
    /// No revision is left to serve.
    NoRevision,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateTool { name } => write!(f, "two tools are named `{name}`: rename one"),
            Self::Arguments { tool, found } => {
                write!(f, "the arguments of the tool `{tool}` are {found}: give `Args` a type with named fields")
            }
            Self::Duplicate { kind, name } => write!(f, "there are two of the {kind} `{name}`: leave one out"),
            Self::Template { template, error } => write!(f, "the template `{template}` cannot be served: {error}"),
            Self::DuplicateCompletion { completes } => write!(f, "two completions are for {completes}: leave one out"),
            Self::NothingToComplete { completes } => {
                write!(f, "there is nothing to complete, no {completes}: add it, or leave the completion out")
            }
            Self::NotDeclared { kind } => {
                write!(f, "the server did not declare {kind}: add one before `build`, or call `dynamic_{kind}` there")
            }
            Self::Missing { kind, name } => write!(f, "there is no {kind} `{name}`: add it"),
            Self::UnusableTool { tool, reason } => write!(f, "the tool `{tool}` cannot be served: {reason}"),
            Self::MissingState { handler, state } => {
                write!(f, "the handler of the {handler} asks for state of the type `{state}`: give it to `state`")
            }
            Self::UnknownName { handler, name } => {
                write!(f, "the handler of the {handler} asks for `{name}`, which nobody gives it: rename the parameter")
            }
            Self::MissingCompletion { completes } => write!(f, "there is no completion of {completes}: add it"),
            Self::ReservedMethod { method } => {
                write!(f, "`{method}` is a method of the protocol: put a domain of yours in front of its name")
            }
            Self::DuplicateMethod { method } => write!(f, "two methods are named `{method}`: rename one"),
            Self::Extension { identifier, reason } => {
                write!(f, "the extension `{identifier}` cannot be used: {reason}")
            }
            Self::NoRevision => f.write_str("no revision is served: name at least one"),
        }
    }
}

impl std::error::Error for BuildError {}

impl BuildError {
    /// Checks that the state is there that a handler asks for.
    pub(super) fn check(states: &States, needed: &[Needed], kind: &str, name: &str) -> Result<(), Self> {
        states.missing(needed).map_or(Ok(()), |missing| {
            Err(Self::MissingState { handler: format!("{kind} `{name}`"), state: missing.name().to_owned() })
        })
    }

    /// Checks that what a handler asks for by name is known.
    pub(super) fn check_names(
        asked: &AskedFor,
        is_known: impl Fn(&str) -> bool,
        kind: &str,
        name: &str,
    ) -> Result<(), Self> {
        asked.unknown(is_known).map_or(Ok(()), |unknown| {
            Err(Self::UnknownName { handler: format!("{kind} `{name}`"), name: unknown.to_owned() })
        })
    }
}
