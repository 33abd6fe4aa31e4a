//! HTTP+SSE, the transport of revision 2024-11-05: everything that the server says comes on one stream, whose first event
//! names the address to which messages are sent.

mod answers;
mod channel;
mod connect;
mod endpoint;

pub use connect::sse_client;
