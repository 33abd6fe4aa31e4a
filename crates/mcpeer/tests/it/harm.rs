//! Tools that do harm: the other calls on their connection are answered as before.

use mcpeer::{handler::Context, server::Server, version::Revision};
use serde_json::json;

use crate::peers::{RawClient, text};

/// 100 MiB.
const HUGE: usize = 100 << 20;

fn server() -> Server {
    Server::builder("harm", "1")
        .tool("now", async || "now")
        .tool("panics", async || -> String { panic!("no") })
        .tool("hangs", async || std::future::pending::<()>().await)
        .tool("floods", async |cx: Context| {
            let mut step = 0.0;
            while !cx.is_cancelled() {
                step += 1.0;
                cx.progress(step, None, Some("and on, and on, and on")).await;
            }
        })
        .tool("huge", async || "x".repeat(HUGE))
        .build()
        .unwrap()
}

async fn is_served(client: &mut RawClient) {
    assert_eq!(text(&client.call("now", json!({})).await), "now");
}

#[tokio::test]
async fn a_tool_that_panics_leaves_the_others_alone() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        assert_eq!(client.call("panics", json!({})).await["error"]["code"], -32603);
        is_served(&mut client).await;
    }
}

#[tokio::test]
async fn a_tool_that_never_returns_leaves_the_others_alone() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for _ in 0..10 {
            client.start("tools/call", json!({"name": "hangs"})).await;
        }
        is_served(&mut client).await;
    }
}

#[tokio::test]
async fn a_tool_that_floods_progress_leaves_the_others_alone() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let id = client.start("tools/call", json!({"name": "floods", "_meta": {"progressToken": "t"}})).await;
        for _ in 0..3 {
            is_served(&mut client).await;
        }
        let params = json!({"requestId": id});
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        is_served(&mut client).await;
        assert!(client.notifications.iter().all(|message| message["params"]["progressToken"] == "t"), "{revision}");
    }
}

#[tokio::test]
async fn a_tool_that_returns_100_mebibytes_leaves_the_others_alone() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut client = RawClient::connect(&server(), revision).await;
        let huge = client.start("tools/call", json!({"name": "huge"})).await;
        let now = client.start("tools/call", json!({"name": "now"})).await;
        assert_eq!(text(&client.answer(huge).await).len(), HUGE, "{revision}");
        assert_eq!(text(&client.answer(now).await), "now");
        is_served(&mut client).await;
    }
}
