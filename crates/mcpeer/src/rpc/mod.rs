//! JSON-RPC 2.0: ids, errors, and one borrowed pass over a message.
//!
//! Nothing here knows the Model Context Protocol: no method names, no revisions. [`Message::parse`] checks a whole
//! text in one pass and gives its parts as slices of it; the code that knows the type of `params`, `result` or
//! `error.data` decodes that slice, once.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#messages>

mod error;
#[cfg(feature = "runtime")]
pub(crate) mod explain;
mod id;
mod message;
#[cfg(feature = "server")]
pub(crate) mod numbers;
pub(crate) mod raw;
mod scan;
mod survey;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use id::RequestId;
pub use message::{Fault, Limits, Message, Unreadable};
pub(crate) use message::{open_result, room_around, write_error, write_id, write_notification, write_request};
pub use raw::{Elements, Members, Raw, RawRef};
pub(crate) use scan::survey;
pub(crate) use survey::{Place, Survey};
