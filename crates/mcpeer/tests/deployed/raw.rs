//! Requests by hand, where it matters what a single stream does.

use mcpeer::transport::http::client::reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";

/// A request of the stateless era.
pub(crate) fn modern(url: &str, method: &str, mut params: Value) -> RequestBuilder {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = post(url).header("mcp-protocol-version", MODERN).header("mcp-method", method);
    let request = match params["name"].as_str() {
        Some(name) => request.header("mcp-name", name),
        None => request,
    };
    request.body(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string())
}

/// Asks to hear of changes, in the stateless era.
pub(crate) async fn listen(url: &str) -> Stream {
    let request = modern(url, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    Stream::of(request.send().await.unwrap())
}

/// Opens the stream of a session, in the stateful era.
pub(crate) async fn session(url: &str) -> Stream {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}
    });
    let first = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let begun = post(url).body(first.to_string()).send().await.unwrap();
    let id = begun.headers()["mcp-session-id"].clone();
    let second = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    post(url).header("mcp-session-id", &id).body(second.to_string()).send().await.unwrap();
    let request = Client::new().get(url).header("accept", "text/event-stream").header("mcp-session-id", &id);
    Stream::of(request.send().await.unwrap())
}

fn post(url: &str) -> RequestBuilder {
    let request = Client::new().post(url).header("content-type", "application/json");
    request.header("accept", "application/json, text/event-stream")
}

/// An event stream that is read piece by piece.
pub(crate) struct Stream {
    response: Response,
    pub(crate) text: String,
}

impl Stream {
    fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200, "{response:?}");
        Self { response, text: String::new() }
    }

    /// Reads until this was said.
    pub(crate) async fn until(&mut self, wanted: &str) {
        while !self.text.contains(wanted) {
            assert!(self.reads_on().await, "the stream ended; it said {:?}", self.text);
        }
    }

    /// Reads until nothing more comes.
    pub(crate) async fn end(mut self) -> String {
        while self.reads_on().await {}
        self.text
    }

    async fn reads_on(&mut self) -> bool {
        // What is broken off and what is over are the same here.
        let Ok(Some(piece)) = self.response.chunk().await else { return false };
        self.text.push_str(&String::from_utf8_lossy(&piece));
        true
    }
}
