use std::{collections::VecDeque, sync::Arc, time::Instant};

use super::{
    batches::{Batches, Done},
    bucket::Bucket,
    capabilities,
    config::Config,
    in_flight::{Entry, InFlight, Return, Stage},
    io::{Event, Failure, Handle, Link, Misbehaved, Outbound, Outgoing, Payload, Reply, Route},
    pending::PendingTable,
    prepared::Prepared,
    routes::Routes,
    subscriptions::Subscriptions,
    timers::Timers,
};
use crate::{
    rpc::{self, Raw, RequestId},
    version::{Era, Revision},
    wire::{self, Encoding, Kind, Lookup, Outcome, codes},
};

/// What a connection has in either role and either era: its tables, its queues, and how answers get out.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) config: Arc<Config>,
    pub(super) link: Link,
    pub(super) is_server: bool,
    /// The revision that the connection is settled on.
    pub(super) revision: Option<Revision>,
    /// What the peer declared, where that holds for the connection.
    pub(super) peer_capabilities: Option<Raw>,
    pub(super) pending: PendingTable,
    pub(super) in_flight: InFlight,
    pub(super) batches: Batches,
    pub(super) subscriptions: Subscriptions,
    pub(super) timers: Timers,
    /// Notifications to send once, at the next flush.
    pub(super) debounced: Vec<std::borrow::Cow<'static, str>>,
    /// Whether changes are kept, since the peer does not read what was sent.
    pub(super) holds_changes: bool,
    /// Whether any were kept.
    pub(super) has_waiting_changes: bool,
    /// Notifications that wait until the era is settled, each with the id of the last request before it.
    pub(super) kept: VecDeque<(i64, Outgoing)>,
    pub(super) events: VecDeque<Event>,
    pub(super) transmit: VecDeque<Outbound>,
    pub(super) life: Life,
    /// Lets answers without an id out.
    pub(super) anonymous: Bucket,
    /// How many requests of the peer are open on each route, on an exchange link.
    routes: Routes,
    /// The route whose last message went out, or which was ended, since the last message arrived.
    pub(super) finished: Option<Route>,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// Both directions work.
    Open,
    /// The peer's input has ended; what runs may still answer.
    Draining,
    /// It is over.
    Closed,
}

impl Core {
    pub(super) fn new(config: Arc<Config>, link: Link, is_server: bool) -> Self {
        let anonymous = Bucket::new(config.limits.anonymous_answers);
        Self {
            config,
            link,
            is_server,
            revision: None,
            peer_capabilities: None,
            pending: PendingTable::default(),
            in_flight: InFlight::default(),
            batches: Batches::default(),
            subscriptions: Subscriptions::default(),
            timers: Timers::default(),
            debounced: Vec::new(),
            holds_changes: false,
            has_waiting_changes: false,
            kept: VecDeque::new(),
            // What most messages cause.
            events: VecDeque::with_capacity(2),
            transmit: VecDeque::with_capacity(1),
            life: Life::Open,
            anonymous,
            routes: Routes::default(),
            finished: None,
        }
    }

    pub(super) fn prepared(&self) -> &Prepared {
        self.config.prepared.get_or_init(|| Prepared::new(&self.config))
    }

    /// Finds a method of the peer's.
    pub(super) fn find_inbound(&self, method: &str, kind: Kind, revision: Revision) -> Lookup<'_> {
        self.prepared().registry.find(method, kind, revision, self.is_server)
    }

    /// Finds a method of ours.
    pub(super) fn find_outbound(&self, method: &str, kind: Kind, revision: Revision) -> Lookup<'_> {
        self.prepared().registry.find(method, kind, revision, !self.is_server)
    }

    /// Whether this peer declares a capability.
    pub(super) fn offers(&self, capability: &str) -> bool {
        capabilities::declares(self.config.capabilities.borrow(), capability)
    }

    /// Whether a request of the peer has a handler, or falls to the one that takes everything.
    pub(super) fn serves(&self, method: &str) -> bool {
        self.prepared().serves(method)
            || self.config.handlers.fallback
                && capabilities::of_request(method).is_none_or(|capability| self.offers(capability))
    }

    /// Whether a change is rather kept than sent: what is sent now would only wait elsewhere, where it cannot be joined
    /// with others.
    pub(super) fn keeps_changes(&self) -> bool {
        self.holds_changes || self.transmit.len() >= 64
    }

    /// Tells that the peer broke a rule.
    pub(super) fn report(&mut self, reason: impl Into<String>, message: &[u8]) {
        let start = &message[..message.len().min(256)];
        let excerpt = String::from_utf8_lossy(start).into_owned();
        self.events.push_back(Event::Misbehaved(Misbehaved { reason: reason.into(), excerpt }));
    }

    // Answers.

    /// Answers with an error that is no handler's.
    pub(super) fn refuse(&mut self, to: &Return, error: &rpc::Error) {
        let mut text = Vec::with_capacity(128);
        rpc::write_error(Some(&to.id), error, &mut text);
        self.answer_now(to, text, Some(error.code));
    }

    /// Answers with a result that the connection itself gives.
    pub(super) fn grant(&mut self, to: &Return, method: &str, revision: Revision, result: Raw) {
        let reply = Reply::Complete(Payload::from(result));
        let row = match self.find_inbound(method, Kind::Request, revision) {
            Lookup::Here(row) => Some(row.clone()),
            _ => None,
        };
        let text = self.encode(&to.id, revision, row.as_ref(), method, reply);
        self.answer_now(to, text, None);
    }

    /// Answers what cannot be named, since no id could be read.
    pub(super) fn refuse_anonymously(&mut self, now: Instant, route: Route, error: &rpc::Error) {
        if self.may_answer_anonymously(now) {
            let mut text = Vec::with_capacity(128);
            rpc::write_error(None, error, &mut text);
            self.send_on(route, text, Some(error.code));
        }
    }

    /// Two peers that answer each other's noise would go on for ever; on an exchange link each has asked for one.
    fn may_answer_anonymously(&mut self, now: Instant) -> bool {
        self.link == Link::Exchange || self.anonymous.take(now)
    }

    /// Sends an answer to what is not in flight.
    fn answer_now(&mut self, to: &Return, text: Vec<u8>, refusal: Option<i64>) {
        match to.batch {
            Some(batch) => self.batches.push(batch, &text),
            None => self.send_on(to.route, text, refusal),
        }
    }

    /// Sends the answer to a request that was taken out of the table.
    pub(super) fn answer_taken(&mut self, entry: &Entry, text: Option<Vec<u8>>, refusal: Option<i64>) {
        self.leave_route(entry.to.route);
        match (entry.to.batch, text) {
            (Some(batch), text) => {
                if let Some(text) = text {
                    self.batches.push(batch, &text);
                }
                if let Some(done) = self.batches.settle(batch) {
                    self.send_batch(done);
                }
            }
            (None, Some(text)) => self.send_on(entry.to.route, text, refusal),
            (None, None) => self.end_idle_route(entry.to.route),
        }
    }

    /// Sends the answers of a batch, where any are due.
    pub(super) fn send_batch(&mut self, done: Done) {
        match done.text {
            Some(text) => self.send_on(done.route, text, None),
            None => self.end_idle_route(done.route),
        }
    }

    /// Answers a member of a batch that cannot be named.
    pub(super) fn refuse_member(&mut self, now: Instant, batch: u64, error: &rpc::Error) {
        if self.may_answer_anonymously(now) {
            let mut text = Vec::with_capacity(128);
            rpc::write_error(None, error, &mut text);
            self.batches.push(batch, &text);
        }
    }

    /// Sends a message that answers on a route.
    fn send_on(&mut self, route: Route, text: Vec<u8>, refusal: Option<i64>) {
        let is_last = self.link == Link::Exchange && self.is_server && !self.routes.contains(route);
        if is_last {
            self.finished = Some(route);
        }
        self.transmit.push_back(Outbound::Message { route, request: None, is_last, refusal, headers: None, text });
    }

    /// Ends a route of an exchange link on which nothing is due any more.
    pub(super) fn end_idle_route(&mut self, route: Route) {
        let is_exchange = self.link == Link::Exchange && self.is_server;
        if is_exchange && route != Route::PIPE && !self.routes.contains(route) && self.finished != Some(route) {
            self.finished = Some(route);
            self.transmit.push_back(Outbound::End { route });
        }
    }

    pub(super) fn enter_route(&mut self, route: Route) {
        if self.link == Link::Exchange {
            self.routes.enter(route);
        }
    }

    fn leave_route(&mut self, route: Route) {
        if self.link == Link::Exchange {
            self.routes.leave(route);
        }
    }

    /// Sends a message that belongs to no request of ours.
    pub(super) fn send(&mut self, route: Route, text: Vec<u8>) {
        self.transmit.push_back(Outbound::Message {
            route,
            request: None,
            is_last: false,
            refusal: None,
            headers: None,
            text,
        });
    }

    /// Writes an answer; what the codec refuses becomes an internal error whose reason only we hear.
    pub(super) fn encode(
        &mut self,
        id: &RequestId,
        revision: Revision,
        row: Option<&wire::Row>,
        method: &str,
        reply: Reply,
    ) -> Vec<u8> {
        let codec = wire::codec(revision);
        let outcome = match &reply {
            Reply::Complete(payload) => complete(payload),
            Reply::InputRequired(raw) => Outcome::InputRequired(raw.borrow()),
            Reply::Extension { result_type, payload } => Outcome::Extension { result_type, raw: payload.raw.borrow() },
            Reply::Error(error) => {
                let mut text = Vec::with_capacity(128);
                rpc::write_error(Some(id), &codec.encode_error(revision, method, error.clone(), true), &mut text);
                return text;
            }
        };
        let prepared = self.prepared();
        let cache = match row {
            Some(row) if row.is_cacheable => self.config.cache.get(method).copied().unwrap_or_default(),
            _ => wire::CacheHint::default(),
        };
        let encoding = Encoding { revision, row, stamp: &prepared.stamp, cache };
        let mut text = Vec::with_capacity(rpc::room_around(id) + codec.room(&encoding, &outcome));
        rpc::open_result(id, &mut text);
        match codec.encode_result(&encoding, outcome, &mut text) {
            Ok(()) => text.push(b'}'),
            Err(refusal) => {
                self.report(format!("the result of {method:?} cannot be sent: {refusal}"), b"");
                text.clear();
                let error = rpc::Error::new(rpc::Error::INTERNAL_ERROR, "internal error");
                rpc::write_error(Some(id), &error, &mut text);
            }
        }
        text
    }

    // Requests of the peer.

    /// Answers a request that the application has; dropped where it has ended.
    pub(super) fn respond(&mut self, handle: Handle, reply: Reply) -> Option<Entry> {
        if self.in_flight.get(handle)?.stage != Stage::Running {
            return None;
        }
        let entry = self.in_flight.remove(handle)?;
        let refusal = match &reply {
            Reply::Error(error) if entry.revision.era() == Era::Modern && codes::has_status(error.code) => {
                Some(error.code)
            }
            _ => None,
        };
        let text = self.encode(&entry.to.id, entry.revision, entry.row.as_ref(), &entry.method, reply);
        self.answer_taken(&entry, Some(text), refusal);
        self.start_waiting();
        Some(entry)
    }

    /// Hands out the requests whose turn it is.
    pub(super) fn start_waiting(&mut self) {
        while self.in_flight.running() < self.config.limits.concurrent {
            let Some(request) = self.in_flight.next_waiting() else { return };
            self.events.push_back(Event::Request(*request));
        }
    }

    /// Ends a request of the peer without an answer, and lets the next one run.
    pub(super) fn drop_request(&mut self, handle: Handle, reason: Option<String>) {
        if let Some(entry) = self.take_cancelled(handle, reason) {
            self.answer_taken(&entry, None, None);
            self.start_waiting();
        }
    }

    /// Ends a request of the peer because the connection ends.
    pub(super) fn cancel_at_end(&mut self, handle: Handle, reason: &str) {
        if let Some(entry) = self.take_cancelled(handle, Some(reason.to_owned())) {
            self.leave_route(entry.to.route);
            self.end_idle_route(entry.to.route);
        }
    }

    /// Takes a request out; the application hears of it where it has it.
    fn take_cancelled(&mut self, handle: Handle, reason: Option<String>) -> Option<Entry> {
        let entry = self.in_flight.remove(handle)?;
        match entry.stage {
            Stage::Running => self.events.push_back(Event::Cancelled { handle, reason }),
            Stage::Listening => {
                self.subscriptions.remove(handle);
                self.events.push_back(Event::Unsubscribed { handle });
            }
            Stage::Waiting => {}
        }
        Some(entry)
    }

    // Requests of ours.

    /// Settles a request of ours.
    pub(super) fn settle(&mut self, id: i64, outcome: Result<super::io::Answer, Failure>) {
        if let Some(pending) = self.pending.remove(id, &mut self.timers) {
            let id = RequestId::Integer(pending.public);
            self.events.push_back(Event::Response { id, outcome });
        }
    }
}

fn complete(payload: &Payload) -> Outcome<'_> {
    Outcome::Complete { raw: payload.raw.borrow(), is_plain: payload.is_plain, wraps_output: payload.wraps_output }
}
