//! Transports: they move messages and know nothing of what these mean.
//!
//! | transport | what it is for |
//! |---|---|
//! | [`stdio()`] | a server that its client starts as a child process |
//! | [`child::Command`] | a client that starts its server as a child process |
//! | [`memory::pair()`] | a client and a server in one process, and tests |
//! | `http::client()`, `http::server` | Streamable HTTP, behind the features `http-client` and `http-server` |
//! | `http::sse_client()`, `Http::sse` | HTTP+SSE, the transport of 2024-11-05, with the feature `http-sse` besides |
//! | [`lines::Lines`] | any stream of bytes: a Unix socket, TCP |
//!
//! What moves bytes needs [`lines::Lines`] alone; what moves messages implements [`Transport`].
//!
//! # Writing a transport
//!
//! Here each message is a datagram between two processes; an empty one is the end. The example `custom_transport` has
//! another, with a client and a server that talk through it:
//!
//! ```
//! # #[cfg(unix)]
//! # mod example {
//! use std::{collections::VecDeque, io, task::{Context, Poll, ready}};
//!
//! use mcpeer::transport::{Inbound, Outbound, Received, Transport};
//! use tokio::{io::ReadBuf, net::UnixDatagram};
//!
//! pub struct Datagrams {
//!     pub socket: UnixDatagram,
//!     /// The message that was received last: what `poll_receive` gives is borrowed from it.
//!     pub message: Vec<u8>,
//!     pub waiting: VecDeque<Vec<u8>>,
//! }
//!
//! impl Transport for Datagrams {
//!     fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
//!         self.message.resize(64 * 1024, 0);
//!         let mut room = ReadBuf::new(&mut self.message);
//!         ready!(self.socket.poll_recv(cx, &mut room))?;
//!         let length = room.filled().len();
//!         Poll::Ready(Ok(match &self.message[..length] {
//!             [] => Received::InputEnded,
//!             message => Received::Message(Inbound::pipe(message)),
//!         }))
//!     }
//!
//!     fn send(&mut self, outbound: Outbound) {
//!         // The other kinds concern transports that have a stream for each request.
//!         if let Outbound::Message { text, .. } = outbound {
//!             self.waiting.push_back(text);
//!         }
//!     }
//!
//!     fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
//!         while let Some(text) = self.waiting.front() {
//!             ready!(self.socket.poll_send(cx, text))?;
//!             self.waiting.pop_front();
//!         }
//!         Poll::Ready(Ok(()))
//!     }
//!
//!     fn buffered(&self) -> usize {
//!         self.waiting.iter().map(Vec::len).sum()
//!     }
//!
//!     fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
//!         ready!(self.poll_flush(cx))?;
//!         ready!(self.socket.poll_send(cx, &[]))?;
//!         Poll::Ready(Ok(()))
//!     }
//! }
//! # }
//!
//! # #[cfg(unix)]
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # use example::Datagrams;
//! # use mcpeer::transport::TransportExt;
//! # let (one, other) = tokio::net::UnixDatagram::pair()?;
//! # let new = |socket| Datagrams { socket, message: Vec::new(), waiting: Default::default() };
//! let (mut here, mut there) = (new(one), new(other));
//! here.send_text("[1]").await?;
//! here.close().await?;
//! assert_eq!(there.receive_text().await?.as_deref(), Some("[1]"));
//! assert_eq!(there.receive_text().await?, None);
//! # Ok::<_, std::io::Error>(())
//! # })?;
//! # Ok::<_, std::io::Error>(())
//! ```

#[cfg(all(feature = "client", feature = "stdio"))]
pub mod child;
mod connect;
mod extension;
#[cfg(any(feature = "http-client", feature = "http-server"))]
pub mod http;
pub mod lines;
pub mod memory;
#[cfg(feature = "stdio")]
pub mod stdio;

use std::{
    io,
    task::{Context, Poll},
};

#[cfg(feature = "stdio")]
pub use self::stdio::{Stdio, stdio};
pub use self::{
    connect::{Connect, ConnectWith, Once, connect_with},
    extension::TransportExt,
};
pub use crate::proto::io::{Claims, Edge, Inbound, Link, Outbound, Principal, Route};

/// Moves messages.
///
/// One task owns a transport and polls both directions; neither may wait for the other.
pub trait Transport: Send + 'static {
    /// How messages travel here.
    fn link(&self) -> Link {
        Link::Pipe
    }

    /// Gives what arrived next. Cancel safe: nothing is lost when the caller stops polling in between.
    ///
    /// After [`Received::InputEnded`] or an error it is not called again.
    ///
    /// # Errors
    ///
    /// The transport broke. The connection ends.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>>;

    /// Takes something to send. Never waits: it is kept until [`poll_flush`](Self::poll_flush) has written it.
    fn send(&mut self, outbound: Outbound);

    /// Writes out all that [`send`](Self::send) took: everything that is ready goes out together.
    ///
    /// # Errors
    ///
    /// The transport broke. The connection ends.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Gives the number of bytes that wait to be written.
    fn buffered(&self) -> usize;

    /// Ends the transport: what was sent is written out, then the other side sees the end.
    ///
    /// # Errors
    ///
    /// What was sent could not be written out.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Says more about why the transport ended, where it knows more than the caller: a child's exit status and the
    /// last lines of its standard error.
    fn diagnosis(&self) -> Option<String> {
        None
    }
}

/// What a transport received.
#[derive(Debug)]
pub enum Received<'a> {
    /// A message.
    Message(Inbound<'a>),
    /// Something that is no message and was skipped: longer than the limit, or no text.
    Skipped {
        /// Why, for a person.
        reason: String,
        /// Its start, at most 256 bytes, lossily.
        excerpt: String,
        /// How many bytes it had.
        bytes: usize,
    },
    /// The stream that owed us the answer to this request ended.
    StreamEnded(crate::rpc::RequestId),
    /// A request of ours could not be sent, or no message came back for it.
    Failed {
        /// The request.
        request: crate::rpc::RequestId,
        /// The status of an HTTP response that carried no message.
        status: Option<u16>,
        /// What happened, for a person.
        reason: String,
    },
    /// Nothing more will come; sending may still work.
    InputEnded,
}
