//! Reading a body, within limits.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderValue, StatusCode, header};
use http_body::Body;

use super::refuse::Refused;
use crate::driver::Runtime;

/// Reads a body to its end.
///
/// # Errors
///
/// It is longer than `limit` bytes, does not come within `patience`, or breaks off.
pub(super) async fn collect<B>(body: B, limit: usize, patience: Duration, runtime: &Runtime) -> Result<Bytes, Refused>
where
    B: Body,
    B::Error: fmt::Display,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    let mut body = std::pin::pin!(body);
    let mut read = Read::default();
    let mut timer = None;
    poll_fn(|cx| {
        loop {
            let Poll::Ready(frame) = body.as_mut().poll_frame(cx) else {
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
        if self.first.len() + self.more.len() + length > limit {
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

    fn take(&mut self) -> Bytes {
        match self.more.is_empty() {
            true => std::mem::take(&mut self.first),
            false => std::mem::take(&mut self.more).freeze(),
        }
    }
}

fn too_large(limit: usize) -> Refused {
    let message = format!("the body is longer than {limit} bytes; `max_body` on the endpoint allows more");
    // What is left of the body is not read.
    Refused::new(StatusCode::PAYLOAD_TOO_LARGE, message).with(header::CONNECTION, HeaderValue::from_static("close"))
}

fn too_slow(patience: Duration) -> Refused {
    let message = format!("the body did not come within {patience:?}");
    Refused::new(StatusCode::REQUEST_TIMEOUT, message).with(header::CONNECTION, HeaderValue::from_static("close"))
}
