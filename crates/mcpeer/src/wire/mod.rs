//! What each era looks like on the wire: pure functions.
//!
//! [`registry`] says which method exists where, [`classify()`] which era a message claims, [`lift()`] takes the
//! wire-only material out of it, and one [`Codec`] per era writes and reads what differs between the eras. Nothing
//! here keeps state, reads a clock or does IO.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic>

mod classify;
mod codec;
pub mod codes;
mod envelope;
pub mod headers;
mod legacy;
mod lift;
pub mod meta;
mod modern;
mod outline;
pub mod registry;
mod schema;
mod splice;

#[cfg(test)]
mod tests;

pub use classify::{Claim, classify};
pub use codec::{Answer, CacheHint, CacheScope, Codec, Encoding, Invalid, Outcome, OutgoingRequest, Refusal, codec};
pub use envelope::{ClientEnvelope, Envelope, Lifted, Stamp};
pub use legacy::progress;
pub use lift::{Lift, Params, lift, lift_notification};
pub use outline::Outline;
pub use registry::{Direction, ExtensionRows, Kind, Lookup, Registry, ResultType, Row};
