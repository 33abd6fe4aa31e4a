use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;

use super::super::{session::Closed, stream::Stream};
use crate::proto::io::{Edge, Principal};

/// How many messages may wait for the task of a session, and how many bytes; one always may.
const INBOX: (usize, usize) = (256, 16 << 20);

/// What the requests of one session and the task that runs its connection share.
#[derive(Debug)]
pub(super) struct Channel {
    principal: Option<Principal>,
    /// Where everything goes out.
    pub(super) stream: Arc<Stream>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    inbox: VecDeque<Mail>,
    /// The bytes of the messages in there.
    bytes: usize,
    /// Whether nothing more comes in.
    is_over: bool,
    /// Of the task that runs the connection.
    runner: Option<Waker>,
}

/// A message of the client.
#[derive(Debug)]
pub(super) struct Mail {
    pub(super) message: Bytes,
    pub(super) edge: Arc<Edge>,
}

impl Channel {
    pub(super) fn new(principal: Option<Principal>) -> Self {
        Self { principal, stream: Arc::default(), state: Mutex::default() }
    }

    /// Whether it is the session of this sender.
    pub(super) fn is_of(&self, principal: Option<&Principal>) -> bool {
        self.principal.as_ref() == principal
    }

    /// Takes in a message of the client.
    pub(super) fn post(&self, mail: Mail) -> Result<(), Closed> {
        let mut state = self.lock();
        if state.is_over || self.stream.has_left() {
            return Err(Closed::Ended);
        }
        let bytes = state.bytes + mail.message.len();
        if state.inbox.len() >= INBOX.0 || bytes > INBOX.1 && !state.inbox.is_empty() {
            return Err(Closed::Full);
        }
        state.bytes = bytes;
        state.inbox.push_back(mail);
        wake(state);
        Ok(())
    }

    /// Takes the next message; ready without one where none will come any more.
    pub(super) fn poll_mail(&self, cx: &Context<'_>) -> Poll<Option<Mail>> {
        let mut state = self.lock();
        if let Some(mail) = state.inbox.pop_front() {
            state.bytes -= mail.message.len();
            return Poll::Ready(Some(mail));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        state.runner = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Takes in nothing more; what runs may answer.
    pub(super) fn shut(&self) {
        let mut state = self.lock();
        state.is_over = true;
        wake(state);
    }

    /// Ends everything.
    pub(super) fn end(&self) {
        self.shut();
        self.lock().inbox.clear();
        self.stream.end();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes the task that runs the connection, not under the lock.
fn wake(mut state: MutexGuard<'_, State>) {
    let waker = state.runner.take();
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}
