use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;

use super::{super::sse, permit::Permit};

/// An event stream between the task that writes it and the response that reads it.
#[derive(Debug, Default)]
pub(super) struct Stream(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Bytes>,
    /// The bytes of these.
    unread: usize,
    /// Whether nothing more will be written.
    is_over: bool,
    /// Whether nobody reads any more.
    is_left: bool,
    /// Whether what is unread was there when somebody looked, and nothing was read since.
    is_stale: bool,
    /// The place that it takes.
    place: Option<Permit>,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Stream {
    /// Adds a message.
    pub(super) fn push(&self, message: &[u8]) {
        let mut event = Vec::new();
        sse::write_message(message, &mut event);
        self.push_event(event.into());
    }

    /// Adds what is written as an event already.
    pub(super) fn push_event(&self, event: Bytes) {
        let mut state = self.lock();
        if state.is_left || state.is_over {
            return;
        }
        state.is_stale &= state.unread > 0;
        state.unread += event.len();
        state.events.push_back(event);
        wake(state, |state| &mut state.reader);
    }

    /// Ends the stream, once what is in it was read.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        wake(state, |state| &mut state.reader);
    }

    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Takes note that nobody reads any more.
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        state.is_left = true;
        state.events.clear();
        state.unread = 0;
        drop(state.place.take());
        wake(state, |state| &mut state.writer);
    }

    /// Takes a place among the streams until nobody reads any more.
    pub(super) fn hold(&self, place: Permit) {
        self.lock().place = Some(place);
    }

    /// Gives up the reader where more than so many bytes wait and nothing was read since this was asked last; says
    /// whether it did.
    pub(super) fn leave_unread(&self, limit: usize) -> bool {
        let mut state = self.lock();
        if !state.is_stale || state.unread <= limit {
            state.is_stale = true;
            return false;
        }
        drop(state);
        self.cut();
        true
    }

    /// Gives up the reader: what is unread is gone, and the stream ends.
    pub(super) fn cut(&self) {
        let mut state = self.lock();
        state.is_left = true;
        state.is_over = true;
        state.events.clear();
        state.unread = 0;
        wake(state, |state| &mut state.reader);
    }

    /// Whether nobody reads any more.
    pub(super) fn has_left(&self) -> bool {
        self.lock().is_left
    }

    /// Whether nobody reads any more; the task is woken when that changes, and when all was read.
    pub(super) fn is_left(&self, cx: &Context<'_>) -> bool {
        let mut state = self.lock();
        keep(&mut state.writer, cx);
        state.is_left
    }

    /// How many bytes were not read yet.
    pub(super) fn unread(&self) -> usize {
        self.lock().unread
    }

    /// Waits until all was read.
    pub(super) fn poll_read(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.unread == 0 {
            return Poll::Ready(());
        }
        keep(&mut state.writer, cx);
        Poll::Pending
    }

    /// Gives the next event; `None` at the end.
    pub(super) fn poll_next(&self, cx: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.lock();
        if let Some(event) = state.events.pop_front() {
            state.unread -= event.len();
            state.is_stale = false;
            if state.unread == 0 {
                wake(state, |state| &mut state.writer);
            }
            return Poll::Ready(Some(event));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        keep(&mut state.reader, cx);
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps whom to wake.
pub(super) fn keep(place: &mut Option<Waker>, cx: &Context<'_>) {
    match place {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *place = Some(cx.waker().clone()),
    }
}

/// Wakes whoever waits, not under the lock.
fn wake(mut state: MutexGuard<'_, State>, of: impl FnOnce(&mut State) -> &mut Option<Waker>) {
    let waker = of(&mut state).take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}
