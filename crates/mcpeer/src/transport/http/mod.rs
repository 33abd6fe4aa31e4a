//! Streamable HTTP: each message of the client is a request of its own.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http>

pub mod server;
mod sse;
