use std::{
    collections::VecDeque,
    sync::Arc,
    task::Context,
    time::{Duration, Instant},
};

use bytes::Bytes;

use super::{
    super::sse,
    event_id::{EventId, Kind, StreamId},
    permit::Permit,
    stream::Stream,
};

/// How many events of a stream are kept for a client that comes back for them, and how many bytes; one always is.
const KEPT: (usize, usize) = (256, 256 << 10);
/// How much may be unread on a stream before what is not urgent waits.
pub(super) const ROOM: usize = 256 << 10;

/// What was said on a stream of a session, so that a client that lost it, or read too slowly, may come back for the
/// rest.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) id: StreamId,
    said: VecDeque<Said>,
    bytes: usize,
    /// The number of the last event.
    last: u64,
    /// The number of the last event that has to be heard and is no longer here.
    lost: u64,
    /// Who reads.
    stream: Option<Arc<Stream>>,
    /// Whether anybody was ever told how to come back.
    is_known: bool,
    /// When the last message was said.
    over: Option<Instant>,
    /// The request counts as served until all was said.
    permit: Option<Permit>,
}

/// An event.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) sequence: u64,
    event: Bytes,
    /// Whether somebody waits for it, or is to answer: it says more than how far something is.
    is_needed: bool,
}

impl Log {
    /// Starts one, and says where the revision has that how to come back.
    pub(super) fn new(id: StreamId, stream: Arc<Stream>, priming: Option<Duration>, permit: Option<Permit>) -> Self {
        if let Some(retry) = priming {
            let mut event = Vec::new();
            sse::write_priming(EventId { stream: id, sequence: 0 }, retry, &mut event);
            stream.push_event(event.into());
        }
        Self {
            id,
            said: VecDeque::new(),
            bytes: 0,
            last: 0,
            lost: 0,
            stream: Some(stream),
            is_known: priming.is_some(),
            over: None,
            permit,
        }
    }

    /// Makes an event of a message.
    pub(super) fn write(&mut self, message: &[u8], is_needed: bool) -> Said {
        self.last += 1;
        let mut event = Vec::new();
        sse::write_numbered(EventId { stream: self.id, sequence: self.last }, message, &mut event);
        Said { sequence: self.last, event: event.into(), is_needed }
    }

    /// Takes a number for an event that is never said.
    pub(super) fn skip(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Says it, and keeps it.
    pub(super) fn say(&mut self, said: Said) {
        if let Some(stream) = &self.stream {
            stream.push_event(said.event.clone());
            self.is_known = true;
        }
        self.bytes += said.event.len();
        self.said.push_back(said);
        while self.said.len() > KEPT.0 || self.bytes > KEPT.1 && self.said.len() > 1 {
            // How far something was is of no use any more.
            let at = self.said.iter().position(|said| !said.is_needed).unwrap_or(0);
            let Some(gone) = self.said.remove(at) else { return };
            self.bytes -= gone.event.len();
            if gone.is_needed {
                self.lost = gone.sequence;
            }
        }
    }

    /// Takes note that nothing more will be said.
    pub(super) fn finish(&mut self, now: Instant) {
        self.over.get_or_insert(now);
        drop(self.permit.take());
        if let Some(stream) = &self.stream {
            stream.end();
        }
    }

    pub(super) fn over(&self) -> Option<Instant> {
        self.over
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn is_own(&self) -> bool {
        self.id.kind == Kind::Own
    }

    /// Whether somebody waits for what is still to be said.
    pub(super) fn is_awaited(&self) -> bool {
        self.stream.is_some() || !self.is_own() && self.over.is_none()
    }

    /// Gives who reads.
    pub(super) fn stream(&self) -> Option<&Arc<Stream>> {
        self.stream.as_ref().filter(|stream| !stream.has_left())
    }

    /// Whether what is said reaches somebody, now or later.
    pub(super) fn is_heard(&self) -> bool {
        self.is_known || self.stream().is_some()
    }

    /// Takes note of whether anybody still reads; the task of the session is woken when that changes. Says whether
    /// somebody has left.
    pub(super) fn look(&mut self, cx: &Context<'_>) -> bool {
        let has_left = self.stream.as_ref().is_some_and(|stream| stream.is_left(cx));
        if has_left {
            self.stream = None;
        }
        has_left
    }

    /// Closes the connection and not the stream: the client shall come back for the rest.
    pub(super) fn close(&mut self, retry: Duration) {
        let Some(stream) = self.stream.take() else { return };
        let mut event = Vec::new();
        sse::write_retry(retry, &mut event);
        stream.push_event(event.into());
        stream.end();
    }

    /// Gives up a reader who does not read, once much waits for him.
    pub(super) fn give_up_unread(&mut self, limit: usize) {
        if self.stream.as_ref().is_some_and(|stream| stream.leave_unread(limit)) {
            self.stream = None;
        }
    }

    /// Gives up a reader for whom this much waits.
    pub(super) fn cut_beyond(&mut self, limit: usize) {
        if self.unread() > limit
            && let Some(stream) = self.stream.take()
        {
            stream.cut();
        }
    }

    /// How many bytes wait to be read.
    pub(super) fn unread(&self) -> usize {
        self.stream.as_ref().map_or(0, |stream| stream.unread())
    }

    /// Whether so much waits to be read that what is not urgent should wait.
    pub(super) fn is_full(&self) -> bool {
        self.stream().is_some_and(|stream| stream.unread() > ROOM)
    }

    /// Goes on behind an event; `false`, and nothing happens, where what followed is no longer here.
    pub(super) fn resume(&mut self, after: u64, stream: Arc<Stream>) -> bool {
        if after > self.last || after < self.lost {
            return false;
        }
        for said in self.said.iter().filter(|said| said.sequence > after) {
            stream.push_event(said.event.clone());
        }
        if self.over.is_some() {
            stream.end();
        }
        // Who reads there comes back from a connection of which nobody has heard that it broke.
        if let Some(old) = self.stream.replace(stream) {
            old.cut();
        }
        self.is_known = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::Arc,
        task::{Context, Poll, Waker},
        time::Instant,
    };

    use super::{KEPT, Kind, Log, StreamId};
    use crate::transport::http::server::stream::Stream;

    fn log() -> Log {
        let id = StreamId { epoch: 1, kind: Kind::Answer, number: 3 };
        Log::new(id, Arc::default(), None, None)
    }

    fn say(log: &mut Log, message: &str, is_needed: bool) {
        let said = log.write(message.as_bytes(), is_needed);
        log.say(said);
    }

    /// What is read behind an event, until nothing more is there.
    fn read(log: &mut Log, after: u64) -> Option<Vec<String>> {
        let stream = Arc::new(Stream::default());
        let mut read = Vec::new();
        log.resume(after, stream.clone()).then_some(())?;
        while let Poll::Ready(Some(event)) = stream.poll_next(&Context::from_waker(Waker::noop())) {
            let text = String::from_utf8(event.to_vec()).unwrap();
            read.push(text.split("data: ").nth(1).unwrap().trim_end().to_owned());
        }
        Some(read)
    }

    #[test]
    fn what_follows_an_event_is_read_once_and_in_order() {
        let mut log = log();
        ["1", "2", "3"].iter().for_each(|message| say(&mut log, message, true));
        assert_eq!(read(&mut log, 0).unwrap(), ["1", "2", "3"]);
        assert_eq!(read(&mut log, 2).unwrap(), ["3"]);
        assert_eq!(read(&mut log, 3).unwrap(), Vec::<String>::new());
        assert_eq!(read(&mut log, 4), None);
        log.finish(Instant::now());
        assert_eq!(read(&mut log, 1).unwrap(), ["2", "3"]);
    }

    #[test]
    fn what_is_only_progress_goes_first_and_what_is_needed_is_missed() {
        let mut log = log();
        say(&mut log, "question", true);
        for step in 0..KEPT.0 {
            say(&mut log, &step.to_string(), false);
        }
        let kept = read(&mut log, 0).unwrap();
        assert_eq!((kept.len(), &*kept[0], &*kept[1]), (KEPT.0, "question", "1"));
        let long = "x".repeat(KEPT.1);
        say(&mut log, &long, true);
        assert_eq!(read(&mut log, 0), None, "the question is lost");
        assert_eq!(read(&mut log, 1).unwrap(), [long]);
    }
}
