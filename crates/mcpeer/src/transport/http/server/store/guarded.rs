use std::{
    any::Any,
    fmt,
    future::poll_fn,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Poll, ready},
    time::{Duration, SystemTime},
};

use super::{Event, EventStore, Record, SessionStore};
use crate::driver::{BoxFuture, Runtime, panic_text};

/// A store of somebody else's, which may hang or panic: to who asks it, that is a store which does not answer.
pub(in super::super) struct Guarded<S: ?Sized> {
    store: Arc<S>,
    patience: Duration,
    runtime: Runtime,
}

impl<S: ?Sized> Guarded<S> {
    pub(in super::super) fn new(store: Arc<S>, patience: Duration, runtime: Runtime) -> Self {
        Self { store, patience, runtime }
    }

    fn ask<T: Send + 'static>(&self, ask: impl FnOnce(&S) -> BoxFuture<io::Result<T>>) -> BoxFuture<io::Result<T>> {
        let asked = catch_unwind(AssertUnwindSafe(|| ask(&self.store)));
        let (runtime, patience) = (self.runtime.clone(), self.patience);
        Box::pin(async move {
            let mut asked = asked.map_err(panicked)?;
            let mut timer = None;
            let answer = poll_fn(|cx| {
                match catch_unwind(AssertUnwindSafe(|| asked.as_mut().poll(cx))) {
                    Ok(Poll::Ready(answer)) => return Poll::Ready(answer),
                    Ok(Poll::Pending) => {}
                    Err(payload) => return Poll::Ready(Err(panicked(payload))),
                }
                let timer = timer.get_or_insert_with(|| runtime.clock.sleep(patience));
                ready!(timer.as_mut().poll(cx));
                Poll::Ready(Err(too_late(patience)))
            })
            .await;
            // A future's drop may panic as well as its poll.
            match catch_unwind(AssertUnwindSafe(|| drop(asked))) {
                Ok(()) => answer,
                Err(payload) => Err(panicked(payload)),
            }
        })
    }
}

impl<S: SessionStore + ?Sized> SessionStore for Guarded<S> {
    fn put(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        self.ask(|store| store.put(record, now))
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        self.ask(|store| store.get(id, now))
    }

    fn remove(&self, id: &str) -> BoxFuture<io::Result<()>> {
        self.ask(|store| store.remove(id))
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
        self.ask(|store| store.remove_expired(now))
    }
}

impl<S: EventStore + ?Sized> EventStore for Guarded<S> {
    fn append(&self, session: &str, event: Event, now: SystemTime) -> BoxFuture<io::Result<()>> {
        self.ask(|store| store.append(session, event, now))
    }

    fn after(&self, session: &str, stream: &str, sequence: u64, now: SystemTime) -> BoxFuture<io::Result<Vec<Event>>> {
        self.ask(|store| store.after(session, stream, sequence, now))
    }

    fn remove(&self, session: &str) -> BoxFuture<io::Result<()>> {
        self.ask(|store| store.remove(session))
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
        self.ask(|store| store.remove_expired(now))
    }
}

impl<S: fmt::Debug + ?Sized> fmt::Debug for Guarded<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> io::Error {
    io::Error::other(format!("the store panicked: {}", panic_text(payload)))
}

fn too_late(patience: Duration) -> io::Error {
    let message = format!("the store did not answer within {patience:?}; `store_timeout` on the endpoint allows more");
    io::Error::new(io::ErrorKind::TimedOut, message)
}
