//! Standard input and output: how a server that a client started is reached.
//!
//! Standard output belongs to the protocol: a program that serves on it writes its logs to standard error, and
//! never uses `println!`.
//!
//! Pipes and sockets are read and written without a thread. For that their open file descriptions are set
//! non-blocking, and set back when the transport is dropped; a process that the server starts meanwhile should not
//! inherit them. Terminals, files, and pipes that standard error shares are served by a thread each, which does not
//! keep the process alive.

mod blocking;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
    task::{Context, Poll},
};

#[cfg(not(unix))]
use self::other as platform;
#[cfg(unix)]
use self::unix as platform;
use super::{Outbound, Received, Transport, lines::Lines};

/// Whether a transport uses standard input and output already: two would take each other's messages.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Opens a transport over standard input and output.
///
/// The other side sees the end of the output when the process ends: closing the transport writes out what was sent
/// and leaves standard output open.
///
/// # Errors
///
/// Another transport over them is alive ([`io::ErrorKind::AddrInUse`]), there is no tokio runtime, or they cannot be
/// set up.
///
/// # Panics
///
/// The tokio runtime was built without IO.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{TransportExt, stdio};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let transport = stdio()?;
/// assert!(stdio().is_err());
/// drop(transport);
/// let mut transport = stdio()?.message_limit(1024 * 1024);
/// transport.close().await?;
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
pub fn stdio() -> io::Result<Stdio> {
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(io::Error::other("there is no tokio runtime here: open standard input and output inside of one"));
    }
    let taken = Taken::new()?;
    let (input, output, modes) = platform::open()?;
    Ok(Stdio { lines: Lines::new(input, output), _modes: modes, _taken: taken })
}

/// A transport over standard input and output, made by [`stdio`].
#[derive(Debug)]
pub struct Stdio {
    // Dropped in this order.
    lines: Lines<platform::Input, platform::Output>,
    _modes: platform::Modes,
    _taken: Taken,
}

impl Stdio {
    /// Sets how many bytes a received message may have, as [`Lines::message_limit`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let transport = mcpeer::transport::stdio()?.message_limit(4 * 1024 * 1024);
    /// # Ok::<_, std::io::Error>(())
    /// # })?;
    /// # Ok::<_, std::io::Error>(())
    /// ```
    #[must_use]
    pub fn message_limit(mut self, bytes: usize) -> Self {
        self.lines = self.lines.message_limit(bytes);
        self
    }
}

impl Transport for Stdio {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        self.lines.poll_receive(cx)
    }

    fn send(&mut self, outbound: Outbound) {
        self.lines.send(outbound);
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lines.poll_flush(cx)
    }

    fn buffered(&self) -> usize {
        self.lines.buffered()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lines.poll_close(cx)
    }
}

/// The right to use standard input and output.
#[derive(Debug)]
struct Taken(());

impl Taken {
    fn new() -> io::Result<Self> {
        if IS_TAKEN.swap(true, Ordering::AcqRel) {
            return Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                "standard input and output are in use by another transport: drop that one first",
            ));
        }
        Ok(Self(()))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::Release);
    }
}
