//! Streamable HTTP on the client's side, over sockets: with our own server, and with servers that follow a script.

mod back;
mod eras;
mod faults;
mod ours;
mod script;
mod sessions;
mod tls;
mod ways;
