//! Cancels that hit nothing.

use mcpeer::version::Revision;
use serde_json::{Value, json};

use super::served::server;
use crate::peers::{RawClient, text};

#[tokio::test]
async fn a_cancel_that_names_nothing_open_is_ignored_whatever_its_shape() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let running = client.start("tools/call", json!({"name": "wait"})).await;
        // The handshake has the first id where there is one.
        let answered = client.start("tools/call", json!({"name": "greet", "arguments": {"name": "Ada"}})).await;
        assert_eq!(text(&client.answer(answered).await), "Hello, Ada!", "{revision}");
        for params in [
            json!({"requestId": 12345}),
            json!({"requestId": answered}),
            json!({"requestId": running.to_string()}),
            json!({"requestId": {}}),
            json!({"requestId": null}),
            json!({"requestId": 1.5}),
            json!({}),
            json!([]),
        ] {
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        }
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"})).await;
        let counted = client.call("cancelled", json!({"at_least": 0})).await;
        assert_eq!(text(&counted), "0", "{revision}");
        let params = json!({"requestId": running});
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        let counted = client.call("cancelled", json!({"at_least": 1})).await;
        assert_eq!(text(&counted), "1", "{revision}");
        assert_eq!(client.notifications, Vec::<Value>::new(), "{revision}");
    }
}

#[tokio::test]
async fn a_cancel_of_initialize_changes_nothing() {
    let mut client = RawClient::open(&server(), Revision::V2025_11_25);
    let info = json!({"name": "raw", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info});
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    assert_eq!(client.receive().await.unwrap()["result"]["protocolVersion"], "2025-11-25");
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    assert!(client.receive().await.unwrap()["result"].is_object());
}
