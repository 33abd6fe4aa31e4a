use std::{any::Any, fmt, sync::Arc, time::Duration};

use super::{
    Clock, Sealing, Spawn,
    time::{LONGEST, Runtime},
};

/// How a driver treats time, tasks and memory.
///
/// ```
/// use std::time::Duration;
///
/// let options = mcpeer::driver::Options::default().cancel_grace(Duration::from_secs(1)).max_buffered(16 << 20);
/// # drop(options);
/// ```
#[derive(Clone)]
pub struct Options {
    pub(crate) runtime: Runtime,
    pub(super) high_water: usize,
    pub(super) start_mark: usize,
    pub(super) max_buffered: usize,
    pub(super) max_running: usize,
    pub(super) cancel_grace: Duration,
    pub(super) close_timeout: Duration,
    /// What the code above wants at hand with each request.
    #[doc(hidden)]
    pub application: Option<Arc<dyn Any + Send + Sync>>,
    /// What seals the state of requests that take several rounds.
    #[doc(hidden)]
    pub sealing: Option<Arc<dyn Sealing>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            runtime: Runtime::default(),
            high_water: 256 << 10,
            start_mark: 2 << 20,
            max_buffered: 128 << 20,
            max_running: 1024,
            cancel_grace: Duration::from_secs(5),
            close_timeout: Duration::from_secs(30),
            application: None,
            sealing: None,
        }
    }
}

impl Options {
    /// Sets the clock; tokio's unless set.
    ///
    /// ```
    /// # use mcpeer::driver::{Options, Tokio};
    /// let options = Options::default().clock(Tokio);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.runtime.clock = Arc::new(clock);
        self
    }

    /// Sets what starts tasks; tokio unless set.
    ///
    /// ```
    /// # use mcpeer::driver::{Options, Tokio};
    /// let options = Options::default().spawner(Tokio);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn spawner(mut self, spawn: impl Spawn) -> Self {
        self.runtime.spawn = Arc::new(spawn);
        self
    }

    /// Sets how many unwritten bytes make progress, log and other notifications wait; 256 KiB unless set.
    ///
    /// ```
    /// # use mcpeer::driver::Options;
    /// let options = Options::default().high_water(64 << 10);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn high_water(mut self, bytes: usize) -> Self {
        self.high_water = bytes;
        self
    }

    /// Sets how many unwritten bytes keep new requests of the peer from being started; 2 MiB unless set.
    ///
    /// ```
    /// # use mcpeer::driver::Options;
    /// let options = Options::default().start_mark(1 << 20);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn start_mark(mut self, bytes: usize) -> Self {
        self.start_mark = bytes;
        self
    }

    /// Sets how many bytes may wait for a peer that does not read before the connection is closed with an error;
    /// 128 MiB unless set. One message is always accepted, however long.
    ///
    /// ```
    /// # use mcpeer::driver::Options;
    /// let options = Options::default().max_buffered(8 << 20);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn max_buffered(mut self, bytes: usize) -> Self {
        self.max_buffered = bytes;
        self
    }

    /// Sets how many handlers may run at once, those included that were cancelled and have not ended yet; 1024 unless
    /// set. The requests beyond it wait in order.
    ///
    /// ```
    /// # use mcpeer::driver::Options;
    /// let options = Options::default().max_running(16);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn max_running(mut self, handlers: usize) -> Self {
        self.max_running = handlers.max(1);
        self
    }

    /// Sets how long a handler may go on after its request was cancelled; then its future is dropped. 5 s unless set.
    ///
    /// ```
    /// # use mcpeer::driver::Options;
    /// let options = Options::default().cancel_grace(std::time::Duration::ZERO);
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn cancel_grace(mut self, grace: Duration) -> Self {
        self.cancel_grace = grace.min(LONGEST);
        self
    }

    #[allow(dead_code, reason = "tasks are a feature")]
    pub(crate) fn cancel_grace_time(&self) -> Duration {
        self.cancel_grace
    }

    /// Sets how long a closed connection may take to write out the rest and to end its transport; 30 s unless set.
    ///
    /// ```
    /// # use mcpeer::driver::Options;
    /// let options = Options::default().close_timeout(std::time::Duration::from_secs(2));
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn close_timeout(mut self, timeout: Duration) -> Self {
        self.close_timeout = timeout.min(LONGEST);
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("high_water", &self.high_water)
            .field("start_mark", &self.start_mark)
            .field("max_buffered", &self.max_buffered)
            .field("max_running", &self.max_running)
            .field("cancel_grace", &self.cancel_grace)
            .field("close_timeout", &self.close_timeout)
            .finish_non_exhaustive()
    }
}
