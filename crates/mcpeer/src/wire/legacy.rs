//! The stateful era: 2024-11-05 … 2025-11-25.

use std::borrow::Cow;

use crate::{
    rpc::{self, Raw, RawRef},
    version::{Era, Revision},
};

use super::{
    Answer, ClientEnvelope, Codec, Encoding, Invalid, Lifted, Outcome, OutgoingRequest, Refusal, Registry,
    codec::ADDED, codes, meta, splice,
};

mod convert;
mod declared;

/// The codec of the stateful era.
#[derive(Debug)]
pub(super) struct Legacy;

impl Codec for Legacy {
    fn era(&self) -> Era {
        Era::Legacy
    }

    fn check_envelope(&self, _: Option<&Lifted>) -> Result<(), rpc::Error> {
        Ok(())
    }

    fn room(&self, _: &Encoding<'_>, outcome: &Outcome<'_>) -> usize {
        let (length, is_plain) = outcome.written();
        if is_plain { length } else { length + ADDED }
    }

    fn encode_result(&self, encoding: &Encoding<'_>, outcome: Outcome<'_>, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let start = out.len();
        let written = match outcome {
            Outcome::Complete { raw, is_plain: true, .. } if raw.is_object() => {
                out.extend_from_slice(raw.as_str().as_bytes());
                Ok(())
            }
            Outcome::Complete { raw, wraps_output, .. } => convert::result(encoding, raw, wraps_output, out),
            Outcome::InputRequired(_) => {
                Err(Refusal(format!("protocol version {} has no input_required", encoding.revision).into()))
            }
            Outcome::Extension { result_type, .. } => Err(Refusal(
                format!("protocol version {} has no results of type {result_type:?}", encoding.revision).into(),
            )),
        };
        if written.is_err() {
            out.truncate(start);
        }
        written
    }

    fn encode_error(&self, revision: Revision, method: &str, error: rpc::Error, from_handler: bool) -> rpc::Error {
        if !from_handler {
            return error;
        }
        match error.code {
            rpc::Error::INVALID_PARAMS if method == "resources/read" && names_only_a_uri(&error) => {
                rpc::Error { code: codes::RESOURCE_NOT_FOUND, ..error }
            }
            codes::URL_ELICITATION_REQUIRED if revision.has_url_elicitation_error() => error,
            code if codes::is_reserved(code) => codes::hide(error),
            _ => error,
        }
    }

    fn decode_result(&self, _: &Registry, _: &str, raw: RawRef<'_>) -> Result<Answer, Invalid> {
        // A `resultType` says nothing in this era.
        let rest = splice::take(raw, "resultType").map(|(_, rest)| rest);
        Ok(Answer::Complete(rest.unwrap_or_else(|| raw.to_owned())))
    }

    fn encode_request<'a>(&self, request: &OutgoingRequest<'a>) -> Result<Option<Cow<'a, Raw>>, String> {
        meta::own(request.params.map(Raw::borrow), request.progress_token.is_some())?;
        let params = match request.params {
            Some(params) => Some(convert::request(request.revision, request.method, params)?),
            None => None,
        };
        let Some(token) = request.progress_token else { return Ok(params) };
        let token = Raw::from_value(token).map_err(|error| error.to_string())?;
        let params = meta::set(params.as_deref().map(Raw::borrow), meta::PROGRESS_TOKEN, token.borrow());
        Ok(Some(Cow::Owned(params)))
    }

    fn encode_notification<'a>(
        &self,
        params: Option<&'a Raw>,
        _: Option<&ClientEnvelope>,
    ) -> Result<Option<Cow<'a, Raw>>, String> {
        meta::own(params.map(Raw::borrow), false)?;
        Ok(params.map(Cow::Borrowed))
    }
}

/// Gives the params of a progress notification as a revision has them.
pub fn progress(revision: Revision, params: &Raw) -> Cow<'_, Raw> {
    let without = if revision.has_progress_messages() { None } else { splice::take(params.borrow(), "message") };
    without.map_or(Cow::Borrowed(params), |(_, rest)| Cow::Owned(rest))
}

/// Whether an error's data is exactly `{"uri": …}`: how the stateless era says that a resource does not exist.
fn names_only_a_uri(error: &rpc::Error) -> bool {
    let Some(data) = &error.data else { return false };
    let mut members = data.borrow().members();
    matches!(members.next(), Some((name, value)) if name == "uri" && value.as_string().is_some())
        && members.next().is_none()
}
