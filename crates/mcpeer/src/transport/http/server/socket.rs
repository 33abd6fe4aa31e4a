use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::driver::{BoxFuture, Runtime};

/// For how long what a client still sends is read once its connection ends.
const LINGER: Duration = Duration::from_secs(2);

/// The connection of a client that may have stopped reading, and may still be sending when it has its answer.
pub(super) struct Socket {
    stream: TcpStream,
    runtime: Runtime,
    /// For how long the client may take nothing of what waits for it.
    patience: Duration,
    /// Until it has taken nothing for so long.
    stalled: Option<BoxFuture<()>>,
    end: End,
}

/// How far the end of the connection has come.
enum End {
    /// Nobody wants it to end. What the client may send once it does, in bytes.
    Open(usize),
    /// The client hears of it; what it has sent by then, or still sends, is read.
    Lingering(usize, Option<BoxFuture<()>>),
}

impl Socket {
    pub(super) fn new(stream: TcpStream, runtime: Runtime, patience: Duration, linger: usize) -> Self {
        Self { stream, runtime, patience, stalled: None, end: End::Open(linger) }
    }

    /// Gives a write up that waits for too long.
    fn within_patience<T>(&mut self, written: Poll<io::Result<T>>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.stalled.is_some() {
                self.stalled = None;
            }
            return written;
        }
        let clock = &self.runtime.clock;
        let stalled = self.stalled.get_or_insert_with(|| clock.sleep(self.patience));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }

    /// Reads and forgets what the client has sent, within limits. Where anything of that were left, closing the
    /// connection would make the system tell the client of a fault, who might never see its answer.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let End::Lingering(left, timer) = &mut self.end else { return Poll::Ready(()) };
        let mut piece = [0; 8 << 10];
        loop {
            let mut piece = ReadBuf::new(&mut piece);
            match Pin::new(&mut self.stream).poll_read(cx, &mut piece) {
                Poll::Ready(Ok(())) if piece.filled().is_empty() => return Poll::Ready(()),
                Poll::Ready(Ok(())) => {
                    let Some(rest) = left.checked_sub(piece.filled().len()) else { return Poll::Ready(()) };
                    *left = rest;
                    let clock = &self.runtime.clock;
                    timer.get_or_insert_with(|| clock.sleep(LINGER));
                }
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                // A client that has sent nothing more is waited for no longer.
                Poll::Pending => return timer.as_mut().map_or(Poll::Ready(()), |timer| timer.as_mut().poll(cx)),
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.within_patience(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.within_patience(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let End::Open(linger) = self.end {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.end = End::Lingering(linger, None);
        }
        self.poll_linger(cx).map(Ok)
    }
}
