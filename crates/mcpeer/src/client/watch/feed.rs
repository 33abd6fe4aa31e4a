use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use super::Change;
use crate::{
    driver::SentId,
    handler::Notification,
    model::subscriptions::{AcknowledgedParams, Filter},
    rpc::RequestId,
};

/// What the connection tells a watch.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) wanted: Filter,
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    source: Source,
    /// What the server has said that it will tell.
    honoured: Option<Filter>,
    /// Different changes, oldest first.
    changes: VecDeque<Change>,
    /// Whether more different changes came than are kept.
    is_overrun: bool,
    waker: Option<Waker>,
}

/// Which notifications are meant for a watch.
#[derive(Debug, Default)]
pub(super) enum Source {
    /// None: it is being opened.
    #[default]
    Nothing,
    /// Those of a `subscriptions/listen`.
    Listen(SentId),
    /// All that come unasked.
    Unsolicited,
}

impl Feed {
    pub(super) fn new(wanted: Filter, capacity: usize) -> Self {
        Self { wanted, capacity, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a source. What arrives while `open` runs waits for it, so that nothing is missed.
    pub(super) fn open<T>(&self, open: impl FnOnce() -> (Source, T)) -> T {
        let mut state = self.lock();
        state.honoured = None;
        let (source, rest) = open();
        state.source = source;
        rest
    }

    pub(super) fn honour(&self, filter: Filter) {
        let mut state = self.lock();
        state.honoured = Some(filter);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(super) fn honoured(&self) -> Option<Filter> {
        self.lock().honoured.clone()
    }

    /// Ready once the server has said what it will tell.
    pub(super) fn poll_honoured(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.honoured.is_some() {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Gives the next change.
    pub(super) fn poll_change(&self, cx: &Context<'_>) -> Poll<Change> {
        let mut state = self.lock();
        if let Some(change) = state.changes.pop_front() {
            return Poll::Ready(change);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    pub(super) fn is_overrun(&self) -> bool {
        self.lock().is_overrun
    }

    /// Takes a notification that is meant for this watch; says whether it is.
    pub(super) fn take(&self, notification: &Notification) -> bool {
        let is_meant = |source: &Source, id: Option<&RequestId>| match (source, id) {
            (Source::Listen(sent), Some(id)) => sent.is(id),
            (Source::Unsolicited, None) => true,
            _ => false,
        };
        let is_tagged = notification.subscription.is_some();
        if !is_meant(&self.lock().source, notification.subscription.as_ref()) {
            return false;
        }
        if notification.method == "notifications/subscriptions/acknowledged" {
            let params = notification.params.as_ref().and_then(|params| params.decode::<AcknowledgedParams>().ok());
            self.honour(params.map(|params| params.notifications).unwrap_or_default());
            return true;
        }
        match Change::read(notification) {
            Some(change) if change.is_asked_for(&self.wanted, is_tagged) => {
                self.push([change]);
                true
            }
            _ => is_tagged,
        }
    }

    /// Adds changes; what waits already is not added again.
    pub(super) fn push(&self, changes: impl IntoIterator<Item = Change>) {
        let mut state = self.lock();
        for change in changes {
            if state.is_overrun || state.changes.contains(&change) {
                continue;
            }
            if state.changes.len() < self.capacity {
                state.changes.push_back(change);
            } else {
                state.is_overrun = true;
            }
        }
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
