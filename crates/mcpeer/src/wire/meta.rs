//! The keys of `_meta` that the protocol reserves, and writing one into params or a result.

use crate::rpc::{Raw, RawRef, RequestId};

use super::splice;

/// The prefix of the reserved keys.
pub const PREFIX: &str = "io.modelcontextprotocol/";
/// The revision that a request is made at.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// What the client says it is.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least severe level of the log messages that the request may cause.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// What the server says it is.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The `subscriptions/listen` request that a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The token under which the sender of a request wants progress.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The levels of log messages, least severe first.
pub const LOG_LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Gives the rank of a log level among [`LOG_LEVELS`]; `None` where it is none of them.
pub fn log_rank(level: &str) -> Option<usize> {
    LOG_LEVELS.iter().position(|known| *known == level)
}

/// Whether a key is one of the four that make up the envelope of a request.
pub fn is_envelope_key(key: &str) -> bool {
    [PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL].contains(&key)
}

/// Sets a key in the `_meta` of params or of a result, in place of what stood there.
///
/// `value` is JSON text. A `_meta` that is no object is replaced; without an object, one with only the `_meta` is made.
pub fn set(object: Option<RawRef<'_>>, key: &str, value: RawRef<'_>) -> Raw {
    let room = object.map_or(0, |object| object.as_str().len());
    let mut out = Vec::with_capacity(room + key.len() + value.as_str().len() + 16);
    out.extend_from_slice(b"{\"_meta\":{");
    splice::member(key, value, &mut out);
    let old = object.and_then(|object| object.member("_meta"));
    if let Some(old) = old {
        splice::other_members(old, |name| name == key, &mut out);
    }
    out.push(b'}');
    match (object, old) {
        (Some(object), None) => splice::rest(object, &mut out),
        (Some(object), Some(_)) => {
            splice::other_members(object, |name| name == "_meta", &mut out);
            out.push(b'}');
        }
        (None, _) => out.push(b'}'),
    }
    splice::into_raw(out)
}

/// Gives the `_meta` that a caller set in params, where it is one to send.
///
/// # Errors
///
/// The params are no object, the `_meta` is none although something must go into it, or it has a key that only the
/// connection sets.
pub(super) fn own(params: Option<RawRef<'_>>, must_be_object: bool) -> Result<Option<RawRef<'_>>, String> {
    let Some(params) = params else { return Ok(None) };
    if !params.is_object() {
        return Err("the params must be an object".to_owned());
    }
    let Some(own) = params.member("_meta") else { return Ok(None) };
    if !own.is_object() && must_be_object {
        return Err("`_meta` must be an object".to_owned());
    }
    match own.members().find(|(name, _)| is_envelope_key(name)) {
        Some((name, _)) if name == LOG_LEVEL => {
            Err(format!("`_meta[\"{LOG_LEVEL}\"]` is set by the call's own option"))
        }
        Some((name, _)) => Err(format!("`_meta[\"{name}\"]` is set by the connection alone")),
        None => Ok(Some(own)),
    }
}

/// Writes the token to ask for progress under, as a member of a `_meta`.
pub(super) fn write_progress_token(token: &RequestId, out: &mut Vec<u8>) {
    splice::string(PROGRESS_TOKEN, out);
    out.push(b':');
    serde_json::to_writer(&mut *out, token).expect("an id can always be written to memory");
}
