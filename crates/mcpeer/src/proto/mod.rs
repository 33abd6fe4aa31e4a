//! The state machine of a connection, without IO: time is an argument, output is polled.
//!
//! Not public API before 1.0.

pub mod io;
