//! One message a line, over any stream of bytes: the framing of stdio, and of Unix and TCP sockets.

mod decode;
mod encode;

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, ReadHalf, WriteHalf};

use self::{
    decode::{Decoder, Line},
    encode::Encoder,
};
use super::{Inbound, Outbound, Received, Transport};

/// The longest message that is received unless [`Lines::message_limit`] says otherwise, in bytes.
pub const DEFAULT_MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// A transport that sends and receives one message a line.
///
/// What it receives may have `\r\n` as line ends, blank lines between messages, a byte order mark, and no line end
/// after the last message. A line that is no message is passed on; the connection reports it and lives on.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{TransportExt, lines::Lines};
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (stream, mut peer) = tokio::io::duplex(1024);
/// let mut lines = Lines::from_stream(stream);
/// peer.write_all(b"\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n").await?;
/// assert_eq!(lines.receive_text().await?.as_deref(), Some(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#));
///
/// lines.send_text(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await?;
/// lines.close().await?;
/// let mut text = String::new();
/// peer.read_to_string(&mut text).await?;
/// assert_eq!(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R, W> {
    reader: R,
    /// Dropped when closed, since for some streams that is the only way to end them.
    writer: Option<W>,
    decoder: Decoder,
    encoder: Encoder,
}

impl<R, W> Lines<R, W> {
    /// Makes a transport of a reader and a writer.
    ///
    /// # Examples
    ///
    /// ```
    /// use mcpeer::transport::{TransportExt, lines::Lines};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut lines = Lines::new(&b"[1]\n[2]"[..], tokio::io::sink());
    /// assert_eq!(lines.receive_text().await?.as_deref(), Some("[1]"));
    /// assert_eq!(lines.receive_text().await?.as_deref(), Some("[2]"));
    /// assert_eq!(lines.receive_text().await?, None);
    /// # Ok::<_, std::io::Error>(())
    /// # })?;
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer: Some(writer), decoder: Decoder::new(DEFAULT_MESSAGE_LIMIT), encoder: Encoder::default() }
    }

    /// Sets how many bytes a received message may have; [`DEFAULT_MESSAGE_LIMIT`] without it.
    ///
    /// A longer line is skipped up to its end and reported, and takes no more memory than this.
    ///
    /// # Examples
    ///
    /// ```
    /// use mcpeer::transport::{TransportExt, lines::Lines};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut lines = Lines::new(&b"[1,2,3,4,5]\n[6]\n"[..], tokio::io::sink()).message_limit(8);
    /// assert!(lines.receive_text().await.unwrap_err().to_string().contains("message_limit"));
    /// assert_eq!(lines.receive_text().await?.as_deref(), Some("[6]"));
    /// # Ok::<_, std::io::Error>(())
    /// # })?;
    /// # Ok::<_, std::io::Error>(())
    /// ```
    #[must_use]
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.decoder.set_limit(bytes);
        self
    }

    /// Ends the output at once: what waits to be written is dropped with the writer.
    ///
    /// # Examples
    ///
    /// ```
    /// use mcpeer::transport::{TransportExt, lines::Lines};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut lines = Lines::new(tokio::io::empty(), Vec::new());
    /// lines.end_output();
    /// assert!(lines.send_text("{}").await.is_err());
    /// # });
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn end_output(&mut self) {
        self.writer = None;
        self.encoder = Encoder::default();
    }
}

impl<S: AsyncRead + AsyncWrite> Lines<ReadHalf<S>, WriteHalf<S>> {
    /// Makes a transport of a stream that goes both ways: a socket, or one end of [`tokio::io::duplex`].
    ///
    /// # Examples
    ///
    /// ```
    /// use mcpeer::transport::{TransportExt, lines::Lines};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (one, other) = tokio::io::duplex(1024);
    /// let (mut here, mut there) = (Lines::from_stream(one), Lines::from_stream(other));
    /// here.send_text("{}").await?;
    /// assert_eq!(there.receive_text().await?.as_deref(), Some("{}"));
    /// # Ok::<_, std::io::Error>(())
    /// # })?;
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn from_stream(stream: S) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::new(reader, writer)
    }
}

impl<R, W> Transport for Lines<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        loop {
            match self.decoder.next_line() {
                Some(Line::Text(range)) => {
                    return Poll::Ready(Ok(Received::Message(Inbound::pipe(self.decoder.text(range)))));
                }
                Some(Line::TooLong(skipped)) => {
                    return Poll::Ready(Ok(Received::Skipped {
                        reason: format!(
                            "a message of {} bytes is longer than the limit of {} bytes: raise `message_limit` to \
                             receive it",
                            skipped.bytes,
                            self.decoder.limit(),
                        ),
                        excerpt: String::from_utf8_lossy(&skipped.excerpt).into_owned(),
                        bytes: skipped.bytes,
                    }));
                }
                None if self.decoder.is_ended() => return Poll::Ready(Ok(Received::InputEnded)),
                None => {}
            }
            let mut room = ReadBuf::new(self.decoder.room());
            ready!(Pin::new(&mut self.reader).poll_read(cx, &mut room))?;
            match room.filled().len() {
                0 => self.decoder.set_ended(),
                count => self.decoder.filled(count),
            }
        }
    }

    fn send(&mut self, outbound: Outbound) {
        if let Outbound::Message { text, .. } = outbound {
            self.encoder.push(text);
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.writer {
            Some(writer) => self.encoder.poll_write(Pin::new(writer), cx),
            None if self.encoder.buffered() == 0 => Poll::Ready(Ok(())),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn buffered(&self) -> usize {
        self.encoder.buffered()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writer) = &mut self.writer else { return Poll::Ready(Ok(())) };
        let mut closed = ready!(self.encoder.poll_write(Pin::new(writer), cx));
        if closed.is_ok() {
            closed = ready!(Pin::new(writer).poll_shutdown(cx));
        }
        self.writer = None;
        Poll::Ready(match closed {
            // The other side has closed already.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            closed => closed,
        })
    }
}

#[cfg(test)]
mod tests;
