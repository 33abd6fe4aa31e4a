use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Instant, SystemTime},
};

use bytes::Bytes;

use super::{
    super::{
        event_id::StreamId,
        log::{Log, Said},
        store::Event,
        stream::keep,
    },
    Session,
};
use crate::{
    proto::io::{Edge, Route},
    rpc::RequestId,
};

/// How much may be unread on a stream before nobody reading it counts as that it was given up.
const UNREAD: usize = 64 << 10;

/// A message of the client.
#[derive(Debug)]
pub(in super::super) struct Mail {
    pub(in super::super) message: Bytes,
    pub(in super::super) route: Route,
    pub(in super::super) edge: Arc<Edge>,
}

/// What is said once it is in the store.
#[derive(Debug)]
pub(super) struct Unsaved {
    pub(super) stream: StreamId,
    pub(super) sequence: u64,
    pub(super) text: Vec<u8>,
    pub(super) said: Option<Said>,
    pub(super) is_last: bool,
}

/// For the task that runs the connection.
impl Session {
    /// Takes a request of ours that reaches nobody.
    pub(in super::super) fn take_undelivered(&self) -> Option<RequestId> {
        self.lock().undelivered.pop_front()
    }

    /// Takes the next message; ready without one where none will come any more.
    pub(in super::super) fn poll_mail(&self, cx: &Context<'_>, now: Instant) -> Poll<Option<Mail>> {
        let mut state = self.lock();
        if let Some(mail) = state.inbox.pop_front() {
            state.inbox_bytes -= mail.message.len();
            return Poll::Ready(Some(mail));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        keep(&mut state.runner, cx);
        let mut has_left = false;
        for log in state.logs.all_mut() {
            has_left |= log.look(cx);
        }
        if has_left {
            state.seen = now;
        }
        Poll::Pending
    }

    /// Forgets what nobody has come back for in time; says when there is something to forget again.
    pub(in super::super) fn forget(&self, now: Instant) -> Option<Instant> {
        self.lock().forget(now)
    }

    /// When the client was last seen; now, while it waits for anything.
    pub(in super::super) fn seen(&self, now: Instant) -> Instant {
        let mut state = self.lock();
        if !state.places.is_empty() || state.logs.all().any(Log::is_awaited) {
            state.seen = now;
        }
        state.seen
    }

    /// Takes note that the client was away for too long.
    pub(in super::super) fn set_expired(&self) {
        self.lock().has_expired = true;
    }

    /// Gives what is to be kept in the store next.
    pub(in super::super) fn unsaved(&self, expires: SystemTime) -> Option<Event> {
        let state = self.lock();
        let unsaved = state.unsaved.front()?;
        Some(Event {
            stream: unsaved.stream.to_string(),
            sequence: unsaved.sequence,
            text: String::from_utf8_lossy(&unsaved.text).into_owned(),
            is_last: unsaved.is_last,
            expires,
        })
    }

    /// Says what is kept in the store now.
    pub(in super::super) fn saved(&self, now: Instant) {
        let mut state = self.lock();
        if let Some(unsaved) = state.unsaved.pop_front() {
            state.add(now, unsaved.stream.number, unsaved.said, unsaved.is_last);
        }
    }

    /// Waits until all was read.
    pub(in super::super) fn poll_read(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        // Each has to wake the task.
        let streams = state.logs.all().filter_map(Log::stream);
        let unread = streams.filter(|stream| stream.poll_read(cx).is_pending()).count();
        let is_taken = state.places.all().all(|place| place.outlet.buffered() == 0);
        if unread == 0 && is_taken {
            return Poll::Ready(());
        }
        keep(&mut state.flusher, cx);
        Poll::Pending
    }

    /// Gives up the streams on which much waits and of which nothing was read since the last time.
    pub(in super::super) fn give_up_unread(&self) {
        self.lock().logs.all_mut().for_each(|log| log.give_up_unread(UNREAD));
    }

    /// How many bytes wait, but for those that hold up only the handlers that said them.
    pub(in super::super) fn buffered(&self) -> usize {
        let state = self.lock();
        let said: usize = state.places.all().map(|place| place.outlet.buffered()).sum();
        let unsaved: usize = state.unsaved.iter().map(|unsaved| unsaved.text.len()).sum();
        let own: usize = state.logs.all().filter(|log| log.is_own()).map(Log::unread).sum();
        said + unsaved + own
    }

    /// Ends everything.
    pub(in super::super) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.inbox.clear();
        state.kept.clear();
        state.unsaved.clear();
        state.logs.retain(|log| {
            log.stream().into_iter().for_each(|stream| stream.end());
            false
        });
        let mut readers = Vec::new();
        state.places.retain(|place| {
            place.is_cut |= !place.outlet.output().is_over;
            place.outlet.end();
            readers.extend(place.reader.take());
            !place.is_left
        });
        drop(state);
        readers.into_iter().for_each(Waker::wake);
    }
}
