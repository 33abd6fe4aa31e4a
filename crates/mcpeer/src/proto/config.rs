use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::OnceLock,
    time::Duration,
};

use super::prepared::Prepared;
use crate::{
    rpc::{self, Raw},
    version::{Era, Revision},
    wire::{CacheHint, ExtensionRows},
};

/// What a connection is told at its start; one serves any number of connections.
///
/// The fields are read when the first connection starts: what is changed afterwards in a clone that was made from a
/// used one takes effect, since a clone starts afresh.
#[derive(Debug)]
#[non_exhaustive]
pub struct Config {
    /// What this peer says it is: an `Implementation`.
    pub implementation: Raw,
    /// What this peer declares: `ServerCapabilities` or `ClientCapabilities`.
    pub capabilities: Raw,
    /// What a server tells about its use.
    pub instructions: Option<String>,
    /// The revisions that it speaks, in any order.
    pub revisions: Vec<Revision>,
    /// The request methods that have a handler.
    pub handlers: Handlers,
    /// The extensions that are enabled.
    pub extensions: Vec<ExtensionRows>,
    /// Members of the filter of `subscriptions/listen` that extensions add.
    pub filters: Vec<Filter>,
    /// How a client finds the era; a server does not look at it.
    pub policy: Policy,
    /// How far tables may grow.
    pub limits: Limits,
    /// How long to wait.
    pub deadlines: Deadlines,
    /// For how long a client may keep the results of a server, by method.
    pub cache: HashMap<Cow<'static, str>, CacheHint>,
    /// Notifications that are sent once for however often they were asked for since the last flush.
    pub debounced: Vec<Cow<'static, str>>,
    /// Whether a request fails here for which the peer has not declared the capability.
    pub strict_capabilities: bool,
    /// Whether a result fails that lacks what its era requires.
    pub strict_results: bool,
    /// Whether each message of the stateful era stands alone: its revision comes from the transport's header, and
    /// no `initialize` has to come first.
    pub sessionless: bool,
    pub(super) prepared: OnceLock<Prepared>,
}

impl Config {
    /// A server of every revision, with the default limits and nothing declared.
    pub fn server(implementation: Raw) -> Self {
        Self {
            implementation,
            capabilities: Raw::trusted("{}"),
            instructions: None,
            revisions: Revision::ALL.to_vec(),
            handlers: Handlers::default(),
            extensions: Vec::new(),
            filters: Vec::new(),
            policy: Policy::Auto,
            limits: Limits::default(),
            deadlines: Deadlines::default(),
            cache: HashMap::new(),
            debounced: Vec::new(),
            strict_capabilities: false,
            strict_results: false,
            sessionless: false,
            prepared: OnceLock::new(),
        }
    }

    /// A client of every revision, with the default limits and nothing declared.
    pub fn client(implementation: Raw) -> Self {
        Self::server(implementation)
    }

    /// Whether a server keeps anything between the messages of a client: in the stateful era, if it serves that.
    pub fn has_sessions(&self) -> bool {
        !self.sessionless && self.revisions.iter().any(|revision| revision.era() == Era::Legacy)
    }

    /// The same for a transport that has the stateful era alone, with sessions; `None` where that is not spoken.
    pub fn stateful(&self) -> Option<Self> {
        let mut config = Self { sessionless: false, ..self.clone() };
        config.revisions.retain(|revision| revision.era() == Era::Legacy);
        (!config.revisions.is_empty()).then_some(config)
    }
}

impl Clone for Config {
    fn clone(&self) -> Self {
        Self {
            implementation: self.implementation.clone(),
            capabilities: self.capabilities.clone(),
            instructions: self.instructions.clone(),
            revisions: self.revisions.clone(),
            handlers: self.handlers.clone(),
            extensions: self.extensions.clone(),
            filters: self.filters.clone(),
            policy: self.policy.clone(),
            limits: self.limits,
            deadlines: self.deadlines,
            cache: self.cache.clone(),
            debounced: self.debounced.clone(),
            strict_capabilities: self.strict_capabilities,
            strict_results: self.strict_results,
            sessionless: self.sessionless,
            prepared: OnceLock::new(),
        }
    }
}

/// Which request methods have a handler. What the connection serves itself need not be named: `initialize`, `ping`,
/// `server/discover`, `logging/setLevel`, `subscriptions/listen`, and `resources/subscribe` and
/// `resources/unsubscribe` where they are not named.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    /// The methods.
    pub methods: HashSet<Cow<'static, str>>,
    /// Whether a handler takes what no other does.
    pub fallback: bool,
}

/// How a client finds out which era the server speaks.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Ask for the newest revision, and fall back to `initialize` where the server does not know the question.
    #[default]
    Auto,
    /// Speak the stateful era only: `initialize` at once.
    LegacyOnly,
    /// Speak the stateless era only: never fall back.
    ModernOnly,
    /// Go by what an earlier connection to the same server found, and find out anew where that no longer holds.
    Remembered(Verdict),
}

/// What a client once found out about a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// It speaks the stateful era.
    Legacy,
    /// It speaks the stateless era.
    Modern {
        /// At this revision.
        revision: Revision,
        /// The result of `server/discover`.
        discovered: Option<Raw>,
    },
}

/// A member of the filter of `subscriptions/listen` that an extension adds: a list of strings.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The member, as in `taskIds`.
    pub member: Cow<'static, str>,
    /// The notification that it selects.
    pub method: Cow<'static, str>,
    /// The extension: only clients that declare it may ask for it.
    pub extension: Cow<'static, str>,
}

/// How far the tables of a connection may grow, and how much the peer may ask for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// What a message may cost.
    pub message: rpc::Limits,
    /// How many requests of the peer run at once; more wait. 100 unless set.
    pub concurrent: usize,
    /// How many requests of the peer wait; more are answered −32603. 1,000 unless set.
    pub waiting: usize,
    /// How many bytes the params of all waiting requests may have, unless one waits alone; more are answered −32603.
    /// 64 MiB unless set.
    pub waiting_bytes: usize,
    /// How many requests of ours may be open at once; more fail here. 10,000 unless set.
    pub pending: usize,
    /// How many `subscriptions/listen` the peer may hold open; more are answered −32603. 64 unless set.
    pub subscriptions: usize,
    /// How many resources one `subscriptions/listen`, or a stateful connection in all, may follow; more are answered
    /// −32603. 1,000 unless set.
    pub resources: usize,
    /// How many different changes wait for a listener that does not read; a `subscriptions/listen` that has more ends
    /// with its result, and a session of the stateful era hears of the resource that it follows instead of those that
    /// lie under it. 1,024 unless set.
    pub waiting_changes: usize,
    /// How many answers without an id go out in a burst on a pipe; then one each second. 10 unless set.
    pub anonymous_answers: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: rpc::Limits::default(),
            concurrent: 100,
            waiting: 1_000,
            waiting_bytes: 64 << 20,
            pending: 10_000,
            subscriptions: 64,
            resources: 1_000,
            waiting_changes: 1_024,
            anonymous_answers: 10,
        }
    }
}

/// How long a connection waits for what.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Deadlines {
    /// The answer to a request. 60 seconds unless set.
    pub request: Duration,
    /// The answer to what a person has to decide: `elicitation/create`, `sampling/createMessage`. 10 minutes unless
    /// set.
    pub person: Duration,
    /// The whole of a request, whatever progress comes. No limit unless set.
    pub max_total: Option<Duration>,
    /// The answer to a client's first `server/discover`, where it can fall back to `initialize`. 5 seconds unless set.
    pub probe: Duration,
    /// The answer to `initialize`, or to `server/discover` where there is nothing to fall back to. 30 seconds unless
    /// set.
    pub handshake: Duration,
    /// How long running handlers may take once the peer's input has ended. 5 seconds unless set.
    pub drain: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(60),
            person: Duration::from_secs(600),
            max_total: None,
            probe: Duration::from_secs(5),
            handshake: Duration::from_secs(30),
            drain: Duration::from_secs(5),
        }
    }
}
