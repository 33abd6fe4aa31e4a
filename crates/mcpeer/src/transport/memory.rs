//! Two transports joined in memory: for tests, and for a client and a server in one process.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use super::{Inbound, Outbound, Received, Transport};

/// How many bytes [`pair`] lets wait in each direction.
pub const DEFAULT_CAPACITY: usize = 1024 * 1024;

/// Joins two transports: what one sends, the other receives.
///
/// They carry the text of messages, so that every revision runs over them as over any other transport.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{TransportExt, memory};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (mut here, mut there) = memory::pair();
/// here.send_text(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await?;
/// assert_eq!(there.receive_text().await?.as_deref(), Some(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn pair() -> (Memory, Memory) {
    pair_with_capacity(DEFAULT_CAPACITY)
}

/// Joins two transports as [`pair`] does; a direction in which `capacity` bytes wait takes no further message until
/// the other side has received one. A message that is longer than that passes all the same, alone.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{TransportExt, memory};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (mut here, mut there) = memory::pair_with_capacity(16);
/// here.send_text("[1,2,3]").await?;
/// assert_eq!(there.receive_text().await?.as_deref(), Some("[1,2,3]"));
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn pair_with_capacity(capacity: usize) -> (Memory, Memory) {
    let (one, other) = (Channel::new(capacity), Channel::new(capacity));
    (Memory::new(one.clone(), other.clone()), Memory::new(other, one))
}

/// One end of a [`pair`].
///
/// Dropping it ends both directions: the other end receives what was written out before, then the end of input, and
/// its own writes fail with [`io::ErrorKind::BrokenPipe`].
#[derive(Debug)]
pub struct Memory {
    incoming: Channel,
    outgoing: Channel,
    /// What [`Transport::send`] took and the channel has not yet.
    waiting: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
    /// The message that was given out last.
    message: Vec<u8>,
}

impl Memory {
    fn new(incoming: Channel, outgoing: Channel) -> Self {
        Self { incoming, outgoing, waiting: VecDeque::new(), waiting_bytes: 0, message: Vec::new() }
    }
}

impl Transport for Memory {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        let mut state = self.incoming.lock();
        let Some(message) = state.queue.pop_front() else {
            if state.is_write_closed {
                return Poll::Ready(Ok(Received::InputEnded));
            }
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        };
        state.bytes -= message.len();
        let writer = state.writer.take();
        drop(state);
        wake(writer);
        self.message = message;
        Poll::Ready(Ok(Received::Message(Inbound::pipe(&self.message))))
    }

    fn send(&mut self, outbound: Outbound) {
        if let Outbound::Message { text, .. } = outbound {
            self.waiting_bytes += text.len();
            self.waiting.push_back(text);
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.waiting.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let mut state = self.outgoing.lock();
        if state.is_read_closed || state.is_write_closed {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        while let Some(text) = self.waiting.pop_front() {
            if state.bytes > 0 && state.bytes + text.len() > state.capacity {
                self.waiting.push_front(text);
                state.writer = Some(cx.waker().clone());
                break;
            }
            state.bytes += text.len();
            self.waiting_bytes -= text.len();
            state.queue.push_back(text);
        }
        let reader = state.reader.take();
        drop(state);
        wake(reader);
        if self.waiting.is_empty() { Poll::Ready(Ok(())) } else { Poll::Pending }
    }

    fn buffered(&self) -> usize {
        self.waiting_bytes
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = std::task::ready!(self.poll_flush(cx));
        self.outgoing.close(|state| state.is_write_closed = true);
        Poll::Ready(flushed)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.outgoing.close(|state| state.is_write_closed = true);
        self.incoming.close(|state| {
            state.is_read_closed = true;
            state.queue.clear();
            state.bytes = 0;
        });
    }
}

/// One direction.
#[derive(Clone, Debug)]
struct Channel(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    queue: VecDeque<Vec<u8>>,
    bytes: usize,
    capacity: usize,
    is_read_closed: bool,
    is_write_closed: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Channel {
    fn new(capacity: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            queue: VecDeque::new(),
            bytes: 0,
            capacity,
            is_read_closed: false,
            is_write_closed: false,
            reader: None,
            writer: None,
        })))
    }

    /// Nothing under the lock panics half way through a change, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let wakers = (state.reader.take(), state.writer.take());
        drop(state);
        wake(wakers.0);
        wake(wakers.1);
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{Route, TransportExt};

    fn message(text: &str) -> Outbound {
        Outbound::Message {
            route: Route::PIPE,
            request: None,
            is_last: false,
            refusal: None,
            headers: None,
            text: text.as_bytes().to_vec(),
        }
    }

    fn idle() -> Context<'static> {
        Context::from_waker(Waker::noop())
    }

    #[tokio::test]
    async fn messages_arrive_in_order_and_whole() {
        let (mut here, mut there) = pair();
        for text in ["{\"a\":1}", "{\"b\":\n2}", "[]"] {
            here.send(message(text));
        }
        assert_eq!(here.buffered(), 17);
        assert!(here.poll_flush(&mut idle()).is_ready());
        assert_eq!(here.buffered(), 0);
        for text in ["{\"a\":1}", "{\"b\":\n2}", "[]"] {
            assert_eq!(there.receive_text().await.unwrap().as_deref(), Some(text));
        }
        assert!(there.poll_receive(&mut idle()).is_pending());
    }

    #[tokio::test]
    async fn a_full_direction_takes_nothing_more_until_something_is_received() {
        let (mut here, mut there) = pair_with_capacity(10);
        here.send(message("123456"));
        here.send(message("7890"));
        here.send(message("x"));
        assert!(here.poll_flush(&mut idle()).is_pending());
        assert_eq!(here.buffered(), 1);
        assert_eq!(there.receive_text().await.unwrap().as_deref(), Some("123456"));
        assert!(here.poll_flush(&mut idle()).is_ready());
    }

    #[tokio::test]
    async fn a_waiting_writer_is_woken_by_the_reader() {
        let (mut here, mut there) = pair_with_capacity(1);
        let writer = tokio::spawn(async move {
            for text in ["long enough", "second", "third"] {
                here.send_text(text).await.unwrap();
            }
        });
        for text in ["long enough", "second", "third"] {
            assert_eq!(there.receive_text().await.unwrap().as_deref(), Some(text));
        }
        writer.await.unwrap();
        assert_eq!(there.receive_text().await.unwrap(), None);
    }

    #[tokio::test]
    async fn dropping_an_end_ends_the_input_of_the_other_after_what_was_written() {
        let (mut here, mut there) = pair();
        here.send_text("1").await.unwrap();
        drop(here);
        assert_eq!(there.receive_text().await.unwrap().as_deref(), Some("1"));
        assert_eq!(there.receive_text().await.unwrap(), None);
        let error = there.send_text("2").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn closing_ends_one_direction_alone() {
        let (mut here, mut there) = pair();
        here.close().await.unwrap();
        assert_eq!(there.receive_text().await.unwrap(), None);
        there.send_text("still here").await.unwrap();
        assert_eq!(here.receive_text().await.unwrap().as_deref(), Some("still here"));
        assert_eq!(here.send_text("3").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
