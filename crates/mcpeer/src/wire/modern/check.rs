//! What the stateless era asks of envelopes and of results that ask for input.

use std::borrow::Cow;

use crate::rpc::{self, RawRef};

use super::super::{Encoding, Envelope, Lifted, Refusal, codes, meta, registry};

/// Checks what was lifted out of a request.
pub(super) fn lifted(lifted: Option<&Lifted>) -> Result<(), rpc::Error> {
    let Some((lifted, envelope)) = lifted.and_then(|lifted| Some((lifted, lifted.envelope.as_ref()?))) else {
        return Err(missing(meta::PROTOCOL_VERSION));
    };
    check_keys(envelope)?;
    if lifted.input_responses.as_ref().is_some_and(|responses| !responses.borrow().is_object()) {
        return Err(invalid("`inputResponses` must be an object"));
    }
    if lifted.request_state.as_ref().is_some_and(|state| !is_string(state.borrow())) {
        return Err(invalid("`requestState` must be a string"));
    }
    Ok(())
}

/// Checks that a method may ask for input, and that it asks for what a client answers.
pub(super) fn input_required(encoding: &Encoding<'_>, raw: RawRef<'_>) -> Result<(), Refusal> {
    if !encoding.row.is_some_and(|row| row.may_need_input) {
        return Err(Refusal("this method cannot be answered with input_required".into()));
    }
    asks(raw).map_err(Refusal)?;
    let requests = raw.member("inputRequests");
    for (key, request) in requests.into_iter().flat_map(RawRef::members) {
        let method = request.member("method").and_then(RawRef::as_string);
        if !method.is_some_and(|method| registry::is_input_request(&method)) {
            return Err(Refusal(format!("the input request {key:?} has no method that a client answers").into()));
        }
    }
    Ok(())
}

/// Checks that a result that asks for input asks for something.
pub(super) fn asks(raw: RawRef<'_>) -> Result<(), Cow<'static, str>> {
    let (mut has_requests, mut has_state) = (false, false);
    for (name, value) in raw.members() {
        match &*name {
            "inputRequests" if !value.is_object() => return Err("`inputRequests` must be an object".into()),
            "inputRequests" => has_requests = value.members().next().is_some(),
            "requestState" if !is_string(value) => return Err("`requestState` must be a string".into()),
            "requestState" => has_state = true,
            _ => {}
        }
    }
    if has_requests || has_state {
        Ok(())
    } else {
        Err("input_required needs `inputRequests` or `requestState`".into())
    }
}

/// Checks that a result says of what type it is, and a complete one whether it may be kept.
pub(super) fn is_whole(method: &str, raw: RawRef<'_>) -> Result<(), Cow<'static, str>> {
    let (mut result_type, mut ttl, mut scope) = (None, None, None);
    for (name, value) in raw.members() {
        match &*name {
            "resultType" => result_type = value.as_string(),
            "ttlMs" => ttl = value.as_str().parse::<u64>().ok(),
            "cacheScope" => scope = value.as_string().filter(|scope| matches!(&**scope, "public" | "private")),
            _ => {}
        }
    }
    let Some(result_type) = result_type else {
        return Err(format!("the result of `{method}` lacks `resultType`").into());
    };
    if result_type != "complete" || !registry::is_cacheable(method) {
        return Ok(());
    }
    match (ttl, scope) {
        (None, _) => Err(format!("the result of `{method}` lacks `ttlMs`, a whole number of milliseconds").into()),
        (_, None) => Err(format!("the result of `{method}` lacks `cacheScope`, which is `public` or `private`").into()),
        _ => Ok(()),
    }
}

fn check_keys(envelope: &Envelope) -> Result<(), rpc::Error> {
    match envelope.protocol_version() {
        None => return Err(missing(meta::PROTOCOL_VERSION)),
        Some(version) if !is_string(version) => return Err(codes::version_not_a_string()),
        Some(_) => {}
    }
    match envelope.client_capabilities() {
        None => return Err(missing(meta::CLIENT_CAPABILITIES)),
        Some(capabilities) if !capabilities.is_object() => {
            return Err(invalid(format!("`_meta[\"{}\"]` must be an object", meta::CLIENT_CAPABILITIES)));
        }
        Some(_) => {}
    }
    if let Some(info) = envelope.client_info() {
        check_client_info(info)?;
    }
    if let Some(level) = envelope.raw_log_level()
        && level.as_string().as_deref().and_then(meta::log_rank).is_none()
    {
        let levels = meta::LOG_LEVELS.join(", ");
        return Err(invalid(format!("`_meta[\"{}\"]` must be one of {levels}", meta::LOG_LEVEL)));
    }
    Ok(())
}

fn check_client_info(info: RawRef<'_>) -> Result<(), rpc::Error> {
    if !info.is_object() {
        return Err(invalid(format!("`_meta[\"{}\"]` must be an object", meta::CLIENT_INFO)));
    }
    let (mut has_name, mut has_version) = (false, false);
    for (name, value) in info.members() {
        match &*name {
            "name" => has_name = is_string(value),
            "version" => has_version = is_string(value),
            _ => {}
        }
    }
    for (is_there, name) in [(has_name, "name"), (has_version, "version")] {
        if !is_there {
            return Err(invalid(format!("`_meta[\"{}\"].{name}` must be a string", meta::CLIENT_INFO)));
        }
    }
    Ok(())
}

fn is_string(value: RawRef<'_>) -> bool {
    value.as_str().starts_with('"')
}

fn missing(key: &str) -> rpc::Error {
    invalid(format!("the request lacks `_meta[\"{key}\"]`, which every request of this protocol version carries"))
}

fn invalid(message: impl Into<Cow<'static, str>>) -> rpc::Error {
    rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
}
