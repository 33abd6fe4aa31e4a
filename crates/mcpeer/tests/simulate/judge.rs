//! What one side of a connection has promised so far, and whether it keeps that.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use mcpeer::{
    proto::io::{Call, Event, Failure, Handle},
    rpc::RequestId,
};
use serde_json::Value;

#[derive(Default)]
pub(crate) struct Judge {
    /// Requests of this side, by id.
    ours: HashMap<RequestId, Ours>,
    /// Requests of the other side that arrived here, by id.
    theirs: HashMap<RequestId, Theirs>,
    /// Requests of the other side that the application is working on.
    pub(crate) running: Vec<Running>,
    /// Handles whose request has ended.
    pub(crate) ended: Vec<Handle>,
    subscriptions: Vec<Handle>,
    pub(crate) is_connected: bool,
    pub(crate) is_closed: bool,
    pub(crate) answered: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) handle: Handle,
    pub(crate) progress: u32,
}

struct Ours {
    by_application: bool,
    wants_progress: bool,
    last_progress: f64,
    limits: Limits,
    sent: bool,
    answer_arrived: bool,
    cancelled_on_wire: bool,
    settled: bool,
}

/// When a request has to be settled, at the latest.
#[derive(Clone, Copy, Default)]
struct Limits {
    timeout: Duration,
    resets: bool,
    deadline: Option<Instant>,
    total: Option<Instant>,
}

struct Theirs {
    method: String,
    /// The application was given it.
    started: bool,
    /// How many further requests with its id arrived before it ended.
    repeats: u32,
    wants_progress: bool,
    last_progress: f64,
    /// It was answered, or its cancellation arrived.
    ended: bool,
}

impl Judge {
    pub(crate) fn issued(&mut self, id: RequestId, call: &Call, now: Instant) {
        let ours = self.ours.entry(id).or_insert_with(Ours::new);
        assert!(!ours.by_application, "an id of ours repeats");
        ours.by_application = true;
        ours.wants_progress = call.progress;
        let usual = if call.method == "sampling/createMessage" { 600 } else { 60 };
        let timeout = call.timeout.unwrap_or(Duration::from_secs(usual));
        ours.limits = Limits {
            timeout,
            resets: call.reset_on_progress,
            deadline: Some(now + timeout),
            total: call.max_total.map(|limit| now + limit),
        };
    }

    /// Whether the connection has promised a next step at some time.
    pub(crate) fn waits(&self) -> bool {
        self.ours.values().any(|ours| ours.by_application && !ours.settled)
    }

    /// How many requests of the other side arrived and were neither answered nor handed to the application.
    pub(crate) fn waiting(&self) -> usize {
        let waits = |theirs: &&Theirs| !theirs.ended && !theirs.started && theirs.method != "subscriptions/listen";
        self.theirs.values().filter(waits).count()
    }

    /// Whether a request of the other side with this id is neither answered nor cancelled.
    pub(crate) fn is_open(&self, id: &Value) -> bool {
        id_of(id).and_then(|id| self.theirs.get(&id)).is_some_and(|theirs| !theirs.ended)
    }

    /// Nothing may be open that should have been settled.
    pub(crate) fn is_in_time(&self, now: Instant) {
        for (id, ours) in self.ours.iter().filter(|(_, ours)| ours.by_application && !ours.settled) {
            let Limits { deadline, total, .. } = ours.limits;
            assert!(deadline.into_iter().chain(total).all(|at| at > now), "request {id} is open after its time");
        }
    }

    pub(crate) fn requests(&self) -> u64 {
        self.ours.values().filter(|ours| ours.by_application).count() as u64
    }

    /// The ids of the requests that the application made, settled or not.
    pub(crate) fn issued_ids(&self) -> Vec<RequestId> {
        let mut ids: Vec<_> =
            self.ours.iter().filter(|(_, ours)| ours.by_application).map(|(id, _)| id.clone()).collect();
        ids.sort();
        ids
    }

    /// The application has answered: whatever is sent for this request from now on is one message too many.
    pub(crate) fn responded(&mut self, handle: Handle) {
        self.running.retain(|running| running.handle != handle);
        self.ended.push(handle);
    }

    /// Looks at a message that this side sends.
    pub(crate) fn sends(&mut self, message: &Value) {
        let method = message["method"].as_str();
        match (method, id_of(&message["id"])) {
            (Some(_), Some(id)) => {
                let ours = self.ours.entry(id).or_insert_with(Ours::new);
                assert!(!ours.sent, "a request is sent twice");
                ours.sent = true;
            }
            (Some("notifications/cancelled"), None) => self.sends_cancel(message),
            (Some("notifications/progress"), None) => {
                let token = id_of(&message["params"]["progressToken"]).expect("progress has a token");
                let theirs = self.theirs.get_mut(&token).expect("progress is for a request that arrived");
                assert!(theirs.wants_progress, "progress that nobody asked for");
                assert!(!theirs.ended, "progress after the end of its request");
                advance(&mut theirs.last_progress, message["params"]["progress"].as_f64());
            }
            (None, Some(id)) => {
                let theirs = self.theirs.get_mut(&id).expect("an answer is for a request that arrived");
                if theirs.repeats > 0 && message["error"]["code"] == -32600 {
                    theirs.repeats -= 1;
                    return;
                }
                assert!(!theirs.ended, "an answer after the end of its request");
                theirs.ended = true;
            }
            _ => {}
        }
    }

    fn sends_cancel(&mut self, message: &Value) {
        let id = id_of(&message["params"]["requestId"]).expect("a cancel names a request");
        if let Some(theirs) = self.theirs.get(&id).filter(|theirs| theirs.method == "subscriptions/listen") {
            assert!(theirs.ended, "a listen is cancelled by its server without its result");
            return;
        }
        let ours = self.ours.get_mut(&id).expect("a cancel is for a request of ours");
        assert!(ours.sent, "a request is cancelled that was never sent");
        assert!(!ours.answer_arrived, "a request is cancelled that was answered");
        assert!(!ours.cancelled_on_wire, "a request is cancelled twice");
        ours.cancelled_on_wire = true;
    }

    /// Looks at a message that is about to arrive at this side.
    pub(crate) fn receives(&mut self, message: &Value) {
        match (message["method"].as_str(), id_of(&message["id"])) {
            (Some(method), Some(id)) => {
                if let Some(open) = self.theirs.get_mut(&id).filter(|open| !open.ended) {
                    open.repeats += 1;
                    return;
                }
                let theirs = Theirs {
                    method: method.to_owned(),
                    started: false,
                    repeats: 0,
                    wants_progress: !message["params"]["_meta"]["progressToken"].is_null(),
                    last_progress: f64::NEG_INFINITY,
                    ended: false,
                };
                self.theirs.insert(id, theirs);
            }
            (Some("notifications/cancelled"), None) => {
                if let Some(theirs) = id_of(&message["params"]["requestId"]).and_then(|id| self.theirs.get_mut(&id))
                    && theirs.method != "initialize"
                {
                    theirs.ended = true;
                }
            }
            (None, Some(id)) => {
                if let Some(ours) = self.ours.get_mut(&id) {
                    ours.answer_arrived = true;
                }
            }
            _ => {}
        }
    }

    /// Looks at what the connection tells the application.
    pub(crate) fn hears(&mut self, event: &Event, now: Instant) {
        assert!(!self.is_closed, "after the end: {event:?}");
        match event {
            Event::Request(request) => {
                let handle = request.handle;
                assert!(!self.ended.contains(&handle), "a handle repeats");
                assert!(self.running.iter().all(|running| running.handle != handle), "a handle repeats");
                self.running.push(Running { handle, progress: 0 });
                let theirs = self.theirs.get_mut(&request.id).expect("what is handed out has arrived");
                assert!(!theirs.started && !theirs.ended, "a request is handed out twice, or after its end");
                theirs.started = true;
            }
            Event::Cancelled { handle, .. } => {
                let before = self.running.len();
                self.running.retain(|running| running.handle != *handle);
                assert_eq!(self.running.len() + 1, before, "a request is cancelled that does not run");
                self.ended.push(*handle);
            }
            Event::Response { id, outcome } => {
                let ours = self.ours.get_mut(id).expect("an outcome of a request of ours");
                assert!(ours.by_application, "an outcome of what the application did not ask");
                assert!(!ours.settled, "request {id} settles twice");
                ours.settled = true;
                if let Err(Failure::Timeout { is_total, .. }) = outcome {
                    let at = if *is_total { ours.limits.total } else { ours.limits.deadline };
                    assert!(at.is_some_and(|at| at <= now), "request {id} is given up before its time");
                }
                self.answered += u64::from(outcome.is_ok());
            }
            Event::Progress { id, params } => {
                let ours = self.ours.get_mut(id).expect("progress of a request of ours");
                assert!(ours.wants_progress, "progress that was not asked for");
                assert!(!ours.settled, "progress after the outcome");
                if ours.limits.resets && ours.limits.deadline.is_some() {
                    ours.limits.deadline = Some(now + ours.limits.timeout);
                }
                let params: Value = params.decode().expect("progress decodes");
                advance(&mut ours.last_progress, params["progress"].as_f64());
            }
            Event::Notification { method, subscription: Some(id), .. }
                if method == "notifications/subscriptions/acknowledged" =>
            {
                let ours = self.ours.get_mut(id).expect("a subscription of ours is acknowledged");
                ours.limits.deadline = None;
            }
            Event::Connected(_) => self.is_connected = true,
            Event::Subscribed { handle, .. } => self.subscriptions.push(*handle),
            Event::Unsubscribed { handle } => {
                let before = self.subscriptions.len();
                self.subscriptions.retain(|open| open != handle);
                assert_eq!(self.subscriptions.len() + 1, before, "a subscription ends that is not open");
            }
            Event::Closed(_) => self.is_closed = true,
            _ => {}
        }
    }

    /// At rest nothing may be open.
    pub(crate) fn is_at_rest(&self) {
        for (id, ours) in &self.ours {
            assert!(ours.settled || !ours.by_application, "request {id} never settles");
        }
        assert!(self.running.is_empty(), "requests of the peer are never ended: {}", self.running.len());
        assert!(self.subscriptions.is_empty(), "subscriptions are never ended");
    }
}

impl Ours {
    fn new() -> Self {
        Self {
            by_application: false,
            wants_progress: false,
            last_progress: f64::NEG_INFINITY,
            limits: Limits::default(),
            sent: false,
            answer_arrived: false,
            cancelled_on_wire: false,
            settled: false,
        }
    }
}

fn advance(last: &mut f64, next: Option<f64>) {
    let next = next.expect("progress is a number");
    assert!(next > *last, "progress goes from {last} to {next}");
    *last = next;
}

fn id_of(value: &Value) -> Option<RequestId> {
    serde_json::from_value(value.clone()).ok()
}
