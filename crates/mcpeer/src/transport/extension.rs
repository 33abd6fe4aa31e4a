//! Transports by hand: text in, text out, no connection.

use std::{
    future::{Future, poll_fn},
    io,
    task::{Poll, ready},
};

use super::{Outbound, Received, Route, Transport};
use crate::rpc::{Limits, Message};

/// Moves texts over a transport without a connection: for tests that look at the wire, and for bridges.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{TransportExt, memory};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (mut here, mut there) = memory::pair();
/// here.send_text(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await?;
/// here.close().await?;
/// assert!(there.receive_text().await?.is_some());
/// assert!(there.receive_text().await?.is_none());
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # Ok::<_, std::io::Error>(())
/// ```
pub trait TransportExt: Transport {
    /// Sends the text of one message and waits until it is written out.
    ///
    /// # Errors
    ///
    /// The transport broke.
    ///
    /// # Cancel safety
    ///
    /// The text is taken at the first poll; the rest of it goes out with the next thing that is sent.
    fn send_text(&mut self, text: impl Into<String>) -> impl Future<Output = io::Result<()>> + Send
    where
        Self: Sized,
    {
        let text = text.into().into_bytes();
        // Where each request has a stream of its own, the answer comes on that.
        let request = match Message::parse(&text, &Limits::default()) {
            Ok(Message::Request { id, .. }) => Some(id),
            _ => None,
        };
        let mut outbound =
            Some(Outbound::Message { route: Route::PIPE, request, is_last: false, refusal: None, headers: None, text });
        poll_fn(move |cx| {
            if let Some(outbound) = outbound.take() {
                self.send(outbound);
            }
            self.poll_flush(cx)
        })
    }

    /// Waits for the next message and gives its text, or `None` once the input has ended.
    ///
    /// # Errors
    ///
    /// The transport broke, or what arrived was skipped or is not UTF-8 ([`io::ErrorKind::InvalidData`]); after the
    /// latter receiving can go on.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost when the future is dropped.
    fn receive_text(&mut self) -> impl Future<Output = io::Result<Option<String>>> + Send
    where
        Self: Sized,
    {
        poll_fn(|cx| {
            loop {
                return Poll::Ready(match ready!(self.poll_receive(cx))? {
                    Received::Message(inbound) => match str::from_utf8(inbound.message) {
                        Ok(text) => Ok(Some(text.to_owned())),
                        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
                    },
                    Received::Skipped { reason, .. } => Err(io::Error::new(io::ErrorKind::InvalidData, reason)),
                    Received::StreamEnded(_) | Received::Failed { .. } => continue,
                    Received::InputEnded => Ok(None),
                });
            }
        })
    }

    /// Ends the transport and waits until that is done.
    ///
    /// # Errors
    ///
    /// What was sent could not be written out.
    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send
    where
        Self: Sized,
    {
        poll_fn(|cx| self.poll_close(cx))
    }
}

impl<T: Transport> TransportExt for T {}
