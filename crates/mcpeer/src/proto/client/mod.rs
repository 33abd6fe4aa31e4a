//! The client's side: it finds out which era the server speaks.

mod legacy;
mod modern;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    config::{Policy, Verdict},
    core::{Core, Life},
    inbound::{Incoming, Notice},
    io::{Closed, Connected, Event, Failure, Link, Misuse, Outbound, Outgoing, Route, SendFailure},
    outbound::Gate,
    prepared::unknown,
    timers::Timer,
};
use crate::{
    rpc::{self, Raw, RawRef, RequestId},
    version::{Era, Revision},
    wire::codes,
};

/// What a client knows beside its tables.
#[derive(Debug)]
pub(super) struct Client {
    phase: Phase,
    /// Whether the transport that is open now has carried a probe. One that was opened anew has not, so that happens
    /// once.
    probed_here: bool,
    /// Whether `initialize` was answered by the news that the server speaks the stateless era.
    initialize_refused: bool,
    /// Whether an answer, and not silence, made the verdict.
    is_certain: bool,
    /// When the probe or the handshake has to be answered.
    deadline: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// `server/discover` is out.
    Probing {
        id: i64,
        /// Whether a server named the revision, so that no further one is tried.
        is_second: bool,
    },
    /// The transport is being opened anew.
    Reopening,
    /// `initialize` is out.
    Initializing { id: i64 },
    /// The stateful era.
    Legacy,
    /// The stateless era.
    Modern {
        /// Whether the server has confirmed it.
        is_verified: bool,
    },
}

/// What came back for the probe or for `initialize`.
#[derive(Debug)]
pub(super) enum Reaction<'a> {
    Result(RawRef<'a>),
    Error(rpc::Error),
    /// An answer that is none.
    Invalid(Failure),
}

impl Client {
    pub(super) fn new() -> Self {
        Self {
            phase: Phase::Reopening,
            probed_here: false,
            initialize_refused: false,
            is_certain: true,
            deadline: None,
        }
    }

    /// Begins as the policy says.
    pub(super) fn start(&mut self, core: &mut Core, now: Instant) {
        let policy = core.config.policy.clone();
        let newest = core.prepared().modern.first().copied();
        match (policy, newest) {
            (Policy::LegacyOnly | Policy::Remembered(Verdict::Legacy), _) | (_, None) => self.initialize(core, now),
            (Policy::Remembered(Verdict::Modern { revision, discovered }), _)
                if core.prepared().modern.contains(&revision) =>
            {
                self.remember(core, revision, discovered);
            }
            (_, Some(revision)) => self.probe(core, now, revision, false),
        }
    }

    /// Goes on with what an earlier connection found.
    fn remember(&mut self, core: &mut Core, revision: Revision, discovered: Option<Raw>) {
        self.phase = Phase::Modern { is_verified: false };
        let read = discovered.as_ref().map(|raw| modern::connected(revision, raw.borrow()));
        core.revision = Some(revision);
        core.peer_capabilities = read.as_ref().map(|read| read.capabilities.clone());
        core.events.push_back(Event::Connected(Arc::new(read.unwrap_or_else(|| unknown(revision)))));
    }

    /// Whether a message with this id answers the probe or `initialize`.
    pub(super) fn awaits(&self, id: &RequestId) -> bool {
        match self.phase {
            Phase::Probing { id: awaited, .. } | Phase::Initializing { id: awaited } => {
                *id == RequestId::Integer(awaited)
            }
            _ => false,
        }
    }

    pub(super) fn react(&mut self, core: &mut Core, now: Instant, reaction: Reaction<'_>) {
        self.clear_deadline(core);
        match self.phase {
            Phase::Probing { is_second, .. } => self.probed(core, now, is_second, reaction),
            Phase::Initializing { .. } => self.initialized(core, now, reaction),
            _ => {}
        }
    }

    /// Ends the negotiation without an agreement.
    fn fail(&mut self, core: &mut Core, failure: Failure) {
        let method = if matches!(self.phase, Phase::Probing { .. }) { "server/discover" } else { "initialize" };
        core.finish(Closed::Negotiation { method, failure });
    }

    /// Goes on in the stateful era, where policy and revisions let it; else the failure stands.
    fn fall_back(&mut self, core: &mut Core, now: Instant, failure: Failure) {
        if self.may_fall_back(core) {
            self.initialize(core, now);
        } else {
            self.fail(core, failure);
        }
    }

    fn may_fall_back(&self, core: &Core) -> bool {
        let is_allowed = !matches!(core.config.policy, Policy::ModernOnly) && !self.initialize_refused;
        is_allowed && !core.prepared().legacy.is_empty()
    }

    /// How long the probe may take: short only where there is something else to try.
    fn probe_limit(&self, core: &Core) -> Duration {
        let deadlines = &core.config.deadlines;
        if self.may_fall_back(core) { deadlines.probe } else { deadlines.handshake }
    }

    fn set_deadline(&mut self, core: &mut Core, at: Option<Instant>) {
        self.clear_deadline(core);
        if let Some(at) = at {
            core.timers.set(at, Timer::Negotiation);
            self.deadline = Some(at);
        }
    }

    fn clear_deadline(&mut self, core: &mut Core) {
        if let Some(at) = self.deadline.take() {
            core.timers.clear(at, Timer::Negotiation);
        }
    }

    /// The probe or the handshake was not answered in time.
    pub(super) fn timed_out(&mut self, core: &mut Core, now: Instant) {
        self.deadline = None;
        match self.phase {
            Phase::Probing { id, .. } => {
                let after = self.probe_limit(core);
                if core.link == Link::Exchange {
                    core.transmit.push_back(Outbound::Abandon { request: RequestId::Integer(id) });
                    // An outage looks the same.
                    self.is_certain = false;
                }
                self.fall_back(core, now, Failure::Timeout { after, is_total: false });
            }
            Phase::Initializing { id } => {
                if core.link == Link::Exchange {
                    core.transmit.push_back(Outbound::Abandon { request: RequestId::Integer(id) });
                }
                self.fail(core, Failure::Timeout { after: core.config.deadlines.handshake, is_total: false });
            }
            Phase::Reopening => {
                let after = core.config.deadlines.handshake;
                let reason = format!("the transport could not be opened anew within {after:?}");
                self.fail(core, Failure::Closed { reason });
            }
            _ => {}
        }
    }

    /// The transport could not send the probe or `initialize`, or got no message for an answer.
    pub(super) fn send_failed(&mut self, core: &mut Core, now: Instant, failure: SendFailure) {
        self.clear_deadline(core);
        let is_probe = matches!(self.phase, Phase::Probing { .. });
        if is_probe && says_nothing_modern(&failure) {
            self.fall_back(core, now, Failure::Send(failure));
        } else {
            self.fail(core, Failure::Send(failure));
        }
    }

    /// The server's output ended. Says whether the connection ends as any other does.
    pub(super) fn input_ended(&mut self, core: &mut Core, now: Instant, reason: &str) -> bool {
        match self.phase {
            Phase::Legacy | Phase::Modern { .. } => return true,
            Phase::Probing { .. } | Phase::Initializing { .. } => {}
            // The end of the old transport was noticed already.
            Phase::Reopening => return false,
        }
        // Some old servers exit on a message that they do not know, at once or after having answered it.
        if core.link == Link::Pipe && self.probed_here && self.may_fall_back(core) {
            self.phase = Phase::Reopening;
            self.set_deadline(core, now.checked_add(core.config.deadlines.handshake));
            core.transmit.clear();
            core.events.push_back(Event::Reopen);
        } else {
            self.fail(core, Failure::Closed { reason: reason.to_owned() });
        }
        false
    }

    /// The transport broke, or the one that was asked for cannot be opened. Says whether the connection ends as any
    /// other does.
    pub(super) fn transport_broke(&mut self, core: &mut Core, now: Instant, reason: &str) -> bool {
        if self.phase == Phase::Reopening {
            self.fail(core, Failure::Closed { reason: reason.to_owned() });
        }
        self.input_ended(core, now, reason)
    }

    pub(super) fn reopened(&mut self, core: &mut Core, now: Instant) {
        if self.phase == Phase::Reopening && core.life == Life::Open {
            self.probed_here = false;
            self.initialize(core, now);
        }
    }

    pub(super) fn gate(&self, core: &Core) -> Gate {
        match (self.phase, core.revision) {
            (Phase::Legacy | Phase::Modern { .. }, Some(revision)) => Gate::Send(revision),
            _ => Gate::Wait,
        }
    }

    /// Whether what is sent now has to be kept, since the server may not know it.
    pub(super) fn keeps_calls(&self) -> bool {
        self.phase == (Phase::Modern { is_verified: false })
    }

    /// Looks at what came back for a request that went out on a remembered verdict. Says whether it contradicts the
    /// verdict; then the request waits again, and the server is asked.
    pub(super) fn contradicts(&mut self, core: &mut Core, now: Instant, id: i64, failure: Option<&Failure>) -> bool {
        let is_refusal = match failure {
            Some(Failure::Rpc(error)) => {
                let method = core.pending.get_mut(id).map(|pending| &*pending.method);
                matches!(error.code, rpc::Error::INVALID_REQUEST | codes::UNSUPPORTED_VERSION)
                    || error.code == rpc::Error::METHOD_NOT_FOUND && method == Some("server/discover")
            }
            Some(Failure::Send(failure)) => says_nothing_modern(failure),
            _ => false,
        };
        if !is_refusal {
            // That nothing could be sent says nothing about the server.
            if let Phase::Modern { is_verified } = &mut self.phase
                && !matches!(failure, Some(Failure::Send(_)))
            {
                *is_verified = true;
            }
            return false;
        }
        if self.phase == (Phase::Modern { is_verified: true }) || !core.pending.wait_again(id, &mut core.timers) {
            return false;
        }
        if self.phase == (Phase::Modern { is_verified: false }) {
            core.revision = None;
            match core.prepared().modern.first().copied() {
                Some(revision) => self.probe(core, now, revision, false),
                None => self.initialize(core, now),
            }
        } else {
            core.send_waiting(|core, _| self.gate(core));
        }
        true
    }

    /// Says that the era is settled, and sends what has waited for it.
    fn settle(&mut self, core: &mut Core, phase: Phase, connected: Connected) {
        self.phase = phase;
        core.revision = Some(connected.revision);
        core.peer_capabilities = Some(connected.capabilities.clone());
        core.events.push_back(Event::Connected(Arc::new(connected)));
        core.send_waiting(|core, _| self.gate(core));
    }

    // Messages.

    pub(super) fn request(&mut self, core: &mut Core, incoming: Incoming<'_>) {
        match self.phase {
            // A client of this era sends no answers.
            Phase::Modern { .. } => {
                core.report(format!("the server sent the request {:?}", incoming.method), incoming.text);
            }
            _ => self.legacy_request(core, incoming),
        }
    }

    pub(super) fn notification(&mut self, core: &mut Core, notice: Notice<'_>) {
        match self.phase {
            Phase::Modern { .. } => self.modern_notification(core, notice),
            Phase::Legacy | Phase::Initializing { .. } => self.legacy_notification(core, notice),
            // Who speaks is not known yet.
            Phase::Probing { .. } | Phase::Reopening => {}
        }
    }

    /// Whether unreadable requests of the server are answered.
    pub(super) fn answers(&self) -> bool {
        !matches!(self.phase, Phase::Modern { .. })
    }

    pub(super) fn notify(&mut self, core: &mut Core, outgoing: Outgoing) -> Result<(), Misuse> {
        let Some(revision) = core.revision else { return core.keep(outgoing) };
        let Outgoing { method, params, related } = outgoing;
        core.check_notification(&method, params.as_ref(), revision)?;
        core.send_notification(&method, params.as_ref(), related);
        Ok(())
    }

    /// Sends the notifications that were kept to be sent once.
    pub(super) fn flush(&self, core: &mut Core) {
        if matches!(self.phase, Phase::Legacy | Phase::Modern { .. }) {
            core.flush();
        }
    }

    /// Gives up every stream on which an answer would come.
    pub(super) fn abandon_all(&self, core: &mut Core) {
        if core.link == Link::Exchange {
            for id in core.pending.ids_where(|pending| pending.sent.is_some()) {
                core.transmit.push_back(Outbound::Abandon { request: RequestId::Integer(id) });
            }
            if let Phase::Probing { id, .. } | Phase::Initializing { id } = self.phase {
                core.transmit.push_back(Outbound::Abandon { request: RequestId::Integer(id) });
            }
        }
    }

    /// Tells the server that we gave up a request.
    pub(super) fn cancel(&self, core: &mut Core, id: i64, reason: &str, sent: Revision, route: Route) {
        match sent.era() {
            Era::Modern => modern::cancel(core, id, reason, sent, route),
            Era::Legacy => legacy::cancel(core, id, reason, route),
        }
    }
}

/// Whether a transport's failure is what a server of the stateful era answers to a message of the stateless one.
fn says_nothing_modern(failure: &SendFailure) -> bool {
    failure.status.is_some_and(|status| (400..500).contains(&status) && status != 401 && status != 403)
}

/// Reads the revisions that an error says are served.
fn supported(error: &rpc::Error) -> Option<Vec<String>> {
    if error.code != codes::UNSUPPORTED_VERSION {
        return None;
    }
    error.data.as_ref()?.borrow().member("supported")?.decode().ok()
}
