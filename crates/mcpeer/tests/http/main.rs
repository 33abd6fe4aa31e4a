//! Streamable HTTP on the server's side, request by request: no socket, unless a test is about sockets.

mod exchange;
mod faults;
mod field;
mod forever;
mod head;
mod ladder;
mod line;
mod mounts;
mod security;
mod sessions;
mod sockets;
mod stateful;
mod streams;
mod support;
#[cfg(feature = "tasks")]
mod tasks;
mod web;
