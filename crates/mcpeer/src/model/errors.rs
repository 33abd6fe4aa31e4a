//! The codes that the specification gives to errors beside those of JSON-RPC, and their data.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>

use super::capabilities::ClientCapabilities;

/// The HTTP headers do not say what the body says; stateless era.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client lacks a capability that the request needs, see [`MissingCapabilityData`]; stateless era.
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The revision is not served, see [`UnsupportedVersionData`]; stateless era.
pub const UNSUPPORTED_VERSION: i64 = -32022;

object! {
    /// The data of [`MISSING_CLIENT_CAPABILITY`].
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>
    pub struct MissingCapabilityData
    example MissingCapabilityData::new(
        capabilities::ClientCapabilities::new().elicitation(capabilities::Elicitation::new())
    ) => r#"{"requiredCapabilities":{"elicitation":{}}}"#;
    required {
        /// What the client would have to declare.
        required_capabilities: ClientCapabilities as "requiredCapabilities";
    }
    optional {}
}

object! {
    /// The data of [`UNSUPPORTED_VERSION`].
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>
    pub struct UnsupportedVersionData
    example UnsupportedVersionData::new(["2026-07-28".to_owned()], "2099-01-01")
        => r#"{"supported":["2026-07-28"],"requested":"2099-01-01"}"#;
    required {
        /// The revisions that are served.
        supported: Vec<String> as "supported";
        /// The one that was asked for.
        requested: String as "requested";
    }
    optional {}
}

object! {
    /// The data of the error for a resource that does not exist.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling>
    pub struct ResourceNotFoundData
    example ResourceNotFoundData::new("file:///none") => r#"{"uri":"file:///none"}"#;
    required {
        /// Its address.
        uri: String as "uri";
    }
    optional {}
}
