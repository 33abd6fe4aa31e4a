use std::{
    io, mem,
    sync::Arc,
    task::{Context, Poll},
};

use super::stream::Stream;
use crate::{
    proto::io::{Link, Outbound, Route},
    transport::{Received, Transport},
};

/// The only route of an exchange.
pub(super) const ROUTE: Route = Route(1);

/// The transport of a connection that lives for one message of the client, which its driver is given by hand.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    output: Output,
    /// Where messages go, once they are read by somebody else.
    stream: Option<Arc<Stream>>,
}

/// What was said so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// The last message.
    pub(super) last: Option<Vec<u8>>,
    /// Those before it.
    pub(super) earlier: Vec<Vec<u8>>,
    /// Whether nothing more will be said.
    pub(super) is_over: bool,
    /// The code of the error that the last message is.
    pub(super) refusal: Option<i64>,
    bytes: usize,
}

impl Exchange {
    pub(super) fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    /// Lets somebody else read what was said and will be.
    pub(super) fn move_to(&mut self, stream: Arc<Stream>) {
        let output = mem::take(&mut self.output);
        output.earlier.iter().chain(&output.last).for_each(|message| stream.push(message));
        if output.is_over {
            stream.end();
        }
        self.stream = Some(stream);
    }
}

impl Output {
    fn push(&mut self, text: Vec<u8>) {
        self.bytes += text.len();
        if let Some(earlier) = self.last.replace(text) {
            self.earlier.push(earlier);
        }
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
        let (text, is_last, refusal) = match outbound {
            Outbound::Message { route: ROUTE, text, is_last, refusal, .. } => (Some(text), is_last, refusal),
            Outbound::End { route: ROUTE } => (None, true, None),
            // There is no stream for it.
            Outbound::Message { .. } | Outbound::End { .. } | Outbound::Abandon { .. } => return,
        };
        match &self.stream {
            Some(stream) => {
                text.iter().for_each(|text| stream.push(text));
                if is_last {
                    stream.end();
                }
            }
            None => {
                text.into_iter().for_each(|text| self.output.push(text));
                self.output.is_over |= is_last;
                self.output.refusal = refusal;
            }
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.stream {
            Some(stream) => stream.poll_read(cx).map(Ok),
            None => Poll::Ready(Ok(())),
        }
    }

    fn buffered(&self) -> usize {
        match &self.stream {
            Some(stream) => stream.unread(),
            None => self.output.bytes,
        }
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(stream) = &self.stream {
            stream.end();
        }
        self.output.is_over = true;
        Poll::Ready(Ok(()))
    }
}
