use std::{
    collections::HashMap,
    future::ready,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use super::{Record, SessionStore};
use crate::driver::BoxFuture;

/// Keeps sessions in memory: so many of them. They outlive the endpoint that they began at, though not the process.
///
/// ```
/// use std::sync::Arc;
/// use mcpeer::server::{Server, sessions::MemorySessionStore};
///
/// let server = Server::builder("lab", "1.0.0").build()?;
/// let store = Arc::new(MemorySessionStore::new(100));
/// // A client that began a session at one of them can go on at the other.
/// let services = [store.clone(), store].map(|store| server.http().session_store(store).service());
/// # drop(services);
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Debug)]
pub struct MemorySessionStore {
    records: Mutex<HashMap<String, Record>>,
    capacity: usize,
}

impl MemorySessionStore {
    /// Makes a store of so many sessions. Where it is full no more are kept until one has ended or expired.
    ///
    /// ```
    /// # use mcpeer::server::sessions::MemorySessionStore;
    /// let store = MemorySessionStore::new(100);
    /// # drop(store);
    /// ```
    pub fn new(capacity: usize) -> Self {
        Self { records: Mutex::default(), capacity }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, record: Record, now: SystemTime) -> io::Result<()> {
        let mut records = self.lock();
        if records.len() >= self.capacity && !records.contains_key(&record.id) {
            records.retain(|_, known| known.expires > now);
            if records.len() >= self.capacity {
                let message = "too many sessions are kept: raise the capacity";
                return Err(io::Error::new(io::ErrorKind::StorageFull, message));
            }
        }
        records.insert(record.id.clone(), record);
        Ok(())
    }
}

impl SessionStore for MemorySessionStore {
    fn put(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        Box::pin(ready(self.add(record, now)))
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        let found = self.lock().get(id).filter(|known| known.expires > now).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn remove(&self, id: &str) -> BoxFuture<io::Result<()>> {
        self.lock().remove(id);
        Box::pin(ready(Ok(())))
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
        self.lock().retain(|_, known| known.expires > now);
        Box::pin(ready(Ok(())))
    }
}
