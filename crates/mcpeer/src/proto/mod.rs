//! The state machine of a connection, without IO: time is an argument, output is polled.
//!
//! Not public API before 1.0.

mod config;
mod connection;
pub mod io;
mod prepared;

pub use config::{CacheHint, Config, Deadlines, Filter, Handlers, Limits, Policy, Verdict};
pub use connection::Connection;
