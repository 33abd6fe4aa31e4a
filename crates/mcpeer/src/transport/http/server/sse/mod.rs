//! HTTP+SSE, the transport of revision 2024-11-05: a client opens one stream by GET, on which everything comes that the
//! server says, and sends each message by POST to the address that the first event of the stream names.
//!
//! A session is its stream: it begins and ends with it. Its connection is a pipe, run by a task.

mod channel;
mod pipe;
mod sessions;

pub(crate) use sessions::http_sse;
