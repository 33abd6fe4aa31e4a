//! A server, and requests to it.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use http::{Request, Response, request};
use http_body::Body as _;
use mcpeer::{server::HttpService, transport::http::server::Body};
use serde_json::{Value, json};

pub(crate) const MODERN: &str = "2026-07-28";

/// The envelope of the stateless era.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request without headers of the protocol, as every client sends it.
pub(crate) fn post() -> request::Builder {
    Request::post("/mcp")
        .header("host", "localhost:8080")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

/// The params with the envelope.
pub(crate) fn enveloped(params: &Value) -> Value {
    let mut params = params.clone();
    let mut all = meta();
    for (key, value) in params["_meta"].as_object().cloned().unwrap_or_default() {
        all[&key] = value;
    }
    params["_meta"] = all;
    params
}

/// A request of the stateless era, with the headers that belong to it.
pub(crate) fn modern(id: impl Into<Value>, method: &str, params: &Value) -> Request<String> {
    let params = enveloped(params);
    let mut builder = post().header("mcp-protocol-version", MODERN).header("mcp-method", method);
    let name = match method {
        "tools/call" | "prompts/get" => &params["name"],
        "resources/read" => &params["uri"],
        _ => &Value::Null,
    };
    if let Some(name) = name.as_str() {
        builder = builder.header("mcp-name", name);
    }
    let id: Value = id.into();
    builder.body(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).unwrap()
}

/// A request of the stateful era.
pub(crate) fn legacy(version: Option<&str>, body: &Value) -> Request<String> {
    let builder = post();
    match version {
        Some(version) => builder.header("mcp-protocol-version", version),
        None => builder,
    }
    .body(body.to_string())
    .unwrap()
}

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    /// The one JSON text that it is.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), "application/json", "{self:?}");
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The messages of the event stream that it is.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), "text/event-stream", "{self:?}");
        events(&self.text)
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The code of the error.
    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:?}"))
    }
}

/// Reads the messages of an event stream.
pub(crate) fn events(text: &str) -> Vec<Value> {
    let data =
        |event: &str| event.lines().filter_map(|line| line.strip_prefix("data: ")).collect::<Vec<_>>().join("\n");
    text.split("\n\n")
        .map(data)
        .filter(|data| !data.is_empty())
        .map(|data| serde_json::from_str(&data).unwrap())
        .collect()
}

/// Sends a request and reads the response to its end.
pub(crate) async fn send(service: &HttpService, request: Request<String>) -> Answer {
    read(service.handle(request).await).await
}

pub(crate) async fn read(response: Response<Body>) -> Answer {
    let (parts, mut body) = response.into_parts();
    let mut text = String::new();
    while let Some(piece) = next(&mut body).await {
        text.push_str(&piece);
    }
    Answer { status: parts.status.as_u16(), headers: parts.headers, text }
}

/// Gives the next piece of a body.
pub(crate) async fn next(body: &mut Body) -> Option<String> {
    let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
    let data = frame.unwrap().into_data().expect("there are no trailers");
    Some(String::from_utf8(data.to_vec()).unwrap())
}

/// Gives the next piece of a body if it is there.
pub(crate) fn peek(body: &mut Body) -> Poll<Option<String>> {
    let frame = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
    frame.map(|frame| frame.map(|frame| String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap()))
}

/// Runs a test.
pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(test);
}
