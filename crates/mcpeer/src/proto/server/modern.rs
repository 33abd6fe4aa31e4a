//! The server's side in the stateless era.

use std::sync::Arc;

use super::{Phase, Server};
use crate::{
    proto::{
        core::Core,
        in_flight::{Entry, Return, Stage},
        inbound::{Admission, Incoming, Notice},
        io::{Change, Edge, Envelope, Event, Failure, Handle, Headers, Link, Misuse, Outgoing, Request, Route},
        subscriptions::{self, Selection, Subscription},
        waiting::Waiting,
    },
    rpc::{self, Raw, RawRef, RequestId},
    version::Revision,
    wire::{self, Kind, Lift, Lifted, Lookup, codes, headers, meta},
};

impl Server {
    /// Settles the connection on the stateless era.
    pub(super) fn settle_modern(&mut self, core: &mut Core, revision: Revision) {
        self.phase = Phase::Modern;
        core.revision = Some(revision);
        let connected = core.prepared().connected(revision);
        core.events.push_back(Event::Connected(connected));
        if core.pending.is_empty() && core.kept.is_empty() {
            return;
        }
        for id in core.pending.ids_where(|pending| pending.sent.is_none()) {
            let method = core.pending.get_mut(id).map(|pending| pending.method.to_string()).unwrap_or_default();
            core.settle(id, Err(Failure::Misuse(Misuse::Direction { method })));
        }
        for (_, outgoing) in std::mem::take(&mut core.kept) {
            let method = outgoing.method.clone();
            if let Err(misuse) = notify(core, outgoing) {
                core.report_unsent(&method, &misuse);
            }
        }
    }

    /// Takes a request through the pipeline.
    pub(super) fn modern_request(&mut self, core: &mut Core, incoming: Incoming<'_>) {
        let Incoming { to, method, params, outline, edge, .. } = incoming;
        let settled = core.revision.unwrap_or_else(|| core.prepared().modern[0]);
        let may_need_input = match core.find_inbound(&method, Kind::Request, settled) {
            Lookup::Here(row) => row.may_need_input,
            _ => false,
        };
        let headers = edge.as_deref().and_then(|edge| edge.headers.as_deref());
        let subject = headers.and_then(|_| headers::source_of_name(&method));
        let lift = wire::lift(params, outline, may_need_input, subject);
        let is_bare = method == "initialize" && !lift.claim.is_some();
        if let Some(headers) = headers.filter(|_| !is_bare)
            && let Err(error) = self.climb(core, headers, &method, &lift, settled)
        {
            return core.refuse(&to, &error);
        }
        let revision = match self.check_claim(core, &lift.claim) {
            Ok(claimed) => claimed.unwrap_or(settled),
            Err(error) => return core.refuse(&to, &error),
        };
        if is_bare {
            let requested = params.and_then(|params| params.member("protocolVersion")).and_then(RawRef::as_string);
            let error = self.unsupported(core, requested.as_deref().unwrap_or_default());
            return core.refuse(&to, &error);
        }
        let row = match core.find_inbound(&method, Kind::Request, revision) {
            Lookup::Here(row) => Some(row.clone()),
            Lookup::Custom => None,
            Lookup::Elsewhere => return core.refuse(&to, &not_found(&method)),
        };
        let is_own = match &*method {
            "server/discover" => true,
            "subscriptions/listen" => core.prepared().is_observable,
            _ => false,
        };
        if !is_own && !core.serves(&method) {
            return core.refuse(&to, &not_found(&method));
        }
        if headers.is_none()
            && let Err(error) = wire::codec(revision).check_envelope(lift.lifted.as_deref())
        {
            return core.refuse(&to, &error);
        }
        if method == "server/discover" {
            let discovered = core.prepared().discovered.clone();
            return core.grant(&to, &method, revision, discovered);
        }
        if self.phase == Phase::Open {
            self.settle_modern(core, revision);
        }
        if is_own {
            return listen(core, to, revision, lift, edge);
        }
        let log_rank = log_rank(lift.lifted.as_deref());
        core.admit(Admission { to, method, row, revision, lift, log_rank, resource: None, edge });
    }

    /// Checks a request with headers as far as these go, in the order that HTTP has for it: the envelope, the version
    /// that both name, whether it is served, then what else the headers repeat.
    fn climb(
        &self,
        core: &Core,
        headers: &dyn Headers,
        method: &str,
        lift: &Lift<'_>,
        settled: Revision,
    ) -> Result<(), rpc::Error> {
        wire::codec(settled).check_envelope(lift.lifted.as_deref())?;
        if let Some(version) = lift.claim.version() {
            headers::agree_version(headers, version)?;
        }
        self.check_claim(core, &lift.claim)?;
        headers::agree(headers, method, lift.subject)
    }

    pub(super) fn modern_notification(&mut self, core: &mut Core, notice: Notice<'_>) {
        let lift = wire::lift_notification(notice.params, notice.outline);
        let settled = core.revision.unwrap_or_else(|| core.prepared().modern[0]);
        if let Some(headers) = notice.edge.and_then(|edge| edge.headers.as_deref())
            && let Err(error) = headers::may_notify(headers, &notice.method, lift.claim.version())
        {
            return core.refuse_anonymously(notice.now, notice.route, &error);
        }
        let revision = match self.check_claim(core, &lift.claim) {
            Ok(claimed) => claimed.unwrap_or(settled),
            Err(error) => return core.report(error.message, notice.text),
        };
        if notice.method == "notifications/cancelled" {
            // On an exchange link the ids of several clients may meet; there the end of the stream is the signal.
            if core.link == Link::Pipe {
                core.cancelled_by_peer(notice.params, notice.text);
            }
            return;
        }
        core.deliver(&notice, revision, lift, None);
    }
}

/// The least severe level of log messages that a request asks for.
fn log_rank(lifted: Option<&Lifted>) -> Option<usize> {
    lifted?.envelope.as_ref()?.log_level().and_then(|level| meta::log_rank(&level))
}

fn not_found(method: &str) -> rpc::Error {
    crate::proto::inbound::method_not_found(method)
}

/// Serves `subscriptions/listen`: the acknowledgment goes out first.
fn listen(core: &mut Core, to: Return, revision: Revision, lift: Lift<'_>, edge: Option<Arc<Edge>>) {
    let filter = lift.params.as_ref().and_then(|params| params.borrow().member("notifications"));
    let Some(filter) = filter.filter(|filter| filter.is_object()) else {
        let error = rpc::Error::new(rpc::Error::INVALID_PARAMS, "`notifications` must be an object");
        return core.refuse(&to, &error);
    };
    let envelope = lift.lifted.as_deref().and_then(|lifted| lifted.envelope.as_ref());
    let capabilities = envelope.and_then(Envelope::client_capabilities);
    if let Some(extension) = subscriptions::undeclared(filter, &core.config.filters, capabilities) {
        return core.refuse(&to, &codes::missing_extension(extension));
    }
    let (selection, honoured) = match Selection::read(filter, |path| core.offers(path), &core.config.filters) {
        Ok((selection, honoured)) => (selection.by(edge.as_ref().and_then(|edge| edge.principal.clone())), honoured),
        Err(reason) => return core.refuse(&to, &rpc::Error::new(rpc::Error::INVALID_PARAMS, reason)),
    };
    let limits = core.config.limits;
    if core.subscriptions.len() >= limits.subscriptions {
        let message = format!("no more than {} subscriptions may be open at once", limits.subscriptions);
        return core.refuse(&to, &rpc::Error::new(rpc::Error::INTERNAL_ERROR, message));
    }
    if selection.len() > limits.resources {
        let message = format!("a subscription may name no more than {} resources", limits.resources);
        return core.refuse(&to, &rpc::Error::new(rpc::Error::INTERNAL_ERROR, message));
    }
    let (id, route) = (to.id.clone(), to.route);
    let entry = Entry {
        handle: Handle(0),
        to,
        stage: Stage::Listening,
        method: "subscriptions/listen".into(),
        row: None,
        revision,
        progress_token: None,
        log_rank: None,
        resource: None,
    };
    let Some(handle) = core.enter(entry) else { return };
    let params = Raw::trusted(format!("{{\"notifications\":{}}}", honoured.as_str()));
    core.send(route, tagged("notifications/subscriptions/acknowledged", Some(&params), &id));
    let request = Request {
        handle,
        id: id.clone(),
        method: "subscriptions/listen".into(),
        params: None,
        revision,
        progress_token: None,
        lifted: lift.lifted,
        edge,
    };
    core.subscriptions.push(Subscription { handle, id, route, selection, waiting: Waiting::default() });
    core.events.push_back(Event::Subscribed { handle, filter: honoured, request: Box::new(request) });
}

/// Writes a notification that names the subscription it is for.
fn tagged(method: &str, params: Option<&Raw>, id: &RequestId) -> Vec<u8> {
    let id = Raw::trusted(id.to_string());
    let params = meta::set(params.map(Raw::borrow), meta::SUBSCRIPTION_ID, id.borrow());
    let mut text = Vec::with_capacity(64 + method.len() + params.as_str().len());
    rpc::write_notification(method, Some(&params), &mut text);
    text
}

pub(super) fn publish(core: &mut Core, change: &Change, may_hear: &dyn Fn(Handle) -> bool) {
    if !core.keeps_changes() {
        return tell(core, change, may_hear);
    }
    let limit = core.config.limits.waiting_changes;
    let overrun = core.subscriptions.keep(change, limit, may_hear);
    core.has_waiting_changes = true;
    for handle in overrun {
        if core.holds_changes {
            core.report(format!("more than {limit} changes wait for a listener that does not read: it was ended"), b"");
            end_subscription(core, handle);
        } else if let Some(subscription) = core.subscriptions.get(handle) {
            // It reads: there is only much to tell at once.
            let (method, params) = subscriptions::notification(change);
            core.send(subscription.route, tagged(method, params.as_ref(), &subscription.id));
        }
    }
}

/// Tells of one of the changes that wait.
pub(super) fn tell_waiting(core: &mut Core) -> bool {
    let Some((subscription, change)) = core.subscriptions.pop_waiting() else { return false };
    let (method, params) = subscriptions::notification(&change);
    let (route, text) = (subscription.route, tagged(method, params.as_ref(), &subscription.id));
    core.send(route, text);
    true
}

fn tell(core: &mut Core, change: &Change, may_hear: &dyn Fn(Handle) -> bool) {
    let (method, params) = subscriptions::notification(change);
    let due: Vec<_> = core
        .subscriptions
        .selecting(change)
        .filter(|subscription| may_hear(subscription.handle))
        .map(|subscription| (subscription.route, tagged(method, params.as_ref(), &subscription.id)))
        .collect();
    for (route, text) in due {
        core.send(route, text);
    }
}

/// Sends the notifications that were kept to be sent once.
pub(super) fn flush(core: &mut Core) {
    for method in std::mem::take(&mut core.debounced) {
        match subscriptions::list_change(&method) {
            Some(change) => publish(core, &change, &|_| true),
            None => core.send(Route::PIPE, core.write_plain(&method, None)),
        }
    }
}

pub(super) fn end_subscriptions(core: &mut Core) {
    for handle in core.subscriptions.handles() {
        end_subscription(core, handle);
    }
}

/// Ends a subscription with its result.
fn end_subscription(core: &mut Core, handle: Handle) {
    core.subscriptions.remove(handle);
    let Some(entry) = core.in_flight.remove(handle) else { return };
    let id = Raw::trusted(entry.to.id.to_string());
    let result = meta::set(None, meta::SUBSCRIPTION_ID, id.borrow());
    core.conclude(&entry, result);
    if core.link == Link::Pipe {
        let params = Raw::trusted(format!("{{\"requestId\":{}}}", id.as_str()));
        let mut text = Vec::with_capacity(96);
        rpc::write_notification("notifications/cancelled", Some(&params), &mut text);
        core.send(entry.to.route, text);
    }
    core.events.push_back(Event::Unsubscribed { handle });
}

/// Sends a notification. What tells of a change goes to the subscriptions that asked for it.
pub(super) fn notify(core: &mut Core, outgoing: Outgoing) -> Result<(), Misuse> {
    let Outgoing { method, params, related } = outgoing;
    let change = match &*method {
        "notifications/resources/updated" => {
            let uri = params.as_ref().and_then(|params| params.borrow().member("uri")).and_then(RawRef::as_string);
            let Some(uri) = uri else {
                let reason = "`uri` must be a string".to_owned();
                return Err(Misuse::Params { method: method.into_owned(), reason });
            };
            Some(Change::Resource { uri: uri.into_owned() })
        }
        method => subscriptions::list_change(method),
    };
    let revision = core.revision.unwrap_or_else(|| core.prepared().modern[0]);
    core.check_notification(&method, params.as_ref(), revision)?;
    match change {
        Some(_) if params.is_none() && core.is_debounced(&method) => core.debounce(method),
        Some(change) => publish(core, &change, &|_| true),
        None => core.send_notification(&method, params.as_ref(), related),
    }
    Ok(())
}

/// Sends a log message: only on a request that asked for its level.
pub(super) fn log(core: &mut Core, related: Option<Handle>, rank: usize, params: &Raw) -> bool {
    let entry = related.and_then(|handle| core.in_flight.get(handle));
    let wanted = entry.and_then(|entry| entry.log_rank);
    if wanted.is_none_or(|wanted| rank < wanted) {
        return false;
    }
    core.send_notification("notifications/message", Some(params), related);
    true
}
