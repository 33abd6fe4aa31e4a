//! Event streams, as the HTML standard has them.

#[cfg(feature = "http-client")]
mod read;
#[cfg(feature = "http-server")]
mod write;

#[cfg(all(feature = "http-client", feature = "http-sse"))]
pub(super) use read::Event;
#[cfg(feature = "http-client")]
pub(super) use read::{Reader, TooLong};
#[cfg(all(feature = "http-server", feature = "http-sse"))]
pub(super) use write::write_event;
#[cfg(feature = "http-server")]
pub(super) use write::{KEEP_ALIVE, write_message, write_numbered, write_priming, write_retry};
