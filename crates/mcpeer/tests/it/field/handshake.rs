//! How sessions begin in the field.

use mcpeer::version::Revision;
use serde_json::{Value, json};

use super::served::server;
use crate::peers::{RawClient, RawServer, builder};

fn initialize(version: &str) -> Value {
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[tokio::test]
async fn requests_before_initialized_are_served() {
    let mut client = RawClient::open(&server(), Revision::V2025_11_25);
    client.send(&initialize("2025-11-25")).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})).await;
    for id in 1..=3 {
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["result"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn ping_and_stray_notifications_before_initialize_do_no_harm() {
    let mut client = RawClient::open(&server(), Revision::V2025_11_25);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/foo"})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})).await;
    assert_eq!(client.receive().await.unwrap(), json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    client.send(&initialize("2025-11-25")).await;
    assert_eq!(client.receive().await.unwrap()["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn an_initialize_that_lacks_something_is_refused_and_the_next_one_served() {
    let mut client = RawClient::open(&server(), Revision::V2025_11_25);
    for member in ["clientInfo", "capabilities", "protocolVersion"] {
        let mut request = initialize("2025-11-25");
        request["params"].as_object_mut().unwrap().remove(member);
        client.send(&request).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(member), "{answer}");
    }
    client.send(&initialize("2025-11-25")).await;
    assert_eq!(client.receive().await.unwrap()["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn a_version_that_is_spoken_is_given_back_and_any_other_answered_with_the_newest() {
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let mut client = RawClient::open(&server(), Revision::V2025_11_25);
        client.send(&initialize(asked)).await;
        assert_eq!(client.receive().await.unwrap()["result"]["protocolVersion"], given, "{asked}");
    }
}

#[tokio::test]
async fn a_handshake_with_odd_or_missing_parts_still_makes_a_connection() {
    let info =
        json!({"name": "odd", "version": "0", "icons": [{"src": "https://example.com/i.png", "sizes": "48x48"}]});
    for (capabilities, info) in [
        (json!({"tools": {"listChanged": "yes"}, "resources": null}), json!({"name": "odd", "version": "0"})),
        (json!({"tools": {}, "experimental": 7}), info),
        (json!({}), json!({"name": "odd", "version": "0", "title": 5, "extra": [1]})),
        (json!({}), Value::Null),
    ] {
        let (mut server, transport) = RawServer::new(Revision::V2025_11_25);
        let has_info = info.is_object();
        let opening = tokio::spawn(async move {
            let request = server.expect("initialize").await;
            let mut result = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info});
            if info.is_null() {
                result.as_object_mut().unwrap().remove("serverInfo");
            }
            server.answer(&request["id"], result).await;
            server.expect("notifications/initialized").await;
            server
        });
        let builder = builder().policy(mcpeer::client::Policy::LegacyOnly);
        let client = builder.connect_with(transport).await.unwrap();
        assert_eq!(client.server_info().map(|info| info.name), has_info.then(|| "odd".to_owned()));
        opening.await.unwrap();
    }
}

#[tokio::test]
async fn a_request_of_the_other_era_is_refused_and_the_connection_stays() {
    let mut client = RawClient::connect(&server(), Revision::V2026_07_28).await;
    assert!(client.request("tools/list", json!({})).await["result"].is_object());
    client.send(&json!({"jsonrpc": "2.0", "id": "bare", "method": "tools/list"})).await;
    let refusal = client.receive().await.unwrap();
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!("bare"), &json!(-32602)), "{refusal}");
    assert!(client.request("tools/list", json!({})).await["result"].is_object());

    let mut client = RawClient::connect(&server(), Revision::V2025_11_25).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let answer = client.request("tools/list", json!({"_meta": meta})).await;
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert!(client.request("tools/list", json!({})).await["result"].is_object());
}
