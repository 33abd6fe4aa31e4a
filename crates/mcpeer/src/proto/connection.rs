use std::{sync::Arc, time::Instant};

use super::{
    client::Client,
    config::Config,
    core::{Core, Life},
    io::{
        Call, Change, Closed, Event, Failure, Handle, Inbound, Link, Misuse, Outbound, Outgoing, Reply, Route,
        SendFailure,
    },
    server::Server,
    timers::Timer,
};
use crate::{
    rpc::{Raw, RequestId},
    version::Revision,
    wire::meta,
};

/// One connection, of either role and either era.
///
/// Four kinds of method: `handle_*` tell that something arrived, verbs that the application wants something, getters
/// give what is known, and `poll_*` say what the caller must do now. After any of the first two, poll until `None`.
#[derive(Debug)]
pub struct Connection {
    pub(super) core: Core,
    pub(super) role: Role,
}

#[derive(Debug)]
pub(super) enum Role {
    Client(Client),
    Server(Server),
}

impl Connection {
    /// Starts the client's side; its first message is there to be polled.
    pub fn client(config: Arc<Config>, link: Link, now: Instant) -> Self {
        let mut core = Core::new(config, link, false);
        let mut client = Client::new();
        client.start(&mut core, now);
        Self { core, role: Role::Client(client) }
    }

    /// Starts the client's side anew, once this connection has ended and its transport was opened again. Ids and
    /// handles go on where this one stopped, so that what comes too late means nothing of the new one.
    pub fn restarted(&self, link: Link, now: Instant) -> Self {
        let mut core = Core::new(self.core.config.clone(), link, false);
        core.pending.continue_after(&self.core.pending);
        core.in_flight.continue_after(&self.core.in_flight);
        let mut client = Client::new();
        client.start(&mut core, now);
        Self { core, role: Role::Client(client) }
    }

    /// Starts the server's side.
    pub fn server(config: Arc<Config>, link: Link) -> Self {
        let mut core = Core::new(config, link, true);
        let server = Server::new(&mut core);
        Self { core, role: Role::Server(server) }
    }

    /// Takes a message that arrived.
    pub fn handle_message(&mut self, now: Instant, inbound: Inbound<'_>) {
        if self.core.life == Life::Open {
            self.receive(now, inbound);
        }
    }

    /// Takes note of text that the transport skipped, since it was too long or no text.
    pub fn handle_skipped(&mut self, now: Instant, route: Route, reason: &str, excerpt: &str) {
        if self.core.life == Life::Open {
            self.skipped(now, route, reason, excerpt);
        }
    }

    /// Takes note that the stream ended that owed us the answer to a request.
    pub fn handle_stream_end(&mut self, now: Instant, id: RequestId) {
        let reason = "the stream ended without the answer".to_owned();
        self.handle_send_failed(now, id, SendFailure { status: None, reason });
    }

    /// Takes note that a request of ours could not be sent, or that no JSON-RPC message came back for it.
    pub fn handle_send_failed(&mut self, now: Instant, id: RequestId, failure: SendFailure) {
        if self.core.life == Life::Closed {
            return;
        }
        if let Role::Client(client) = &mut self.role
            && client.awaits(&id)
        {
            return client.send_failed(&mut self.core, now, failure);
        }
        if let Some(id) = self.core.pending.sent_id(&id) {
            self.settle(now, id, Err(Failure::Send(failure)));
        }
    }

    /// Takes note that nothing more will arrive; sending may still work.
    pub fn handle_input_end(&mut self, now: Instant) {
        self.end_input(now, "the peer has ended its output");
    }

    /// As [`handle_input_end`](Self::handle_input_end), where the transport knows why.
    pub fn handle_explained_input_end(&mut self, now: Instant, diagnosis: &str) {
        self.end_input(now, &format!("the peer has ended its output; {diagnosis}"));
    }

    fn end_input(&mut self, now: Instant, reason: &str) {
        if self.core.life != Life::Open {
            return;
        }
        match &mut self.role {
            Role::Client(client) => {
                if !client.input_ended(&mut self.core, now, reason) {
                    return;
                }
            }
            Role::Server(server) => server.end_subscriptions(&mut self.core),
        }
        self.core.drain(now, reason);
    }

    /// Takes note that the transport was opened anew, as [`Event::Reopen`] asked.
    pub fn handle_reopened(&mut self, now: Instant) {
        if let Role::Client(client) = &mut self.role {
            client.reopened(&mut self.core, now);
        }
    }

    /// Takes note that the transport broke, or cannot be opened anew.
    pub fn handle_transport_error(&mut self, now: Instant, reason: &str) {
        if self.core.life == Life::Closed {
            return;
        }
        if let Role::Client(client) = &mut self.role
            && !client.transport_broke(&mut self.core, now, reason)
        {
            return;
        }
        self.core.transmit.clear();
        self.core.finish(Closed::Transport { reason: reason.to_owned() });
    }

    /// Takes note that the time that [`poll_timeout`](Self::poll_timeout) gave has come.
    pub fn handle_timeout(&mut self, now: Instant) {
        while let Some(timer) = self.core.timers.pop_due(now) {
            match timer {
                Timer::Request(id) => self.time_out(id, false),
                Timer::Total(id) => self.time_out(id, true),
                Timer::Negotiation => {
                    if let Role::Client(client) = &mut self.role {
                        client.timed_out(&mut self.core, now);
                    }
                }
                Timer::Drain => self.core.finish(Closed::Remote),
            }
        }
    }

    /// Sends a request, or keeps it until the era is settled. Its outcome is an [`Event::Response`].
    ///
    /// # Errors
    ///
    /// The request cannot be made; nothing was written.
    pub fn request(&mut self, now: Instant, call: Call) -> Result<RequestId, Misuse> {
        match &self.role {
            Role::Client(client) => {
                let kept = client.keeps_calls().then(|| Box::new(call.clone()));
                let id = self.core.request(now, call, client.gate(&self.core))?;
                if let (Some(kept), RequestId::Integer(id)) = (kept, &id) {
                    self.core.pending.keep_call(*id, kept);
                }
                Ok(id)
            }
            Role::Server(server) => {
                let gate = server.gate(&self.core, &call.method);
                self.core.request(now, call, gate)
            }
        }
    }

    /// Sends a notification, or keeps it until the era is settled. What was kept and cannot be sent then is reported.
    ///
    /// # Errors
    ///
    /// The notification cannot be sent; nothing was written.
    pub fn notify(&mut self, now: Instant, notification: Outgoing) -> Result<(), Misuse> {
        let _ = now;
        match &mut self.role {
            Role::Client(client) => client.notify(&mut self.core, notification),
            Role::Server(server) => server.notify(&mut self.core, notification),
        }
    }

    /// Sends progress on a request of the peer: the params without the token. Nothing is sent where the peer asked
    /// for none, or once the request has ended.
    pub fn progress(&mut self, handle: Handle, params: &Raw) {
        self.core.progress(handle, params);
    }

    /// Sends a log message, of a request or of the connection, where the rules of the era let it; says whether.
    ///
    /// A server that does not declare `logging` sends none. In the stateful era the client's level counts; in the
    /// stateless one that of the request, and only on it.
    pub fn log(&mut self, related: Option<Handle>, level: &str, params: &Raw) -> bool {
        let Some(rank) = meta::log_rank(level) else { return false };
        match &self.role {
            Role::Server(server) if self.core.life != Life::Closed && self.core.offers("logging") => {
                server.log(&mut self.core, related, rank, params)
            }
            _ => false,
        }
    }

    /// Tells the peer about a change, if it wants to know: on each subscription that asked for it, or, in the stateful
    /// era, as a plain notification.
    pub fn publish(&mut self, change: &Change) {
        self.publish_to(change, &|_| true);
    }

    /// Tells the peer about a change as [`publish`](Self::publish) does, but not on a subscription that may not hear of
    /// it; `None` stands for the session of the stateful era. Changes of lists are for everybody.
    pub fn publish_to(&mut self, change: &Change, may_hear: &dyn Fn(Option<Handle>) -> bool) {
        if let Role::Server(server) = &mut self.role
            && self.core.life != Life::Closed
        {
            server.publish(&mut self.core, change, may_hear);
        }
    }

    /// Says whether changes are to be kept and joined for now, since the peer does not read what was sent.
    pub fn hold_changes(&mut self, holds: bool) {
        self.core.holds_changes = holds;
    }

    /// Ends every subscription of the peer with its result.
    pub fn end_subscriptions(&mut self) {
        if let Role::Server(server) = &mut self.role {
            server.end_subscriptions(&mut self.core);
        }
    }

    /// Answers a request of the peer. Dropped where the request has ended.
    pub fn respond(&mut self, now: Instant, handle: Handle, reply: Reply) {
        let _ = now;
        let is_success = matches!(reply, Reply::Complete(_));
        let Some(entry) = self.core.respond(handle, reply) else { return };
        if let Role::Server(server) = &mut self.role
            && is_success
        {
            server.granted(&mut self.core, &entry);
        }
        self.core.finish_if_drained();
    }

    /// Gives up a request of ours: the peer is told, and the outcome is that it was cancelled.
    pub fn cancel(&mut self, now: Instant, id: &RequestId, reason: &str) {
        let _ = now;
        if let Some(id) = self.core.pending.wire_id(id) {
            self.withdraw(id, reason);
            self.core.settle(id, Err(Failure::Cancelled { reason: reason.to_owned() }));
        }
    }

    /// Ends the connection. What is polled afterwards is still to be sent.
    pub fn close(&mut self, now: Instant) {
        let _ = now;
        if self.core.life == Life::Closed {
            return;
        }
        match &mut self.role {
            Role::Server(server) => server.end_subscriptions(&mut self.core),
            Role::Client(client) => client.abandon_all(&mut self.core),
        }
        self.core.finish(Closed::Local);
    }

    /// Gives what to send next. Once there is nothing more, notifications go out that were kept to be sent once.
    pub fn poll_transmit(&mut self) -> Option<Outbound> {
        let has_more = self.core.has_waiting_changes || !self.core.debounced.is_empty();
        if has_more && self.core.transmit.is_empty() && !self.core.holds_changes {
            if !self.core.debounced.is_empty() {
                match &mut self.role {
                    Role::Client(client) => client.flush(&mut self.core),
                    Role::Server(server) => server.flush(&mut self.core),
                }
            }
            while let Role::Server(server) = &mut self.role
                && self.core.has_waiting_changes
                && self.core.transmit.is_empty()
            {
                server.tell_waiting(&mut self.core);
            }
        }
        self.core.transmit.pop_front()
    }

    /// Gives what happened next.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.core.events.pop_front()
    }

    /// Gives the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.core.timers.next()
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.core.life == Life::Closed
    }

    /// How many entries the tables hold that belong to open requests of either side: none at rest.
    pub fn occupancy(&self) -> usize {
        let core = &self.core;
        core.pending.len() + core.in_flight.len() + core.batches.len() + core.subscriptions.len() + core.timers.len()
    }

    /// The revision that was agreed on, once it is.
    pub fn revision(&self) -> Option<Revision> {
        self.core.revision
    }

    /// The configuration.
    pub fn config(&self) -> &Arc<Config> {
        &self.core.config
    }

    /// Settles a request of ours, unless the outcome shows that the era was guessed wrong.
    pub(super) fn settle(&mut self, now: Instant, id: i64, outcome: Result<super::io::Answer, Failure>) {
        if let Role::Client(client) = &mut self.role
            && self.core.pending.has_call(id)
            && client.contradicts(&mut self.core, now, id, outcome.as_ref().err())
        {
            return;
        }
        self.core.settle(id, outcome);
    }

    fn time_out(&mut self, id: i64, is_total: bool) {
        let Some(pending) = self.core.pending.get_mut(id) else { return };
        let after = match (is_total, pending.total) {
            (true, Some((_, limit))) => limit,
            _ => pending.timeout,
        };
        self.withdraw(id, &format!("no answer within {after:?}"));
        self.core.settle(id, Err(Failure::Timeout { after, is_total }));
    }

    /// Tells the peer that we no longer want an answer; nothing where it never heard of the request.
    fn withdraw(&mut self, id: i64, reason: &str) {
        let Some(pending) = self.core.pending.get_mut(id) else { return };
        let (Some(sent), route) = (pending.sent, pending.route) else { return };
        match &self.role {
            Role::Client(client) => client.cancel(&mut self.core, id, reason, sent, route),
            Role::Server(server) => server.cancel(&mut self.core, id, reason, route),
        }
    }
}
