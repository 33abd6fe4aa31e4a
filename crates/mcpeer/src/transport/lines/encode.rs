//! Messages into lines that wait to be written.

use std::{
    io,
    io::IoSlice,
    pin::Pin,
    task::{Context, Poll, ready},
};

use memchr::memchr2_iter;
use tokio::io::AsyncWrite;

use super::decode::KEPT;

/// Holds what is to be written.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    /// What is being written, and how much of it is.
    current: Vec<u8>,
    written: usize,
    /// What follows it. Two buffers, so that what is being written never moves when something is added.
    next: Vec<u8>,
    needs_flush: bool,
}

impl Encoder {
    /// Takes a message. A long one is taken over as it is where nothing waits before it.
    pub(super) fn push(&mut self, mut text: Vec<u8>) {
        replace_line_ends(&mut text);
        if text.len() > KEPT && self.buffered() == 0 {
            self.current = text;
            self.written = 0;
        } else {
            self.next.extend_from_slice(&text);
        }
        self.next.push(b'\n');
    }

    pub(super) fn buffered(&self) -> usize {
        self.current.len() - self.written + self.next.len()
    }

    /// Writes all that waits, as much as possible at a time, then flushes once.
    pub(super) fn poll_write<W>(&mut self, mut writer: Pin<&mut W>, cx: &mut Context<'_>) -> Poll<io::Result<()>>
    where
        W: AsyncWrite,
    {
        loop {
            if self.written == self.current.len() {
                self.turn_over();
                if self.current.is_empty() {
                    break;
                }
            }
            let rest = &self.current[self.written..];
            let count = if self.next.is_empty() || !writer.is_write_vectored() {
                ready!(writer.as_mut().poll_write(cx, rest))?
            } else {
                let both = [IoSlice::new(rest), IoSlice::new(&self.next)];
                ready!(writer.as_mut().poll_write_vectored(cx, &both))?
            };
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.needs_flush = true;
            self.advance(count);
        }
        if self.needs_flush {
            ready!(writer.poll_flush(cx))?;
            self.needs_flush = false;
        }
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, count: usize) {
        let rest = self.current.len() - self.written;
        if count <= rest {
            self.written += count;
        } else {
            self.turn_over();
            self.written = count - rest;
        }
    }

    /// What follows becomes what is being written; the emptied buffer is kept for what comes, unless it is large.
    fn turn_over(&mut self) {
        self.current.clear();
        if self.current.capacity() > KEPT {
            self.current = Vec::new();
        }
        self.written = 0;
        std::mem::swap(&mut self.current, &mut self.next);
    }
}

/// Puts a space in the place of each line end: in JSON they stand between tokens only, where both mean nothing.
fn replace_line_ends(text: &mut [u8]) {
    let Some(first) = memchr2_iter(b'\n', b'\r', text).next() else { return };
    for byte in &mut text[first..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    /// Takes `room` bytes in all, and counts calls.
    #[derive(Default)]
    struct Sink {
        taken: Vec<u8>,
        room: usize,
        writes: usize,
        flushes: usize,
        is_plain: bool,
        addresses: Vec<*const u8>,
    }

    impl AsyncWrite for Sink {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let count = bytes.len().min(self.room);
            if count == 0 {
                return Poll::Pending;
            }
            self.room -= count;
            self.writes += 1;
            self.addresses.push(bytes.as_ptr());
            self.taken.extend_from_slice(&bytes[..count]);
            Poll::Ready(Ok(count))
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            self.addresses.push(slices[0].as_ptr());
            self.as_mut().poll_write(cx, &slices.iter().flat_map(|slice| slice.to_vec()).collect::<Vec<_>>())
        }

        fn is_write_vectored(&self) -> bool {
            !self.is_plain
        }

        fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.flushes += 1;
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn write(encoder: &mut Encoder, sink: &mut Sink) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        match encoder.poll_write(Pin::new(sink), &mut cx) {
            Poll::Ready(result) => result.map(|()| true).unwrap(),
            Poll::Pending => false,
        }
    }

    #[test]
    fn everything_that_is_ready_goes_out_in_one_write_and_one_flush() {
        let (mut encoder, mut sink) = (Encoder::default(), Sink { room: 1000, ..Sink::default() });
        for text in ["1", "22", "333"] {
            encoder.push(text.into());
        }
        assert_eq!(encoder.buffered(), 9);
        assert!(write(&mut encoder, &mut sink));
        assert_eq!((sink.writes, sink.flushes), (1, 1));
        assert_eq!(sink.taken, b"1\n22\n333\n");
        assert_eq!(encoder.buffered(), 0);
        assert!(write(&mut encoder, &mut sink));
        assert_eq!((sink.writes, sink.flushes), (1, 1));
    }

    #[test]
    fn partial_writes_lose_and_repeat_nothing() {
        for is_plain in [false, true] {
            for step in 1..12 {
                let (mut encoder, mut sink) = (Encoder::default(), Sink { is_plain, ..Sink::default() });
                encoder.push("12345".into());
                while !write(&mut encoder, &mut sink) {
                    if sink.taken.len() < 8 {
                        encoder.push("ab".into());
                    }
                    sink.room = step;
                }
                let text = String::from_utf8(sink.taken).unwrap();
                assert!(text.starts_with("12345\nab\n"), "{text}");
                assert_eq!(text.replace("12345\n", "").replace("ab\n", ""), "");
            }
        }
    }

    #[test]
    fn a_long_message_is_written_from_where_it_lay() {
        let (mut encoder, mut sink) = (Encoder::default(), Sink { room: usize::MAX, ..Sink::default() });
        let text = vec![b'x'; KEPT + 1];
        let address = text.as_ptr();
        encoder.push(text);
        assert!(write(&mut encoder, &mut sink));
        assert_eq!(sink.addresses[0], address);
        assert_eq!(sink.writes, 1);
        assert!(sink.taken.ends_with(b"x\n"));
    }

    #[test]
    fn the_buffers_shrink_after_a_giant_message() {
        let (mut encoder, mut sink) = (Encoder::default(), Sink { room: usize::MAX, ..Sink::default() });
        encoder.push("1".into());
        encoder.push(vec![b'x'; 10 * KEPT]);
        assert!(write(&mut encoder, &mut sink));
        assert!(encoder.current.capacity() + encoder.next.capacity() <= 2 * KEPT);
    }

    #[test]
    fn line_ends_between_tokens_become_spaces() {
        let (mut encoder, mut sink) = (Encoder::default(), Sink { room: 1000, ..Sink::default() });
        encoder.push(b"{\r\n  \"a\": \"\\n\"\n}".to_vec());
        assert!(write(&mut encoder, &mut sink));
        assert_eq!(sink.taken, b"{    \"a\": \"\\n\" }\n");
    }

    #[test]
    fn a_writer_that_takes_nothing_is_an_error() {
        let nothing: &mut [u8] = &mut [];
        let mut encoder = Encoder::default();
        encoder.push("1".into());
        let mut cursor = io::Cursor::new(&mut nothing[..]);
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Err(error)) = encoder.poll_write(Pin::new(&mut cursor), &mut cx) else { panic!() };
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }
}
