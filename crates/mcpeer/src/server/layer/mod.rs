//! Layers around requests: what happens before and after a handler, in one place.
//!
//! A layer is a [`tower_layer::Layer`] around [`Next`]: its service takes a [`Request`] and gives a
//! [`Reply`](crate::handler::Reply). [`Builder::layer`](super::Builder::layer) puts it around every request that has a
//! handler, [`Tool::layer`](super::Tool::layer) around the calls of one tool. The first one added is the outermost.
//! What the connection answers by itself (`initialize`, `ping`, `server/discover`, `subscriptions/listen`) passes no
//! layer. A server without layers does no work for them.
//!
//! Ready are [`Timeout`], [`ConcurrencyLimit`], [`RateLimit`], [`Trace`] and [`Audit`]. Those of tower fit too, where
//! their service can be cloned and shared: `tower::timeout::TimeoutLayer`, `tower::limit::ConcurrencyLimitLayer`, or
//! a stack of them.
//!
//! A request that asks the client takes several runs of its handler, and the layers are around each: in the stateless
//! era each round is a request of its own, and a result that asks by hand has the handler run anew in the stateful era
//! as well.
//!
//! What a layer refuses with an error becomes −32603, without its text, unless it is an [`rpc::Error`](crate::rpc::Error).
//!
//! ```
//! use std::time::Duration;
//!
//! use mcpeer::server::{
//!     Server, Tool,
//!     layer::{RateLimit, Timeout, Trace},
//! };
//!
//! let server = Server::builder("clock", "1.0.0")
//!     .layer(Trace::new())
//!     .layer(Timeout::new(Duration::from_secs(30)))
//!     .tool(Tool::new("now").layer(RateLimit::new(10, Duration::from_secs(1))), async || "12:00")
//!     .build()?;
//! # Ok::<(), mcpeer::server::BuildError>(())
//! ```

mod audit;
mod concurrency;
mod rate;
mod ready;
mod request;
mod seam;
mod timeout;
mod trace;

pub use audit::{Audit, Entry, Outcome};
pub use concurrency::ConcurrencyLimit;
pub use rate::RateLimit;
pub use ready::Layered;
pub use request::Request;
pub use seam::{Around, BoxError, Next, Serving};
pub use timeout::Timeout;
pub use trace::Trace;
