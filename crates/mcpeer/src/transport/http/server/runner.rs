use std::{
    io,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use tracing::warn;

use super::{
    session::{Mail, Session},
    store::EventStore,
};
use crate::{
    driver::{BoxFuture, LONGEST, Runtime},
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
    /// Where what is said is kept before it is said.
    events: Option<Arc<dyn EventStore>>,
    /// The message that was received last.
    mail: Option<Mail>,
    /// Until an event is kept.
    saving: Option<BoxFuture<io::Result<()>>>,
    /// Until somebody has to look whether the client is still there.
    expiry: Option<BoxFuture<()>>,
    /// Until somebody has to look whether streams are being read.
    patience: Option<BoxFuture<()>>,
    /// Until what nobody has come back for is forgotten.
    retention: Option<BoxFuture<()>>,
}

impl Runner {
    pub(super) fn new(
        session: Arc<Session>,
        runtime: Runtime,
        idle: Duration,
        events: Option<Arc<dyn EventStore>>,
    ) -> Self {
        Self { session, runtime, idle, events, mail: None, saving: None, expiry: None, patience: None, retention: None }
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
                    self.session.set_expired();
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
            self.renew();
        }
    }

    /// Has what is kept of the session last for longer.
    fn renew(&self) {
        let Some(keeping) = &self.session.keeping else { return };
        let saving = keeping.save(self.runtime.clock.time_of_day());
        self.runtime.spawn.spawn(Box::pin(async move {
            if let Err(error) = saving.await {
                warn!(%error, "a session could not be kept for longer");
            }
        }));
    }

    /// Forgets what nobody has come back for in time.
    fn forget(&mut self, cx: &mut Context<'_>) {
        loop {
            if self.retention.is_none() {
                let Some(due) = self.session.forget(self.now()) else { return };
                self.retention = Some(self.runtime.clock.sleep_until(due));
            }
            if let Some(retention) = &mut self.retention
                && retention.as_mut().poll(cx).is_pending()
            {
                return;
            }
            self.retention = None;
        }
    }

    /// Keeps what is to be said, one event after the other, and has it said.
    fn poll_save(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(store) = &self.events else { return Poll::Ready(()) };
        loop {
            if let Some(saving) = &mut self.saving {
                if let Err(error) = ready!(saving.as_mut().poll(cx)) {
                    warn!(%error, "an event could not be kept: who loses it cannot come back for it");
                }
                self.saving = None;
                self.session.saved(self.runtime.clock.now());
            }
            let now = self.runtime.clock.time_of_day();
            let Some(event) = self.session.unsaved(now + self.idle.min(LONGEST)) else { return Poll::Ready(()) };
            self.saving = Some(store.append(&self.session.id, event, now));
        }
    }
}

impl Transport for Runner {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        // What waits for that is not what comes in.
        let _ = self.poll_save(cx);
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
                self.forget(cx);
                self.poll_expiry(cx).map(|()| Ok(Received::InputEnded))
            }
        }
    }

    fn send(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Message { route: Route::PIPE, request, text, .. } => self.session.say(self.now(), request, text),
            Outbound::Message { route, request, is_last, refusal, text, .. } => {
                self.session.send(self.now(), route, request, Some(text), is_last, refusal);
            }
            Outbound::End { route } => self.session.send(self.now(), route, None, None, true, None),
            // What the client asked for is never ours to give up.
            Outbound::Abandon { .. } => {}
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_save(cx));
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

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_save(cx));
        self.session.end();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.session.end();
    }
}
