use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use crate::driver::{BoxFuture, Clock, Tokio, after};

/// A clock that stands still until it is turned. Clones are the same clock.
///
/// ```
/// use std::time::Duration;
/// use mcpeer::{server::Server, testing::{ManualClock, Pair}};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("slow", "1.0.0").tool("never", async || std::future::pending::<String>().await).build()?;
/// let clock = ManualClock::new();
/// let pair = Pair::of(&server).clock(&clock).connect().await?;
/// let call = pair.client().call("never").timeout(Duration::from_secs(3600)).send();
/// pair.wire().until_sent("tools/call").await;
/// clock.turn(Duration::from_secs(3600));
/// assert!(call.await.unwrap_err().is_timeout());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ManualClock(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Told when somebody begins to wait.
    asleep: Notify,
}

struct State {
    now: Instant,
    last: u64,
    sleepers: BTreeMap<u64, (Instant, Waker)>,
}

impl ManualClock {
    /// Makes a clock that shows the time of its making.
    ///
    /// ```
    /// let clock = mcpeer::testing::ManualClock::new();
    /// # let _ = clock;
    /// ```
    pub fn new() -> Self {
        let state = State { now: Tokio.now(), last: 0, sleepers: BTreeMap::new() };
        Self(Arc::new(Shared { state: Mutex::new(state), asleep: Notify::new() }))
    }

    /// Lets time pass, and wakes who has waited for it. What they do then happens when they get their turn, not in here.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mcpeer::{driver::Clock, testing::ManualClock};
    ///
    /// let clock = ManualClock::new();
    /// let before = clock.now();
    /// clock.turn(Duration::from_secs(5));
    /// assert_eq!(clock.now() - before, Duration::from_secs(5));
    /// ```
    pub fn turn(&self, by: Duration) {
        let mut state = self.lock();
        let now = after(state.now, by);
        let due = state.turn_to(now);
        drop(state);
        for waker in due {
            waker.wake();
        }
    }

    /// Waits until somebody waits for a time, and turns the clock to the earliest such time; says by how much. What is
    /// to happen on a clock at rest needs no more than this to happen at once.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mcpeer::{driver::Clock, testing::ManualClock};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let clock = ManualClock::new();
    /// let alarm = tokio::spawn(clock.sleep_until(clock.now() + Duration::from_secs(7)));
    /// assert_eq!(clock.turn_to_next().await, Duration::from_secs(7));
    /// alarm.await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn turn_to_next(&self) -> Duration {
        loop {
            let mut asleep = pin!(self.0.asleep.notified());
            asleep.as_mut().enable();
            if let Some(next) = self.next() {
                self.turn(next);
                return next;
            }
            asleep.await;
        }
    }

    /// Gives how long it is to the earliest time that somebody waits for.
    ///
    /// ```
    /// assert_eq!(mcpeer::testing::ManualClock::new().next(), None);
    /// ```
    pub fn next(&self) -> Option<Duration> {
        let state = self.lock();
        let earliest = state.sleepers.values().map(|(deadline, _)| *deadline).min()?;
        Some(earliest.saturating_duration_since(state.now))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn turn_to(&mut self, now: Instant) -> Vec<Waker> {
        self.now = now;
        let due: Vec<u64> =
            self.sleepers.iter().filter(|(_, (deadline, _))| *deadline <= now).map(|(id, _)| *id).collect();
        due.into_iter().filter_map(|id| self.sleepers.remove(&id)).map(|(_, waker)| waker).collect()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        self.lock().now
    }

    fn sleep_until(&self, deadline: Instant) -> BoxFuture<()> {
        let mut state = self.lock();
        state.last += 1;
        Box::pin(Sleep { clock: self.clone(), id: state.last, deadline })
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock").field("next", &self.next()).finish()
    }
}

struct Sleep {
    clock: ManualClock,
    id: u64,
    deadline: Instant,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.lock();
        if self.deadline <= state.now {
            return Poll::Ready(());
        }
        state.sleepers.insert(self.id, (self.deadline, cx.waker().clone()));
        drop(state);
        self.clock.0.asleep.notify_waiters();
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.id);
    }
}
