//! The state machine of a connection, without IO: time is an argument, output is polled.
//!
//! Not public API before 1.0.

mod batches;
mod bucket;
mod capabilities;
mod client;
mod config;
mod connection;
mod core;
mod end;
mod in_flight;
mod inbound;
pub mod io;
mod outbound;
mod pending;
mod prepared;
mod receive;
mod routes;
mod say;
mod server;
mod subscriptions;
mod timers;
mod waiting;

#[cfg(test)]
mod tests;

pub use config::{Config, Deadlines, Filter, Handlers, Limits, Policy, Verdict};
pub use connection::Connection;
