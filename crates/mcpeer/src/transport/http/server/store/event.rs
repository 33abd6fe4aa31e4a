use std::{fmt, io, sync::Arc, time::SystemTime};

use crate::driver::BoxFuture;

/// Something that was said on a stream of a session.
///
/// ```
/// use std::time::SystemTime;
/// use mcpeer::server::sessions::Event;
///
/// let event = Event {
///     stream: "1f8a33c0-a7".into(),
///     sequence: 1,
///     text: r#"{"jsonrpc":"2.0","id":5,"result":{}}"#.into(),
///     is_last: true,
///     expires: SystemTime::UNIX_EPOCH,
/// };
/// # drop(event);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The stream, which no two of a session have: letters, digits and `-`.
    pub stream: String,
    /// Its number on that stream: from 1 on, without gaps.
    pub sequence: u64,
    /// The message; empty where a stream ends without one.
    pub text: String,
    /// Whether nothing follows it.
    pub is_last: bool,
    /// From when on it is as if it were not there.
    pub expires: SystemTime,
}

/// Keeps what was said on the streams of sessions, so that a client can come back for it after the process has ended.
///
/// An event is said once it is kept: a store that is slow makes streams slow, those of one session after the other's.
/// What cannot be kept is said nevertheless, and so is what is not kept within
/// [`store_timeout`](crate::server::Http::store_timeout), whose future is dropped. The time is always given, and is that of
/// day. Check your store with `mcpeer::testing::event_store_contract`, feature `testing`.
///
/// ```
/// use std::{io, time::SystemTime};
/// use mcpeer::{driver::BoxFuture, server::sessions::{Event, EventStore, MemoryEventStore}};
///
/// /// Says what is done, and does it elsewhere.
/// #[derive(Debug)]
/// struct Loud(MemoryEventStore);
///
/// impl EventStore for Loud {
///     fn append(&self, session: &str, event: Event, now: SystemTime) -> BoxFuture<io::Result<()>> {
///         eprintln!("{} of {}", event.sequence, event.stream);
///         self.0.append(session, event, now)
///     }
///
///     fn after(
///         &self,
///         session: &str,
///         stream: &str,
///         sequence: u64,
///         now: SystemTime,
///     ) -> BoxFuture<io::Result<Vec<Event>>> {
///         self.0.after(session, stream, sequence, now)
///     }
///
///     fn remove(&self, session: &str) -> BoxFuture<io::Result<()>> {
///         self.0.remove(session)
///     }
///
///     fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
///         self.0.remove_expired(now)
///     }
/// }
/// # let _ = Loud(MemoryEventStore::new(10));
/// ```
pub trait EventStore: Send + Sync + fmt::Debug + 'static {
    /// Adds an event. It comes behind all that were added to its stream before.
    ///
    /// # Errors
    ///
    /// There is no room ([`StorageFull`](io::ErrorKind::StorageFull)), or the store does not answer.
    fn append(&self, session: &str, event: Event, now: SystemTime) -> BoxFuture<io::Result<()>>;

    /// Gives the events of a stream with greater numbers than this, in order: of this session and this stream alone.
    /// Both, and the number, are what a client sent, though in their right form. A store that has room for so many
    /// events may have lost the oldest; those that are left out show by their numbers.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn after(&self, session: &str, stream: &str, sequence: u64, now: SystemTime) -> BoxFuture<io::Result<Vec<Event>>>;

    /// Removes all events of a session, which has ended.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn remove(&self, session: &str) -> BoxFuture<io::Result<()>>;

    /// Removes what has expired. Called once a minute at most, when sessions begin.
    ///
    /// # Errors
    ///
    /// The store does not answer.
    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>>;
}

impl<S: EventStore + ?Sized> EventStore for Arc<S> {
    fn append(&self, session: &str, event: Event, now: SystemTime) -> BoxFuture<io::Result<()>> {
        (**self).append(session, event, now)
    }

    fn after(&self, session: &str, stream: &str, sequence: u64, now: SystemTime) -> BoxFuture<io::Result<Vec<Event>>> {
        (**self).after(session, stream, sequence, now)
    }

    fn remove(&self, session: &str) -> BoxFuture<io::Result<()>> {
        (**self).remove(session)
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<()>> {
        (**self).remove_expired(now)
    }
}
