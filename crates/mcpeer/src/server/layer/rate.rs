use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{
    Request,
    ready::{Ready, layer},
};
use crate::{driver::LONGEST, handler::Reply};

/// Refuses requests beyond so many in a time, and says when to come again. So many may come at once; the room for more
/// grows back evenly. Clones share the limit: so may several tools.
///
/// ```
/// use std::time::Duration;
///
/// use mcpeer::server::{Server, layer::RateLimit};
///
/// let server = Server::builder("search", "1.0.0").layer(RateLimit::new(100, Duration::from_secs(60))).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RateLimit {
    /// How many requests may come at once.
    burst: f64,
    /// How long it takes until one more may come.
    interval: Duration,
    room: Arc<Mutex<Room>>,
}

#[derive(Debug)]
struct Room {
    requests: f64,
    /// When that was so.
    at: Option<Instant>,
}

impl RateLimit {
    /// Sets how many requests are served in a time.
    ///
    /// ```
    /// # use mcpeer::server::layer::RateLimit;
    /// let limit = RateLimit::new(100, std::time::Duration::from_secs(60));
    /// # let _ = limit;
    /// ```
    ///
    /// # Panics
    ///
    /// A limit of no requests, or no time.
    pub fn new(requests: u32, time: Duration) -> Self {
        assert!(requests > 0 && !time.is_zero(), "at least one request in some time must be served");
        let room = Room { requests: requests.into(), at: None };
        Self { burst: requests.into(), interval: time.min(LONGEST) / requests, room: Arc::new(Mutex::new(room)) }
    }

    /// Takes the room for one request, or gives how long it takes until there is some.
    fn take(&self, now: Instant) -> Result<(), Duration> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = room.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        room.requests = self.burst.min(room.requests + passed.as_secs_f64() / self.interval.as_secs_f64().max(1e-9));
        room.at = Some(now);
        if room.requests < 1.0 {
            return Err(self.interval.mul_f64(1.0 - room.requests));
        }
        room.requests -= 1.0;
        Ok(())
    }
}

layer!(RateLimit);

impl Ready for RateLimit {
    async fn serve<E: Send, F: Future<Output = Result<Reply, E>> + Send>(
        self,
        request: Request,
        next: impl FnOnce(Request) -> F + Send,
    ) -> Result<Reply, E> {
        match self.take(request.context().runtime().clock.now()) {
            Ok(()) => next(request).await,
            Err(wait) => Ok(request.refuse(format!("too many requests; try again in {} ms", wait.as_millis() + 1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_grows_back_evenly_and_never_beyond_the_limit() {
        let limit = RateLimit::new(2, Duration::from_secs(10));
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(limit.take(start), Ok(()));
        assert_eq!(limit.take(start), Ok(()));
        assert_eq!(limit.take(start), Err(Duration::from_secs(5)));
        assert_eq!(limit.take(after(4)), Err(Duration::from_secs(1)));
        assert_eq!(limit.take(after(5)), Ok(()));
        assert_eq!(limit.take(after(1000)), Ok(()));
        assert_eq!(limit.take(after(1000)), Ok(()));
        assert!(limit.take(after(1000)).is_err());
    }

    #[test]
    fn a_time_without_an_end_is_as_good_as_any_other() {
        let limit = RateLimit::new(1, Duration::MAX);
        let start = Instant::now();
        assert_eq!(limit.take(start), Ok(()));
        assert!(limit.take(start).is_err());
    }
}
