//! The stateless era: 2026-07-28 and later.

use std::borrow::Cow;

use crate::{
    rpc::{self, Raw, RawRef},
    version::{Era, Revision},
};

use super::{
    Answer, CacheScope, ClientEnvelope, Codec, Encoding, Invalid, Lifted, Outcome, OutgoingRequest, Refusal, Registry,
    codec::ADDED, codes, meta, splice,
};

mod check;

/// The codec of the stateless era.
#[derive(Debug)]
pub(super) struct Modern;

impl Codec for Modern {
    fn era(&self) -> Era {
        Era::Modern
    }

    fn check_envelope(&self, lifted: Option<&Lifted>) -> Result<(), rpc::Error> {
        check::lifted(lifted)
    }

    fn room(&self, encoding: &Encoding<'_>, outcome: &Outcome<'_>) -> usize {
        let (length, is_plain) = outcome.written();
        let is_stamped_alone = is_plain && !encoding.row.is_some_and(|row| row.is_cacheable);
        // The comma between the two takes the place of a brace.
        encoding.stamp.head().len() + length + if is_stamped_alone { 0 } else { ADDED }
    }

    fn encode_result(&self, encoding: &Encoding<'_>, outcome: Outcome<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let start = out.len();
        let written = match outcome {
            Outcome::Complete { raw, is_plain: true, .. } if raw.is_object() => {
                write_plain(encoding, raw, out);
                Ok(())
            }
            Outcome::Complete { raw, .. } => write_result(encoding, COMPLETE, raw, out),
            Outcome::InputRequired(raw) => {
                check::input_required(encoding, raw).and_then(|()| write_result(encoding, INPUT_REQUIRED, raw, out))
            }
            Outcome::Extension { result_type, raw } => write_result(encoding, result_type, raw, out),
        };
        if written.is_err() {
            out.truncate(start);
        }
        written
    }

    fn encode_error(&self, _: Revision, _: &str, mut error: rpc::Error, from_handler: bool) -> rpc::Error {
        if !from_handler {
            return error;
        }
        match error.code {
            codes::RESOURCE_NOT_FOUND => error.code = rpc::Error::INVALID_PARAMS,
            codes::UNSUPPORTED_VERSION..=codes::HEADER_MISMATCH => {}
            code if codes::is_reserved(code) => error = codes::hide(error),
            _ => {}
        }
        error
    }

    fn check_result(&self, method: &str, raw: RawRef<'_>) -> Result<(), Invalid> {
        check::is_whole(method, raw).map_err(Invalid)
    }

    fn decode_result(&self, registry: &Registry, method: &str, raw: RawRef<'_>) -> Result<Answer, Invalid> {
        if !raw.is_object() {
            return Err(Invalid("the result is not an object".into()));
        }
        let Some((result_type, rest)) = splice::take(raw, "resultType") else {
            return Ok(Answer::Complete(raw.to_owned()));
        };
        match result_type.as_string().as_deref() {
            Some(COMPLETE) => Ok(Answer::Complete(rest)),
            Some(INPUT_REQUIRED) if registry.may_need_input(method) => {
                check::asks(rest.borrow()).map_err(Invalid)?;
                Ok(Answer::InputRequired(rest))
            }
            Some(INPUT_REQUIRED) => Err(Invalid(format!("`{method}` cannot be answered with input_required").into())),
            Some(known) if registry.has_result_type(method, known) => {
                Ok(Answer::Extension { result_type: known.to_owned(), raw: rest })
            }
            Some(unknown) => Err(Invalid(format!("`{method}` cannot be answered with resultType {unknown:?}").into())),
            None => Err(Invalid("`resultType` is not a string".into())),
        }
    }

    fn encode_request<'a>(&self, request: &OutgoingRequest<'a>) -> Result<Option<Cow<'a, Raw>>, String> {
        let Some(envelope) = request.envelope else { return Ok(request.params.map(Cow::Borrowed)) };
        let mut members = Vec::new();
        if let Some(level) = request.log_level {
            if meta::log_rank(level).is_none() {
                return Err(format!("{level:?} is no log level; use one of {}", meta::LOG_LEVELS.join(", ")));
            }
            members.push(b',');
            splice::string(meta::LOG_LEVEL, &mut members);
            members.push(b':');
            splice::string(level, &mut members);
        }
        if let Some(token) = request.progress_token {
            members.push(b',');
            meta::write_progress_token(token, &mut members);
        }
        let takes_token = request.progress_token.is_some();
        enclose(request.params, envelope, &members, takes_token).map(|params| Some(Cow::Owned(params)))
    }

    fn encode_notification<'a>(
        &self,
        params: Option<&'a Raw>,
        envelope: Option<&ClientEnvelope>,
    ) -> Result<Option<Cow<'a, Raw>>, String> {
        match envelope {
            Some(envelope) => enclose(params, envelope, b"", false).map(|params| Some(Cow::Owned(params))),
            None => Ok(params.map(Cow::Borrowed)),
        }
    }
}

/// Writes capabilities without those that this era does not have.
pub(super) fn write_capabilities(capabilities: RawRef<'_>, out: &mut Vec<u8>) {
    if capabilities.is_object() {
        splice::filtered(capabilities, |name| name == "tasks", out);
    } else {
        out.extend_from_slice(capabilities.as_str().as_bytes());
    }
}

fn write_plain(encoding: &Encoding<'_>, raw: RawRef<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(encoding.stamp.head().as_bytes());
    if encoding.row.is_some_and(|row| row.is_cacheable) {
        write_ttl(encoding.cache.ttl_ms, out);
        write_scope(encoding.cache.scope, out);
    }
    splice::rest(raw, out);
}

/// Writes a result in one walk over its members.
fn write_result(encoding: &Encoding<'_>, result_type: &str, raw: RawRef<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
    if !raw.is_object() {
        return Err(Refusal("a result must be an object".into()));
    }
    let is_cacheable = result_type == COMPLETE && encoding.row.is_some_and(|row| row.is_cacheable);
    let needs_content = result_type == COMPLETE && encoding.row.is_some_and(|row| row.method == "tools/call");
    let (mut ttl, mut scope) = (None, None);
    let (mut has_meta, mut has_content) = (false, false);
    out.extend_from_slice(b"{\"resultType\":");
    splice::string(result_type, out);
    for member in splice::members(raw) {
        let value = member.value;
        match &*member.name {
            "resultType" if value.as_string().as_deref() == Some(result_type) => {}
            "resultType" => return Err(contradiction(value, result_type)),
            "_meta" => {
                has_meta = true;
                write_meta(encoding, value, out);
            }
            "ttlMs" if is_cacheable => ttl = value.as_str().parse().ok().filter(|ttl| *ttl <= MAX_TTL),
            "cacheScope" if is_cacheable => scope = cache_scope(value),
            "ttlMs" | "cacheScope" if result_type == INPUT_REQUIRED => {}
            name => {
                has_content |= name == "content";
                out.push(b',');
                out.extend_from_slice(member.label().as_bytes());
                write_value(encoding, name, value, out);
            }
        }
    }
    if !has_meta {
        out.extend_from_slice(b",\"_meta\":{");
        splice::member(meta::SERVER_INFO, encoding.stamp.info(), out);
        out.push(b'}');
    }
    if needs_content && !has_content {
        out.extend_from_slice(b",\"content\":[]");
    }
    if is_cacheable {
        write_ttl(ttl.unwrap_or(encoding.cache.ttl_ms), out);
        write_scope(scope.unwrap_or(encoding.cache.scope), out);
    }
    out.push(b'}');
    Ok(())
}

/// Writes a `_meta` with the server's stamp, unless the handler stamped it or it is no object.
fn write_meta(encoding: &Encoding<'_>, value: RawRef<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"_meta\":");
    if !value.is_object() || value.member(meta::SERVER_INFO).is_some() {
        out.extend_from_slice(value.as_str().as_bytes());
        return;
    }
    out.push(b'{');
    splice::member(meta::SERVER_INFO, encoding.stamp.info(), out);
    splice::rest(value, out);
}

/// Writes a member of a result without what only the stateful era has.
fn write_value(encoding: &Encoding<'_>, name: &str, value: RawRef<'_>, out: &mut Vec<u8>) {
    match (encoding.row.map(|row| row.method), name) {
        (Some("tools/list"), "tools") if value.as_str().starts_with('[') => {
            splice::mapped(value, out, |tool, out| {
                if tool.is_object() {
                    splice::filtered(tool, |name| name == "execution", out);
                } else {
                    out.extend_from_slice(tool.as_str().as_bytes());
                }
                true
            });
        }
        (Some("server/discover"), "capabilities") => write_capabilities(value, out),
        _ => out.extend_from_slice(value.as_str().as_bytes()),
    }
}

/// Writes params with the envelope and the `members` in their `_meta`.
fn enclose(params: Option<&Raw>, envelope: &ClientEnvelope, members: &[u8], takes_token: bool) -> Result<Raw, String> {
    let params = params.map(Raw::borrow);
    let room = params.map_or(0, |params| params.as_str().len());
    let mut out = Vec::with_capacity(room + envelope.members().len() + members.len() + 16);
    out.extend_from_slice(b"{\"_meta\":{");
    out.extend_from_slice(envelope.members().as_bytes());
    out.extend_from_slice(members);
    let own = meta::own(params, true)?;
    if let Some(own) = own {
        splice::other_members(own, |name| takes_token && name == meta::PROGRESS_TOKEN, &mut out);
    }
    out.push(b'}');
    match (params, own) {
        (Some(params), None) => splice::rest(params, &mut out),
        (Some(params), Some(_)) => {
            splice::other_members(params, |name| name == "_meta", &mut out);
            out.push(b'}');
        }
        (None, _) => out.push(b'}'),
    }
    Ok(splice::into_raw(out))
}

fn write_ttl(ttl_ms: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"ttlMs\":");
    serde_json::to_writer(&mut *out, &ttl_ms.min(MAX_TTL)).expect("a number can always be written to memory");
}

fn write_scope(scope: CacheScope, out: &mut Vec<u8>) {
    out.extend_from_slice(match scope {
        CacheScope::Private => b",\"cacheScope\":\"private\"".as_slice(),
        CacheScope::Public => b",\"cacheScope\":\"public\"",
    });
}

fn cache_scope(value: RawRef<'_>) -> Option<CacheScope> {
    match value.as_string()?.as_ref() {
        "private" => Some(CacheScope::Private),
        "public" => Some(CacheScope::Public),
        _ => None,
    }
}

fn contradiction(value: RawRef<'_>, result_type: &str) -> Refusal {
    Refusal(format!("the result says resultType {}, but was answered as {result_type:?}", value.as_str()).into())
}

const COMPLETE: &str = "complete";
const INPUT_REQUIRED: &str = "input_required";
/// The largest integer that every JSON reader keeps exact.
const MAX_TTL: u64 = (1 << 53) - 1;
