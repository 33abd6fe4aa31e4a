//! Where a server over HTTP keeps sessions of the stateful era and what it said in them, so that another process can go
//! on with them: a server that was started again, or the instance that takes over.
//!
//! Without stores a session ends with its process, and a client begins another one. A stream that breaks off while the
//! process lives can be taken up again in any case.
//!
//! | store | what a client gets of it |
//! |---|---|
//! | [`SessionStore`] | its session goes on: who it is, what it can do, its log level and the resources that it follows |
//! | [`EventStore`] | it hears what was said before the end of the process, behind the last event that it has seen |
//!
//! A store that fails, hangs or panics ends nothing: what was to be kept is not, a log line says so, and who comes with
//! a session that nobody can look for is asked to try again. How long a store is waited for is the endpoint's
//! [`store_timeout`](crate::server::Http::store_timeout).
//!
//! What ran is gone with its process, and is not run again: a request that was not answered fails when its client comes
//! back for the answer. A session is served by one process at a time; something in front has to see to that, by the
//! header `Mcp-Session-Id`.
//!
//! ```
//! use mcpeer::server::{Server, sessions::{MemoryEventStore, MemorySessionStore}};
//!
//! let server = Server::builder("lab", "1.0.0").build()?;
//! let http = server.http().session_store(MemorySessionStore::new(100)).event_store(MemoryEventStore::new(10_000));
//! # drop(http);
//! # Ok::<(), mcpeer::server::BuildError>(())
//! ```

mod event;
mod guarded;
mod memory_events;
mod memory_sessions;
mod session;
mod stores;

pub use event::{Event, EventStore};
pub(super) use guarded::Guarded;
pub use memory_events::MemoryEventStore;
pub use memory_sessions::MemorySessionStore;
pub use session::{Record, SessionStore};
pub(super) use stores::Stores;
