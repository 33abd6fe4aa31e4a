//! What arrives: requests that are admitted, notifications, and what both roles do with either.

use std::{borrow::Cow, sync::Arc, time::Instant};

use super::{
    core::Core,
    in_flight::{Entry, Return, Stage},
    io::{Edge, Event, Handle, Request, Route},
};
use crate::{
    rpc::{self, RawRef, RequestId},
    version::Revision,
    wire::{Kind, Lift, Lookup, Outline, Params, Row},
};

/// A request that arrived.
#[derive(Debug)]
pub(super) struct Incoming<'a> {
    pub(super) to: Return,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Option<RawRef<'a>>,
    /// Of the params, if it was drawn.
    pub(super) outline: &'a Outline,
    pub(super) edge: Option<Arc<Edge>>,
    /// The message, to quote from.
    pub(super) text: &'a [u8],
}

/// A notification that arrived.
#[derive(Debug)]
pub(super) struct Notice<'a> {
    pub(super) now: Instant,
    pub(super) route: Route,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Option<RawRef<'a>>,
    /// Of the params, if it was drawn.
    pub(super) outline: &'a Outline,
    pub(super) edge: Option<&'a Arc<Edge>>,
    /// The message, to quote from.
    pub(super) text: &'a [u8],
}

/// A request that passed every check but those of its params.
#[derive(Debug)]
pub(super) struct Admission<'a> {
    pub(super) to: Return,
    pub(super) method: Cow<'a, str>,
    pub(super) row: Option<Row>,
    pub(super) revision: Revision,
    pub(super) lift: Lift<'a>,
    pub(super) log_rank: Option<usize>,
    pub(super) resource: Option<Box<str>>,
    pub(super) edge: Option<Arc<Edge>>,
}

impl Core {
    /// Hands a request to the application, or lets it wait for its turn.
    pub(super) fn admit(&mut self, admission: Admission<'_>) {
        let Admission { to, method, row, revision, lift, log_rank, resource, edge } = admission;
        let Lift { params, progress_token, lifted, .. } = lift;
        // Absent and null mean the same here.
        let params = params.filter(|params| !params.borrow().is_null());
        if params.as_ref().is_some_and(|params| !params.borrow().is_object()) {
            return self.refuse(&to, &rpc::Error::new(rpc::Error::INVALID_PARAMS, "`params` must be an object"));
        }
        let limits = &self.config.limits;
        let stage = if self.in_flight.running() < limits.concurrent { Stage::Running } else { Stage::Waiting };
        if stage == Stage::Waiting {
            let (waiting, held) = (self.in_flight.waiting(), self.in_flight.waiting_bytes());
            let bytes = params.as_ref().map_or(0, |params| params.borrow().as_str().len());
            if waiting >= limits.waiting || waiting > 0 && held.saturating_add(bytes) > limits.waiting_bytes {
                let message =
                    format!("{waiting} requests wait already, with {held} bytes of params; send fewer at once");
                return self.refuse(&to, &rpc::Error::new(rpc::Error::INTERNAL_ERROR, message));
            }
        }
        let method: Cow<'static, str> = match &row {
            Some(row) => Cow::Borrowed(row.method),
            None => Cow::Owned(method.into_owned()),
        };
        let id = to.id.clone();
        let entry = Entry {
            handle: Handle(0),
            to,
            stage,
            method: method.clone(),
            row,
            revision,
            progress_token: progress_token.clone(),
            log_rank,
            resource,
        };
        let Some(handle) = self.enter(entry) else { return };
        let params = params.map(Params::into_raw);
        let request = Request { handle, id, method, params, revision, progress_token, lifted, edge };
        match stage {
            Stage::Waiting => self.in_flight.wait(Box::new(request)),
            _ => self.events.push_back(Event::Request(request)),
        }
    }

    /// Puts a request into the table; refuses it where there is no place left.
    pub(super) fn enter(&mut self, entry: Entry) -> Option<Handle> {
        let (route, batch) = (entry.to.route, entry.to.batch);
        match self.in_flight.insert(entry) {
            Ok(handle) => {
                self.enter_route(route);
                if let Some(batch) = batch {
                    self.batches.expect(batch);
                }
                Some(handle)
            }
            Err(entry) => {
                let message = "too many requests are open; send fewer at once";
                self.refuse(&entry.to, &rpc::Error::new(rpc::Error::INTERNAL_ERROR, message));
                None
            }
        }
    }

    /// Hands a notification to the application, if the revision has it.
    pub(super) fn deliver(
        &mut self,
        notice: &Notice<'_>,
        revision: Revision,
        lift: Lift<'_>,
        subscription: Option<RequestId>,
    ) {
        let method = match self.find_inbound(&notice.method, Kind::Notification, revision) {
            Lookup::Here(row) => Cow::Borrowed(row.method),
            Lookup::Custom => Cow::Owned(notice.method.to_string()),
            Lookup::Elsewhere => {
                return self.report(format!("revision {revision} has no {:?} here", notice.method), notice.text);
            }
        };
        let params = lift.params.map(Params::into_raw).filter(|params| !params.borrow().is_null());
        if params.as_ref().is_some_and(|params| !params.borrow().is_object()) {
            return self.report(format!("the params of {:?} are no object", notice.method), notice.text);
        }
        self.events.push_back(Event::Notification { method, params, subscription });
    }

    /// Takes `notifications/cancelled`: one that names nothing of the peer's that is open says nothing.
    pub(super) fn cancelled_by_peer(&mut self, params: Option<RawRef<'_>>, text: &[u8]) {
        let id = params.and_then(|params| params.member("requestId"));
        let Some(id) = id.and_then(|id| id.decode::<RequestId>().ok()) else {
            return self.report("a cancel that names no request", text);
        };
        let Some(entry) = self.in_flight.by_id(&id) else { return };
        let reason = params.and_then(|params| params.member("reason"));
        let reason = reason.and_then(RawRef::as_string).map(Cow::into_owned);
        self.drop_request(entry.handle, reason);
    }

    /// Takes `notifications/progress`.
    pub(super) fn progress_by_peer(&mut self, now: Instant, params: Option<RawRef<'_>>, text: &[u8]) {
        let token = params.and_then(|params| params.member("progressToken"));
        let Some(token) = token.and_then(|token| token.decode::<RequestId>().ok()) else {
            return self.report("progress without a token", text);
        };
        let progress = params.and_then(|params| params.member("progress"));
        let is_number = progress
            .is_some_and(|value| value.as_str().starts_with(|first: char| first == '-' || first.is_ascii_digit()));
        let Some(params) = params.filter(|_| is_number) else {
            return self.report("progress that is no number", text);
        };
        let Some((id, pending)) = self.pending.get(&token) else {
            if !self.pending.was_issued(&token) {
                self.report(format!("progress under the token {token}, which was never given out"), text);
            }
            return;
        };
        if !pending.progress || pending.sent.is_none() {
            return self.report(format!("progress under the token {token}, which was never given out"), text);
        }
        let (public, timeout, resets) = (pending.public, pending.timeout, pending.reset_on_progress);
        if resets && pending.deadline.is_some() {
            self.pending.set_deadline(id, now.checked_add(timeout), &mut self.timers);
        }
        self.events.push_back(Event::Progress { id: RequestId::Integer(public), params: params.to_owned() });
    }
}

pub(super) fn method_not_found(method: &str) -> rpc::Error {
    rpc::Error::new(rpc::Error::METHOD_NOT_FOUND, format!("there is no method {method:?} here"))
}
