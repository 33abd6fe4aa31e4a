//! Streamable HTTP on the server's side, request by request: no socket, unless a test is about sockets.

mod exchange;
mod forever;
mod head;
mod ladder;
mod mounts;
mod security;
mod sessions;
mod sockets;
mod stateful;
mod streams;
#[cfg(feature = "tasks")]
mod tasks;
mod web;
