//! The server's side in the stateful era.

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use super::{Phase, Server};
use crate::{
    proto::{
        core::Core,
        in_flight::{Entry, Return},
        inbound::{Admission, Incoming, Notice, method_not_found},
        io::{Change, Connected, Edge, Event, Handle, Headers, Link, Misuse, Outgoing, Route},
        outbound::Gate,
        prepared, subscriptions,
        waiting::Waiting,
    },
    rpc::{self, Raw, RawRef},
    version::{Era, Revision},
    wire::{self, Claim, Kind, Lookup, headers::VersionHeader, meta},
};

/// What holds for a session.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// Whether `notifications/initialized` has come.
    initialized: bool,
    /// The least severe level of log messages that the client wants.
    log_rank: usize,
    /// The resources that the client follows.
    followed: HashSet<Box<str>>,
    /// What the client was not told yet.
    waiting: Waiting,
}

impl Server {
    /// Takes a request through the pipeline.
    pub(super) fn legacy_request(&mut self, core: &mut Core, incoming: Incoming<'_>) {
        let revision = match self.legacy_revision(core, &incoming) {
            Ok(revision) => revision,
            Err(error) => return core.refuse(&incoming.to, &error),
        };
        let Incoming { to, method, params, outline, edge, .. } = incoming;
        let lift = wire::lift(params, outline, false, None);
        if let Err(error) = self.check_legacy_claim(core, &lift.claim) {
            return core.refuse(&to, &error);
        }
        if method == "initialize" {
            return self.initialize(core, &to, lift.params.as_ref().map(wire::Params::borrow));
        }
        let stands_alone = core.config.sessionless;
        if self.phase == Phase::Open && !stands_alone && method != "ping" {
            return core.refuse(&to, &too_early(core, &method));
        }
        let row = match core.find_inbound(&method, Kind::Request, revision) {
            Lookup::Here(row) => Some(row.clone()),
            Lookup::Custom => None,
            Lookup::Elsewhere => return core.refuse(&to, &method_not_found(&method)),
        };
        let params = lift.params.as_ref().map(wire::Params::borrow);
        let resource = match &*method {
            "ping" => return core.grant(&to, &method, revision, Raw::trusted("{}")),
            "logging/setLevel" if core.offers("logging") => return self.set_level(core, &to, revision, params),
            "resources/subscribe" | "resources/unsubscribe" if core.offers("resources.subscribe") => {
                match self.follow(core, &method, params) {
                    Err(error) => return core.refuse(&to, &error),
                    Ok(uri) if core.serves(&method) => Some(uri),
                    Ok(uri) => {
                        self.session.note(core, &method, uri);
                        return core.grant(&to, &method, revision, Raw::trusted("{}"));
                    }
                }
            }
            _ => None,
        };
        if !core.serves(&method) {
            return core.refuse(&to, &method_not_found(&method));
        }
        core.admit(Admission { to, method, row, revision, lift, log_rank: None, resource, edge });
    }

    pub(super) fn legacy_notification(&mut self, core: &mut Core, notice: Notice<'_>) {
        let lift = wire::lift_notification(notice.params, notice.outline);
        if let Err(error) = self.check_legacy_claim(core, &lift.claim) {
            return core.report(error.message, notice.text);
        }
        let revision = match core.revision {
            Some(revision) => revision,
            None if core.config.sessionless => match sessionless_revision(core, notice.edge.map(|edge| &**edge)) {
                Ok(revision) => revision,
                Err(error) => return core.report(error.message, notice.text),
            },
            // Before `initialize` a notification says nothing, and some peers send one by mistake.
            None => return,
        };
        match &*notice.method {
            "notifications/cancelled" => return core.cancelled_by_peer(notice.params, notice.text),
            "notifications/progress" => return core.progress_by_peer(notice.now, notice.params, notice.text),
            "notifications/initialized" => self.session.initialized = true,
            _ => {}
        }
        core.deliver(&notice, revision, lift, None);
        if notice.method == "notifications/initialized" {
            core.send_waiting(|core, method| self.session.gate(core, method));
        }
    }

    /// The revision of a request, and whether its header lets it in.
    fn legacy_revision(&self, core: &Core, incoming: &Incoming<'_>) -> Result<Revision, rpc::Error> {
        let newest = core.prepared().legacy.first().copied();
        let settled = core.revision.filter(|_| self.phase == Phase::Legacy);
        let fallback = settled.or(newest).unwrap_or(Revision::V2025_11_25);
        if core.link == Link::Pipe || incoming.method == "initialize" || wire::classify(incoming.params).is_some() {
            return Ok(fallback);
        }
        let revision = sessionless_revision(core, incoming.edge.as_deref())?;
        Ok(if core.config.sessionless { revision } else { fallback })
    }

    fn check_legacy_claim(&self, core: &Core, claim: &Claim) -> Result<(), rpc::Error> {
        match self.check_claim(core, claim)? {
            None => Ok(()),
            Some(revision) => Err(self.unsupported(core, revision.as_str())),
        }
    }

    fn initialize(&mut self, core: &mut Core, to: &Return, params: Option<RawRef<'_>>) {
        if self.phase == Phase::Legacy {
            let message = "the connection is initialized already; go on with other requests";
            return core.refuse(to, &rpc::Error::new(rpc::Error::INVALID_REQUEST, message));
        }
        let (requested, client) = match read_initialize(params) {
            Ok(read) => read,
            Err(error) => return core.refuse(to, &error),
        };
        let served = &core.prepared().legacy;
        let wanted = requested.parse::<Revision>().ok().filter(|revision| served.contains(revision));
        let Some(revision) = wanted.or(served.first().copied()) else {
            let error = self.unsupported(core, &requested);
            return core.refuse(to, &error);
        };
        let result = initialize_result(core, revision);
        core.grant(to, "initialize", revision, result);
        if core.config.sessionless {
            return;
        }
        self.phase = Phase::Legacy;
        core.revision = Some(revision);
        core.peer_capabilities = Some(client.capabilities.clone());
        core.events.push_back(Event::Connected(Arc::new(Connected { revision, ..client })));
        core.send_waiting(|core, method| self.session.gate(core, method));
    }

    fn set_level(&mut self, core: &mut Core, to: &Return, revision: Revision, params: Option<RawRef<'_>>) {
        let level = params.and_then(|params| params.member("level")).and_then(RawRef::as_string);
        let Some(rank) = level.and_then(|level| meta::log_rank(&level)) else {
            let message = format!("`level` must be one of {}", meta::LOG_LEVELS.join(", "));
            return core.refuse(to, &rpc::Error::new(rpc::Error::INVALID_PARAMS, message));
        };
        self.session.log_rank = rank;
        core.grant(to, "logging/setLevel", revision, Raw::trusted("{}"));
    }

    /// Reads which resource a request to follow one names.
    fn follow(&self, core: &Core, method: &str, params: Option<RawRef<'_>>) -> Result<Box<str>, rpc::Error> {
        let uri = params.and_then(|params| params.member("uri")).and_then(RawRef::as_string);
        let Some(uri) = uri else {
            return Err(rpc::Error::new(rpc::Error::INVALID_PARAMS, "`uri` must be a string"));
        };
        if uri.len() > subscriptions::LONGEST_URI {
            let message = format!("`uri` is longer than {} bytes", subscriptions::LONGEST_URI);
            return Err(rpc::Error::new(rpc::Error::INVALID_PARAMS, message));
        }
        let limit = core.config.limits.resources;
        let is_new = method == "resources/subscribe" && !self.session.followed.contains(&*uri);
        let may_come = || core.in_flight.count(|entry| entry.resource.is_some() && entry.method == method);
        if is_new && self.session.followed.len() + may_come() >= limit {
            let message = format!("no more than {limit} resources may be followed at once");
            return Err(rpc::Error::new(rpc::Error::INTERNAL_ERROR, message));
        }
        Ok(uri.into())
    }
}

impl Session {
    pub(super) fn is_initialized(&self) -> bool {
        self.initialized
    }

    /// Takes note of what a request that was answered well has changed.
    pub(super) fn granted(&mut self, core: &mut Core, entry: &Entry) {
        if let Some(uri) = &entry.resource {
            self.note(core, &entry.method, uri.clone());
        }
    }

    fn note(&mut self, core: &mut Core, method: &str, uri: Box<str>) {
        if method == "resources/subscribe" {
            if self.followed.insert(uri.clone()) {
                core.events.push_back(Event::Followed { uri: uri.into() });
            }
        } else if self.followed.remove(&uri) {
            core.events.push_back(Event::Unfollowed { uri: uri.into() });
        }
    }

    /// Whether a request of ours may go out: before `initialized` only `ping`.
    pub(super) fn gate(&self, core: &Core, method: &str) -> Gate {
        match core.revision {
            Some(revision) if self.initialized || method == "ping" => Gate::Send(revision),
            _ => Gate::Wait,
        }
    }

    pub(super) fn notify(&mut self, core: &mut Core, outgoing: Outgoing) -> Result<(), Misuse> {
        // Where each message stands alone, the newest revision stands for all.
        let newest = core.prepared().legacy.first().copied().filter(|_| core.config.sessionless);
        let Some(revision) = core.revision.or(newest) else { return core.keep(outgoing) };
        let Outgoing { method, params, related } = outgoing;
        core.check_notification(&method, params.as_ref(), revision)?;
        core.send_notification(&method, params.as_ref(), related);
        Ok(())
    }

    /// Sends a log message where the client's level lets it.
    pub(super) fn log(&self, core: &mut Core, related: Option<Handle>, rank: usize, params: &Raw) -> bool {
        if rank < self.log_rank {
            return false;
        }
        core.send_notification("notifications/message", Some(params), related);
        true
    }

    /// Tells the client about a change, unasked; about a resource, if it follows it.
    pub(super) fn publish(&mut self, core: &mut Core, change: &Change) {
        if let Change::Resource { uri } = change
            && !subscriptions::follows(&self.followed, uri)
        {
            return;
        }
        if core.keeps_changes() && self.initialized && self.keep(core, change) {
            return;
        }
        self.tell(core, change);
    }

    /// Keeps a change until the client reads; whether there was room for it.
    fn keep(&mut self, core: &mut Core, change: &Change) -> bool {
        let limit = core.config.limits.waiting_changes;
        core.has_waiting_changes = true;
        if self.waiting.add(change, limit) {
            return true;
        }
        // There are no more resources that it follows than may wait, but any number may lie under them.
        if let Change::Resource { uri } = change
            && let Some(above) = subscriptions::followed(&self.followed, uri)
            && self.waiting.add(&Change::Resource { uri: above.to_owned() }, limit + self.followed.len())
        {
            return true;
        }
        false
    }

    /// Tells of one of the changes that wait.
    pub(super) fn tell_waiting(&mut self, core: &mut Core) -> bool {
        let Some(change) = self.waiting.pop() else { return false };
        match &change {
            Change::Resource { uri } if !subscriptions::follows(&self.followed, uri) => {}
            change => self.tell(core, change),
        }
        true
    }

    fn tell(&mut self, core: &mut Core, change: &Change) {
        let (method, params) = subscriptions::notification(change);
        let revision = core.revision.unwrap_or(Revision::V2025_11_25);
        if core.check_notification(method, params.as_ref(), revision).is_err() {
            return;
        }
        match subscriptions::list_method(change) {
            // It waits until the client is ready for it.
            Some(method) if !self.initialized => core.debounce(Cow::Borrowed(method)),
            _ => core.send(Route::PIPE, core.write_plain(method, params.as_ref())),
        }
    }
}

/// The revision of a message that stands alone: that of its header, or the first that had none.
pub(super) fn sessionless_revision(core: &Core, edge: Option<&Edge>) -> Result<Revision, rpc::Error> {
    let served = &core.prepared().legacy;
    let headers = edge.and_then(|edge| edge.headers.as_deref());
    match headers.map_or(VersionHeader::Absent, Headers::version) {
        VersionHeader::Legacy(revision) if served.contains(&revision) => Ok(revision),
        VersionHeader::Absent => {
            let assumed = Revision::V2025_03_26;
            let newest = served.first().copied().unwrap_or(assumed);
            Ok(if served.contains(&assumed) { assumed } else { newest })
        }
        VersionHeader::Modern => Err(missing_envelope()),
        VersionHeader::Legacy(_) | VersionHeader::Unknown => {
            let names: Vec<&str> = core.prepared().revisions.iter().map(|revision| revision.as_str()).collect();
            let message = format!("the MCP-Protocol-Version header names none of {}", names.join(", "));
            Err(rpc::Error::new(rpc::Error::INVALID_REQUEST, message))
        }
    }
}

/// Says that a request lacks the envelope of the stateless era.
fn missing_envelope() -> rpc::Error {
    let modern = Revision::ALL.into_iter().find(|revision| revision.era() == Era::Modern);
    let checked = modern.map(|revision| wire::codec(revision).check_envelope(None));
    match checked {
        Some(Err(error)) => error,
        _ => rpc::Error::new(rpc::Error::INVALID_PARAMS, "the request lacks its envelope in `_meta`"),
    }
}

fn too_early(core: &Core, method: &str) -> rpc::Error {
    if method == "server/discover" && !core.prepared().modern.is_empty() {
        return missing_envelope();
    }
    rpc::Error::new(rpc::Error::INVALID_REQUEST, format!("send `initialize` before {method:?}"))
}

/// Reads what a client says when it begins: the version that it asks for, and itself.
fn read_initialize(params: Option<RawRef<'_>>) -> Result<(String, Connected), rpc::Error> {
    let invalid =
        |name: &str, kind: &str| rpc::Error::new(rpc::Error::INVALID_PARAMS, format!("`{name}` must be {kind}"));
    let Some(params) = params.filter(|params| params.is_object()) else {
        return Err(invalid("params", "an object"));
    };
    let requested = params.member("protocolVersion").and_then(RawRef::as_string);
    let requested = requested.ok_or_else(|| invalid("protocolVersion", "a string"))?;
    let object =
        |name: &str| params.member(name).filter(|value| value.is_object()).ok_or_else(|| invalid(name, "an object"));
    let client = Connected {
        revision: Revision::V2025_11_25,
        capabilities: object("capabilities")?.to_owned(),
        implementation: Some(object("clientInfo")?.to_owned()),
        instructions: None,
        raw: None,
        is_certain: true,
    };
    Ok((requested.into_owned(), client))
}

fn initialize_result(core: &Core, revision: Revision) -> Raw {
    let config = &core.config;
    let mut text = format!(
        "{{\"protocolVersion\":\"{revision}\",\"capabilities\":{},\"serverInfo\":{}",
        config.capabilities.as_str(),
        config.implementation.as_str()
    );
    prepared::push_instructions(config, &mut text);
    text.push('}');
    Raw::trusted(text)
}
