use std::{
    mem,
    sync::{Arc, MutexGuard},
    task::Waker,
    time::{Duration, Instant},
};

use super::{
    super::{
        event_id::{EventId, Kind, StreamId},
        log::{Log, Said},
        stream::Stream,
    },
    Closed, Session,
    run::Unsaved,
    state::{Kept, State, wake},
};
use crate::{proto::io::Route, rpc::RequestId};

/// How many messages wait for a client that reads no stream of its own yet, and how many bytes.
const KEPT: (usize, usize) = (32, 16 << 10);
/// How many streams that belong to no request a client may have open, and may come back to.
const LISTENING: usize = 4;
/// How much may be unread on such a stream before its reader has to come back for it.
const LISTENER: usize = 1 << 20;
/// How much may be unread on all streams before the readers for whom much waits have to come back for it.
const UNREAD: (usize, usize) = (8 << 20, 64 << 10);
/// For how long a client may come back for what was said on a stream that is over.
const RETENTION: Duration = Duration::from_secs(60);
/// How many such streams are kept, and how many bytes of them; the last one always is.
const OVER: (usize, usize) = (16, 1 << 20);

/// What a stream came to that a client asked to go on.
#[derive(Debug)]
pub(in super::super) enum Resumed {
    /// It goes on.
    Stream(Arc<Stream>),
    /// What followed is no longer here.
    Lost,
    /// The session has no such stream here.
    Unknown,
    /// The session has ended.
    Ended,
}

impl Session {
    /// Opens a stream that belongs to no request; what has waited for one goes out on it, behind `before`.
    pub(in super::super) fn listen(&self, now: Instant, before: Vec<Vec<u8>>) -> Result<Arc<Stream>, Closed> {
        let mut state = self.lock();
        if state.is_over {
            return Err(Closed::Ended);
        }
        if state.logs.all().filter(|log| log.is_own() && log.stream().is_some()).count() >= LISTENING {
            return Err(Closed::Full);
        }
        let stream = Arc::new(Stream::default());
        state.last += 1;
        let number = state.last;
        let log = self.log(Kind::Own, number, &stream, None);
        state.logs.insert(number, log);
        for text in before {
            self.append(&mut state, now, number, Some(text), true, false);
        }
        self.attached(state, now, number);
        Ok(stream)
    }

    /// Goes on with a stream behind an event.
    pub(in super::super) fn resume(&self, now: Instant, id: EventId) -> Resumed {
        let mut state = self.lock();
        if state.is_over {
            return Resumed::Ended;
        }
        let EventId { stream: StreamId { number, .. }, sequence } = id;
        let Some(log) = state.logs.get_mut(number).filter(|log| log.id == id.stream) else { return Resumed::Unknown };
        let stream = Arc::new(Stream::default());
        if !log.resume(sequence, stream.clone()) {
            return Resumed::Lost;
        }
        self.attached(state, now, number);
        Resumed::Stream(stream)
    }

    /// Says on a stream that somebody reads now what has waited for one.
    fn attached(&self, mut state: MutexGuard<'_, State>, now: Instant, number: u64) {
        if state.logs.get(number).is_some_and(Log::is_own) {
            for kept in mem::take(&mut state.kept) {
                self.append(&mut state, now, number, Some(kept.text), kept.is_request, false);
            }
        }
        state.seen = now;
        // It has to hear when the stream is left.
        wake(state, |state| state.runner.take());
    }

    /// Sends a message that belongs to one of the client, or says that no more does.
    pub(in super::super) fn send(
        &self,
        now: Instant,
        route: Route,
        request: Option<RequestId>,
        text: Option<Vec<u8>>,
        is_last: bool,
        refusal: Option<i64>,
    ) {
        let mut state = self.lock();
        let is_request = request.is_some();
        if let Some(log) = state.logs.get(route.0) {
            if is_request && !log.is_heard() {
                return undelivered(state, request);
            }
            self.append(&mut state, now, route.0, text, is_request || is_last, is_last);
            state.spare();
            return;
        }
        let Some(place) = state.places.get_mut(route.0) else { return undelivered(state, request) };
        if is_request && (place.is_left || !place.outlet.takes_events()) {
            return undelivered(state, request);
        }
        if !place.is_left {
            if is_request {
                let output = place.outlet.output();
                place.asking.push(output.earlier.len() + usize::from(output.last.is_some()));
            }
            place.outlet.send(text, is_last, refusal);
        }
        let reader = place.reader.take();
        if is_last {
            if place.is_left {
                state.places.remove(route.0);
            }
            state.seen = now;
        }
        wake(state, |_| reader);
    }

    /// Sends a message that belongs to none of the client.
    pub(in super::super) fn say(&self, now: Instant, request: Option<RequestId>, text: Vec<u8>) {
        let mut state = self.lock();
        let is_request = request.is_some();
        let newest = state.logs.all().rev().find(|log| log.is_own() && log.stream().is_some());
        if let Some(number) = newest.map(|log| log.id.number) {
            self.append(&mut state, now, number, Some(text), is_request, false);
            if let Some(log) = state.logs.get_mut(number) {
                log.cut_beyond(LISTENER);
            }
            return;
        }
        if !is_request && state.kept.iter().any(|kept| !kept.is_request && kept.text == text) {
            return;
        }
        let bytes: usize = state.kept.iter().map(|kept| kept.text.len()).sum();
        if state.kept.len() < KEPT.0 && bytes + text.len() <= KEPT.1 {
            return state.kept.push_back(Kept { text, is_request });
        }
        undelivered(state, request);
    }

    /// Adds a message to a stream, or that nothing more comes on it: at once, or when it is in the store.
    pub(super) fn append(
        &self,
        state: &mut State,
        now: Instant,
        number: u64,
        text: Option<Vec<u8>>,
        is_needed: bool,
        is_last: bool,
    ) {
        let Some(log) = state.logs.get_mut(number) else { return };
        let said = text.as_ref().map(|text| log.write(text, is_needed));
        if is_last {
            state.seen = now;
        }
        if !self.setup.stores_events {
            return state.add(now, number, said, is_last);
        }
        let sequence = said.as_ref().map_or_else(|| log.skip(), |said| said.sequence);
        let text = text.unwrap_or_default();
        state.unsaved.push_back(Unsaved { stream: log.id, sequence, text, said, is_last });
        state.runner.take().into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// Says something on a stream.
    pub(super) fn add(&mut self, now: Instant, number: u64, said: Option<Said>, is_last: bool) {
        let Some(log) = self.logs.get_mut(number) else { return };
        said.into_iter().for_each(|said| log.say(said));
        if is_last {
            log.finish(now);
            self.forget_oldest();
            // It has to keep the time for which the rest is kept.
            self.runner.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Forgets streams that are over where there are too many, the oldest first.
    fn forget_oldest(&mut self) {
        let over = |log: &&Log| log.over().is_some();
        let newest = self.logs.all().filter_map(Log::over).max();
        let (mut count, mut bytes) =
            self.logs.all().filter(over).fold((0, 0), |(count, bytes), log| (count + 1, bytes + log.bytes()));
        while count > OVER.0 || bytes > OVER.1 && count > 1 {
            let oldest = self.logs.all().filter(over).filter(|log| count > OVER.0 || log.over() != newest);
            let Some(oldest) = oldest.min_by_key(|log| log.over()) else { return };
            let number = oldest.id.number;
            (count, bytes) = (count - 1, bytes - oldest.bytes());
            self.logs.remove(number);
        }
    }

    /// Forgets what nobody has come back for in time; says when there is something to forget again.
    pub(super) fn forget(&mut self, now: Instant) -> Option<Instant> {
        let due = |log: &Log| log.over().map(|over| over + RETENTION);
        self.logs.retain(|log| log.stream().is_some() || due(log).is_none_or(|due| due > now));
        // Which of them is left, nobody can say; new ones come behind.
        let gone = self.logs.all().filter(|log| log.is_own() && log.stream().is_none()).count();
        let mut surplus = gone.saturating_sub(LISTENING);
        self.logs.retain(|log| {
            let is_surplus = surplus > 0 && log.is_own() && log.stream().is_none();
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
        let due = self.logs.all().filter_map(due).min()?;
        Some(if due > now { due } else { now + RETENTION })
    }

    /// Gives up readers where more is unread than memory is given for.
    fn spare(&mut self) {
        if self.logs.all().map(Log::unread).sum::<usize>() > UNREAD.0 {
            self.logs.all_mut().for_each(|log| log.cut_beyond(UNREAD.1));
        }
    }
}

/// Takes note of a request of ours that reaches nobody; the task of the session is told.
fn undelivered(mut state: MutexGuard<'_, State>, request: Option<RequestId>) {
    let Some(request) = request else { return };
    state.undelivered.push_back(request);
    wake(state, |state| state.runner.take());
}
