//! Streamable HTTP on the client's side, over sockets: with our own server, and with servers that follow a script.

mod back;
mod eras;
mod faults;
mod field;
#[cfg(feature = "http-sse")]
mod http_sse;
mod ours;
mod revisions;
mod script;
mod sessions;
mod tls;
mod ways;
