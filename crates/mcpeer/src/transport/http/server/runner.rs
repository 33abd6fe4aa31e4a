use std::{
    io,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use super::session::{Mail, Session};
use crate::{
    driver::{BoxFuture, Runtime},
    proto::io::{Inbound, Link, Outbound, Route},
    transport::{Received, Transport},
};

/// After how long without a read a stream on which much waits is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The transport of a session's connection.
pub(super) struct Runner {
    session: Arc<Session>,
    runtime: Runtime,
    /// For how long a client may be away.
    idle: Duration,
    /// The message that was received last.
    mail: Option<Mail>,
    /// Until somebody has to look whether the client is still there.
    expiry: Option<BoxFuture<()>>,
    /// Until somebody has to look whether streams are being read.
    patience: Option<BoxFuture<()>>,
}

impl Runner {
    pub(super) fn new(session: Arc<Session>, runtime: Runtime, idle: Duration) -> Self {
        Self { session, runtime, idle, mail: None, expiry: None, patience: None }
    }

    fn now(&self) -> Instant {
        self.runtime.clock.now()
    }

    /// Waits until the client was away for too long.
    fn poll_expiry(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.expiry.is_none() {
                let now = self.now();
                let Some(due) = self.session.seen(now).checked_add(self.idle) else { return Poll::Pending };
                if due <= now {
                    return Poll::Ready(());
                }
                self.expiry = Some(self.runtime.clock.sleep_until(due));
            }
            if let Some(expiry) = &mut self.expiry
                && expiry.as_mut().poll(cx).is_pending()
            {
                return Poll::Pending;
            }
            self.expiry = None;
        }
    }
}

impl Transport for Runner {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        if let Some(id) = self.session.take_undelivered() {
            return Poll::Ready(Ok(Received::StreamEnded(id)));
        }
        match self.session.poll_mail(cx, self.now()) {
            Poll::Ready(Some(mail)) => {
                let Mail { message, route, edge } = self.mail.insert(mail);
                Poll::Ready(Ok(Received::Message(Inbound { message, route: *route, edge: Some(edge.clone()) })))
            }
            Poll::Ready(None) => Poll::Ready(Ok(Received::InputEnded)),
            Poll::Pending => {
                self.mail = None;
                self.poll_expiry(cx).map(|()| Ok(Received::InputEnded))
            }
        }
    }

    fn send(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Message { route: Route::PIPE, request, text, .. } => self.session.say(request, text),
            Outbound::Message { route, request, is_last, refusal, text, .. } => {
                self.session.send(self.now(), route, request, Some(text), is_last, refusal);
            }
            Outbound::End { route } => self.session.send(self.now(), route, None, None, true, None),
            // What the client asked for is never ours to give up.
            Outbound::Abandon { .. } => {}
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if self.session.poll_read(cx).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let clock = &self.runtime.clock;
            let patience = self.patience.get_or_insert_with(|| clock.sleep(PATIENCE));
            if patience.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.patience = None;
            self.session.give_up_unread();
        }
    }

    fn buffered(&self) -> usize {
        self.session.buffered()
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.session.end();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.session.end();
    }
}
