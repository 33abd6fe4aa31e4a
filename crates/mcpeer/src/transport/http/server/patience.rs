use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};

use crate::driver::{BoxFuture, Clock, Runtime, after};

/// How long one connection waits for something. It waits anew for each request, and what it waits for mostly comes long
/// before its time: so the timer of the system goes on from one to the next, and is set anew only when it has fired.
#[derive(Debug)]
pub(super) struct Patience(Arc<Shared>);

struct Shared {
    runtime: Runtime,
    armed: Mutex<Option<Armed>>,
}

/// A timer that runs.
struct Armed {
    due: Instant,
    timer: BoxFuture<()>,
    /// What it wakes.
    waker: Option<Waker>,
}

impl Patience {
    pub(super) fn new(runtime: Runtime) -> Self {
        Self(Arc::new(Shared { runtime, armed: Mutex::new(None) }))
    }
}

impl Timer for Patience {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(after(self.now(), duration))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Waiting { shared: self.0.clone(), deadline })
    }

    fn now(&self) -> Instant {
        self.0.runtime.clock.now()
    }
}

impl Armed {
    fn poll(&mut self, cx: &mut Context<'_>, clock: &dyn Clock) -> Poll<()> {
        // The timer knows whom to wake, and has no reason to yet.
        if self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) && clock.now() < self.due {
            return Poll::Pending;
        }
        self.waker = Some(cx.waker().clone());
        self.timer.as_mut().poll(cx)
    }
}

/// One wait.
struct Waiting {
    shared: Arc<Shared>,
    deadline: Instant,
}

impl Sleep for Waiting {}

impl Future for Waiting {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let clock = &self.shared.runtime.clock;
        let mut place = self.shared.armed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let due = self.deadline;
            let armed = place.get_or_insert_with(|| Armed { due, timer: clock.sleep_until(due), waker: None });
            if armed.due <= due && armed.poll(cx, &**clock).is_pending() {
                return Poll::Pending;
            }
            let was_due = armed.due;
            *place = None;
            if was_due == due {
                return Poll::Ready(());
            }
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::driver::Tokio;

    /// Counts how often somebody waited.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Clock for Counting {
        fn now(&self) -> Instant {
            Tokio.now()
        }

        fn sleep_until(&self, deadline: Instant) -> BoxFuture<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Tokio.sleep_until(deadline)
        }
    }

    #[test]
    fn waits_that_come_to_nothing_share_a_timer_and_the_last_one_ends_in_its_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let clock = Arc::new(Counting::default());
            let patience = Patience::new(Runtime { clock: clock.clone(), ..Runtime::default() });
            let ten = Duration::from_secs(10);
            for _ in 0..9 {
                let mut wait = patience.sleep(ten);
                assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                Tokio.sleep_until(Tokio.now() + Duration::from_secs(1)).await;
            }
            assert_eq!(clock.0.load(Ordering::Relaxed), 1);
            let start = Tokio.now();
            patience.sleep(ten).await;
            assert_eq!(Tokio.now() - start, ten);
        });
    }
}
