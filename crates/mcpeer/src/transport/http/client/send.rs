//! One request of HTTP, and where it may be redirected to.

use std::{error::Error, fmt::Write};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header, uri::PathAndQuery};

use super::{ResponseBody, shared::Shared};

/// How often in a row a request may be redirected.
const REDIRECTS: usize = 5;

/// Sends a request. Redirects are followed within the origin of the server, where they keep the request as it is.
///
/// # Errors
///
/// There is no response; the text says why.
pub(super) async fn send(
    shared: &Shared,
    method: Method,
    own: HeaderMap,
    body: Bytes,
) -> Result<Response<ResponseBody>, String> {
    let sent = send_to(shared, shared.target.clone(), method, own, body).await;
    sent.map(|(_, response)| response)
}

/// Sends a request to an address of the server, and gives the one that answered.
///
/// # Errors
///
/// As [`send`].
pub(super) async fn send_to(
    shared: &Shared,
    mut target: Uri,
    method: Method,
    own: HeaderMap,
    body: Bytes,
) -> Result<(Uri, Response<ResponseBody>), String> {
    let mut headers = shared.headers.clone();
    headers.extend(own);
    for _ in 0..=REDIRECTS {
        let mut request = Request::new(body.clone());
        *request.method_mut() = method.clone();
        *request.uri_mut() = target.clone();
        request.headers_mut().clone_from(&headers);
        let response = shared.stack.send(request).await.map_err(|error| explain(&error))?;
        match redirected(&target, &method, response.status(), response.headers()) {
            Some(next) => target = next,
            None => return Ok((target, response)),
        }
    }
    Err(format!("the server redirects more than {REDIRECTS} times in a row"))
}

/// Sends a message.
///
/// # Errors
///
/// As [`send`].
pub(super) async fn post(shared: &Shared, mut own: HeaderMap, text: Bytes) -> Result<Response<ResponseBody>, String> {
    own.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    own.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    send(shared, Method::POST, own, text).await
}

/// Where a response sends the request on to, if it may go there.
fn redirected(from: &Uri, method: &Method, status: StatusCode, headers: &HeaderMap) -> Option<Uri> {
    let keeps_request = match status {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => true,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND | StatusCode::SEE_OTHER => *method == Method::GET,
        _ => false,
    };
    let location = headers.get(header::LOCATION).filter(|_| keeps_request)?.to_str().ok()?;
    resolve(from, location).filter(|target| has_same_origin(from, target))
}

/// Whether what is meant for one address may go to the other.
pub(super) fn has_same_origin(one: &Uri, other: &Uri) -> bool {
    let is_same_host = one.host().zip(other.host()).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other));
    is_same_host && one.scheme() == other.scheme() && port(one) == port(other)
}

/// Reads an address that a response of another one names.
pub(super) fn resolve(from: &Uri, location: &str) -> Option<Uri> {
    let location = location.split('#').next()?;
    let before_path = location.split(['/', '?']).next()?;
    if before_path.ends_with(':') {
        return location.parse().ok();
    }
    if location.starts_with("//") {
        return format!("{}:{location}", from.scheme_str()?).parse().ok();
    }
    let path = match location.as_bytes().first()? {
        b'/' => location.to_owned(),
        b'?' => format!("{}{location}", from.path()),
        _ => format!("{}{location}", &from.path()[..from.path().rfind('/')? + 1]),
    };
    let mut parts = from.clone().into_parts();
    parts.path_and_query = Some(path.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

fn port(uri: &Uri) -> Option<u16> {
    uri.port_u16().or(match uri.scheme_str()? {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    })
}

/// Says what went wrong, with its causes: those above say little.
pub(super) fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            let _ = write!(text, ": {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_are_followed_within_the_origin() {
        let from: Uri = "http://example.com:80/a/mcp?x=1".parse().unwrap();
        let table = [
            ("/b", Some("http://example.com:80/b")),
            ("b?c=d", Some("http://example.com:80/a/b?c=d")),
            ("?y", Some("http://example.com:80/a/mcp?y")),
            ("/b?c=http://d", Some("http://example.com:80/b?c=http://d")),
            ("http://EXAMPLE.com/b#c", Some("http://EXAMPLE.com/b")),
            ("//example.com/b", Some("http://example.com/b")),
            ("https://example.com/b", None),
            ("http://example.com:81/b", None),
            ("http://example.com.evil.org/b", None),
            ("http://example.com@evil.org/b", None),
            ("//evil.org/b", None),
            ("file:///etc/passwd", None),
            ("", None),
        ];
        for (location, wanted) in table {
            let headers = HeaderMap::from_iter([(header::LOCATION, location.parse().unwrap())]);
            let found = redirected(&from, &Method::POST, StatusCode::PERMANENT_REDIRECT, &headers);
            assert_eq!(found.map(|found| found.to_string()), wanted.map(str::to_owned), "{location:?}");
        }
    }

    #[test]
    fn what_would_turn_a_message_into_something_else_is_not_followed() {
        let from: Uri = "http://example.com/mcp".parse().unwrap();
        let headers = HeaderMap::from_iter([(header::LOCATION, "/b".parse().unwrap())]);
        for (status, posts, gets) in [(301, false, true), (303, false, true), (307, true, true), (304, false, false)] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(redirected(&from, &Method::POST, status, &headers).is_some(), posts);
            assert_eq!(redirected(&from, &Method::GET, status, &headers).is_some(), gets);
        }
    }
}
