//! The stateful era without sessions: each message stands alone.

use mcpeer::server::{HttpService, Server};
use serde_json::json;

use crate::web::{MODERN, legacy, run, send};

fn service() -> HttpService {
    Server::builder("test", "1").tool("echo", async || "done").build().unwrap().http().sessionless().service()
}

const STATEFUL: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn initialize_is_answered_whatever_its_headers_say() {
    run(async {
        for asked in STATEFUL {
            for header in [None, Some("2025-06-18"), Some(MODERN)] {
                let params = json!({
                    "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}
                });
                let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
                let answer = send(&service(), legacy(header, &body)).await;
                assert_eq!(answer.json()["result"]["protocolVersion"], asked, "{header:?}");
                assert_eq!(answer.header("mcp-session-id"), "");
            }
        }
    });
}

#[test]
fn calls_need_no_initialize() {
    run(async {
        for version in STATEFUL.map(Some).into_iter().chain([None]) {
            let params = json!({"name": "echo"});
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
            let answer = send(&service(), legacy(version, &body)).await;
            let result = &answer.json()["result"];
            assert_eq!(result["content"][0]["text"], "done", "{version:?}");
            assert!(result.get("resultType").is_none());
        }
    });
}

#[test]
fn an_unknown_method_is_an_answer() {
    run(async {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"});
        let answer = send(&service(), legacy(Some("2025-11-25"), &body)).await;
        assert_eq!((answer.status, answer.code()), (200, -32601));
    });
}

#[test]
fn batches_are_answered_together_where_the_revision_has_them() {
    run(async {
        let batch = json!([
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo"}},
        ]);
        for version in [None, Some("2025-03-26")] {
            let answers = send(&service(), legacy(version, &batch)).await.json();
            assert_eq!(answers.as_array().unwrap().len(), 2, "{answers}");
        }
        for version in ["2024-11-05", "2025-06-18", "2025-11-25", MODERN] {
            let answer = send(&service(), legacy(Some(version), &batch)).await;
            assert_eq!((answer.status, answer.code()), (400, -32600), "{version}");
        }
        let silent = json!([{"jsonrpc": "2.0", "method": "notifications/cancelled"}]);
        assert_eq!(send(&service(), legacy(None, &silent)).await.status, 202);
    });
}
