//! Streamable HTTP: each message of the client is a request of its own.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http>

#[cfg(feature = "http-client")]
pub mod client;
#[cfg(feature = "http-server")]
pub mod server;
mod sse;

#[cfg(feature = "http-client")]
pub use self::client::client;
#[cfg(all(feature = "http-client", feature = "http-sse"))]
pub use self::client::sse_client;
