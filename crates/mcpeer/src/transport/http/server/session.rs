//! What the requests of one session and the task that runs its connection share.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Instant,
};

use bytes::Bytes;

use super::{
    outlet::{Outlet, Output},
    permit::Permit,
    stream::Stream,
};
use crate::{
    proto::io::{Edge, Principal, Route},
    rpc::RequestId,
};

/// How many messages may wait for the task of a session, and how many bytes; one always may.
const INBOX: (usize, usize) = (256, 16 << 20);
/// How many messages wait for a client that reads no stream of its own yet, and how many bytes.
const KEPT: (usize, usize) = (32, 16 << 10);
/// How many streams that belong to no request a client may have open.
const LISTENING: usize = 4;
/// How much may be unread on a stream before nobody reading it counts as that it was given up.
const UNREAD: usize = 64 << 10;

/// A session of the stateful era, of one client.
#[derive(Debug)]
pub(super) struct Session {
    principal: Option<Principal>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    inbox: VecDeque<Mail>,
    /// The bytes of the messages in there.
    inbox_bytes: usize,
    /// Where what belongs to a message of the client goes out, while anything is due.
    places: BTreeMap<Route, Place>,
    last_route: u64,
    /// Streams that belong to no request, oldest first. Each message goes out on the newest.
    listening: Vec<Arc<Stream>>,
    /// What is to go out there once there is one.
    kept: VecDeque<Kept>,
    /// Requests of ours that reach nobody.
    undelivered: VecDeque<RequestId>,
    /// When the client was last seen.
    seen: Instant,
    /// Whether nothing more comes in.
    is_over: bool,
    /// Of the task that runs the connection.
    runner: Option<Waker>,
    /// The same, where it waits until all was read.
    flusher: Option<Waker>,
}

/// A message of the client.
#[derive(Debug)]
pub(super) struct Mail {
    pub(super) message: Bytes,
    pub(super) route: Route,
    pub(super) edge: Arc<Edge>,
}

#[derive(Debug)]
struct Kept {
    text: Vec<u8>,
    is_request: bool,
}

#[derive(Debug)]
struct Place {
    outlet: Outlet,
    /// Whether nobody waits for it any more.
    is_left: bool,
    /// Whether the session ended before all was said.
    is_cut: bool,
    reader: Option<Waker>,
    /// The request counts as served until all was said.
    _permit: Permit,
}

/// Why a session takes no message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// It has ended.
    Ended,
    /// Too much waits already.
    Full,
}

/// What the answer to a message comes to.
#[derive(Debug)]
pub(super) enum Came {
    /// All there is to say.
    Over(Output),
    /// A message that others follow.
    Streams,
    /// The end of the session.
    Ended,
}

impl Session {
    pub(super) fn new(principal: Option<Principal>, now: Instant) -> Self {
        let state = State {
            inbox: VecDeque::new(),
            inbox_bytes: 0,
            places: BTreeMap::new(),
            last_route: 0,
            listening: Vec::new(),
            kept: VecDeque::new(),
            undelivered: VecDeque::new(),
            seen: now,
            is_over: false,
            runner: None,
            flusher: None,
        };
        Self { principal, state: Mutex::new(state) }
    }

    /// Whether it is the session of this sender.
    pub(super) fn is_of(&self, principal: Option<&Principal>) -> bool {
        self.principal.as_ref() == principal
    }

    /// Makes a place for what belongs to a message of the client.
    pub(super) fn open(self: &Arc<Self>, takes_events: bool, permit: Permit) -> Waiting {
        let mut state = self.lock();
        Waiting { route: state.open(takes_events, permit), session: self.clone() }
    }

    /// Takes in a message of the client.
    pub(super) fn post(
        self: &Arc<Self>,
        now: Instant,
        message: Bytes,
        edge: Arc<Edge>,
        takes_events: bool,
        permit: Permit,
    ) -> Result<Waiting, Closed> {
        let mut state = self.lock();
        if state.is_over {
            return Err(Closed::Ended);
        }
        let bytes = state.inbox_bytes + message.len();
        if state.inbox.len() >= INBOX.0 || bytes > INBOX.1 && !state.inbox.is_empty() {
            return Err(Closed::Full);
        }
        let route = state.open(takes_events, permit);
        state.seen = now;
        state.inbox_bytes = bytes;
        state.inbox.push_back(Mail { message, route, edge });
        wake(state, |state| state.runner.take());
        Ok(Waiting { route, session: self.clone() })
    }

    /// Opens a stream that belongs to no request; what has waited for one goes out on it.
    pub(super) fn listen(&self, now: Instant) -> Result<Arc<Stream>, Closed> {
        let mut state = self.lock();
        if state.is_over {
            return Err(Closed::Ended);
        }
        state.listening.retain(|stream| !stream.has_left());
        if state.listening.len() >= LISTENING {
            return Err(Closed::Full);
        }
        let stream = Arc::new(Stream::default());
        mem::take(&mut state.kept).iter().for_each(|kept| stream.push(&kept.text));
        state.listening.push(stream.clone());
        state.seen = now;
        // It has to hear when the stream is left.
        wake(state, |state| state.runner.take());
        Ok(stream)
    }

    /// Takes in nothing more; what runs may answer.
    pub(super) fn shut(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.listening.drain(..).for_each(|stream| stream.end());
        wake(state, |state| state.runner.take());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For the task that runs the connection.
impl Session {
    /// Takes a request of ours that reaches nobody.
    pub(super) fn take_undelivered(&self) -> Option<RequestId> {
        self.lock().undelivered.pop_front()
    }

    /// Takes the next message; ready without one where none will come any more.
    pub(super) fn poll_mail(&self, cx: &Context<'_>, now: Instant) -> Poll<Option<Mail>> {
        let mut state = self.lock();
        if let Some(mail) = state.inbox.pop_front() {
            state.inbox_bytes -= mail.message.len();
            return Poll::Ready(Some(mail));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        keep(&mut state.runner, cx);
        let before = state.listening.len();
        state.listening.retain(|stream| !stream.is_left(cx));
        if state.listening.len() < before {
            state.seen = now;
        }
        Poll::Pending
    }

    /// When the client was last seen; now, while it waits for anything.
    pub(super) fn seen(&self, now: Instant) -> Instant {
        let mut state = self.lock();
        if !state.places.is_empty() || !state.listening.is_empty() {
            state.seen = now;
        }
        state.seen
    }

    /// Sends a message that belongs to one of the client, or says that no more does.
    pub(super) fn send(
        &self,
        now: Instant,
        route: Route,
        request: Option<RequestId>,
        text: Option<Vec<u8>>,
        is_last: bool,
        refusal: Option<i64>,
    ) {
        let mut state = self.lock();
        let Some(place) = state.places.get_mut(&route) else { return undelivered(state, request) };
        if request.is_some() && (place.has_left() || !place.outlet.takes_events()) {
            return undelivered(state, request);
        }
        if !place.is_left {
            place.outlet.send(text, is_last, refusal);
        }
        let reader = place.reader.take();
        if is_last {
            if place.is_left || place.outlet.stream().is_some() {
                state.places.remove(&route);
            }
            state.seen = now;
        }
        wake(state, |_| reader);
    }

    /// Sends a message that belongs to none of the client.
    pub(super) fn say(&self, request: Option<RequestId>, text: Vec<u8>) {
        let mut state = self.lock();
        while let Some(stream) = state.listening.last() {
            if !stream.has_left() {
                return stream.push(&text);
            }
            state.listening.pop();
        }
        let is_request = request.is_some();
        if !is_request && state.kept.iter().any(|kept| !kept.is_request && kept.text == text) {
            return;
        }
        let bytes: usize = state.kept.iter().map(|kept| kept.text.len()).sum();
        if state.kept.len() < KEPT.0 && bytes + text.len() <= KEPT.1 {
            return state.kept.push_back(Kept { text, is_request });
        }
        undelivered(state, request);
    }

    /// Waits until all was read.
    pub(super) fn poll_read(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        // Each has to wake the task.
        let unread = state.streams().filter(|stream| stream.poll_read(cx).is_pending()).count();
        let is_taken =
            state.places.values().all(|place| place.outlet.stream().is_some() || place.outlet.buffered() == 0);
        if unread == 0 && is_taken {
            return Poll::Ready(());
        }
        keep(&mut state.flusher, cx);
        Poll::Pending
    }

    /// Gives up the streams on which much waits and of which nothing was read since the last time.
    pub(super) fn give_up_unread(&self) {
        self.lock().streams().for_each(|stream| stream.leave_unread(UNREAD));
    }

    pub(super) fn buffered(&self) -> usize {
        let state = self.lock();
        let said: usize = state.places.values().map(|place| place.outlet.buffered()).sum();
        said + state.listening.iter().map(|stream| stream.unread()).sum::<usize>()
    }

    /// Ends everything.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.inbox.clear();
        state.kept.clear();
        state.listening.drain(..).for_each(|stream| stream.end());
        let mut readers = Vec::new();
        state.places.retain(|_, place| {
            place.is_cut |= !place.outlet.output().is_over;
            place.outlet.end();
            readers.extend(place.reader.take());
            !place.is_left && place.outlet.stream().is_none()
        });
        drop(state);
        readers.into_iter().for_each(Waker::wake);
    }
}

impl State {
    fn open(&mut self, takes_events: bool, permit: Permit) -> Route {
        self.last_route += 1;
        let route = Route(self.last_route);
        let outlet = Outlet::new(takes_events);
        let place = Place { outlet, is_left: false, is_cut: false, reader: None, _permit: permit };
        self.places.insert(route, place);
        route
    }

    fn streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.places.values().filter_map(|place| place.outlet.stream()).chain(&self.listening)
    }
}

impl Place {
    /// Whether what is sent there reaches nobody.
    fn has_left(&self) -> bool {
        self.is_left || self.outlet.stream().is_some_and(|stream| stream.has_left())
    }
}

/// Takes note of a request of ours that reaches nobody; the task of the session is told.
fn undelivered(mut state: MutexGuard<'_, State>, request: Option<RequestId>) {
    let Some(request) = request else { return };
    state.undelivered.push_back(request);
    wake(state, |state| state.runner.take());
}

fn keep(place: &mut Option<Waker>, cx: &Context<'_>) {
    match place {
        Some(waker) => waker.clone_from(cx.waker()),
        None => *place = Some(cx.waker().clone()),
    }
}

/// Wakes somebody, not under the lock.
fn wake(mut state: MutexGuard<'_, State>, whom: impl FnOnce(&mut State) -> Option<Waker>) {
    let waker = whom(&mut state);
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A message of the client whose answer is waited for. Dropped, what runs goes on and its answer is dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    session: Arc<Session>,
    pub(super) route: Route,
}

impl Waiting {
    /// Waits for what it comes to.
    pub(super) fn poll(&self, cx: &Context<'_>) -> Poll<Came> {
        let mut state = self.session.lock();
        let Some(place) = state.places.get_mut(&self.route) else { return Poll::Ready(Came::Ended) };
        let output = place.outlet.output();
        if place.is_cut {
            state.places.remove(&self.route);
            return Poll::Ready(Came::Ended);
        }
        if output.is_over {
            let output = mem::take(output);
            state.places.remove(&self.route);
            wake(state, |state| state.flusher.take());
            return Poll::Ready(Came::Over(output));
        }
        if output.last.is_some() {
            return Poll::Ready(Came::Streams);
        }
        keep(&mut place.reader, cx);
        Poll::Pending
    }

    /// Gives what it has come to, where that is all.
    pub(super) fn take(self) -> Option<Output> {
        match self.poll(&Context::from_waker(Waker::noop())) {
            Poll::Ready(Came::Over(output)) => Some(output),
            _ => None,
        }
    }

    /// Has what was said and will be go out on a stream.
    pub(super) fn into_stream(self, permit: Permit) -> Arc<Stream> {
        let stream = Arc::new(Stream::default());
        stream.hold(permit);
        let mut state = self.session.lock();
        match state.places.get_mut(&self.route) {
            Some(place) => {
                let is_over = place.outlet.output().is_over;
                place.outlet.move_to(stream.clone());
                if is_over {
                    state.places.remove(&self.route);
                }
            }
            None => stream.end(),
        }
        wake(state, |state| state.flusher.take());
        stream
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.session.lock();
        let Some(place) = state.places.get_mut(&self.route) else { return };
        if place.outlet.stream().is_some() {
            return;
        }
        place.is_left = true;
        let output = mem::take(place.outlet.output());
        if output.is_over {
            state.places.remove(&self.route);
        }
        wake(state, |state| state.flusher.take());
    }
}
