//! Runs a connection over a transport: one future that reads, runs handlers, writes and keeps time.
//!
//! The driver owns the connection; everybody else asks through a [`Peer`](crate::peer::Peer) or the
//! [`Context`](crate::handler::Context) of a request, and what is asked happens in the order of asking. Reading never waits for writing. What is ready goes out together. A handler is polled at once, and
//! moved to a task of its own only where that does not finish it.
//!
//! Time comes through [`Clock`] and tasks start through [`Spawn`], here and in everything above.

mod backoff;
mod health;
mod options;
mod remote;
mod restart;
mod run;
mod running;
mod slot;
#[cfg(test)]
pub(crate) mod tests;
mod ticket;
mod time;

pub use backoff::Backoff;
pub use health::Health;
pub use options::Options;
#[doc(hidden)]
pub use remote::Remote;
pub use restart::Restart;
#[doc(hidden)]
pub use run::{Application, Driver};
pub use running::Run;
#[cfg(feature = "http-server")]
pub(crate) use running::panic_text;
#[doc(hidden)]
pub use slot::{Pending, SentId};
#[doc(hidden)]
pub use ticket::{Interrupt, Sealing, Ticket};
pub use time::{BoxFuture, Clock, Spawn, Tokio};
pub(crate) use time::{LONGEST, Runtime, after};

/// The words that a driver shares with the core.
#[doc(hidden)]
pub use crate::proto::io;
