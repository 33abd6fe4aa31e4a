use std::{collections::VecDeque, sync::Arc, time::Instant};

use super::{
    config::Config,
    io::{Call, Change, Event, Handle, Inbound, Link, Misuse, Outbound, Outgoing, Reply, Route, SendFailure},
};
use crate::{
    rpc::{Raw, RequestId},
    version::Revision,
};

/// One connection, of either role and either era.
///
/// Four kinds of method: `handle_*` tell that something arrived, verbs that the application wants something, getters
/// give what is known, and `poll_*` say what the caller must do now. After any of the first two, poll until `None`.
#[derive(Debug)]
pub struct Connection {
    config: Arc<Config>,
    link: Link,
    events: VecDeque<Event>,
    transmit: VecDeque<Outbound>,
}

impl Connection {
    /// Starts the client's side; its first message is there to be polled.
    pub fn client(config: Arc<Config>, link: Link, now: Instant) -> Self {
        let _ = now;
        Self { config, link, events: VecDeque::new(), transmit: VecDeque::new() }
    }

    /// Starts the server's side.
    pub fn server(config: Arc<Config>, link: Link) -> Self {
        Self { config, link, events: VecDeque::new(), transmit: VecDeque::new() }
    }

    /// Takes a message that arrived.
    pub fn handle_message(&mut self, now: Instant, inbound: Inbound<'_>) {
        let _ = (now, inbound, &self.config, self.link);
    }

    /// Takes note of text that the transport skipped, since it was too long or no text.
    pub fn handle_skipped(&mut self, now: Instant, route: Route, reason: &str, excerpt: &str) {
        let _ = (now, route, reason, excerpt);
    }

    /// Takes note that the stream ended that owed us the answer to a request.
    pub fn handle_stream_end(&mut self, now: Instant, id: RequestId) {
        let _ = (now, id);
    }

    /// Takes note that a request of ours could not be sent, or that no JSON-RPC message came back for it.
    pub fn handle_send_failed(&mut self, now: Instant, id: RequestId, failure: SendFailure) {
        let _ = (now, id, failure);
    }

    /// Takes note that nothing more will arrive; sending may still work.
    pub fn handle_input_end(&mut self, now: Instant) {
        let _ = now;
    }

    /// Takes note that the transport was opened anew, as [`Event::Reopen`] asked.
    pub fn handle_reopened(&mut self, now: Instant) {
        let _ = now;
    }

    /// Takes note that the transport broke, or could not be opened anew.
    pub fn handle_transport_error(&mut self, now: Instant, reason: &str) {
        let _ = (now, reason);
    }

    /// Takes note that the time that [`poll_timeout`](Self::poll_timeout) gave has come.
    pub fn handle_timeout(&mut self, now: Instant) {
        let _ = now;
    }

    /// Sends a request, or keeps it until the era is settled. Its outcome is an [`Event::Response`].
    ///
    /// # Errors
    ///
    /// The request cannot be made; nothing was written.
    pub fn request(&mut self, now: Instant, call: Call) -> Result<RequestId, Misuse> {
        let _ = (now, call);
        Err(Misuse::Closed)
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// The notification cannot be sent; nothing was written.
    pub fn notify(&mut self, now: Instant, notification: Outgoing) -> Result<(), Misuse> {
        let _ = (now, notification);
        Err(Misuse::Closed)
    }

    /// Sends progress on a request of the peer: the params without the token. Nothing is sent where the peer asked
    /// for none, or once the request has ended.
    pub fn progress(&mut self, handle: Handle, params: &Raw) {
        let _ = (handle, params);
    }

    /// Sends a log message, of a request or of the connection, where the rules of the era let it; says whether.
    pub fn log(&mut self, related: Option<Handle>, level: &str, params: Raw) -> bool {
        let _ = (related, level, params);
        false
    }

    /// Tells the peer about a change, if it wants to know: on each subscription that asked for it, or, in the stateful
    /// era, as a plain notification.
    pub fn publish(&mut self, change: &Change) {
        let _ = change;
    }

    /// Ends every subscription of the peer with its result.
    pub fn end_subscriptions(&mut self) {}

    /// Answers a request of the peer. Dropped where the request has ended.
    pub fn respond(&mut self, now: Instant, handle: Handle, reply: Reply) {
        let _ = (now, handle, reply);
    }

    /// Gives up a request of ours: the peer is told, and the outcome is that it was cancelled.
    pub fn cancel(&mut self, now: Instant, id: &RequestId, reason: &str) {
        let _ = (now, id, reason);
    }

    /// Ends the connection. What is polled afterwards is still to be sent.
    pub fn close(&mut self, now: Instant) {
        let _ = now;
    }

    /// Gives what to send next.
    pub fn poll_transmit(&mut self) -> Option<Outbound> {
        self.transmit.pop_front()
    }

    /// Gives what happened next.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Gives the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        false
    }

    /// The revision that was agreed on, once it is.
    pub fn revision(&self) -> Option<Revision> {
        None
    }

    /// The configuration.
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }
}
