//! What requests over HTTP leave behind.

use std::{future::poll_fn, pin::pin};

use http::Request;
use http_body::Body as _;
use mcpeer::server::{HttpService, Server};
use serde_json::{Value, json};
use stats_alloc::Region;

use super::{ALLOCATOR, COUNTING};

fn request(id: &str, method: &str, params: &Value) -> Request<String> {
    let mut params = params.clone();
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    if let Some(name) = params["name"].as_str() {
        request = request.header("mcp-name", name);
    }
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    request.body(message.to_string()).unwrap()
}

/// Sends requests of every kind, and reads what comes back.
async fn exchange(service: &HttpService, rounds: std::ops::Range<u32>) {
    for round in rounds {
        let progress = json!({"name": "streams", "_meta": {"progressToken": round}});
        let listen = json!({"notifications": {"toolsListChanged": true}});
        for (method, params, status) in [
            ("tools/call", json!({"name": "now"}), 200),
            ("tools/call", json!({"name": "none"}), 200),
            ("tools/call", progress, 200),
            ("no/such", json!({}), 404),
            ("subscriptions/listen", listen, 200),
        ] {
            let response = service.handle(request(&round.to_string(), method, &params)).await;
            assert_eq!(response.status(), status, "{method}");
            let mut body = pin!(response.into_body());
            while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
                drop(frame.unwrap());
                if method == "subscriptions/listen" {
                    // It hangs up after the acknowledgment.
                    break;
                }
            }
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn requests_over_http_leave_nothing_behind() {
    let _counting = COUNTING.lock();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Server::builder("flat", "1")
        .tool("now", async || "now")
        .tool("streams", async |cx: mcpeer::handler::Context| {
            cx.progress(1.0, None, None).await;
            "streamed"
        })
        .build()
        .unwrap();
    let service = server.http().service();
    runtime.block_on(async {
        exchange(&service, 0..200).await;
        let region = Region::new(ALLOCATOR);
        exchange(&service, 200..2200).await;
        let change = region.change();
        let kept = change.bytes_allocated as i64 - change.bytes_deallocated as i64;
        assert!(kept < 32 << 10, "{kept} bytes are left of 10,000 requests");
    });
}
