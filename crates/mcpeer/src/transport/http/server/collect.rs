//! Reading a body, within limits.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderValue, StatusCode, header};
use http_body::Body;

use super::{Settings, refuse::Refused};
use crate::driver::Runtime;

/// What bodies may cost.
pub(super) struct Incoming<'a> {
    pub(super) settings: &'a Settings,
    /// How many bytes of bodies wait whose end has not come.
    pub(super) bytes: &'a AtomicUsize,
    pub(super) runtime: &'a Runtime,
}

/// Reads a body to its end.
///
/// # Errors
///
/// It is too long, does not come in time, or breaks off; or too much waits already.
pub(super) async fn collect<B>(body: B, incoming: Incoming<'_>) -> Result<Bytes, Refused>
where
    B: Body,
    B::Error: fmt::Display,
{
    let Incoming { settings, bytes, runtime } = incoming;
    let (limit, patience) = (settings.max_body, settings.body_timeout);
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let mut body = std::pin::pin!(body);
    let mut read = Read::default();
    let mut held = Held { bytes, count: 0 };
    let mut timer = None;
    poll_fn(|cx| {
        loop {
            let Poll::Ready(frame) = body.as_mut().poll_frame(cx) else {
                if !held.grow(read.len(), settings.max_incoming) {
                    return Poll::Ready(Err(too_much()));
                }
                let timer = timer.get_or_insert_with(|| runtime.clock.sleep(patience));
                ready!(Pin::new(timer).poll(cx));
                return Poll::Ready(Err(too_slow(patience)));
            };
            match frame {
                None => return Poll::Ready(Ok(read.take())),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data()
                        && !read.add(data, limit)
                    {
                        return Poll::Ready(Err(too_large(limit)));
                    }
                }
                Some(Err(error)) => {
                    let message = format!("the body could not be read: {error}");
                    return Poll::Ready(Err(Refused::new(StatusCode::BAD_REQUEST, message)));
                }
            }
        }
    })
    .await
}

/// What was read so far; one piece is not copied.
#[derive(Default)]
struct Read {
    first: Bytes,
    more: BytesMut,
}

impl Read {
    /// Takes a piece; `false` where the whole would be longer than the limit.
    fn add(&mut self, mut data: impl Buf, limit: usize) -> bool {
        let length = data.remaining();
        if self.len() + length > limit {
            return false;
        }
        if self.first.is_empty() && self.more.is_empty() {
            self.first = data.copy_to_bytes(length);
        } else {
            if self.more.is_empty() {
                self.more.extend_from_slice(&std::mem::take(&mut self.first));
            }
            while data.has_remaining() {
                let piece = data.chunk();
                self.more.extend_from_slice(piece);
                let length = piece.len();
                data.advance(length);
            }
        }
        true
    }

    fn len(&self) -> usize {
        self.first.len() + self.more.len()
    }

    fn take(&mut self) -> Bytes {
        match self.more.is_empty() {
            true => std::mem::take(&mut self.first),
            false => std::mem::take(&mut self.more).freeze(),
        }
    }
}

/// The bytes of one body, among those of all whose end has not come.
struct Held<'a> {
    bytes: &'a AtomicUsize,
    count: usize,
}

impl Held<'_> {
    /// Counts so many; `false` where all would be more than the limit.
    fn grow(&mut self, count: usize, limit: usize) -> bool {
        let more = count - self.count;
        self.count = count;
        more == 0 || self.bytes.fetch_add(more, Ordering::Relaxed) + more <= limit
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.count > 0 {
            self.bytes.fetch_sub(self.count, Ordering::Relaxed);
        }
    }
}

fn too_large(limit: usize) -> Refused {
    let message = format!("the body is longer than {limit} bytes; `max_body` on the endpoint allows more");
    // What is left of the body is not read.
    Refused::new(StatusCode::PAYLOAD_TOO_LARGE, message).with(header::CONNECTION, HeaderValue::from_static("close"))
}

fn too_slow(patience: Duration) -> Refused {
    let message = format!("the body did not come within {patience:?}; `body_timeout` on the endpoint allows more");
    Refused::new(StatusCode::REQUEST_TIMEOUT, message).with(header::CONNECTION, HeaderValue::from_static("close"))
}

fn too_much() -> Refused {
    let message = "too much of other messages waits for its end; try again; `max_incoming` on the endpoint allows more";
    Refused::busy(message)
}
