//! Transports: they move messages and know nothing of what these mean.

#[cfg(all(feature = "client", feature = "stdio"))]
pub mod child;
mod connect;
mod extension;
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
pub use crate::proto::io::{Edge, Inbound, Link, Outbound, Principal, Route};

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
    /// Nothing more will come; sending may still work.
    InputEnded,
}
