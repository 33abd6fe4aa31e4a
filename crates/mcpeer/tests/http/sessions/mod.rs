//! Sessions of the stateful era.

mod course;
mod ends;
#[cfg(feature = "http-sse")]
mod http_sse;
mod kept;
mod listening;
mod names;
mod polling;
mod resuming;
mod revisions;

use std::{sync::Arc, time::Duration};

use http::{Method, Request};
use mcpeer::{
    handler::Context,
    model::logging::Level,
    rpc::Raw,
    server::{Args, Http, HttpService, Server},
    transport::{Principal, http::server::Body},
};
use serde_json::{Value, json};

use crate::web::{Answer, next, send};

const STATEFUL: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What the tools of the tests wait for, and what they tell.
#[derive(Clone, Default)]
pub(crate) struct Signals {
    pub(crate) started: Arc<tokio::sync::Notify>,
    pub(crate) go: Arc<tokio::sync::Notify>,
    pub(crate) ended: Arc<tokio::sync::Notify>,
}

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Ask {
    method: String,
    params: Option<Value>,
}

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Say {
    text: String,
}

pub(crate) fn server(signals: &Signals) -> Server {
    let (waits, works, asks) = (signals.clone(), signals.clone(), signals.clone());
    Server::builder("test", "1")
        .logging()
        .tool("say", async |Args(say): Args<Say>| say.text)
        .tool("ask", move |Args(ask): Args<Ask>, cx: Context| {
            let started = asks.started.clone();
            async move {
                started.notify_one();
                let params = ask.params.map(|params| Raw::from_value(&params).unwrap());
                match cx.peer().request_raw(ask.method, params).await {
                    Ok(answer) => answer.as_str().to_owned(),
                    Err(error) => format!("failed: {error}"),
                }
            }
        })
        .tool("progress", async |cx: Context| {
            cx.progress(1.0, None, None).await;
            "done"
        })
        .tool("log", async |cx: Context| {
            cx.log(Level::Info, "small").await;
            cx.log(Level::Error, "great").await;
            "done"
        })
        .tool("flood", async |cx: Context| {
            let text = "x".repeat(10 << 10);
            for step in 0..100 {
                cx.progress(f64::from(step), None, Some(&text)).await;
            }
            "done"
        })
        .tool("wait", move |cx: Context| {
            let waits = waits.clone();
            async move {
                waits.started.notify_one();
                tokio::select! {
                    () = cx.cancelled() => {}
                    () = waits.go.notified() => {}
                }
                let is_cancelled = cx.is_cancelled();
                waits.ended.notify_one();
                if is_cancelled { "cancelled" } else { "done" }
            }
        })
        .tool("work", move |cx: Context| {
            let works = works.clone();
            async move {
                cx.progress(1.0, None, None).await;
                works.started.notify_one();
                works.go.notified().await;
                assert!(!cx.is_cancelled());
                works.ended.notify_one();
                "done"
            }
        })
        .build()
        .unwrap()
}

fn http() -> Http {
    server(&Signals::default()).http()
}

pub(crate) fn initialize(version: &str) -> Value {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {"roots": {}, "sampling": {}, "elicitation": {}},
        "clientInfo": {"name": "a", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

pub(crate) fn call(id: impl Into<Value>, name: &str, arguments: &Value) -> Value {
    let id: Value = id.into();
    let params = json!({"name": name, "arguments": arguments, "_meta": {"progressToken": 5}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

pub(crate) fn ping(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

/// A client of one session.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) service: HttpService,
    pub(crate) version: &'static str,
    pub(crate) session: String,
    pub(crate) name: Option<&'static str>,
}

impl Client {
    /// Begins a session.
    pub(crate) async fn new(service: &HttpService, version: &'static str) -> Self {
        Self::named(service, version, None).await
    }

    /// Begins a session as somebody.
    async fn named(service: &HttpService, version: &'static str, name: Option<&'static str>) -> Self {
        let nobody = Self { service: service.clone(), version, session: String::new(), name };
        let begun = nobody.send(&initialize(version)).await;
        assert_eq!((begun.status, &begun.json()["result"]["protocolVersion"]), (200, &json!(version)));
        let client = Self { session: begun.header("mcp-session-id").to_owned(), ..nobody };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.send(&ready).await.status, 202);
        client
    }

    fn request(&self, method: Method, body: String) -> Request<String> {
        let mut request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
        request = request.header("mcp-protocol-version", self.version);
        request = request.header("accept", "application/json, text/event-stream");
        if !self.session.is_empty() {
            request = request.header("mcp-session-id", &self.session);
        }
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        if let Some(name) = self.name {
            request = request.extension(Principal(name.into()));
        }
        request.body(body).unwrap()
    }

    pub(crate) fn post(&self, body: &Value) -> Request<String> {
        self.request(Method::POST, body.to_string())
    }

    pub(crate) fn get(&self) -> Request<String> {
        self.request(Method::GET, String::new())
    }

    pub(crate) fn delete(&self) -> Request<String> {
        self.request(Method::DELETE, String::new())
    }

    pub(crate) async fn send(&self, body: &Value) -> Answer {
        send(&self.service, self.post(body)).await
    }

    /// Comes back to a stream.
    fn back(&self, id: &str) -> Request<String> {
        let mut request = self.get();
        request.headers_mut().insert("last-event-id", id.parse().unwrap());
        request
    }

    /// Opens a stream, and reads what it begins with where the revision has that.
    async fn open(&self, request: Request<String>) -> Body {
        let response = self.service.handle(request).await;
        assert_eq!(
            (response.status().as_u16(), response.headers()["content-type"].as_bytes()),
            (200, &b"text/event-stream"[..])
        );
        let mut body = response.into_body();
        if self.version == "2025-11-25" {
            let first = next(&mut body).await.unwrap();
            assert!(first.starts_with("id: ") && first.ends_with("\nretry: 1000\ndata: \n\n"), "{first}");
        }
        body
    }
}

/// The ids of the events in a text.
fn ids(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("id: ")).collect()
}

/// Lets every task go on that can.
pub(crate) async fn settle() {
    // Time stands still until nothing else is to be done.
    tokio::time::sleep(Duration::from_millis(1)).await;
}
