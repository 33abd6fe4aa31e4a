//! The server's side of Streamable HTTP: a tower service over `http::Request` and `http::Response`.
//!
//! A request of the stateless era is served where it is: its connection lives in the future of the response, without
//! a task and without a channel. What becomes a stream gets a task, so that a client that reads slowly holds up nobody.
//!
//! In the stateful era `initialize` begins a session: a task that runs one connection for all messages that name it.
//! Each message has a place where what belongs to it goes out; what belongs to none goes out on a stream that the
//! client opens by GET. What is said on a stream is numbered and kept for a while, so that a client that lost the stream
//! can come back for the rest; with [stores](store) another process can go on with a session.

mod accept;
mod beside;
mod body;
mod collect;
mod cors;
mod endpoint;
mod event_id;
mod exchange;
mod headers;
mod keeping;
mod load;
mod log;
mod numbered;
mod outlet;
mod patience;
mod permit;
mod policy;
mod quiet;
mod refuse;
mod restore;
mod resume;
mod runner;
mod serve;
mod session;
mod sessions;
mod settings;
mod socket;
mod sort;
#[cfg(feature = "http-sse")]
mod sse;
pub mod store;
mod stream;

#[doc(hidden)]
pub use beside::Beside;
pub use body::Body;
#[doc(hidden)]
pub use endpoint::Host;
pub use endpoint::{Endpoint, ResponseFuture};
pub use headers::Parts;
pub use load::Load;
pub use settings::Settings;

pub(crate) use serve::{Bound, serve};
#[cfg(feature = "http-sse")]
pub(crate) use sse::http_sse;
