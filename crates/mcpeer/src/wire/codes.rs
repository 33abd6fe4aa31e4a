//! Error codes that the protocol adds to those of JSON-RPC, and errors that more than one place answers with.

use crate::{
    rpc::{Error, Raw},
    version::Revision,
};

/// A header contradicts the body, or is missing or malformed. Stateless era, HTTP.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client has not declared a capability that the request needs. Stateless era.
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The claimed revision is not served. Stateless era.
pub const UNSUPPORTED_VERSION: i64 = -32022;
/// The resource does not exist. Stateful era; the stateless one says invalid params.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The user must visit a URL first. 2025-11-25 alone.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;

/// Says that a revision is not served, and which are: newest first.
pub fn unsupported_version(supported: impl IntoIterator<Item = Revision>, requested: &str) -> Error {
    let supported: Vec<&str> = supported.into_iter().map(Revision::as_str).collect();
    let message = format!("protocol version {requested:?} is not served here; use one of {}", supported.join(", "));
    let mut data = String::from("{\"supported\":");
    data.push_str(&serde_json::to_string(&supported).expect("strings can always be written"));
    data.push_str(",\"requested\":");
    data.push_str(&serde_json::to_string(requested).expect("strings can always be written"));
    data.push('}');
    Error::new(UNSUPPORTED_VERSION, message).with_data(Raw::trusted(data))
}

/// Says that the client has not declared an extension that the request needs.
pub fn missing_extension(identifier: &str) -> Error {
    let name = serde_json::to_string(identifier).expect("strings can always be written");
    let data = format!("{{\"requiredCapabilities\":{{\"extensions\":{{{name}:{{}}}}}}}}");
    let message = format!("this needs a client that declares the extension `{identifier}`");
    Error::new(MISSING_CLIENT_CAPABILITY, message).with_data(Raw::trusted(data))
}

/// Says that the claimed version is no string.
pub fn version_not_a_string() -> Error {
    let key = super::meta::PROTOCOL_VERSION;
    Error::new(Error::INVALID_PARAMS, format!("`_meta[\"{key}\"]` must be a string"))
}

/// Whether the protocol gives a code a status of its own on HTTP, whoever answers with it. Stateless era.
pub fn has_status(code: i64) -> bool {
    matches!(code, HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_VERSION | Error::METHOD_NOT_FOUND)
}

/// Whether a code lies in the range that the protocol keeps for itself: an application has no use of it.
pub(super) fn is_reserved(code: i64) -> bool {
    (-32099..=HEADER_MISMATCH).contains(&code)
}

/// Turns an error whose code may not stand here into an internal one. Its data goes with the code that gave it a form.
pub(super) fn hide(error: Error) -> Error {
    Error::new(Error::INTERNAL_ERROR, error.message)
}
