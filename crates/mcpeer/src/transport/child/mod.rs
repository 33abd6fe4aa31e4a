//! Child processes: how a client starts a server and talks to it over its standard input and output.
//!
//! The server runs without a shell, with few environment variables, and in a process group (on Windows: a job) of
//! its own, so that it ends together with whatever it started. A process that leaves the group on purpose
//! (`setsid`) is out of reach.

#![allow(
    clippy::disallowed_methods,
    reason = "a process lives in real time and outlives its connection, and transports lie below the driver"
)]

mod command;
mod environment;
mod explain;
mod life;
#[cfg_attr(windows, path = "process_windows.rs")]
#[cfg_attr(not(windows), path = "process_unix.rs")]
mod process;
mod shutdown;
mod stderr;
mod transport;

pub use self::{command::Command, life::Monitor, stderr::Stderr, transport::Child};
