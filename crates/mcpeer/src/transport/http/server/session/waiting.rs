use std::{
    mem,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Instant,
};

use super::{
    super::{
        event_id::Kind,
        outlet::Output,
        stream::{Stream, keep},
    },
    Session,
    state::{Place, wake},
};
use crate::proto::io::Route;

/// What the answer to a message comes to.
#[derive(Debug)]
pub(in super::super) enum Came {
    /// All there is to say, in one message at most.
    Over(Output),
    /// A stream.
    Streams,
    /// The end of the session.
    Ended,
}

/// A message of the client whose answer is waited for. Dropped, what runs goes on and its answer is dropped.
#[derive(Debug)]
pub(in super::super) struct Waiting {
    pub(super) session: Arc<Session>,
    pub(in super::super) route: Route,
}

impl Waiting {
    /// Waits for what it comes to.
    pub(in super::super) fn poll(&self, cx: &Context<'_>) -> Poll<Came> {
        let mut state = self.session.lock();
        let Some(place) = state.places.get_mut(self.route.0) else { return Poll::Ready(Came::Ended) };
        if place.is_cut {
            state.places.remove(self.route.0);
            return Poll::Ready(Came::Ended);
        }
        if place.is_text() {
            let output = mem::take(place.outlet.output());
            state.places.remove(self.route.0);
            wake(state, |state| state.flusher.take());
            return Poll::Ready(Came::Over(output));
        }
        if place.closing.is_some() || place.outlet.output().last.is_some() {
            return Poll::Ready(Came::Streams);
        }
        keep(&mut place.reader, cx);
        Poll::Pending
    }

    /// Gives what it has come to, where that is all.
    pub(in super::super) fn take(self) -> Option<Output> {
        match self.poll(&Context::from_waker(Waker::noop())) {
            Poll::Ready(Came::Over(output)) => Some(output),
            _ => None,
        }
    }

    /// Has what was said and will be go out on a stream.
    pub(in super::super) fn into_stream(self, now: Instant) -> Arc<Stream> {
        let stream = Arc::new(Stream::default());
        let mut state = self.session.lock();
        let Some(mut found) = state.places.remove(self.route.0) else {
            stream.end();
            return stream;
        };
        found.stream_place.take().into_iter().for_each(|place| stream.hold(place));
        let number = self.route.0;
        let log = self.session.log(Kind::Answer, number, &stream, found.permit.take());
        state.logs.insert(number, log);
        let output = mem::take(found.outlet.output());
        if output.is_over && output.last.is_none() {
            self.session.append(&mut state, now, number, None, true, true);
        }
        let count = output.earlier.len();
        for (at, message) in output.earlier.into_iter().chain(output.last).enumerate() {
            let is_last = output.is_over && at == count;
            let is_needed = is_last || found.asking.contains(&at);
            self.session.append(&mut state, now, number, Some(message), is_needed, is_last);
        }
        if let Some(retry) = found.closing
            && let Some(log) = state.logs.get_mut(number)
        {
            log.close(retry);
        }
        // It has to hear when the stream is left, and that nothing waits in the place any more.
        let flusher = state.flusher.take();
        wake(state, |state| state.runner.take());
        flusher.into_iter().for_each(Waker::wake);
        stream
    }
}

impl Place {
    /// Whether all was said, and goes out as a text.
    fn is_text(&mut self) -> bool {
        let takes_text = self.accepts.json;
        let output = self.outlet.output();
        let is_single = output.earlier.is_empty() && (takes_text || output.refusal.is_some() || output.last.is_none());
        output.is_over && is_single
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut state = self.session.lock();
        let Some(place) = state.places.get_mut(self.route.0) else { return };
        place.is_left = true;
        drop(place.stream_place.take());
        let output = mem::take(place.outlet.output());
        if output.is_over {
            state.places.remove(self.route.0);
        }
        wake(state, |state| state.flusher.take());
    }
}
