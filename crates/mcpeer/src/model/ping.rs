//! Whether the other side is there; stateful era.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping>

use super::{EmptyParams, EmptyResult};

request! {
    /// Asks whether the other side is there.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping>
    pub enum Ping: "ping" (EmptyParams) -> EmptyResult;
}
