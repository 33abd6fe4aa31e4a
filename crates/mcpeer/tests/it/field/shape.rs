//! Ids, params, arrays and methods as peers in the field have them.

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use super::served::server;
use crate::peers::{RawClient, builder, connect_raw, text};

const STATEFUL: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

#[tokio::test]
async fn an_id_is_answered_as_it_came_or_refused() {
    let mut client = RawClient::connect(&server(), Revision::V2025_11_25).await;
    for id in ["0", "-7", "9007199254740993", "9223372036854775807", r#""""#, r#""1""#, r#""é\"""#] {
        client.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["id"], serde_json::from_str::<Value>(id).unwrap(), "{id}: {answer}");
        assert_eq!(answer["result"], json!({}), "{id}: {answer}");
    }
    for id in ["1.5", "3.0", "9223372036854775808", "18446744073709551616", "true", "{}", "null"] {
        client.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(answer["error"]["code"], -32600, "{id}: {answer}");
        assert!(answer.get("id").is_none(), "{id}: {answer}");
    }
}

#[tokio::test]
async fn ids_that_differ_in_type_alone_are_two_requests() {
    let mut client = RawClient::connect(&server(), Revision::V2025_11_25).await;
    let call =
        |id: Value, name: &str| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name}});
    let cancel =
        |id: Value| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.send(&call(json!(7), "wait")).await;
    client.send(&call(json!("7"), "wait")).await;
    client.send(&cancel(json!("7"))).await;
    let counted = client.call("cancelled", json!({"at_least": 1})).await;
    assert_eq!(text(&counted), "1");
    // The number is still in flight, the string is free.
    client.send(&call(json!("7"), "none")).await;
    assert_eq!(client.receive().await.unwrap()["error"]["code"], -32602);
    client.send(&call(json!(7), "none")).await;
    assert_eq!(client.receive().await.unwrap()["error"]["code"], -32600);
    client.send(&cancel(json!(7))).await;
    let counted = client.call("cancelled", json!({"at_least": 2})).await;
    assert_eq!(text(&counted), "2");
}

#[tokio::test]
async fn a_request_with_the_id_zero_can_be_cancelled() {
    let mut client = RawClient::connect(&server(), Revision::V2025_11_25).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "wait"}})).await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}})).await;
    let counted = client.call("cancelled", json!({"at_least": 1})).await;
    assert_eq!(text(&counted), "1");
}

#[tokio::test]
async fn an_answer_under_an_id_that_only_looks_alike_settles_nothing() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let mut call = client.call("a").with_progress().send();
        let request = server.expect("tools/call").await;
        let id = &request["id"];
        let content = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        for other in [json!(""), json!(id.to_string()), json!(format!("0{id}")), Value::Null, json!(0)] {
            let params = json!({"progressToken": other, "progress": 1});
            server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
            server.answer(&other, content("another")).await;
        }
        let params = json!({"progressToken": id, "progress": 2});
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        server.answer(id, content("this")).await;
        let mut steps = Vec::new();
        while let Some(progress) = call.progress().await {
            steps.push(progress.progress);
        }
        assert_eq!(steps, [2.0], "{revision}");
        assert_eq!(call.await.unwrap().as_text(), "this", "{revision}");
    }
}

#[tokio::test]
async fn an_array_is_a_batch_at_2025_03_26_alone() {
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    for revision in STATEFUL {
        let mut client = RawClient::connect(&server(), revision).await;
        client.send(&json!([ping(8), ping(9)])).await;
        let answer = client.receive().await.unwrap();
        if revision == Revision::V2025_03_26 {
            let mut ids: Vec<_> =
                answer.as_array().unwrap().iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
            ids.sort_unstable();
            assert_eq!(ids, [8, 9], "{answer}");
            client.send(&json!([])).await;
        }
        let refusal = if revision == Revision::V2025_03_26 { client.receive().await.unwrap() } else { answer };
        assert_eq!(refusal["error"]["code"], -32600, "{revision}: {refusal}");
        assert!(refusal.get("id").is_none(), "{revision}: {refusal}");
        client.send(&ping(10)).await;
        assert_eq!(client.receive().await.unwrap()["id"], 10);
    }
}

#[tokio::test]
async fn missing_params_are_invalid_params_that_name_the_member_and_not_a_missing_method() {
    let mut client = RawClient::connect(&server(), Revision::V2025_11_25).await;
    for params in ["", r#","params":null"#, r#","params":{}"#, r#","params":{"arguments":{}}"#] {
        client.send_text(&format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call"{params}}}"#)).await;
        let answer = client.receive().await.unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32602)), "{params}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("`params.name`"), "{params}: {answer}");
    }
    client.send_text(r#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":[1]}"#).await;
    let answer = client.receive().await.unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32602)), "{answer}");
}

#[tokio::test]
async fn an_unknown_method_is_not_found_and_named() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let answer = client.request("no/such", json!({})).await;
        assert_eq!(answer["error"]["code"], -32601, "{revision}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("no/such"), "{revision}: {answer}");
    }
}

#[tokio::test]
async fn unknown_notifications_are_ignored() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/foo"})).await;
        client.send(&json!({"jsonrpc": "2.0", "method": "$/setTrace", "params": {}})).await;
        let method = if revision.era() == Era::Legacy { "ping" } else { "tools/list" };
        assert!(client.request(method, json!({})).await["result"].is_object());
        assert_eq!(client.notifications, Vec::<Value>::new(), "{revision}");
    }
}

#[tokio::test]
async fn integers_of_any_length_pass_through_a_client() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").send();
        let id = server.expect("tools/call").await["id"].clone();
        let content = r#"{"y":18446744073709551615,"x":123456789012345678901234567890}"#;
        let result = format!(r#"{{"resultType":"complete","content":[],"structuredContent":{content}}}"#);
        server.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
        let result = call.await.unwrap();
        assert_eq!(result.structured_content.unwrap().as_str(), content, "{revision}");
    }
}
