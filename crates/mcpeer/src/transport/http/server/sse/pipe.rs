use std::{
    io,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use super::channel::{Channel, Mail};
use crate::{
    driver::{BoxFuture, Runtime},
    proto::io::{Inbound, Outbound, Route},
    transport::{Received, Transport},
};

/// After how long without a read a stream on which much waits is given up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How much may be unread before the client is not listened to any more, and nobody reading it counts as that the
/// stream was given up.
const UNREAD: usize = 64 << 10;

/// The transport of a session's connection: an ordered channel each way.
pub(super) struct Pipe {
    channel: Arc<Channel>,
    runtime: Runtime,
    /// The message that was received last.
    mail: Option<Mail>,
    /// Until somebody has to look whether the stream is being read.
    patience: Option<BoxFuture<()>>,
}

impl Pipe {
    pub(super) fn new(channel: Arc<Channel>, runtime: Runtime) -> Self {
        Self { channel, runtime, mail: None, patience: None }
    }
}

impl Transport for Pipe {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        let stream = &self.channel.stream;
        if stream.is_left(cx) {
            return Poll::Ready(Err(gone()));
        }
        if stream.unread() > UNREAD {
            ready!(stream.poll_read(cx));
        }
        self.mail = None;
        Poll::Ready(Ok(match ready!(self.channel.poll_mail(cx)) {
            None => Received::InputEnded,
            Some(mail) => {
                let Mail { message, edge } = self.mail.insert(mail);
                Received::Message(Inbound { message, route: Route::PIPE, edge: Some(edge.clone()) })
            }
        }))
    }

    fn send(&mut self, outbound: Outbound) {
        // The other kinds concern transports that have a stream for each request.
        if let Outbound::Message { text, .. } = outbound {
            self.channel.stream.push(&text);
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let stream = &self.channel.stream;
        loop {
            if stream.has_left() {
                return Poll::Ready(Err(gone()));
            }
            if stream.poll_read(cx).is_ready() {
                self.patience = None;
                return Poll::Ready(Ok(()));
            }
            let clock = &self.runtime.clock;
            let patience = self.patience.get_or_insert_with(|| clock.sleep(PATIENCE));
            ready!(patience.as_mut().poll(cx));
            self.patience = None;
            stream.leave_unread(UNREAD);
        }
    }

    fn buffered(&self) -> usize {
        self.channel.stream.unread()
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.channel.end();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.channel.end();
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the client no longer reads its stream")
}
