//! Times without an end.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use http::Request;
use mcpeer::server::{HttpService, Server};
use serde_json::json;

use crate::{
    line::Served,
    security::Pieces,
    web::{legacy, modern, next, peek, run, send},
};

fn service() -> HttpService {
    let server = Server::builder("test", "1").tool("echo", async || "done").build().unwrap();
    let http = server.http().body_timeout(Duration::MAX).keep_alive(Duration::MAX);
    http.session_timeout(Duration::MAX).service()
}

#[test]
fn a_body_may_take_for_ever() {
    run(async {
        let (parts, body) = modern(1, "tools/call", &json!({"name": "echo"})).into_parts();
        let request = Request::from_parts(parts, Pieces { pieces: vec![body.into()], ends: false });
        let service = service();
        let mut answer = pin!(service.handle(request));
        assert!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    });
}

#[test]
fn a_stream_may_be_quiet_for_ever() {
    run(async {
        let listen = modern("s", "subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}}));
        let mut body = service().handle(listen).await.into_body();
        assert!(next(&mut body).await.unwrap().contains("acknowledged"));
        assert_eq!(peek(&mut body), Poll::Pending);
    });
}

#[test]
fn a_session_may_be_idle_for_ever() {
    run(async {
        let service = service();
        let info = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
        let begun =
            send(&service, legacy(None, &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})));
        let begun = begun.await;
        tokio::time::advance(Duration::from_secs(365 * 24 * 3600)).await;
        let mut ping = legacy(Some("2025-11-25"), &json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
        ping.headers_mut().insert("mcp-session-id", begun.headers["mcp-session-id"].clone());
        assert_eq!(send(&service, ping).await.status, 200);
    });
}

#[tokio::test]
async fn a_connection_may_take_for_ever() {
    let server = Server::builder("test", "1").tool("echo", async || "done").build().unwrap();
    let http = server.http().head_timeout(Duration::MAX).write_timeout(Duration::MAX).grace(Duration::MAX);
    let mut served = Served::new(&http).await;
    let mut line = served.line().await;
    let answer = line.call(&modern(1, "tools/call", &json!({"name": "echo"}))).await;
    assert_eq!(answer.status, 200);
    drop(line);
    served.end();
    served.ended().await;
}
