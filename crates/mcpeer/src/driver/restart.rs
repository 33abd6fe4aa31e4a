use std::{
    io,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Instant,
};

use tracing::debug;

use super::{Application, Backoff, BoxFuture, Driver, after, slot::Slot};
use crate::{
    proto::io::{Call, Closed, Failure, Misuse},
    transport::Transport,
};

/// Whether a connection is opened anew after it ended by itself: the server's process died, the transport broke.
///
/// ```
/// use std::time::Duration;
/// use mcpeer::client::{Backoff, Client, Restart};
///
/// let restart = Restart::times(5).backoff(Backoff::new(Duration::from_millis(100), Duration::from_secs(10)));
/// let builder = Client::builder("me", "1.0.0").restart(restart);
/// # let _ = builder;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Restart {
    attempts: u32,
    backoff: Backoff,
}

impl Restart {
    /// Gives up after so many attempts in a row that came to nothing, or whose connections did not last.
    ///
    /// ```
    /// # use mcpeer::client::Restart;
    /// let restart = Restart::times(3);
    /// # let _ = restart;
    /// ```
    pub fn times(attempts: u32) -> Self {
        Self { attempts, backoff: Backoff::default() }
    }

    /// Never gives up.
    ///
    /// ```
    /// # use mcpeer::client::Restart;
    /// let restart = Restart::always();
    /// # let _ = restart;
    /// ```
    pub fn always() -> Self {
        Self::times(u32::MAX)
    }

    /// Sets how long to wait before an attempt. A connection that lasts longer than the longest wait counts as good:
    /// after it attempts are counted anew.
    ///
    /// ```
    /// # use mcpeer::client::{Backoff, Restart};
    /// let restart = Restart::always().backoff(Backoff::default());
    /// # let _ = restart;
    /// ```
    #[must_use]
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }
}

/// How far a driver is with opening its connection anew.
pub(super) struct Restarting<T> {
    policy: Option<Restart>,
    /// When the connection that is open came up; `None` before.
    up_since: Option<Instant>,
    /// Whether there was ever one.
    has_been_up: bool,
    /// The attempts since the last connection that lasted.
    attempt: u32,
    /// What happens while no connection is there.
    stage: Option<Stage<T>>,
    /// Whether the transport that is held has ended.
    pub(super) is_transport_closed: bool,
    /// Requests that wait for the next connection.
    waiting: Vec<Waiting>,
    timer: Option<(Instant, BoxFuture<()>)>,
}

enum Stage<T> {
    /// The old transport ends.
    Closing(BoxFuture<()>),
    /// It is not time yet.
    Waiting(BoxFuture<()>),
    Opening(BoxFuture<io::Result<T>>),
}

struct Waiting {
    deadline: Instant,
    call: Box<Call>,
    slot: Arc<Slot>,
}

impl<T> Default for Restarting<T> {
    fn default() -> Self {
        Self {
            policy: None,
            up_since: None,
            has_been_up: false,
            attempt: 0,
            stage: None,
            is_transport_closed: false,
            waiting: Vec::new(),
            timer: None,
        }
    }
}

impl<T> Restarting<T> {
    /// Whether no connection is there.
    pub(super) fn is_down(&self) -> bool {
        self.stage.is_some()
    }

    /// Whether requests have to wait: there was a connection, and the next one is not up.
    pub(super) fn keeps_requests(&self) -> bool {
        self.has_been_up && self.up_since.is_none()
    }

    pub(super) fn fail_waiting(&mut self, failure: &Failure) {
        for waiting in self.waiting.drain(..) {
            waiting.slot.settle(Err(failure.clone()));
        }
        self.timer = None;
    }
}

impl<T: Transport, A: Application> Driver<T, A> {
    /// Lets the driver open the connection anew after it ended by itself; it needs the way to open a transport, too.
    pub fn restart_with(mut self, policy: Option<Restart>) -> Self {
        self.restarting.policy = policy;
        self
    }

    /// Takes note that requests flow; those that have waited for it go out.
    pub(super) fn came_up(&mut self, now: Instant) {
        self.restarting.up_since = Some(now);
        self.restarting.has_been_up = true;
        self.restarting.timer = None;
        for Waiting { deadline, mut call, slot } in std::mem::take(&mut self.restarting.waiting) {
            call.timeout = Some(deadline.saturating_duration_since(now));
            self.send_request(now, *call, slot);
        }
    }

    /// Takes note that the connection has ended; says whether it is opened anew.
    pub(super) fn goes_down(&mut self, now: Instant, closed: &Closed) -> bool {
        let Some(policy) = self.restarting.policy.filter(|_| self.restarting.has_been_up && self.can_reopen()) else {
            return false;
        };
        if *closed == Closed::Local {
            return false;
        }
        let up_since = self.restarting.up_since.take();
        if up_since.is_some_and(|since| now.duration_since(since) >= policy.backoff.longest()) {
            self.restarting.attempt = 0;
        }
        if self.restarting.attempt >= policy.attempts {
            return false;
        }
        self.restarting.attempt += 1;
        let reason = match self.transport.diagnosis() {
            Some(diagnosis) if !closed.to_string().contains(&diagnosis) => format!("{closed}; {diagnosis}"),
            _ => closed.to_string(),
        };
        debug!(reason, attempt = self.restarting.attempt, "the connection ended and is opened anew");
        self.remote.set_restarting(self.restarting.attempt, reason.clone());
        self.drop_work(&Failure::Closed { reason });
        let options = self.remote.options();
        let limit = options.runtime.clock.sleep(options.close_timeout);
        self.restarting.stage = Some(Stage::Closing(limit));
        true
    }

    /// While no connection is there; ready once one is opened, or none will be.
    pub(super) fn poll_down(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let now = self.now();
            self.commands(now);
            if self.expire_waiting(cx, now) {
                continue;
            }
            if self.closed.is_some() {
                self.restarting.stage = None;
                return Poll::Ready(());
            }
            match self.poll_stage(cx, now) {
                Poll::Ready(true) => return Poll::Ready(()),
                Poll::Ready(false) => {}
                Poll::Pending => {
                    if self.remote.sleep(cx.waker()) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }

    /// Goes on by a step; says whether it was the last.
    fn poll_stage(&mut self, cx: &mut Context<'_>, now: Instant) -> Poll<bool> {
        let next = match &mut self.restarting.stage {
            None => return Poll::Ready(true),
            Some(Stage::Closing(limit)) => {
                if self.transport.poll_close(cx).is_pending() {
                    ready!(limit.as_mut().poll(cx));
                    debug!("the old transport did not end in time");
                }
                self.restarting.is_transport_closed = true;
                self.wait_stage()
            }
            Some(Stage::Waiting(delay)) => {
                ready!(delay.as_mut().poll(cx));
                match &mut self.reopen {
                    Some(reopen) => Stage::Opening(reopen()),
                    None => return Poll::Ready(true),
                }
            }
            Some(Stage::Opening(opening)) => match ready!(opening.as_mut().poll(cx)) {
                Ok(transport) => {
                    self.restarting.stage = None;
                    self.restarting.is_transport_closed = false;
                    self.connection = self.connection.restarted(transport.link(), now);
                    self.transport = transport;
                    self.is_input_open = true;
                    self.needs_flush = false;
                    return Poll::Ready(true);
                }
                Err(error) => {
                    let reason = format!("the connection could not be opened anew: {error}");
                    if self.restarting.attempt >= self.restarting.policy.map_or(0, |policy| policy.attempts) {
                        self.end(Closed::Transport { reason });
                        return Poll::Ready(false);
                    }
                    self.restarting.attempt += 1;
                    self.remote.set_restarting(self.restarting.attempt, reason);
                    self.wait_stage()
                }
            },
        };
        self.restarting.stage = Some(next);
        Poll::Ready(false)
    }

    fn wait_stage(&self) -> Stage<T> {
        let backoff = self.restarting.policy.map_or_else(Backoff::default, |policy| policy.backoff);
        Stage::Waiting(self.remote.options().runtime.clock.sleep(backoff.delay(self.restarting.attempt)))
    }

    /// Keeps a request until the next connection is up, within its time.
    pub(super) fn keep_request(&mut self, now: Instant, call: Box<Call>, slot: Arc<Slot>) {
        let config = self.connection.config();
        self.restarting.waiting.retain(|waiting| waiting.slot.is_open());
        if self.restarting.waiting.len() >= config.limits.pending {
            slot.settle(Err(Failure::Misuse(Misuse::Limit { what: "requests that wait for a restart" })));
            return;
        }
        let deadline = after(now, call.timeout.unwrap_or(config.deadlines.request));
        self.restarting.waiting.push(Waiting { deadline, call, slot });
    }

    /// Fails the requests that have waited too long; whether the time of more may have come.
    pub(super) fn expire_waiting(&mut self, cx: &mut Context<'_>, now: Instant) -> bool {
        let restarting = &mut self.restarting;
        if restarting.waiting.is_empty() {
            return false;
        }
        let default = self.connection.config().deadlines.request;
        restarting.waiting.retain(|waiting| {
            let is_due = waiting.deadline <= now;
            if is_due {
                let after = waiting.call.timeout.unwrap_or(default);
                waiting.slot.settle(Err(Failure::Timeout { after, is_total: false }));
            }
            !is_due
        });
        let Some(deadline) = restarting.waiting.iter().map(|waiting| waiting.deadline).min() else { return false };
        if restarting.timer.as_ref().is_none_or(|(armed, _)| *armed != deadline) {
            restarting.timer = Some((deadline, self.remote.options().runtime.clock.sleep_until(deadline)));
        }
        let has_fired = restarting.timer.as_mut().is_some_and(|(_, timer)| timer.as_mut().poll(cx).is_ready());
        if has_fired {
            restarting.timer = None;
        }
        has_fired
    }
}
