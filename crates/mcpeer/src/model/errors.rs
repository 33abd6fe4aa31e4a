//! The codes that the specification gives to errors beside those of JSON-RPC, and their data.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes>

use super::{
    capabilities::ClientCapabilities,
    legacy::{RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED, UrlElicitationRequiredData},
};

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

/// What an error means that the specification gives a meaning.
///
/// ```
/// use mcpeer::model::errors::Known;
///
/// let data = r#"{"supported":["2025-11-25"],"requested":"2026-07-28"}"#;
/// let Some(Known::UnsupportedVersion(version)) = Known::of(-32022, Some(data)) else { panic!() };
/// assert_eq!(version.supported, ["2025-11-25"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Known {
    /// The revision is not served.
    UnsupportedVersion(UnsupportedVersionData),
    /// The client lacks a capability that the request needs.
    MissingClientCapability(Box<MissingCapabilityData>),
    /// The HTTP headers do not say what the body says.
    HeaderMismatch,
    /// The resource does not exist.
    ResourceNotFound {
        /// Its address, where the server says it.
        uri: Option<String>,
    },
    /// The user has to open addresses first. 2025-11-25 only.
    UrlElicitationRequired(UrlElicitationRequiredData),
}

impl Known {
    /// Reads an error by its code and the JSON of its data; `None` where it means nothing more than it says.
    ///
    /// A resource that does not exist has another code in each era; both count, whoever sends them.
    ///
    /// ```
    /// use mcpeer::model::errors::Known;
    ///
    /// for (code, data) in [(-32002, None), (-32602, Some(r#"{"uri":"file:///none"}"#))] {
    ///     assert!(matches!(Known::of(code, data), Some(Known::ResourceNotFound { .. })));
    /// }
    /// assert_eq!(Known::of(-32602, None), None);
    /// ```
    pub fn of(code: i64, data: Option<&str>) -> Option<Self> {
        fn decode<T: serde::de::DeserializeOwned>(data: Option<&str>) -> Option<T> {
            serde_json::from_str(data?).ok()
        }
        let uri = || decode::<ResourceNotFoundData>(data).map(|data| data.uri);
        Some(match code {
            UNSUPPORTED_VERSION => Self::UnsupportedVersion(decode(data)?),
            MISSING_CLIENT_CAPABILITY => Self::MissingClientCapability(decode(data)?),
            HEADER_MISMATCH => Self::HeaderMismatch,
            RESOURCE_NOT_FOUND => Self::ResourceNotFound { uri: uri() },
            INVALID_PARAMS => Self::ResourceNotFound { uri: Some(uri()?) },
            URL_ELICITATION_REQUIRED => Self::UrlElicitationRequired(decode(data)?),
            _ => return None,
        })
    }
}

const INVALID_PARAMS: i64 = -32602;
