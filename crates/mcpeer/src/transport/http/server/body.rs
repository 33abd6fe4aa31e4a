use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::{super::sse, stream::Stream};
use crate::driver::{BoxFuture, Runtime};

/// The body of a response: nothing, one JSON text, or an event stream.
pub struct Body(Kind);

enum Kind {
    Text(Option<Bytes>),
    Events(Box<Reading>),
}

/// An event stream that is being read. Dropped, it tells whoever writes that nobody reads any more.
struct Reading {
    stream: Arc<Stream>,
    runtime: Runtime,
    keep_alive: Duration,
    /// Until something has to be said so that nobody takes the stream for dead.
    timer: Option<BoxFuture<()>>,
}

impl Body {
    pub(super) fn empty() -> Self {
        Self(Kind::Text(None))
    }

    pub(super) fn full(text: Vec<u8>) -> Self {
        Self(Kind::Text(Some(text.into())))
    }

    pub(super) fn events(stream: Arc<Stream>, runtime: Runtime, keep_alive: Duration) -> Self {
        Self(Kind::Events(Box::new(Reading { stream, runtime, keep_alive, timer: None })))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Kind::Events(reading) => reading.poll_next(cx).map(|event| event.map(|event| Ok(Frame::data(event)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Text(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Text(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

impl Reading {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Poll::Ready(event) = self.stream.poll_next(cx) {
            self.timer = None;
            return Poll::Ready(event);
        }
        if self.keep_alive.is_zero() {
            return Poll::Pending;
        }
        let clock = &self.runtime.clock;
        let timer = self.timer.get_or_insert_with(|| clock.sleep(self.keep_alive));
        if timer.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.timer = None;
        Poll::Ready(Some(Bytes::from_static(sse::KEEP_ALIVE)))
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stream.leave();
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Text(text) => f.debug_tuple("Text").field(&text.as_ref().map(Bytes::len)).finish(),
            Kind::Events(_) => f.write_str("Events"),
        }
    }
}
