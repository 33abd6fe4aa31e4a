use std::{
    hash::{BuildHasher, Hasher, RandomState},
    time::Duration,
};

/// How long to wait before something is tried again: twice as long each time, up to a limit, and never quite the same,
/// so that not everybody comes back at once.
///
/// ```
/// use std::time::Duration;
/// use mcpeer::client::Backoff;
///
/// let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(5));
/// assert!(backoff.delay(1) >= Duration::from_millis(50) && backoff.delay(1) <= Duration::from_millis(100));
/// assert!(backoff.delay(50) <= Duration::from_secs(5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    /// Waits about this long before the first attempt, and never longer than that before any.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::client::Backoff;
    /// let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(5));
    /// # let _ = backoff;
    /// ```
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// Gives how long to wait before an attempt, of which the first is 1: between half of the full time and all of it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::client::Backoff;
    /// let delay = Backoff::default().delay(2);
    /// assert!(delay >= Duration::from_millis(500) && delay <= Duration::from_secs(1));
    /// ```
    pub fn delay(&self, attempt: u32) -> Duration {
        let factor = 1u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let full = self.first.saturating_mul(factor).min(self.longest);
        let half = full / 2;
        // A hasher's keys are the one source of randomness that the standard library has.
        let part = RandomState::new().build_hasher().finish() >> 40;
        half + (full - half).mul_f64(part as f64 / (1u64 << 24) as f64)
    }

    /// The longest that is waited.
    pub(crate) fn longest(&self) -> Duration {
        self.longest
    }
}

/// Half a second at first, 30 seconds at most.
impl Default for Backoff {
    fn default() -> Self {
        Self::new(Duration::from_millis(500), Duration::from_secs(30))
    }
}
