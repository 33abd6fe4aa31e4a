use std::{
    io,
    sync::Arc,
    task::{Context, Poll},
};

use super::{
    outlet::{Outlet, Output},
    stream::Stream,
};
use crate::{
    proto::io::{Link, Outbound, Route},
    transport::{Received, Transport},
};

/// The only route of an exchange.
pub(super) const ROUTE: Route = Route(1);

/// The transport of a connection that lives for one message of the client, which its driver is given by hand.
#[derive(Debug)]
pub(super) struct Exchange(Outlet);

impl Exchange {
    pub(super) fn new(takes_events: bool) -> Self {
        Self(Outlet::new(takes_events))
    }

    pub(super) fn output(&mut self) -> &mut Output {
        self.0.output()
    }

    /// Lets somebody else read what was said and will be.
    pub(super) fn move_to(&mut self, stream: Arc<Stream>) {
        self.0.move_to(stream);
    }
}

impl Transport for Exchange {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, _: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        // Nothing more comes on an exchange, and nothing ends it but its answer or its reader.
        Poll::Pending
    }

    fn send(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Message { route: ROUTE, text, is_last, refusal, .. } => self.0.send(Some(text), is_last, refusal),
            Outbound::End { route: ROUTE } => self.0.send(None, true, None),
            // There is no stream for it.
            Outbound::Message { .. } | Outbound::End { .. } | Outbound::Abandon { .. } => {}
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.0.stream() {
            Some(stream) => stream.poll_read(cx).map(Ok),
            None => Poll::Ready(Ok(())),
        }
    }

    fn buffered(&self) -> usize {
        self.0.buffered()
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.end();
        Poll::Ready(Ok(()))
    }
}
