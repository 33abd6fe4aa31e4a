use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    io, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Instant,
};

use tracing::{Span, debug, debug_span, info_span, trace, warn};

use super::{
    BoxFuture, Options, Remote, Run, Ticket, after,
    remote::Command,
    restart::Restarting,
    running::{self, Outcome, internal_error, panic_text},
    slot::Slot,
};
use crate::{
    proto::{
        Connection,
        io::{Call, Closed, Event, Failure, Handle, Inbound, Misbehaved, Reply, Request, SendFailure},
    },
    rpc::{Raw, RequestId},
    transport::{Connect, Outbound, Received, Route, Transport},
};

/// How many messages are taken in before what they caused is written out.
const MESSAGES: usize = 64;
/// How many times that is done before other tasks get their turn.
const ROUNDS: usize = 8;

/// The code above a driver.
pub trait Application: Send + 'static {
    /// Serves a request. A panic is answered as an internal error.
    fn request(&mut self, ticket: &Ticket, params: Option<Raw>) -> Run;

    /// Sees that a request is to be answered with a result that asks for input, and may do something else. What it
    /// gives is final.
    fn input_required(&mut self, ticket: &Ticket, raw: Raw) -> Run {
        let _ = ticket;
        Run::Ready(Reply::InputRequired(raw))
    }

    /// Hears of everything else: notifications, subscriptions, misbehaviour, the start and the end.
    fn event(&mut self, remote: &Remote, event: Event);
}

type Reopen<T> = Box<dyn FnMut() -> BoxFuture<io::Result<T>> + Send>;

/// Runs a connection over a transport until it ends: a future that gives why it ended.
///
/// Dropping it ends the connection: requests of ours fail, handlers are cancelled.
#[must_use = "a connection lives while its driver is polled"]
pub struct Driver<T: Transport, A: Application> {
    pub(super) connection: Connection,
    pub(super) transport: T,
    application: A,
    pub(super) remote: Remote,
    pub(super) reopen: Option<Reopen<T>>,
    reopening: Option<BoxFuture<io::Result<T>>>,
    /// Requests of ours that wait for their answers.
    calls: HashMap<RequestId, Arc<Slot>>,
    /// Requests of the peer whose handlers run in tasks of their own, also those that were cancelled.
    running: HashMap<Handle, Ticket>,
    /// Requests of the peer that wait until there is room for what they will cause.
    backlog: VecDeque<Request>,
    /// Memory for commands.
    inbox: Vec<Command>,
    /// The moment that the timer waits for, which may be earlier than the one that is due next.
    timer: Option<(Instant, BoxFuture<()>)>,
    pub(super) is_input_open: bool,
    pub(super) needs_flush: bool,
    pub(super) closed: Option<Closed>,
    pub(super) restarting: Restarting<T>,
    is_finished: bool,
    span: Span,
}

impl<T: Transport, A: Application> Driver<T, A> {
    /// Makes a driver; nothing happens before it is polled.
    pub fn new(connection: Connection, transport: T, application: A, options: impl Into<Arc<Options>>) -> Self {
        Self {
            connection,
            transport,
            application,
            remote: Remote::new(options.into()),
            reopen: None,
            reopening: None,
            calls: HashMap::new(),
            running: HashMap::new(),
            backlog: VecDeque::new(),
            inbox: Vec::new(),
            timer: None,
            is_input_open: true,
            needs_flush: false,
            closed: None,
            restarting: Restarting::default(),
            is_finished: false,
            span: info_span!("connection"),
        }
    }

    /// Lets the driver open the transport anew where the connection asks for it.
    pub fn reopen_with(mut self, connector: impl Connect<Transport = T>) -> Self {
        // Never contended: the connection asks for one at a time.
        let connector = Arc::new(tokio::sync::Mutex::new(connector));
        self.reopen = Some(Box::new(move || {
            let connector = connector.clone();
            Box::pin(async move { connector.lock().await.connect().await })
        }));
        self
    }

    /// Gives the way to this driver.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Gives the transport, to a caller that moves its messages by itself.
    pub fn transport_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Takes in a message and does what it causes, for a caller that moves messages by itself.
    pub fn take(&mut self, inbound: Inbound<'_>) {
        let span = self.span.clone();
        let _entered = span.enter();
        trace!(body = %String::from_utf8_lossy(inbound.message), "received");
        let now = self.now();
        self.connection.handle_message(now, inbound);
        self.settle(now);
        if self.commands(now) {
            self.settle(now);
        }
    }

    /// Ends a connection on which nothing is due any more, without a word to the application.
    pub fn retire(&mut self) {
        if self.closed.is_none() {
            if self.remote.is_shared() {
                self.remote.set_closed(Closed::Local);
            }
            self.closed = Some(Closed::Local);
            if !self.calls.is_empty() || !self.running.is_empty() {
                self.drop_work(&self.remote.failure(&Closed::Local));
            }
        }
        self.is_finished = true;
        if self.remote.is_shared() {
            self.remote.set_finished(None);
        }
    }
}

/// Transport and application are never pinned: they are polled by reference.
impl<T: Transport, A: Application> Unpin for Driver<T, A> {}

impl<T: Transport, A: Application> Future for Driver<T, A> {
    type Output = Closed;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Closed> {
        let this = self.get_mut();
        let span = this.span.clone();
        let _entered = span.enter();
        while this.closed.is_none() {
            if this.restarting.is_down() {
                ready!(this.poll_down(cx));
            } else {
                ready!(this.poll_open(cx));
            }
        }
        this.poll_close(cx)
    }
}

/// While the connection is open.
impl<T: Transport, A: Application> Driver<T, A> {
    /// Ready once the connection has ended, if only to be opened anew.
    fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        for _ in 0..ROUNDS {
            let now = self.now();
            let mut again = self.receive(cx, now);
            again |= self.commands(now);
            self.settle(now);
            again |= self.keep_time(cx, now) | self.expire_waiting(cx, now);
            self.settle(now);
            again |= self.flush(cx, now);
            let waits_for_room = self.needs_flush;
            self.settle(now);
            // What was written out made room for another handler, and nothing would wake this task to write its answer.
            again |= self.needs_flush && !waits_for_room;
            again |= !self.backlog.is_empty() && self.may_start();
            if self.is_over() {
                return Poll::Ready(());
            }
            if !again && self.remote.sleep(cx.waker()) {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn is_over(&self) -> bool {
        self.closed.is_some() || self.restarting.is_down()
    }

    pub(super) fn now(&self) -> Instant {
        self.remote.options().runtime.clock.now()
    }

    /// Takes in what has arrived; whether there may be more.
    fn receive(&mut self, cx: &mut Context<'_>, now: Instant) -> bool {
        if let Some(reopening) = &mut self.reopening {
            let Poll::Ready(outcome) = reopening.as_mut().poll(cx) else { return false };
            self.reopening = None;
            self.reopened(now, outcome);
        }
        for _ in 0..MESSAGES {
            if self.reopening.is_some() {
                // It began in here and was not polled yet, so nothing would wake this task for it.
                return true;
            }
            if !self.is_input_open || self.is_over() {
                return false;
            }
            let Poll::Ready(received) = self.transport.poll_receive(cx) else { return false };
            match received {
                Ok(Received::Message(inbound)) => {
                    trace!(body = %String::from_utf8_lossy(inbound.message), "received");
                    self.connection.handle_message(now, inbound);
                }
                Ok(Received::InputEnded) => {
                    debug!("the input has ended");
                    self.is_input_open = false;
                    match self.transport.diagnosis() {
                        Some(diagnosis) => self.connection.handle_explained_input_end(now, &diagnosis),
                        None => self.connection.handle_input_end(now),
                    }
                }
                Ok(Received::Skipped { reason, excerpt, .. }) => {
                    self.connection.handle_skipped(now, Route::PIPE, &reason, &excerpt);
                }
                Ok(Received::StreamEnded(id)) => self.connection.handle_stream_end(now, id),
                Ok(Received::Failed { request, status, reason }) => {
                    debug!(status, reason, "a request failed");
                    self.connection.handle_send_failed(now, request, SendFailure { status, reason });
                }
                Err(error) => self.broke(now, &error),
            }
            self.settle(now);
        }
        true
    }

    /// Does what was asked; whether anything was.
    pub(super) fn commands(&mut self, now: Instant) -> bool {
        let mut inbox = mem::take(&mut self.inbox);
        let any = self.remote.collect(&mut inbox);
        if any {
            for command in inbox.drain(..) {
                self.command(now, command);
            }
        }
        self.inbox = inbox;
        any
    }

    fn command(&mut self, now: Instant, command: Command) {
        match command {
            Command::Request { call, slot } => {
                if self.restarting.keeps_requests() && self.closed.is_none() {
                    self.keep_request(now, call, slot);
                } else {
                    self.send_request(now, *call, slot);
                }
            }
            Command::Cancel { slot, reason } => {
                if let Some(id) = slot.id() {
                    self.connection.cancel(now, &id, &reason);
                }
            }
            Command::Notify { outgoing, answer } => drop(answer.send(self.connection.notify(now, outgoing))),
            Command::Progress { handle, params } => self.connection.progress(handle, &params),
            Command::Log { handle, level, params } => drop(self.connection.log(handle, &level, &params)),
            Command::Ended { handle, reply, panic } => {
                let ticket = self.running.remove(&handle);
                if let Some(text) = panic {
                    self.panicked(ticket.as_ref().map_or("", |ticket| &ticket.request().method), &text);
                }
                match (reply, ticket) {
                    (Some(Reply::InputRequired(raw)), Some(ticket)) => self.ask(now, ticket, raw),
                    (Some(reply), _) => self.connection.respond(now, handle, reply),
                    (None, _) => {}
                }
            }
            Command::With(verb) => verb(&mut self.connection, now),
            Command::Close if self.restarting.is_down() => self.end(Closed::Local),
            Command::Close => self.connection.close(now),
        }
    }

    pub(super) fn send_request(&mut self, now: Instant, call: Call, slot: Arc<Slot>) {
        if slot.is_open() {
            match self.connection.request(now, call) {
                Ok(id) => {
                    slot.sent(id.clone());
                    self.calls.insert(id, slot);
                }
                Err(misuse) => drop(slot.settle(Err(Failure::Misuse(misuse)))),
            }
        }
    }

    /// Handles all that the connection says, and hands to the transport all that it wants sent.
    fn settle(&mut self, now: Instant) {
        loop {
            // First, since what does not fit any more is an event.
            self.transmit(now);
            if let Some(event) = self.connection.poll_event() {
                self.event(now, event);
            } else if !self.backlog.is_empty() && self.may_start() {
                let request = self.backlog.pop_front().expect("the backlog was just seen not to be empty");
                self.start(now, request);
            } else {
                return;
            }
        }
    }

    fn event(&mut self, now: Instant, event: Event) {
        match event {
            Event::Request(request) => {
                if self.backlog.is_empty() && self.may_start() {
                    self.start(now, request);
                } else {
                    self.backlog.push_back(request);
                }
            }
            Event::Cancelled { handle, reason } => {
                debug!(?handle, reason, "the peer gave up a request");
                self.backlog.retain(|request| request.handle != handle);
                if let Some(ticket) = self.running.get(&handle) {
                    ticket.cancel();
                }
            }
            Event::Response { id, outcome } => {
                if let Some(slot) = self.calls.remove(&id) {
                    slot.answer(outcome, now);
                }
            }
            Event::Progress { id, params } => {
                if let Some(slot) = self.calls.get(&id) {
                    slot.push_progress(params);
                }
            }
            Event::Reopen => self.ask_for_reopening(now),
            Event::Connected(connected) => {
                debug!(revision = %connected.revision, "connected");
                self.remote.set_connected(connected.clone());
                self.came_up(now);
                self.tell(Event::Connected(connected));
            }
            Event::Closed(closed) => {
                if !self.goes_down(now, &closed) {
                    self.end(closed);
                }
            }
            Event::Misbehaved(report) => self.misbehaved(report),
            other => self.tell(other),
        }
    }

    /// Whether there is room for what another handler will cause.
    fn may_start(&self) -> bool {
        let options = self.remote.options();
        self.running.len() < options.max_running && self.transport.buffered() <= options.start_mark
    }

    fn start(&mut self, now: Instant, mut request: Request) {
        let params = request.params.take();
        let span = debug_span!("request", method = %request.method, id = %request.id);
        let ticket = Ticket::new(request, self.remote.clone());
        let outcome = span.in_scope(|| running::start(&ticket, || self.application.request(&ticket, params)));
        match outcome {
            Outcome::Reply(Reply::InputRequired(raw)) => self.ask(now, ticket, raw),
            outcome => self.conclude(now, ticket, span, outcome),
        }
    }

    /// Asks the client for input, in the way of the era.
    fn ask(&mut self, now: Instant, ticket: Ticket, raw: Raw) {
        if ticket.is_cancelled() {
            return;
        }
        let request = ticket.request();
        let span = debug_span!("request", method = %request.method, id = %request.id);
        let outcome = span.in_scope(|| running::start(&ticket, || self.application.input_required(&ticket, raw)));
        self.conclude(now, ticket, span, outcome);
    }

    fn conclude(&mut self, now: Instant, ticket: Ticket, span: Span, outcome: Outcome) {
        let handle = ticket.request().handle;
        match outcome {
            Outcome::Reply(reply) => {
                // Progress that the handler sent comes before its answer.
                self.commands(now);
                self.connection.respond(now, handle, reply);
            }
            Outcome::Pending(future) => {
                self.running.insert(handle, ticket.clone());
                let spawn = self.remote.options().runtime.spawn.clone();
                spawn.spawn(Box::pin(running::finish(future, ticket, span)));
            }
            Outcome::Panicked(text) => {
                self.commands(now);
                self.connection.respond(now, handle, internal_error());
                self.panicked(&ticket.request().method, &text);
            }
        }
    }

    fn panicked(&mut self, method: &str, text: &str) {
        self.misbehaved(Misbehaved {
            reason: format!("the handler of `{method}` panicked: {text}"),
            excerpt: String::new(),
        });
    }

    fn misbehaved(&mut self, report: Misbehaved) {
        warn!(reason = report.reason, "a rule was broken");
        self.tell(Event::Misbehaved(report));
    }

    fn tell(&mut self, event: Event) {
        let told = catch_unwind(AssertUnwindSafe(|| self.application.event(&self.remote, event)));
        if let Err(payload) = told {
            warn!(reason = panic_text(payload), "the code that is told about events panicked");
        }
    }

    /// Hands to the transport what the connection wants sent.
    fn transmit(&mut self, now: Instant) {
        if self.reopening.is_some() {
            return;
        }
        let (limit, high_water) = (self.remote.options().max_buffered, self.remote.options().high_water);
        self.connection.hold_changes(self.transport.buffered() > high_water);
        while let Some(outbound) = self.connection.poll_transmit() {
            let waiting = self.transport.buffered();
            if waiting > limit && self.closed.is_none() && !self.connection.is_closed() {
                let reason =
                    format!("the peer does not read: {waiting} bytes wait to be written, and the limit is {limit}");
                self.connection.handle_transport_error(now, &reason);
                continue;
            }
            if let Outbound::Message { text, .. } = &outbound {
                trace!(body = %String::from_utf8_lossy(text), "sent");
            }
            self.transport.send(outbound);
            self.needs_flush = true;
            self.connection.hold_changes(self.transport.buffered() > high_water);
        }
    }

    /// Writes what can be written; whether the transport broke over it.
    fn flush(&mut self, cx: &mut Context<'_>, now: Instant) -> bool {
        let mut is_broken = false;
        if self.needs_flush && self.reopening.is_none() && !self.is_over() {
            match self.transport.poll_flush(cx) {
                Poll::Ready(Ok(())) => self.needs_flush = false,
                Poll::Ready(Err(error)) => {
                    self.broke(now, &error);
                    is_broken = true;
                }
                Poll::Pending => {}
            }
        }
        self.remote.buffered(self.transport.buffered());
        is_broken
    }

    /// Tells the connection that its time has come, or waits for it; whether it was told.
    fn keep_time(&mut self, cx: &mut Context<'_>, now: Instant) -> bool {
        let Some(deadline) = self.connection.poll_timeout() else { return false };
        if deadline <= now {
            self.connection.handle_timeout(now);
            return true;
        }
        // A timer that fires too early costs less than a new one for each request.
        if self.timer.as_ref().is_none_or(|(armed, _)| *armed > deadline) {
            self.timer = Some((deadline, self.remote.options().runtime.clock.sleep_until(deadline)));
        }
        let Some((_, timer)) = &mut self.timer else { return false };
        let has_fired = timer.as_mut().poll(cx).is_ready();
        if has_fired {
            self.timer = None;
        }
        has_fired
    }

    fn broke(&mut self, now: Instant, error: &io::Error) {
        self.is_input_open = false;
        self.needs_flush = false;
        let reason = match self.transport.diagnosis() {
            Some(diagnosis) => format!("the transport failed: {error}; {diagnosis}"),
            None => format!("the transport failed: {error}"),
        };
        debug!(reason, "the transport failed");
        self.connection.handle_transport_error(now, &reason);
    }

    fn ask_for_reopening(&mut self, now: Instant) {
        match &mut self.reopen {
            Some(reopen) => self.reopening = Some(reopen()),
            None => self.connection.handle_transport_error(now, "the peer ended the connection before it had begun"),
        }
    }

    fn reopened(&mut self, now: Instant, outcome: io::Result<T>) {
        match outcome {
            Ok(transport) => {
                debug!("the transport was opened anew");
                self.transport = transport;
                self.is_input_open = true;
                self.needs_flush = false;
                self.connection.handle_reopened(now);
            }
            Err(error) => {
                let reason = format!("the transport could not be opened anew: {error}");
                self.connection.handle_transport_error(now, &reason);
            }
        }
        self.settle(now);
    }
}

/// The end.
impl<T: Transport, A: Application> Driver<T, A> {
    pub(super) fn end(&mut self, closed: Closed) {
        debug!(reason = %closed, "closed");
        if closed != Closed::Local {
            // Later it would only tell how this side ended what is left.
            self.remote.set_diagnosis(self.transport.diagnosis());
        }
        let failure = self.remote.failure(&closed);
        self.closed = Some(closed.clone());
        self.remote.set_closed(closed.clone());
        self.drop_work(&failure);
        self.restarting.fail_waiting(&failure);
        self.tell(Event::Closed(closed));
    }

    /// Settles what was to be done on a connection that has ended.
    pub(super) fn drop_work(&mut self, failure: &Failure) {
        for (_, slot) in self.calls.drain() {
            slot.settle(Err(failure.clone()));
        }
        for (_, ticket) in self.running.drain() {
            ticket.cancel();
        }
        self.backlog.clear();
        self.reopening = None;
        self.timer = None;
    }

    pub(super) fn can_reopen(&self) -> bool {
        self.reopen.is_some()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<Closed> {
        let now = self.now();
        self.transmit(now);
        if !self.restarting.is_transport_closed && self.transport.poll_close(cx).is_pending() {
            let options = self.remote.options();
            let clock = options.runtime.clock.clone();
            let (_, timer) = self.timer.get_or_insert_with(|| {
                let deadline = after(now, options.close_timeout);
                (deadline, clock.sleep_until(deadline))
            });
            ready!(timer.as_mut().poll(cx));
            debug!("the transport did not end in time");
        }
        self.is_finished = true;
        self.remote.set_finished(self.transport.diagnosis());
        Poll::Ready(self.closed.clone().expect("only a connection that has ended is closed"))
    }
}

impl<T: Transport, A: Application> Drop for Driver<T, A> {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        if self.closed.is_none() {
            self.end(Closed::Transport { reason: "its driver was dropped".into() });
        }
        self.remote.set_finished(self.transport.diagnosis());
    }
}
