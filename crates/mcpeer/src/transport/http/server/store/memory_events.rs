use std::{
    collections::VecDeque,
    future::ready,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use super::{Event, EventStore};
use crate::driver::BoxFuture;

/// Keeps events in memory: so many of them, and so many bytes. Where it is full the oldest go.
///
/// ```
/// use std::sync::Arc;
/// use mcpeer::server::{Server, sessions::MemoryEventStore};
///
/// let server = Server::builder("lab", "1.0.0").build()?;
/// let http = server.http().event_store(Arc::new(MemoryEventStore::new(10_000).max_bytes(1 << 20)));
/// # drop(http);
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Debug)]
pub struct MemoryEventStore {
    kept: Mutex<Kept>,
    capacity: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Kept {
    /// With their sessions, oldest first.
    events: VecDeque<(String, Event)>,
    bytes: usize,
}

impl MemoryEventStore {
    /// Makes a store of so many events, and of 64 MiB.
    ///
    /// ```
    /// # use mcpeer::server::sessions::MemoryEventStore;
    /// let store = MemoryEventStore::new(10_000);
    /// # drop(store);
    /// ```
    pub fn new(capacity: usize) -> Self {
        Self { kept: Mutex::default(), capacity, max_bytes: 64 << 20 }
    }

    /// Sets how many bytes all events may have; one event is always kept.
    ///
    /// ```
    /// # use mcpeer::server::sessions::MemoryEventStore;
    /// let store = MemoryEventStore::new(10_000).max_bytes(1 << 20);
    /// # drop(store);
    /// ```
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventStore for MemoryEventStore {
    fn append(&self, session: &str, event: Event, _: SystemTime) -> BoxFuture<io::Result<()>> {
        let mut kept = self.lock();
        kept.bytes += size(session, &event);
        kept.events.push_back((session.to_owned(), event));
        while kept.events.len() > 1 && (kept.events.len() > self.capacity || kept.bytes > self.max_bytes) {
            if let Some((session, event)) = kept.events.pop_front() {
                kept.bytes -= size(&session, &event);
            }
        }
        Box::pin(ready(Ok(())))
    }

    fn after(&self, session: &str, stream: &str, sequence: u64, now: SystemTime) -> BoxFuture<io::Result<Vec<Event>>> {
        let is_meant = |of: &str, event: &Event| {
            of == session && event.stream == stream && event.sequence > sequence && event.expires > now
        };
        let kept = self.lock();
        let found = kept.events.iter().filter(|(of, event)| is_meant(of, event)).map(|(_, event)| event.clone());
        let found = found.collect();
        Box::pin(ready(Ok(found)))
    }

    fn remove(&self, session: &str) -> BoxFuture<io::Result<()>> {
        self.lock().retain(|of, _| of != session);
        Box::pin(ready(Ok(())))
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
        self.lock().retain(|_, event| event.expires > now);
        Box::pin(ready(Ok(())))
    }
}

impl Kept {
    fn retain(&mut self, keeps: impl Fn(&str, &Event) -> bool) {
        let bytes = &mut self.bytes;
        self.events.retain(|(session, event)| {
            let is_kept = keeps(session, event);
            if !is_kept {
                *bytes -= size(session, event);
            }
            is_kept
        });
        self.events.shrink_to_fit();
    }
}

fn size(session: &str, event: &Event) -> usize {
    session.len() + event.stream.len() + event.text.len()
}
