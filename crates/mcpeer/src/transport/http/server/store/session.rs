use std::{fmt, io, sync::Arc, time::SystemTime};

use crate::driver::BoxFuture;

/// What is kept of a session: its id, and a text that is the server's own affair.
///
/// Whoever knows the id can speak in the session, unless the server knows its clients by other means: keep it as
/// secret as a password.
///
/// ```
/// use std::time::SystemTime;
/// use mcpeer::server::sessions::Record;
///
/// let record = Record { id: "q0Yv".into(), expires: SystemTime::UNIX_EPOCH, text: "{}".into() };
/// # drop(record);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Record {
    /// Its id: letters, digits, `-` and `_`.
    pub id: String,
    /// From when on it is as if it were not there.
    pub expires: SystemTime,
    /// What is kept: JSON, of some hundred bytes.
    pub text: String,
}

/// The id is a secret.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("expires", &self.expires).field("text", &self.text).finish_non_exhaustive()
    }
}

/// Keeps sessions of the stateful era over HTTP.
///
/// What is done is durable when its future completes; one that takes longer than
/// [`store_timeout`](crate::server::Http::store_timeout) is dropped. The time is always given, and is that of day. Check
/// your store with `mcpeer::testing::session_store_contract`, feature `testing`.
///
/// ```
/// use std::{io, time::SystemTime};
/// use mcpeer::{driver::BoxFuture, server::sessions::{MemorySessionStore, Record, SessionStore}};
///
/// /// Says what is done, and does it elsewhere.
/// #[derive(Debug)]
/// struct Loud(MemorySessionStore);
///
/// impl SessionStore for Loud {
///     fn put(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
///         eprintln!("a session is kept until {:?}", record.expires);
///         self.0.put(record, now)
///     }
///
///     fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
///         self.0.get(id, now)
///     }
///
///     fn remove(&self, id: &str) -> BoxFuture<io::Result<()>> {
///         self.0.remove(id)
///     }
///
///     fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
///         self.0.remove_expired(now)
///     }
/// }
/// # let _ = Loud(MemorySessionStore::new(10));
/// ```
pub trait SessionStore: Send + Sync + fmt::Debug + 'static {
    /// Keeps a record, in the place of another of its id.
    ///
    /// # Errors
    ///
    /// There is no room ([`StorageFull`](io::ErrorKind::StorageFull)), or the store does not answer.
    fn put(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>>;

    /// Gives the record of this id; `None` where there is none or it has expired. The id is one that a client sent:
    /// anything may stand in it.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>>;

    /// Removes the record of this id, if there is one.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn remove(&self, id: &str) -> BoxFuture<io::Result<()>>;

    /// Removes what has expired. Called once a minute at most, when sessions begin.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>>;
}

impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    fn put(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        (**self).put(record, now)
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        (**self).get(id, now)
    }

    fn remove(&self, id: &str) -> BoxFuture<io::Result<()>> {
        (**self).remove(id)
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
        (**self).remove_expired(now)
    }
}
