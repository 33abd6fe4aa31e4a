use std::{fmt, io, sync::Arc, time::SystemTime};

use crate::driver::BoxFuture;

/// What is kept of a task: its id, and a text that is the server's own affair.
///
/// ```
/// use std::time::SystemTime;
/// use mcpeer::server::tasks::Record;
///
/// let record = Record { id: "786512e2".into(), version: 0, expires: SystemTime::UNIX_EPOCH, text: "{}".into() };
/// # drop(record);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// How often it has changed.
    pub version: u64,
    /// From when on it is as if it were not there.
    pub expires: SystemTime,
    /// What is kept: JSON, of some hundred bytes and the result of the call.
    pub text: String,
}

/// Keeps tasks. Instances of a server that share a database share a store.
///
/// What is done is durable when its future completes. The time is always given, and is that of day. Check your store
/// with `mcpeer::testing::task_store_contract`, feature `testing`.
///
/// ```
/// use std::{io, time::SystemTime};
/// use mcpeer::{driver::BoxFuture, server::tasks::{MemoryTaskStore, Record, TaskStore}};
///
/// /// Says what is done, and does it elsewhere.
/// #[derive(Debug)]
/// struct Loud(MemoryTaskStore);
///
/// impl TaskStore for Loud {
///     fn insert(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
///         eprintln!("+ {}", record.id);
///         self.0.insert(record, now)
///     }
///
///     fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
///         self.0.get(id, now)
///     }
///
///     fn replace(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<bool>> {
///         self.0.replace(record, now)
///     }
///
///     fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<bool>> {
///         self.0.remove_expired(now)
///     }
/// }
/// # let _ = Loud(MemoryTaskStore::new(10));
/// ```
pub trait TaskStore: Send + Sync + fmt::Debug + 'static {
    /// Adds a record.
    ///
    /// # Errors
    ///
    /// The id is taken ([`AlreadyExists`](io::ErrorKind::AlreadyExists)), there is no room
    /// ([`StorageFull`](io::ErrorKind::StorageFull)), or the store does not answer.
    fn insert(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>>;

    /// Gives the record of this id; `None` where there is none or it has expired.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>>;

    /// Puts a record in the place of the one of its id whose version is one less, in one step. `false`, and nothing is
    /// changed, where that has another version, has expired, or is not there.
    ///
    /// # Errors
    ///
    /// There is no room ([`StorageFull`](io::ErrorKind::StorageFull)), or the store does not answer.
    fn replace(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<bool>>;

    /// Removes what has expired, and tells whether anything else is left. Called once a minute while it is.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<bool>>;

    /// Whether other instances of the server change what is kept. Where they do, an instance looks at each task that
    /// it runs once a second, for answers and cancellations that came in elsewhere.
    fn is_shared(&self) -> bool {
        true
    }
}

impl<S: TaskStore + ?Sized> TaskStore for Arc<S> {
    fn insert(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        (**self).insert(record, now)
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        (**self).get(id, now)
    }

    fn replace(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        (**self).replace(record, now)
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        (**self).remove_expired(now)
    }

    fn is_shared(&self) -> bool {
        (**self).is_shared()
    }
}
