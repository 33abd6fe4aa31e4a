use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

/// Tells the time and waits for it. Everything above the core reads the time through this.
///
/// ```
/// use mcpeer::driver::{Clock, Tokio};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let start = Tokio.now();
/// Tokio.sleep_until(start + std::time::Duration::from_secs(5)).await;
/// assert_eq!((Tokio.now() - start).as_secs(), 5);
/// # });
/// ```
pub trait Clock: Send + Sync + 'static {
    /// Gives the present moment.
    fn now(&self) -> Instant;

    /// Waits for a moment.
    fn sleep_until(&self, deadline: Instant) -> BoxFuture<()>;

    /// Waits for a time from now on. However long that is, it can be waited for: what is beyond a hundred years is as
    /// good as for ever.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mcpeer::driver::{Clock, Tokio};
    ///
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    /// # runtime.unwrap().block_on(async {
    /// let start = Tokio.now();
    /// Tokio.sleep(Duration::from_secs(5)).await;
    /// assert_eq!((Tokio.now() - start).as_secs(), 5);
    /// # });
    /// ```
    fn sleep(&self, time: Duration) -> BoxFuture<()> {
        self.sleep_until(after(self.now(), time))
    }

    /// Gives the time of day, which several machines share: that of the system, put off by as much as this clock's
    /// present is.
    #[allow(clippy::disallowed_methods, reason = "this is the one reader of the time of day")]
    fn time_of_day(&self) -> SystemTime {
        let (ours, real) = (self.now(), Instant::now());
        match ours.checked_duration_since(real) {
            Some(ahead) => SystemTime::now() + ahead,
            None => SystemTime::now() - real.duration_since(ours),
        }
    }
}

/// Runs a future beside the caller. Everything above the core starts tasks through this.
///
/// ```
/// use mcpeer::driver::{Spawn, Tokio};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (sender, receiver) = tokio::sync::oneshot::channel();
/// Tokio.spawn(Box::pin(async move { drop(sender.send(7)) }));
/// assert_eq!(receiver.await, Ok(7));
/// # });
/// ```
pub trait Spawn: Send + Sync + 'static {
    /// Starts the future. It is polled at least once, or dropped where the runtime has ended.
    fn spawn(&self, future: BoxFuture<()>);

    /// Runs work that blocks or computes for long, where it holds up no future. Unless implemented it gets a thread of
    /// its own. It runs, or is dropped where that is not possible.
    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        let name = "mcpeer blocking work".to_owned();
        if let Err(error) = std::thread::Builder::new().name(name).spawn(work) {
            tracing::error!(%error, "no thread could be started");
        }
    }
}

/// A future on the heap that may change threads.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The clock and the tasks of the tokio runtime that is current; the default.
///
/// ```
/// use mcpeer::driver::{Clock, Tokio};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// assert!(Tokio.now() <= Tokio.now());
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokio;

impl Clock for Tokio {
    // The only place that reads the time: tokio's own clock, which a test can pause.
    #[allow(clippy::disallowed_methods, reason = "this is the one reader of the clock")]
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    #[allow(clippy::disallowed_methods, reason = "this is the one that waits for the clock")]
    fn sleep_until(&self, deadline: Instant) -> BoxFuture<()> {
        Box::pin(tokio::time::sleep_until(deadline.into()))
    }
}

impl Spawn for Tokio {
    #[allow(clippy::disallowed_methods, reason = "this is the one that starts tasks")]
    fn spawn(&self, future: BoxFuture<()>) {
        drop(tokio::spawn(future));
    }

    #[allow(clippy::disallowed_methods, reason = "this is the one that starts blocking work")]
    fn spawn_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        drop(tokio::task::spawn_blocking(work));
    }
}

/// As good as for ever, and no sum with the present overflows.
pub(crate) const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Gives the moment that is a time after another one, at most [`LONGEST`].
pub(crate) fn after(moment: Instant, time: Duration) -> Instant {
    moment + time.min(LONGEST)
}

/// A clock and a spawner, shared by a driver and all that belongs to it.
#[derive(Clone)]
pub(crate) struct Runtime {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) spawn: Arc<dyn Spawn>,
}

impl Default for Runtime {
    fn default() -> Self {
        Self { clock: Arc::new(Tokio), spawn: Arc::new(Tokio) }
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runtime")
    }
}
