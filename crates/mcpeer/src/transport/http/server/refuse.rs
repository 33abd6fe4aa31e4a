//! What is answered to requests that never reach the protocol.

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use super::Body;
use crate::rpc;

/// A request that is refused at the edge.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) code: i64,
    message: String,
    /// A header that goes with it.
    header: Option<(header::HeaderName, HeaderValue)>,
}

impl Refused {
    /// A refusal that the specification gives no code.
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, code: rpc::Error::INVALID_REQUEST, message: message.into(), header: None }
    }

    /// A refusal that is the server's fault, or its load.
    pub(super) fn busy(message: impl Into<String>) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { code: rpc::Error::INTERNAL_ERROR, ..Self::new(status, message) }
            .with(header::RETRY_AFTER, HeaderValue::from_static("1"))
    }

    pub(super) fn with(mut self, name: header::HeaderName, value: HeaderValue) -> Self {
        self.header = Some((name, value));
        self
    }

    /// Writes the response: an error of JSON-RPC without an id.
    pub(super) fn into_response(self) -> Response<Body> {
        let mut text = Vec::with_capacity(128);
        rpc::write_error(None, &rpc::Error::new(self.code, self.message), &mut text);
        let mut response = json(self.status, text, HeaderMap::new());
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// Says where the endpoint is.
pub(super) fn elsewhere(path: &str) -> Refused {
    Refused::new(StatusCode::NOT_FOUND, format!("nothing is served here; the endpoint is at {path}"))
}

/// A response that is one JSON text. Its headers take the memory of others, whose map is empty.
pub(super) fn json(status: StatusCode, text: Vec<u8>, spare: HeaderMap) -> Response<Body> {
    let mut response = Response::new(Body::full(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    *headers = spare;
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
