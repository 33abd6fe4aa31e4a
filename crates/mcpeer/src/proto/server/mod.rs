//! The server's side: until an era is settled each message takes the pipeline of the era that it claims.

mod legacy;
mod modern;

use super::{
    capabilities,
    core::Core,
    in_flight::Entry,
    inbound::{Incoming, Notice},
    io::{Change, Edge, Handle, Link, Misuse, Outgoing, Route},
    outbound::Gate,
    subscriptions,
};
use crate::{
    rpc,
    version::Revision,
    wire::{self, Claim, codes, headers::VersionHeader},
};

/// What a server knows beside its tables.
#[derive(Debug)]
pub(super) struct Server {
    phase: Phase,
    session: legacy::Session,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No era is settled.
    Open,
    Legacy,
    Modern,
}

impl Server {
    pub(super) fn new(core: &mut Core) -> Self {
        let mut server = Self { phase: Phase::Open, session: legacy::Session::default() };
        if core.prepared().legacy.is_empty()
            && let Some(revision) = core.prepared().modern.first().copied()
        {
            server.settle_modern(core, revision);
        }
        server
    }

    pub(super) fn request(&mut self, core: &mut Core, incoming: Incoming<'_>) {
        if core.in_flight.contains(&incoming.to.id) {
            let error = rpc::Error::new(rpc::Error::INVALID_REQUEST, "a request with this id is still open");
            core.report(format!("the id {} is used twice at once", incoming.to.id), incoming.text);
            return core.refuse(&incoming.to, &error);
        }
        match self.era_of(core, &incoming.method, incoming.params, incoming.edge.as_deref()) {
            Phase::Modern => self.modern_request(core, incoming),
            _ => self.legacy_request(core, incoming),
        }
    }

    pub(super) fn notification(&mut self, core: &mut Core, notice: Notice<'_>) {
        match self.era_of(core, &notice.method, notice.params, notice.edge.map(|edge| &**edge)) {
            Phase::Modern => self.modern_notification(core, notice),
            _ => self.legacy_notification(core, notice),
        }
    }

    /// The era whose pipeline a message takes.
    fn era_of(&self, core: &Core, method: &str, params: Option<rpc::RawRef<'_>>, edge: Option<&Edge>) -> Phase {
        match self.phase {
            // Under such a header a message without a claim is refused as one of that era. Only `initialize` opens the
            // other one whatever its headers say.
            Phase::Open if is_modern(edge) && method != "initialize" && !core.prepared().modern.is_empty() => {
                Phase::Modern
            }
            Phase::Open => match wire::classify(params) {
                Claim::Modern(revision) if core.prepared().modern.contains(&revision) => Phase::Modern,
                // What is wrong with it is said in the order in which headers and body are looked at.
                claim if claim.is_some() && has_headers(edge) && !core.prepared().modern.is_empty() => Phase::Modern,
                _ => Phase::Legacy,
            },
            settled => settled,
        }
    }

    /// Refuses a claim that the connection does not serve; `Ok` gives the revision that is claimed, if any.
    fn check_claim(&self, core: &Core, claim: &Claim) -> Result<Option<Revision>, rpc::Error> {
        match claim {
            Claim::None => Ok(None),
            Claim::NotAString => Err(codes::version_not_a_string()),
            Claim::Unserved { requested } => Err(self.unsupported(core, requested)),
            Claim::Modern(revision) if !core.prepared().modern.contains(revision) => {
                Err(self.unsupported(core, revision.as_str()))
            }
            Claim::Modern(revision) => Ok(Some(*revision)),
        }
    }

    /// Says which revisions the connection can still accept.
    fn unsupported(&self, core: &Core, requested: &str) -> rpc::Error {
        let prepared = core.prepared();
        let supported = match (self.phase, core.link) {
            (Phase::Open, _) | (_, Link::Exchange) => prepared.revisions.clone(),
            (Phase::Modern, _) => prepared.modern.clone(),
            (Phase::Legacy, _) => core.revision.into_iter().collect(),
        };
        codes::unsupported_version(supported, requested)
    }

    /// The revision whose rules an array of messages falls under.
    pub(super) fn batch_revision(&self, core: &Core, edge: Option<&Edge>) -> Option<Revision> {
        if self.phase == Phase::Open && core.config.sessionless {
            return legacy::sessionless_revision(core, edge).ok();
        }
        core.revision
    }

    pub(super) fn gate(&self, core: &Core, method: &str) -> Gate {
        match self.phase {
            Phase::Open => Gate::Wait,
            Phase::Modern => Gate::Refuse(Misuse::Direction { method: method.to_owned() }),
            Phase::Legacy => self.session.gate(core, method),
        }
    }

    pub(super) fn notify(&mut self, core: &mut Core, outgoing: Outgoing) -> Result<(), Misuse> {
        match self.phase {
            Phase::Modern => modern::notify(core, outgoing),
            _ => self.session.notify(core, outgoing),
        }
    }

    pub(super) fn log(&self, core: &mut Core, related: Option<Handle>, rank: usize, params: &rpc::Raw) -> bool {
        match self.phase {
            Phase::Modern => modern::log(core, related, rank, params),
            Phase::Legacy => self.session.log(core, related, rank, params),
            Phase::Open => core.config.sessionless && self.session.log(core, related, rank, params),
        }
    }

    pub(super) fn publish(&mut self, core: &mut Core, change: &Change, may_hear: &dyn Fn(Option<Handle>) -> bool) {
        if let Some(method) = subscriptions::list_method(change)
            && core.is_debounced(method)
            && self.phase != Phase::Open
        {
            if capabilities::of_notification(method).is_none_or(|needed| core.offers(needed)) {
                core.debounce(method.into());
            }
            return;
        }
        match self.phase {
            Phase::Modern => modern::publish(core, change, &|handle| may_hear(Some(handle))),
            Phase::Legacy if may_hear(None) => self.session.publish(core, change),
            Phase::Legacy => {}
            Phase::Open => {}
        }
    }

    /// Tells of one of the changes that wait.
    pub(super) fn tell_waiting(&mut self, core: &mut Core) {
        core.has_waiting_changes = match self.phase {
            Phase::Modern => modern::tell_waiting(core),
            Phase::Legacy => self.session.tell_waiting(core),
            Phase::Open => false,
        };
    }

    /// Ends the subscriptions of the peer with their results.
    pub(super) fn end_subscriptions(&mut self, core: &mut Core) {
        modern::end_subscriptions(core);
    }

    /// Takes note of what a request that was answered well has changed.
    pub(super) fn granted(&mut self, core: &mut Core, entry: &Entry) {
        self.session.granted(core, entry);
    }

    /// Sends the notifications that were kept to be sent once.
    pub(super) fn flush(&self, core: &mut Core) {
        match self.phase {
            Phase::Modern => modern::flush(core),
            Phase::Legacy if self.session.is_initialized() => core.flush(),
            Phase::Legacy | Phase::Open => {}
        }
    }

    /// Tells the peer that we gave up a request.
    pub(super) fn cancel(&self, core: &mut Core, id: i64, reason: &str, route: Route) {
        core.send_cancelled(id, reason, route, None);
    }
}

fn is_modern(edge: Option<&Edge>) -> bool {
    let headers = edge.and_then(|edge| edge.headers.as_deref());
    headers.is_some_and(|headers| headers.version() == VersionHeader::Modern)
}

fn has_headers(edge: Option<&Edge>) -> bool {
    edge.is_some_and(|edge| edge.headers.is_some())
}
