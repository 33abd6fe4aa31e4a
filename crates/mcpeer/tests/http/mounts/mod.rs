//! A server mounted in servers of others, over sockets.

#[cfg(feature = "actix")]
mod actix;
mod axum;
#[cfg(feature = "http-client")]
mod tonic;

use std::net::SocketAddr;

use http::Request;
use mcpeer::{
    handler::Context,
    server::{Claims, Principal, Server},
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{
    line::Line,
    web::{legacy, modern},
};

/// What a layer in front leaves in the extensions.
#[derive(Clone)]
struct Tenant(&'static str);

/// What the handler that waits tells: that it has begun, that it is over.
struct Observed(UnboundedSender<&'static str>);

impl Observed {
    fn begin(signals: &UnboundedSender<&'static str>) -> Self {
        let _ = signals.send("started");
        Self(signals.clone())
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        let _ = self.0.send("over");
    }
}

fn server() -> (Server, UnboundedReceiver<&'static str>) {
    let (signals, heard) = unbounded_channel();
    let builder = Server::builder("test", "1")
        .tool("echo", async || "done")
        .tool("count", async |cx: Context| {
            cx.progress(1.0, Some(2.0), None).await;
            "counted"
        })
        .tool("wait", move |cx: Context| {
            let signals = signals.clone();
            async move {
                let _observed = Observed::begin(&signals);
                cx.progress(1.0, None, Some("working")).await;
                cx.cancelled().await;
            }
        })
        .tool("who", |Principal(name): Principal, Claims(claims): Claims<Value>, cx: Context| {
            let tenant = cx.http().and_then(|head| head.extensions.get::<Tenant>()).map_or("none", |tenant| tenant.0);
            format!("{} {} {tenant}", name.unwrap_or_default(), claims.unwrap_or_default()["scope"])
        });
    (builder.build().unwrap(), heard)
}

fn call(tool: &str) -> Request<String> {
    modern(1, "tools/call", &json!({"name": tool}))
}

fn told(tool: &str) -> Request<String> {
    modern(1, "tools/call", &json!({"name": tool, "_meta": {"progressToken": "t"}}))
}

/// Sends a request on a connection of its own, and reads what comes until the server closes that.
async fn send(address: SocketAddr, path: &str, request: Request<String>) -> String {
    let mut request = request;
    request.headers_mut().insert("connection", "close".parse().unwrap());
    let mut line = Line::new(address).await;
    line.send(&at(path, request)).await;
    line.rest().await.unwrap()
}

/// The request, where the server is mounted.
fn at(path: &str, mut request: Request<String>) -> Request<String> {
    *request.uri_mut() = path.parse().unwrap();
    request
}

/// What every mount has to do.
async fn check(address: SocketAddr, path: &str, heard: &mut UnboundedReceiver<&'static str>) {
    let answer = send(address, path, call("echo")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("content-type: application/json\r\n") && answer.contains("\"done\""), "{answer}");

    let stream = send(address, path, told("count")).await;
    for part in
        ["content-type: text/event-stream\r\n", "x-accel-buffering: no\r\n", "\"progressToken\":\"t\"", "\"counted\""]
    {
        assert!(stream.contains(part), "{part} {stream}");
    }
    serves_sessions(address, path).await;
    ends_with_its_client(address, path, heard).await;
}

async fn serves_sessions(address: SocketAddr, path: &str) {
    let info = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let begun = send(address, path, legacy(None, &initialize)).await;
    let session = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect(&begun);
    let within = |mut request: Request<String>| {
        request.headers_mut().insert("mcp-session-id", session.parse().unwrap());
        request
    };
    let params = json!({"name": "echo"});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let answer = send(address, path, within(legacy(Some("2025-11-25"), &call))).await;
    assert!(answer.contains("\"done\""), "{answer}");
    let mut other = within(legacy(Some("2025-11-25"), &call));
    other.headers_mut().insert("mcp-session-id", "another".parse().unwrap());
    let answer = send(address, path, other).await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
}

/// A client that hangs up ends its handler, whether something was told before or not.
async fn ends_with_its_client(address: SocketAddr, path: &str, heard: &mut UnboundedReceiver<&'static str>) {
    for request in [call("wait"), told("wait")] {
        let says = request.body().contains("progressToken");
        let mut line = Line::new(address).await;
        line.send(&at(path, request)).await;
        assert_eq!(heard.recv().await, Some("started"));
        if says {
            line.until("working").await;
        }
        drop(line);
        assert_eq!(heard.recv().await, Some("over"));
    }
}
