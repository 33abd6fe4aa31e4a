use std::{
    borrow::Cow,
    collections::VecDeque,
    future::Future,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Instant,
};

use super::{Remote, remote::Command};
use crate::{
    proto::io::{Answer, Failure},
    rpc::{Raw, RequestId},
};

/// How many progress notifications wait for a caller that does not look; beyond it the oldest go.
const PROGRESS_KEPT: usize = 256;

/// What the caller and the driver share about one request of ours.
#[derive(Debug, Default)]
pub(super) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Once it was sent.
    id: Option<RequestId>,
    stage: Stage,
    progress: VecDeque<Raw>,
    /// When the answer arrived.
    received: Option<Instant>,
    waker: Option<Waker>,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Open,
    Settled(Result<Answer, Failure>),
    /// The outcome was taken, or nobody wants it any more.
    Over,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settles the request, unless it is settled: the first outcome wins.
    pub(super) fn settle(&self, outcome: Result<Answer, Failure>) -> bool {
        let mut state = self.lock();
        if !matches!(state.stage, Stage::Open) {
            return false;
        }
        state.stage = Stage::Settled(outcome);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Settles the request by what arrived.
    pub(super) fn answer(&self, outcome: Result<Answer, Failure>, now: Instant) {
        self.lock().received = Some(now);
        self.settle(outcome);
    }

    pub(super) fn push_progress(&self, params: Raw) {
        let mut state = self.lock();
        if !matches!(state.stage, Stage::Open) {
            return;
        }
        if state.progress.len() == PROGRESS_KEPT {
            state.progress.pop_front();
        }
        state.progress.push_back(params);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether the caller still waits; then the driver may send the request.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.lock().stage, Stage::Open)
    }

    pub(super) fn sent(&self, id: RequestId) {
        self.lock().id = Some(id);
    }

    pub(super) fn id(&self) -> Option<RequestId> {
        self.lock().id.clone()
    }

    /// Ends the request without an outcome; whether it was open until then.
    fn abandon(&self) -> bool {
        let mut state = self.lock();
        let was_open = matches!(state.stage, Stage::Open);
        state.stage = Stage::Over;
        state.progress.clear();
        state.waker = None;
        was_open
    }
}

/// A request of ours that waits for its answer. Dropping it cancels the request on the wire.
#[derive(Debug)]
#[must_use = "dropping it cancels the request"]
pub struct Pending {
    slot: Arc<Slot>,
    remote: Remote,
}

impl Pending {
    pub(super) fn new(slot: Arc<Slot>, remote: Remote) -> Self {
        Self { slot, remote }
    }

    /// Gives the next progress notification's params, in order; `None` once the answer is there.
    pub fn poll_progress(&mut self, cx: &mut Context<'_>) -> Poll<Option<Raw>> {
        let mut state = self.slot.lock();
        if let Some(params) = state.progress.pop_front() {
            return Poll::Ready(Some(params));
        }
        if !matches!(state.stage, Stage::Open) {
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Gives up: the request settles as cancelled, here at once, and the peer is told. Without effect once it is
    /// settled.
    pub fn cancel(&self, reason: impl Into<Cow<'static, str>>) {
        let reason = reason.into();
        if self.slot.settle(Err(Failure::Cancelled { reason: reason.clone().into_owned() })) {
            drop(self.remote.post(Command::Cancel { slot: self.slot.clone(), reason }));
        }
    }
}

impl Pending {
    /// Gives when the answer arrived, once it has.
    pub fn received(&self) -> Option<Instant> {
        self.slot.lock().received
    }

    /// Gives what will know the request's id once it is sent.
    pub fn sent(&self) -> SentId {
        SentId(self.slot.clone())
    }
}

/// The id of a request of ours, from the moment on at which it is sent.
#[derive(Clone, Debug)]
pub struct SentId(Arc<Slot>);

impl SentId {
    /// Whether the request has this id.
    pub fn is(&self, id: &RequestId) -> bool {
        self.0.lock().id.as_ref() == Some(id)
    }
}

impl Future for Pending {
    type Output = Result<Answer, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.slot.lock();
        match mem::replace(&mut state.stage, Stage::Over) {
            Stage::Settled(outcome) => Poll::Ready(outcome),
            Stage::Over => panic!("the request was polled after its outcome was given"),
            Stage::Open => {
                state.stage = Stage::Open;
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.slot.abandon() {
            let reason = "the caller no longer waits".into();
            drop(self.remote.post(Command::Cancel { slot: self.slot.clone(), reason }));
        }
    }
}
