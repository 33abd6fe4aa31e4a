//! What browsers want to know before and after a page asks.

use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};

use super::{Body, policy::Policy, refuse};

/// What a page may read of a response.
const EXPOSED: &str = "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after";

/// Answers what a browser asks before a page may ask; `None` where the request is something else.
pub(super) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Response<Body>> {
    if method != Method::OPTIONS || !headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
        return None;
    }
    let mut response = refuse::empty(StatusCode::NO_CONTENT);
    let answer = response.headers_mut();
    answer.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    // Which there are depends on the tools: `Mcp-Param-*`.
    if let Some(asked) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    Some(response)
}

/// Lets a page of an allowed origin read the response.
pub(super) fn allow(policy: &Policy, origin: Option<&HeaderValue>, response: &mut Response<Body>) {
    let Some(origin) = origin else { return };
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if origin.to_str().is_ok_and(|origin| policy.allows_origin(origin)) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}
