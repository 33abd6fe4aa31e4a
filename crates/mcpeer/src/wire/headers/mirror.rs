//! Headers that repeat what the body says.

use super::{Field, Headers, METHOD, NAME, PROTOCOL_VERSION, sentinel};
use crate::{
    rpc::{Error, RawRef},
    wire::{codes, meta},
};

/// Says that a header and the body do not agree.
pub fn mismatch(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(codes::HEADER_MISMATCH, message)
}

/// Compares the version that the header names with the one that the body claims.
///
/// # Errors
///
/// The header is missing, cannot be read, or names another version.
pub fn agree_version(headers: &dyn Headers, claimed: &str) -> Result<(), Error> {
    if headers.says(PROTOCOL_VERSION, claimed) {
        return Ok(());
    }
    match headers.field(PROTOCOL_VERSION) {
        Field::Value(value) => Err(mismatch(format!(
            "the MCP-Protocol-Version header says {value:?}, and `_meta[\"{}\"]` says {claimed:?}",
            meta::PROTOCOL_VERSION
        ))),
        Field::Absent => Err(mismatch("the MCP-Protocol-Version header is missing; repeat the version of `_meta`")),
        Field::Unusable => Err(unusable("MCP-Protocol-Version")),
    }
}

/// Compares the method and the name that the headers repeat with those of the body: the method, and what stands in the
/// [member](source_of_name) of the params that is repeated.
///
/// # Errors
///
/// A header is missing, cannot be read, or says something else.
pub fn agree(headers: &dyn Headers, method: &str, subject: Option<RawRef<'_>>) -> Result<(), Error> {
    if !headers.says(METHOD, method) {
        return Err(match headers.field(METHOD) {
            Field::Value(value) => other_method(value, method),
            Field::Absent => mismatch("the Mcp-Method header is missing; repeat the method"),
            Field::Unusable => unusable("Mcp-Method"),
        });
    }
    match source_of_name(method) {
        Some(member) => agree_name(headers, member, subject),
        None => Ok(()),
    }
}

/// Whether the headers of a notification contradict its body: none of them has to be there.
///
/// # Errors
///
/// A header cannot be read, or says something else than the body.
pub fn may_notify(headers: &dyn Headers, method: &str, claimed: Option<&str>) -> Result<(), Error> {
    if let Some(claimed) = claimed
        && headers.field(PROTOCOL_VERSION) != Field::Absent
    {
        agree_version(headers, claimed)?;
    }
    match headers.field(METHOD) {
        Field::Absent => Ok(()),
        Field::Value(value) if value == method => Ok(()),
        Field::Value(value) => Err(other_method(value, method)),
        Field::Unusable => Err(unusable("Mcp-Method")),
    }
}

fn other_method(value: &str, method: &str) -> Error {
    mismatch(format!("the Mcp-Method header says {value:?}, and the body says {method:?}"))
}

/// The member of the params that the `Mcp-Name` header repeats.
pub fn source_of_name(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

fn agree_name(headers: &dyn Headers, member: &'static str, subject: Option<RawRef<'_>>) -> Result<(), Error> {
    let said = subject.and_then(RawRef::as_string);
    if said.as_deref().is_some_and(|said| !sentinel::is_encoded(said) && headers.says(NAME, said)) {
        return Ok(());
    }
    match (headers.field(NAME), said) {
        (Field::Absent, None) => Ok(()),
        (Field::Absent, Some(_)) => Err(mismatch(format!("the Mcp-Name header is missing; repeat `params.{member}`"))),
        (Field::Unusable, _) => Err(unusable("Mcp-Name")),
        (Field::Value(value), said) => match (sentinel::decode(value), said) {
            (Some(value), Some(said)) if value == said => Ok(()),
            (Some(value), said) => Err(mismatch(format!(
                "the Mcp-Name header says {value:?}, and `params.{member}` says {:?}",
                said.unwrap_or_default()
            ))),
            (None, _) => Err(mismatch("the Mcp-Name header holds base64 that cannot be read")),
        },
    }
}

/// Says that a header stands there twice, or with characters that may not be in it.
pub(super) fn unusable(name: &str) -> Error {
    mismatch(format!("the {name} header must stand there once, in visible ASCII characters"))
}
