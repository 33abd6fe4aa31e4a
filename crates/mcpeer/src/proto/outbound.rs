//! What goes out: requests, notifications, progress.

use std::{borrow::Cow, time::Instant};

use super::{
    capabilities,
    core::{Core, Life},
    in_flight::Entry,
    io::{Call, Failure, Handle, Link, Misuse, MoreHeaders, Outbound, Outgoing, Payload, Reply, Route},
    pending::Pending,
};
use crate::{
    rpc::{self, Raw, RequestId},
    version::Revision,
    wire::{self, Kind, Lookup, OutgoingRequest},
};

/// Whether a request of ours may go out now.
#[derive(Debug)]
pub(super) enum Gate {
    /// At this revision.
    Send(Revision),
    /// Once the era is settled.
    Wait,
    /// Never.
    Refuse(Misuse),
}

impl Core {
    /// Sends a request of ours, or keeps it.
    pub(super) fn request(&mut self, now: Instant, call: Call, gate: Gate) -> Result<RequestId, Misuse> {
        if self.life != Life::Open {
            return Err(Misuse::Closed);
        }
        if self.pending.len() >= self.config.limits.pending {
            return Err(Misuse::Limit { what: "open requests" });
        }
        let revision = match gate {
            Gate::Send(revision) => Some(revision),
            Gate::Wait => None,
            Gate::Refuse(misuse) => return Err(misuse),
        };
        let id = self.pending.next_id();
        let text = revision.map(|revision| self.write_call(id, &call, revision)).transpose()?;
        let headers = call.headers.clone();
        let pending = self.new_pending(now, id, call, revision);
        let route = pending.route;
        self.pending.insert(id, pending, &mut self.timers);
        if let Some(text) = text {
            self.send_request(id, route, text, headers);
        }
        Ok(RequestId::Integer(id))
    }

    fn new_pending(&self, now: Instant, id: i64, call: Call, sent: Option<Revision>) -> Pending {
        let deadlines = &self.config.deadlines;
        let usual = match &*call.method {
            "elicitation/create" | "sampling/createMessage" => deadlines.person,
            _ => deadlines.request,
        };
        let timeout = call.timeout.unwrap_or(usual);
        let is_listen = call.method == "subscriptions/listen";
        // A subscription lasts; only a limit that was asked for ends it.
        let total = call.max_total.or(deadlines.max_total.filter(|_| !is_listen));
        Pending {
            public: id,
            method: call.method.clone(),
            sent,
            progress: call.progress,
            reset_on_progress: call.reset_on_progress,
            timeout,
            deadline: now.checked_add(timeout),
            total: total.and_then(|limit| Some((now.checked_add(limit)?, limit))),
            route: self.route_of(call.related),
            listen: is_listen.then_some(false),
            call: sent.is_none().then(|| Box::new(call)),
        }
    }

    /// Writes a request of ours, if the revision has it.
    fn write_call(&self, id: i64, call: &Call, revision: Revision) -> Result<Vec<u8>, Misuse> {
        let method = &*call.method;
        if matches!(self.find_outbound(method, Kind::Request, revision), Lookup::Elsewhere) {
            return Err(Misuse::NotInRevision { method: method.to_owned(), revision });
        }
        self.check_peer_offers(method)?;
        let id = RequestId::Integer(id);
        let request = OutgoingRequest {
            revision,
            method,
            params: call.params.as_ref(),
            envelope: self.prepared().envelope(revision),
            progress_token: call.progress.then_some(&id),
            log_level: call.log_level.as_deref(),
        };
        let params = wire::codec(revision)
            .encode_request(&request)
            .map_err(|reason| Misuse::Params { method: method.to_owned(), reason })?;
        let length = params.as_ref().map_or(0, |params| params.as_str().len());
        let mut text = Vec::with_capacity(80 + method.len() + length);
        rpc::write_request(&id, method, params.as_deref(), &mut text);
        Ok(text)
    }

    fn check_peer_offers(&self, method: &str) -> Result<(), Misuse> {
        let Some(declared) = self.peer_capabilities.as_ref().filter(|_| self.config.strict_capabilities) else {
            return Ok(());
        };
        match capabilities::of_request(method) {
            Some(capability) if !capabilities::declares(declared.borrow(), capability) => Err(Misuse::NoCapability {
                method: method.to_owned(),
                capability: capability.to_owned(),
                is_ours: false,
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn send_request(&mut self, id: i64, route: Route, text: Vec<u8>, headers: Option<MoreHeaders>) {
        let request = Some(RequestId::Integer(id));
        self.transmit.push_back(Outbound::Message { route, request, is_last: false, refusal: None, headers, text });
    }

    /// Sends what has waited for the era to be settled.
    pub(super) fn send_waiting(&mut self, gate: impl Fn(&Self, &str) -> Gate) {
        for id in self.pending.ids_where(|pending| pending.sent.is_none()) {
            self.send_kept(Some(id));
            let Some(call) = self.pending.get_mut(id).and_then(|pending| pending.call.take()) else { continue };
            let written = match gate(self, &call.method) {
                Gate::Send(revision) => self.write_call(id, &call, revision).map(|text| (revision, text)),
                Gate::Wait => {
                    self.pending.keep_call(id, call);
                    continue;
                }
                Gate::Refuse(misuse) => Err(misuse),
            };
            match written {
                Ok((revision, text)) => {
                    let route = self.pending.get_mut(id).map_or(Route::PIPE, |pending| {
                        pending.sent = Some(revision);
                        pending.route
                    });
                    self.send_request(id, route, text, call.headers.clone());
                }
                Err(misuse) => self.settle(id, Err(Failure::Misuse(misuse))),
            }
        }
        self.send_kept(None);
    }

    /// Keeps a notification until the era is settled, if any revision of ours can send it.
    pub(super) fn keep(&mut self, outgoing: Outgoing) -> Result<(), Misuse> {
        let (method, params) = (&outgoing.method, outgoing.params.as_ref());
        let mut verdict = Err(Misuse::Closed);
        for revision in &self.prepared().revisions {
            verdict = self.check_notification(method, params, *revision);
            if verdict.is_ok() {
                break;
            }
        }
        verdict?;
        if self.kept.len() >= self.config.limits.pending {
            return Err(Misuse::Limit { what: "notifications that wait for the connection to begin" });
        }
        self.kept.push_back((self.pending.last_id(), outgoing));
        Ok(())
    }

    /// Sends the notifications that have waited, up to those that were asked for after a request of ours.
    fn send_kept(&mut self, before: Option<i64>) {
        let Some(revision) = self.revision else { return };
        while self.kept.front().is_some_and(|(after, _)| before.is_none_or(|id| *after < id)) {
            let Some((_, Outgoing { method, params, related })) = self.kept.pop_front() else { return };
            match self.check_notification(&method, params.as_ref(), revision) {
                Ok(()) => self.send_notification(&method, params.as_ref(), related),
                Err(misuse) => self.report_unsent(&method, &misuse),
            }
        }
    }

    /// Tells that a notification that has waited cannot be sent after all.
    pub(super) fn report_unsent(&mut self, method: &str, misuse: &Misuse) {
        self.report(format!("{method:?} was not sent: {misuse}"), b"");
    }

    /// Tells the peer that we gave up a request.
    pub(super) fn send_cancelled(&mut self, id: i64, reason: &str, route: Route, revision: Option<Revision>) {
        let reason = Raw::from_value(reason).expect("a string can always be written");
        let params = Raw::trusted(format!("{{\"requestId\":{id},\"reason\":{}}}", reason.as_str()));
        let text = match revision.and_then(|revision| self.prepared().envelope(revision)) {
            Some(envelope) => {
                let revision = revision.expect("an envelope is that of a revision");
                let codec = wire::codec(revision);
                match codec.encode_notification(Some(&params), Some(envelope)) {
                    Ok(params) => write_notification("notifications/cancelled", params.as_deref()),
                    Err(_) => write_notification("notifications/cancelled", Some(&params)),
                }
            }
            None => write_notification("notifications/cancelled", Some(&params)),
        };
        self.send(route, text);
    }

    /// Checks that a notification of ours exists at a revision and that what it needs is declared.
    pub(super) fn check_notification(
        &self,
        method: &str,
        params: Option<&Raw>,
        revision: Revision,
    ) -> Result<(), Misuse> {
        if self.life == Life::Closed {
            return Err(Misuse::Closed);
        }
        if matches!(self.find_outbound(method, Kind::Notification, revision), Lookup::Elsewhere) {
            return Err(Misuse::NotInRevision { method: method.to_owned(), revision });
        }
        if let Some(capability) = capabilities::of_notification(method)
            && !self.offers(capability)
        {
            let (method, capability) = (method.to_owned(), capability.to_owned());
            return Err(Misuse::NoCapability { method, capability, is_ours: true });
        }
        if params.is_some_and(|params| !params.borrow().is_object()) {
            let reason = "the params must be an object".to_owned();
            return Err(Misuse::Params { method: method.to_owned(), reason });
        }
        Ok(())
    }

    /// Sends a notification that was checked, at once or with the next flush.
    pub(super) fn send_notification(&mut self, method: &str, params: Option<&Raw>, related: Option<Handle>) {
        if params.is_none() && related.is_none() && self.is_debounced(method) {
            return self.debounce(method.to_owned().into());
        }
        let route = self.route_of(related);
        self.send(route, self.write_plain(method, params));
    }

    /// Writes a notification; a client of the stateless era adds its envelope.
    pub(super) fn write_plain(&self, method: &str, params: Option<&Raw>) -> Vec<u8> {
        let envelope = self.revision.filter(|_| !self.is_server).and_then(|at| self.prepared().envelope(at));
        if let (Some(envelope), Some(revision)) = (envelope, self.revision)
            && let Ok(params) = wire::codec(revision).encode_notification(params, Some(envelope))
        {
            return write_notification(method, params.as_deref());
        }
        write_notification(method, params)
    }

    /// Whether a notification is sent once for however often it was asked for.
    pub(super) fn is_debounced(&self, method: &str) -> bool {
        self.config.debounced.iter().any(|known| known == method)
    }

    pub(super) fn debounce(&mut self, method: Cow<'static, str>) {
        if !self.debounced.contains(&method) {
            self.debounced.push(method);
        }
    }

    /// Sends the notifications that were kept for the flush.
    pub(super) fn flush(&mut self) {
        for method in std::mem::take(&mut self.debounced) {
            self.send(Route::PIPE, self.write_plain(&method, None));
        }
    }

    /// Sends progress on a request of the peer that asked for it, while it runs.
    pub(super) fn progress(&mut self, handle: Handle, params: &Raw) {
        let Some(entry) = self.in_flight.get(handle) else { return };
        let Some(token) = &entry.progress_token else { return };
        let params = wire::progress(entry.revision, params);
        let Some(rest) = params.as_str().strip_prefix('{') else { return };
        let mut text = Vec::with_capacity(96 + rest.len());
        text.extend_from_slice(
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":",
        );
        rpc::write_id(token, &mut text);
        if !rest.trim_start().starts_with('}') {
            text.push(b',');
        }
        text.extend_from_slice(rest.as_bytes());
        text.push(b'}');
        let route = entry.to.route;
        self.send(route, text);
    }

    /// Answers a request that was taken out of the table with a result of the connection's own.
    pub(super) fn conclude(&mut self, entry: &Entry, result: Raw) {
        let reply = Reply::Complete(Payload::from(result));
        let text = self.encode(&entry.to.id, entry.revision, entry.row.as_ref(), &entry.method, reply);
        self.answer_taken(entry, Some(text), None);
    }

    /// Where what belongs to a request of the peer goes out.
    fn route_of(&self, related: Option<Handle>) -> Route {
        match self.link {
            Link::Pipe => Route::PIPE,
            Link::Exchange => {
                related.and_then(|handle| self.in_flight.get(handle)).map_or(Route::PIPE, |entry| entry.to.route)
            }
        }
    }
}

fn write_notification(method: &str, params: Option<&Raw>) -> Vec<u8> {
    let mut text = Vec::with_capacity(64 + method.len() + params.map_or(0, |params| params.as_str().len()));
    rpc::write_notification(method, params, &mut text);
    text
}
