//! What reading a call costs in allocations, and what requests leave behind.

#[cfg(feature = "http-server")]
#[path = "allocations/http.rs"]
mod http;

use std::{alloc::System, sync::Mutex};

use mcpeer::{
    rpc::{Limits, Message},
    server::{Server, ToolCall},
    transport::{TransportExt, memory},
};
use serde::Deserialize;
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// One test counts at a time.
static COUNTING: Mutex<()> = Mutex::new(());

#[derive(Debug, PartialEq, Deserialize)]
struct Echo {
    text: String,
}

/// Reads a call down to the tool's own type, and counts.
fn read(text: &[u8]) -> (Echo, usize) {
    let region = Region::new(ALLOCATOR);
    let Ok(Message::Request { params, .. }) = Message::parse(text, &Limits::default()) else { panic!("no request") };
    let call = ToolCall::read(params).unwrap();
    assert_eq!(call.name(), "echo");
    let echo = call.decode().unwrap();
    let change = region.change();
    (echo, change.allocations + change.reallocations)
}

#[test]
fn a_call_is_read_into_the_arguments_of_its_tool_with_six_allocations_at_most() {
    let _counting = COUNTING.lock();
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"params":{"name":"echo","arguments":{"text":"a"}},"method":"tools/call"}"#,
        r#"{"params":{"arguments":{"text":"a"},"name":"echo"},"method":"tools/call","id":1,"jsonrpc":"2.0"}"#,
    ];
    for text in texts {
        assert_eq!(text.len(), 96);
        // The test harness has a thread of its own, which may allocate meanwhile: the least of several is ours.
        let counts = (0..10).map(|_| {
            let (echo, count) = read(text.as_bytes());
            assert_eq!(echo, Echo { text: "a".to_owned() });
            count
        });
        let least = counts.min().unwrap();
        println!("allocations to read a small tools/call: {least}");
        assert!((1..=6).contains(&least), "{least} allocations for {text}");
    }
}

/// Sends requests of every kind, some refused and some cancelled, and reads what comes back.
async fn exchange(client: &mut memory::Memory, meta: &serde_json::Value, rounds: std::ops::Range<u32>) {
    for round in rounds {
        let requests = [
            ("tools/call", json!({"name": "now", "_meta": meta})),
            ("tools/call", json!({"name": "none", "_meta": meta})),
            ("tools/call", json!({"name": "waits", "_meta": meta})),
            ("tools/list", json!({"cursor": "none", "_meta": meta})),
            ("tools/list", json!({"_meta": meta})),
            ("no/such", json!({"_meta": meta})),
        ];
        for (number, (method, params)) in requests.into_iter().enumerate() {
            let id = format!("{round}-{number}");
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            client.send_text(&request.to_string()).await.unwrap();
            if params["name"] == "waits" {
                let params = json!({"requestId": id});
                let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
                client.send_text(&cancel.to_string()).await.unwrap();
                continue;
            }
            let answer = client.receive_text().await.unwrap().unwrap();
            assert!(answer.contains(&id), "{answer}");
        }
    }
}

#[test]
fn requests_leave_nothing_behind() {
    let _counting = COUNTING.lock();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Server::builder("flat", "1")
        .tool("now", async || "now")
        .tool("waits", async |cx: mcpeer::handler::Context| cx.cancelled().await)
        .build()
        .unwrap();
    let modern = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    for meta in [json!({}), modern] {
        runtime.block_on(async {
            let (mut client, theirs) = memory::pair();
            let serving = tokio::spawn({
                let server = server.clone();
                async move { server.serve(theirs).await }
            });
            if meta == json!({}) {
                let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "0"}});
                let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
                client.send_text(&initialize.to_string()).await.unwrap();
                client.receive_text().await.unwrap().unwrap();
            }
            // Tables and buffers have grown to what they need.
            exchange(&mut client, &meta, 0..200).await;
            let region = Region::new(ALLOCATOR);
            exchange(&mut client, &meta, 200..1200).await;
            let change = region.change();
            let kept = change.bytes_allocated as i64 - change.bytes_deallocated as i64;
            assert!(kept < 32 << 10, "{kept} bytes are left of 6,000 requests");
            drop(client);
            serving.await.unwrap().unwrap();
        });
    }
}
