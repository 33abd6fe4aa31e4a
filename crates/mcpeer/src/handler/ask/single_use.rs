use std::{
    collections::HashMap,
    fmt, io,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use crate::driver::BoxFuture;

/// Remembers which states were used. Instances of a server share one.
///
/// ```
/// use std::time::SystemTime;
/// use mcpeer::{driver::BoxFuture, handler::ask::SingleUse};
///
/// #[derive(Debug)]
/// struct Never;
///
/// impl SingleUse for Never {
///     fn redeem(&self, _: &str, _: SystemTime, _: SystemTime) -> BoxFuture<std::io::Result<bool>> {
///         Box::pin(async { Ok(false) })
///     }
/// }
/// # let _ = Never;
/// ```
pub trait SingleUse: Send + Sync + fmt::Debug + 'static {
    /// Takes note that the state of this id is used, and tells whether it is for the first time. From `until` on the
    /// state would not be taken anyway, so the id may be forgotten.
    ///
    /// # Errors
    ///
    /// The store does not answer; the call fails.
    fn redeem(&self, id: &str, now: SystemTime, until: SystemTime) -> BoxFuture<io::Result<bool>>;
}

/// Remembers in memory, for a server that runs as one process.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use mcpeer::handler::ask::{MemorySingleUse, SingleUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = MemorySingleUse::new(1000);
/// let now = SystemTime::UNIX_EPOCH;
/// assert!(store.redeem("a", now, now + Duration::from_secs(60)).await?);
/// assert!(!store.redeem("a", now, now + Duration::from_secs(60)).await?);
/// # Ok::<(), std::io::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct MemorySingleUse {
    used: Mutex<HashMap<Box<str>, SystemTime>>,
    capacity: usize,
}

impl MemorySingleUse {
    /// Makes a store of so many ids. Where it is full, no further state is taken until one has expired.
    ///
    /// ```
    /// # use mcpeer::handler::ask::MemorySingleUse;
    /// let store = MemorySingleUse::new(1000);
    /// # drop(store);
    /// ```
    pub fn new(capacity: usize) -> Self {
        Self { used: Mutex::default(), capacity }
    }

    fn note(&self, id: &str, now: SystemTime, until: SystemTime) -> io::Result<bool> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.contains_key(id) {
            return Ok(false);
        }
        if used.len() >= self.capacity {
            used.retain(|_, until| *until > now);
        }
        if used.len() >= self.capacity {
            return Err(io::Error::other("too many states are remembered as used: raise the capacity"));
        }
        used.insert(id.into(), until);
        Ok(true)
    }
}

impl SingleUse for MemorySingleUse {
    fn redeem(&self, id: &str, now: SystemTime, until: SystemTime) -> BoxFuture<io::Result<bool>> {
        let outcome = self.note(id, now, until);
        Box::pin(async move { outcome })
    }
}
