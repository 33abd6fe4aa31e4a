//! A transport of one's own: a Unix socket, on which each message has its length in front.
//!
//! `cargo run --example custom_transport`

use std::io::{self, ErrorKind::InvalidData};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use mcpeer::transport::{Inbound, Outbound, Received, Transport};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

struct Framed<S> {
    stream: S,
    received: Vec<u8>,
    /// How much of `received` the message takes that was given out last.
    taken: usize,
    waiting: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for Framed<S> {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        self.received.drain(..std::mem::take(&mut self.taken));
        loop {
            match self.received.first_chunk().map(|length| u32::from_be_bytes(*length) as usize) {
                Some(length) if length > 16 << 20 => return Poll::Ready(Err(InvalidData.into())),
                Some(length) if self.received.len() >= 4 + length => {
                    self.taken = 4 + length;
                    return Poll::Ready(Ok(Received::Message(Inbound::pipe(&self.received[4..self.taken]))));
                }
                _ => {}
            }
            let mut bytes = [0; 8192];
            let mut room = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut room))?;
            if room.filled().is_empty() {
                return Poll::Ready(Ok(Received::InputEnded));
            }
            self.received.extend_from_slice(room.filled());
        }
    }

    fn send(&mut self, outbound: Outbound) {
        // The other kinds concern transports that have a stream for each request.
        if let Outbound::Message { text, .. } = outbound {
            let length = u32::try_from(text.len()).expect("a message is shorter than 4 GiB");
            self.waiting.extend_from_slice(&length.to_be_bytes());
            self.waiting.extend_from_slice(&text);
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.waiting.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.waiting))?;
            self.waiting.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    fn buffered(&self) -> usize {
        self.waiting.len()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_flush(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(unix)]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (ours, theirs) = tokio::net::UnixStream::pair()?;
    let framed = |stream| Framed { stream, received: Vec::new(), taken: 0, waiting: Vec::new() };
    let server = mcpeer::Server::builder("long", "1.0.0").tool("long", async || "ab".repeat(100_000)).build()?;
    let theirs = framed(theirs);
    let serving = tokio::spawn(async move { server.serve(theirs).await });
    let client = mcpeer::Client::builder("me", "1.0.0").connect_with(framed(ours)).await?;
    assert_eq!(client.call("long").await?.as_text().len(), 200_000);
    client.close().await;
    Ok(serving.await??)
}

#[cfg(not(unix))]
fn main() {}
