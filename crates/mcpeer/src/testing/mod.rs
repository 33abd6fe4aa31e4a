//! For tests of your own clients and servers, as we test ours: a [`Pair`] of both in memory at any revision, a
//! [clock](ManualClock) that you turn, and the [wire](Wire) on which every message was recorded. With an [`Exchange`]
//! each request has a stream of its own.
//!
//! Feature `testing`.
//!
//! ```
//! use mcpeer::{server::Server, testing::{Direction, Pair}, version::Revision};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
//! for revision in Revision::ALL {
//!     let pair = Pair::of(&server).revision(revision).connect().await?;
//!     assert_eq!(pair.client().call("now").await?.as_text(), "12:00");
//!     let sent = pair.wire().json(Direction::ToServer);
//!     assert_eq!(sent.last().unwrap()["params"]["name"], "now");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Time that passes by itself makes tests slow and their outcome a matter of luck. With a [`ManualClock`] it passes when
//! the test says so; tokio's own clock, [paused](https://docs.rs/tokio/latest/tokio/time/fn.pause.html), does as well.

mod clock;
mod exchange;
mod pair;
#[cfg(feature = "http-server")]
mod session_stores;
#[cfg(feature = "tasks")]
mod task_store;
mod wire;

pub use clock::ManualClock;
pub use exchange::{Exchange, Exchanging};
pub use pair::{Pair, Setup};
#[cfg(feature = "http-server")]
pub use session_stores::{event_store_contract, session_store_contract};
#[cfg(feature = "tasks")]
pub use task_store::task_store_contract;
pub use wire::{Direction, Message, Recorded, Wire};
