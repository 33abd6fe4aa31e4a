//! The one table of methods: direction, kind, since, until.

use std::borrow::Cow;

use crate::version::Revision;

use Direction::{Both, ToClient, ToServer};
use Kind::{InputRequest, Notification, Request};
use Revision::{V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};

/// How a method stands on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A request of its own.
    Request,
    /// A notification.
    Notification,
    /// A request that only stands among the `inputRequests` of a result.
    InputRequest,
}

/// Who receives a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The server receives it.
    ToServer,
    /// The client receives it.
    ToClient,
    /// Either may receive it.
    Both,
}

impl Direction {
    /// Whether the server (or else the client) may receive it.
    pub fn admits(self, to_server: bool) -> bool {
        match self {
            ToServer => to_server,
            ToClient => !to_server,
            Both => true,
        }
    }
}

/// One method, as one kind, over a range of revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The method.
    pub method: &'static str,
    /// Who receives it.
    pub direction: Direction,
    /// How it stands on the wire.
    pub kind: Kind,
    /// The first revision that has it.
    pub since: Revision,
    /// The last revision that has it; `None` while it goes on.
    pub until: Option<Revision>,
    /// Whether its result may be `input_required`, in the stateless era.
    pub may_need_input: bool,
    /// Whether its result carries `ttlMs` and `cacheScope`, in the stateless era.
    pub is_cacheable: bool,
}

impl Row {
    /// A request that is neither cacheable nor may need input.
    pub const fn request(method: &'static str, direction: Direction, since: Revision, until: Option<Revision>) -> Self {
        Self { method, direction, kind: Request, since, until, may_need_input: false, is_cacheable: false }
    }

    /// A notification.
    pub const fn notification(
        method: &'static str,
        direction: Direction,
        since: Revision,
        until: Option<Revision>,
    ) -> Self {
        Self { method, direction, kind: Notification, since, until, may_need_input: false, is_cacheable: false }
    }

    const fn input(method: &'static str) -> Self {
        Self {
            method,
            direction: ToClient,
            kind: InputRequest,
            since: V2026_07_28,
            until: None,
            may_need_input: false,
            is_cacheable: false,
        }
    }

    const fn needing_input(mut self) -> Self {
        self.may_need_input = true;
        self
    }

    const fn cacheable(mut self) -> Self {
        self.is_cacheable = true;
        self
    }

    /// Whether the revision has the method.
    pub fn admits(&self, revision: Revision) -> bool {
        revision.is_within(self.since, self.until)
    }
}

/// What an extension adds to the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionRows {
    /// The extension, as in `io.modelcontextprotocol/tasks`.
    pub identifier: Cow<'static, str>,
    /// Its methods. One may reuse the name of a method of the core that another revision has.
    pub rows: Cow<'static, [Row]>,
    /// The result types that it defines.
    pub result_types: Cow<'static, [ResultType]>,
}

/// A value of `resultType` that an extension defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultType {
    /// The value.
    pub value: &'static str,
    /// The methods that it may answer.
    pub methods: &'static [&'static str],
}

/// The methods that a peer knows: those of the specification and those of its enabled extensions.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    extensions: Vec<ExtensionRows>,
}

/// Where a method stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// In use.
    Here(&'a Row),
    /// Known, but not in use: of another revision, direction or kind.
    Elsewhere,
    /// Outside the specification and all enabled extensions: the user's own.
    Custom,
}

impl Registry {
    /// Makes the registry of a peer that has these extensions enabled.
    pub fn new(extensions: &[ExtensionRows]) -> Self {
        Self { extensions: extensions.to_vec() }
    }

    /// Finds a method, as this kind, at this revision, received by the server or else by the client.
    pub fn find(&self, method: &str, kind: Kind, revision: Revision, to_server: bool) -> Lookup<'_> {
        let mut is_known = false;
        for row in self.rows() {
            if row.method != method {
                continue;
            }
            if row.kind == kind && row.admits(revision) && row.direction.admits(to_server) {
                return Lookup::Here(row);
            }
            is_known = true;
        }
        if is_known { Lookup::Elsewhere } else { Lookup::Custom }
    }

    /// Whether a request of this method may be answered with `input_required` at any revision.
    pub fn may_need_input(&self, method: &str) -> bool {
        self.rows().any(|row| row.method == method && row.may_need_input)
    }

    /// Whether an enabled extension lets a request of this method be answered with this `resultType`.
    pub fn has_result_type(&self, method: &str, value: &str) -> bool {
        let mut types = self.extensions.iter().flat_map(|extension| extension.result_types.iter());
        types.any(|known| known.value == value && known.methods.contains(&method))
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        ROWS.iter().chain(self.extensions.iter().flat_map(|extension| extension.rows.iter()))
    }
}

/// Whether results of a method may be kept.
pub fn is_cacheable(method: &str) -> bool {
    ROWS.iter().any(|row| row.is_cacheable && row.method == method)
}

/// Whether a method may stand among `inputRequests`.
pub fn is_input_request(method: &str) -> bool {
    ROWS.iter().any(|row| row.kind == InputRequest && row.method == method)
}

/// Every row of every revision of the specification; what is asked for most stands first.
pub static ROWS: [Row; 38] = [
    Row::request("tools/call", ToServer, V2024_11_05, None).needing_input(),
    Row::request("resources/read", ToServer, V2024_11_05, None).needing_input().cacheable(),
    Row::request("prompts/get", ToServer, V2024_11_05, None).needing_input(),
    Row::request("tools/list", ToServer, V2024_11_05, None).cacheable(),
    Row::request("prompts/list", ToServer, V2024_11_05, None).cacheable(),
    Row::request("resources/list", ToServer, V2024_11_05, None).cacheable(),
    Row::request("resources/templates/list", ToServer, V2024_11_05, None).cacheable(),
    Row::request("completion/complete", ToServer, V2024_11_05, None),
    Row::request("server/discover", ToServer, V2026_07_28, None).cacheable(),
    Row::request("subscriptions/listen", ToServer, V2026_07_28, None),
    Row::request("ping", Both, V2024_11_05, LEGACY),
    Row::request("initialize", ToServer, V2024_11_05, LEGACY),
    Row::request("logging/setLevel", ToServer, V2024_11_05, LEGACY),
    Row::request("resources/subscribe", ToServer, V2024_11_05, LEGACY),
    Row::request("resources/unsubscribe", ToServer, V2024_11_05, LEGACY),
    Row::request("sampling/createMessage", ToClient, V2024_11_05, LEGACY),
    Row::input("sampling/createMessage"),
    Row::request("roots/list", ToClient, V2024_11_05, LEGACY),
    Row::input("roots/list"),
    Row::request("elicitation/create", ToClient, V2025_06_18, LEGACY),
    Row::input("elicitation/create"),
    Row::request("tasks/get", Both, V2025_11_25, LEGACY),
    Row::request("tasks/cancel", Both, V2025_11_25, LEGACY),
    Row::request("tasks/result", Both, V2025_11_25, LEGACY),
    Row::request("tasks/list", Both, V2025_11_25, LEGACY),
    Row::notification("notifications/progress", Both, V2024_11_05, LEGACY),
    Row::notification("notifications/progress", ToClient, V2026_07_28, None),
    Row::notification("notifications/cancelled", Both, V2024_11_05, None),
    Row::notification("notifications/message", ToClient, V2024_11_05, None),
    Row::notification("notifications/initialized", ToServer, V2024_11_05, LEGACY),
    Row::notification("notifications/tools/list_changed", ToClient, V2024_11_05, None),
    Row::notification("notifications/prompts/list_changed", ToClient, V2024_11_05, None),
    Row::notification("notifications/resources/list_changed", ToClient, V2024_11_05, None),
    Row::notification("notifications/resources/updated", ToClient, V2024_11_05, None),
    Row::notification("notifications/subscriptions/acknowledged", ToClient, V2026_07_28, None),
    Row::notification("notifications/roots/list_changed", ToServer, V2024_11_05, LEGACY),
    Row::notification("notifications/elicitation/complete", ToClient, V2025_11_25, LEGACY),
    Row::notification("notifications/tasks/status", Both, V2025_11_25, LEGACY),
];

/// The last revision of the stateful era.
const LEGACY: Option<Revision> = Some(V2025_11_25);
