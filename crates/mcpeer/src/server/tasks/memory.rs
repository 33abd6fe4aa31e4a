use std::{
    collections::{HashMap, hash_map::Entry},
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use super::{Record, TaskStore};
use crate::driver::BoxFuture;

/// Keeps tasks in memory, for a server that runs as one process: so many of them, and so many bytes.
///
/// ```
/// use mcpeer::server::{Server, tasks::{MemoryTaskStore, Tasks}};
///
/// let tasks = Tasks::new().store(MemoryTaskStore::new(100).max_bytes(1 << 20));
/// let server = Server::builder("lab", "1.0.0").extension(tasks).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Debug)]
pub struct MemoryTaskStore {
    kept: Mutex<Kept>,
    capacity: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Kept {
    records: HashMap<String, Record>,
    bytes: usize,
}

impl MemoryTaskStore {
    /// Makes a store of so many tasks, and of 64 MiB. Where it is full no task is taken until one has expired.
    ///
    /// ```
    /// # use mcpeer::server::tasks::MemoryTaskStore;
    /// let store = MemoryTaskStore::new(100);
    /// # drop(store);
    /// ```
    pub fn new(capacity: usize) -> Self {
        Self { kept: Mutex::default(), capacity, max_bytes: 64 << 20 }
    }

    /// Sets how many bytes all tasks may have, with their results.
    ///
    /// ```
    /// # use mcpeer::server::tasks::MemoryTaskStore;
    /// let store = MemoryTaskStore::new(100).max_bytes(1 << 20);
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

    fn add(&self, record: Record, now: SystemTime) -> io::Result<()> {
        let mut kept = self.lock();
        let size = size(&record);
        if kept.records.len() >= self.capacity || kept.bytes.saturating_add(size) > self.max_bytes {
            kept.remove_expired(now);
        }
        if kept.records.get(&record.id).is_some_and(|known| known.expires > now) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a task of this id"));
        }
        if kept.records.len() >= self.capacity || kept.bytes.saturating_add(size) > self.max_bytes {
            return Err(full());
        }
        kept.bytes += size;
        if let Some(expired) = kept.records.insert(record.id.clone(), record) {
            kept.bytes -= self::size(&expired);
        }
        Ok(())
    }

    fn change(&self, record: Record, now: SystemTime) -> io::Result<bool> {
        let mut kept = self.lock();
        let is_next = |known: &Record| known.expires > now && known.version.checked_add(1) == Some(record.version);
        let Some(known) = kept.records.get(&record.id).filter(|known| is_next(known)) else { return Ok(false) };
        let (before, after) = (size(known), size(&record));
        let others = kept.bytes - before;
        if after > before && others.saturating_add(after) > self.max_bytes {
            return Err(full());
        }
        kept.bytes = others + after;
        if let Entry::Occupied(mut place) = kept.records.entry(record.id.clone()) {
            place.insert(record);
        }
        Ok(true)
    }
}

impl TaskStore for MemoryTaskStore {
    fn insert(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        let outcome = self.add(record, now);
        Box::pin(async move { outcome })
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        let found = self.lock().records.get(id).filter(|known| known.expires > now).cloned();
        Box::pin(async move { Ok(found) })
    }

    fn replace(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        let outcome = self.change(record, now);
        Box::pin(async move { outcome })
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        let mut kept = self.lock();
        kept.remove_expired(now);
        let is_left = !kept.records.is_empty();
        Box::pin(async move { Ok(is_left) })
    }

    fn is_shared(&self) -> bool {
        false
    }
}

impl Kept {
    fn remove_expired(&mut self, now: SystemTime) {
        let bytes = &mut self.bytes;
        self.records.retain(|_, record| {
            let is_kept = record.expires > now;
            if !is_kept {
                *bytes -= size(record);
            }
            is_kept
        });
        if self.records.is_empty() {
            self.records.shrink_to_fit();
        }
    }
}

fn size(record: &Record) -> usize {
    record.id.len() + record.text.len()
}

fn full() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "too many tasks are kept: raise the capacity")
}
