use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    task::Waker,
    time::{Duration, Instant},
};

use bytes::Bytes;

use super::{
    super::{
        accept::Accepts,
        event_id::{Kind, StreamId},
        keeping::Keeping,
        log::Log,
        numbered::Numbered,
        outlet::Outlet,
        permit::Permit,
        stream::Stream,
    },
    Mail, Waiting,
    channel::Way,
    run::Unsaved,
};
use crate::{
    proto::io::{Edge, Principal, Route},
    rpc::RequestId,
};

/// How many messages may wait for the task of a session, and how many bytes; one always may.
const INBOX: (usize, usize) = (256, 16 << 20);

/// A session of the stateful era, of one client.
#[derive(Debug)]
pub(in super::super) struct Session {
    pub(in super::super) id: Box<str>,
    pub(super) principal: Option<Principal>,
    pub(super) setup: Setup,
    /// What is kept of it, where there is a store.
    pub(in super::super) keeping: Option<Box<Keeping>>,
    /// Tells its streams from those that it had in another process.
    pub(super) epoch: u32,
    /// Whether the revision has streams that say how to come back; known once the session has begun.
    pub(super) primes: OnceLock<bool>,
    pub(super) state: Mutex<State>,
}

/// How a session treats its streams.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Setup {
    /// When a client shall come back whose stream broke off.
    pub(in super::super) retry: Duration,
    /// Whether events are kept in a store before they are said.
    pub(in super::super) stores_events: bool,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) inbox: VecDeque<Mail>,
    /// The bytes of the messages in there.
    pub(super) inbox_bytes: usize,
    /// Where what belongs to a message of the client is kept until it is known how it goes out, by its route.
    pub(super) places: Numbered<Place>,
    /// The number of the last route or stream.
    pub(super) last: u64,
    /// The streams, those of messages by the same numbers.
    pub(super) logs: Numbered<Log>,
    /// What is to go out on a stream that belongs to no message once there is one.
    pub(super) kept: VecDeque<Kept>,
    /// What is said once it is in the store.
    pub(super) unsaved: VecDeque<Unsaved>,
    /// Requests of ours that reach nobody.
    pub(super) undelivered: VecDeque<RequestId>,
    /// When the client was last seen.
    pub(super) seen: Instant,
    /// Whether nothing more comes in.
    pub(super) is_over: bool,
    /// Whether it ended because its client was away for too long.
    pub(super) has_expired: bool,
    /// Of the task that runs the connection.
    pub(super) runner: Option<Waker>,
    /// The same, where it waits until all was read.
    pub(super) flusher: Option<Waker>,
}

#[derive(Debug)]
pub(super) struct Kept {
    pub(super) text: Vec<u8>,
    pub(super) is_request: bool,
}

#[derive(Debug)]
pub(super) struct Place {
    pub(super) outlet: Outlet,
    pub(super) accepts: Accepts,
    /// Which of the messages that wait there ask for something.
    pub(super) asking: Vec<usize>,
    /// Whether nobody waits for it any more.
    pub(super) is_left: bool,
    /// Whether the session ended before all was said.
    pub(super) is_cut: bool,
    /// That the stream shall be closed once there is one, and when the client shall come back.
    pub(super) closing: Option<Duration>,
    pub(super) reader: Option<Waker>,
    /// The request counts as served until all was said.
    pub(super) permit: Option<Permit>,
    /// The place that the stream would take.
    pub(super) stream_place: Option<Permit>,
}

/// Why a session takes no message.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) enum Closed {
    /// It has ended.
    Ended,
    /// Too much waits already.
    Full,
}

impl Session {
    pub(in super::super) fn new(
        id: Box<str>,
        epoch: u32,
        principal: Option<Principal>,
        setup: Setup,
        keeping: Option<Box<Keeping>>,
        now: Instant,
    ) -> Self {
        let state = State {
            inbox: VecDeque::new(),
            inbox_bytes: 0,
            places: Numbered::default(),
            last: 0,
            logs: Numbered::default(),
            kept: VecDeque::new(),
            unsaved: VecDeque::new(),
            undelivered: VecDeque::new(),
            seen: now,
            is_over: false,
            has_expired: false,
            runner: None,
            flusher: None,
        };
        Self { id, principal, setup, keeping, epoch, primes: OnceLock::new(), state: Mutex::new(state) }
    }

    /// Whether it is the session of this sender.
    pub(in super::super) fn is_of(&self, principal: Option<&Principal>) -> bool {
        self.principal.as_ref() == principal
    }

    /// Takes note of whether the revision has streams that say how to come back.
    pub(in super::super) fn set_primes(&self, primes: bool) {
        let _ = self.primes.set(primes);
    }

    /// Whether streams say how to come back.
    pub(in super::super) fn primes(&self) -> bool {
        self.primes.get().copied().unwrap_or_default()
    }

    /// Whether it ended because its client was away for too long.
    pub(in super::super) fn has_expired(&self) -> bool {
        self.lock().has_expired
    }

    /// Makes a place for what belongs to a message of the client.
    pub(in super::super) fn open(self: &Arc<Self>, accepts: Accepts, permit: Option<Permit>) -> Waiting {
        let mut state = self.lock();
        Waiting { route: state.open(accepts, permit, None), session: self.clone() }
    }

    /// Takes in a message of the client.
    pub(in super::super) fn post(
        self: &Arc<Self>,
        now: Instant,
        message: Bytes,
        mut edge: Edge,
        accepts: Accepts,
        permits: (Permit, Option<Permit>),
    ) -> Result<Waiting, Closed> {
        let mut state = self.lock();
        if state.is_over {
            return Err(Closed::Ended);
        }
        let bytes = state.inbox_bytes + message.len();
        if state.inbox.len() >= INBOX.0 || bytes > INBOX.1 && !state.inbox.is_empty() {
            return Err(Closed::Full);
        }
        let route = state.open(accepts, Some(permits.0), permits.1);
        edge.channel = Some(Box::new(Way { session: Arc::downgrade(self), route }));
        state.seen = now;
        state.inbox_bytes = bytes;
        state.inbox.push_back(Mail { message, route, edge: Arc::new(edge) });
        wake(state, |state| state.runner.take());
        Ok(Waiting { route, session: self.clone() })
    }

    /// Takes in nothing more; what runs may answer.
    pub(in super::super) fn shut(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.logs.all().filter(|log| log.is_own()).filter_map(Log::stream).for_each(|stream| stream.end());
        wake(state, |state| state.runner.take());
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a log of what is said on a stream, and says there how to come back, where the revision has that.
    pub(super) fn log(&self, kind: Kind, number: u64, stream: &Arc<Stream>, permit: Option<Permit>) -> Log {
        let priming = self.primes().then_some(self.setup.retry);
        Log::new(StreamId { epoch: self.epoch, kind, number }, stream.clone(), priming, permit)
    }
}

impl State {
    fn open(&mut self, accepts: Accepts, permit: Option<Permit>, stream_place: Option<Permit>) -> Route {
        self.last += 1;
        let place = Place {
            outlet: Outlet::new(accepts.events),
            accepts,
            asking: Vec::new(),
            is_left: false,
            is_cut: false,
            closing: None,
            reader: None,
            permit,
            stream_place,
        };
        self.places.insert(self.last, place);
        Route(self.last)
    }
}

/// Wakes somebody, not under the lock.
pub(super) fn wake(mut state: MutexGuard<'_, State>, whom: impl FnOnce(&mut State) -> Option<Waker>) {
    let waker = whom(&mut state);
    drop(state);
    if let Some(waker) = waker {
        waker.wake();
    }
}
