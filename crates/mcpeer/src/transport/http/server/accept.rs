//! What kinds of bodies go in and out.

use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{headers::Seen, refuse::Refused};
use crate::proto::io::Field;

/// Which bodies the client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
}

/// Reads what the client takes; nothing said means everything.
///
/// # Errors
///
/// It takes neither of what there is.
pub(super) fn accepted(headers: &HeaderMap, seen: &Seen<'_>) -> Result<Accepts, Refused> {
    const USUAL: &[u8] = b"application/json, text/event-stream";
    if seen.accept.value.is_none() || seen.accept.once() == Some(USUAL) {
        return Ok(Accepts { json: true, events: true });
    }
    let mut accepts = Accepts { json: false, events: false };
    for value in headers.get_all(header::ACCEPT) {
        let Ok(value) = value.to_str() else { continue };
        for range in value.split(',') {
            let (range, parameters) = range.split_once(';').unwrap_or((range, ""));
            if parameters.split(';').any(is_never) {
                continue;
            }
            let range = range.trim();
            let is = |kind: &str| range.eq_ignore_ascii_case(kind);
            accepts.json |= is("application/json") || is("application/*") || is("*/*");
            accepts.events |= is("text/event-stream") || is("text/*") || is("*/*");
        }
    }
    if accepts.json || accepts.events {
        return Ok(accepts);
    }
    let message = "the `Accept` header allows neither of what is served: application/json, text/event-stream";
    Err(Refused::new(StatusCode::NOT_ACCEPTABLE, message))
}

/// Whether a parameter says that the range is not taken at all.
fn is_never(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else { return false };
    name.trim().eq_ignore_ascii_case("q") && weight.trim().parse::<f32>().is_ok_and(|weight| weight == 0.0)
}

/// Checks that the body is JSON as it is.
pub(super) fn check_content(seen: &Seen<'_>) -> Result<(), Refused> {
    if seen.content_type.once() != Some(b"application/json") && !is_json(seen.content_type.field()) {
        let message = "the body must be JSON, under `Content-Type: application/json`";
        return Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    match seen.content_encoding.field() {
        Field::Absent => Ok(()),
        Field::Value(encoding) if encoding.eq_ignore_ascii_case("identity") => Ok(()),
        Field::Value(_) | Field::Unusable => {
            let message = "compressed bodies are not read here; send the body as it is";
            let refused = Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
            Err(refused.with(header::ACCEPT_ENCODING, HeaderValue::from_static("identity")))
        }
    }
}

/// Whether a media type is that of JSON, whatever parameters it has.
fn is_json(kind: Field<'_>) -> bool {
    let essence = kind.value().unwrap_or_default().split(';').next().unwrap_or_default().trim_ascii_end();
    essence.eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{
        super::headers::{Seen, look},
        Accepts, accepted, check_content,
    };

    #[test]
    fn what_is_taken_is_read_from_all_ranges() {
        for (value, json, events) in [
            ("application/json, text/event-stream", true, true),
            ("application/json", true, false),
            ("text/event-stream;q=0.9", false, true),
            ("*/*", true, true),
            ("text/*, application/json; q=0.0", false, true),
            ("TEXT/Event-Stream , application/*", true, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("accept", HeaderValue::from_static(value));
            assert_eq!(accepted(&headers, &look(&headers).0).unwrap(), Accepts { json, events }, "{value}");
        }
        assert_eq!(accepted(&HeaderMap::new(), &Seen::default()).unwrap(), Accepts { json: true, events: true });
        for value in ["text/html", "application/json;q=0", ""] {
            let mut headers = HeaderMap::new();
            headers.insert("accept", HeaderValue::from_static(value));
            assert_eq!(accepted(&headers, &look(&headers).0).unwrap_err().status, 406, "{value}");
        }
    }

    #[test]
    fn only_json_is_read() {
        for (kind, encoding, is_read) in [
            (Some("application/json"), None, true),
            (Some("Application/JSON; charset=utf-8"), Some("identity"), true),
            (Some("application/json"), Some("gzip"), false),
            (Some("text/plain"), None, false),
            (Some("application/jsonp"), None, false),
            (None, None, false),
        ] {
            let mut headers = HeaderMap::new();
            kind.map(|kind| headers.insert("content-type", HeaderValue::from_static(kind)));
            encoding.map(|encoding| headers.insert("content-encoding", HeaderValue::from_static(encoding)));
            assert_eq!(check_content(&look(&headers).0).is_ok(), is_read, "{kind:?} {encoding:?}");
        }
    }
}
