//! What goes on within a session.

use std::task::Poll;

use mcpeer::server::HttpService;
use serde_json::{Value, json};

use super::{Client, STATEFUL, Signals, call, http, ping, server, settle};
use crate::web::{events, next, peek, run, send};

#[test]
fn an_answer_is_json_unless_something_comes_before_it() {
    run(async {
        let service = http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let answer = client.send(&call("a", "say", &json!({"text": "hi"}))).await;
            assert_eq!((answer.status, &answer.json()["id"]), (200, &json!("a")));
            assert_eq!(answer.header("mcp-session-id"), "");
            let answer = client.send(&call(2, "progress", &json!({}))).await;
            let events = answer.events();
            assert_eq!(events.len(), 2, "{events:?}");
            assert_eq!((&events[0]["params"]["progressToken"], &events[1]["id"]), (&json!(5), &json!(2)));
            let answer = client.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "nothing/here"})).await;
            assert_eq!((answer.status, answer.code()), (200, -32601));
            let mut request = client.post(&ping(4));
            request.headers_mut().insert("accept", "text/event-stream".parse().unwrap());
            assert_eq!(send(&service, request).await.events()[0]["id"], 4);
        }
    });
}

#[test]
fn sessions_may_use_the_same_ids_at_once() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        let [one, other] = [Client::new(&service, "2025-06-18").await, Client::new(&service, "2025-11-25").await];
        let waiting = tokio::spawn({
            let one = one.clone();
            async move { one.send(&call(1, "wait", &json!({}))).await }
        });
        signals.started.notified().await;
        assert_eq!(other.send(&call(1, "say", &json!({"text": "other"}))).await.json()["id"], 1);
        let twice = one.send(&ping(1)).await;
        assert_eq!((twice.status, twice.code()), (400, -32600));
        // A cancel ends nothing of another session.
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        assert_eq!(other.send(&cancel).await.status, 202);
        signals.go.notify_one();
        assert_eq!(waiting.await.unwrap().json()["result"]["content"][0]["text"], "done");
    });
}

/// Has a tool ask the client something, and answers.
async fn asked(client: &Client, method: &str, params: &Value, reply: &Value) {
    let asking = call("c", "ask", &json!({"method": method, "params": params}));
    let mut body = client.open(client.post(&asking)).await;
    let request = events(&next(&mut body).await.unwrap()).remove(0);
    assert_eq!(request["method"], method);
    assert_eq!(peek(&mut body), Poll::Pending);
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": reply});
    let taken = client.send(&answer).await;
    assert_eq!((taken.status, &*taken.text), (202, ""));
    let result = events(&next(&mut body).await.unwrap()).remove(0);
    assert_eq!(result["id"], "c");
    let text = result["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), reply);
    assert_eq!(next(&mut body).await, None);
    // It was the one answer.
    let again = client.send(&answer).await;
    assert_eq!((again.status, again.code()), (400, -32600));
}

#[test]
fn what_a_handler_asks_goes_out_on_the_stream_of_its_request() {
    run(async {
        let service = http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let mut listening = client.open(client.get()).await;
            asked(&client, "roots/list", &Value::Null, &json!({"roots": []})).await;
            if version >= "2025-06-18" {
                let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
                let params = json!({"message": "Your name?", "requestedSchema": schema});
                let reply = json!({"action": "accept", "content": {"name": "Ada"}});
                asked(&client, "elicitation/create", &params, &reply).await;
            }
            assert_eq!(peek(&mut listening), Poll::Pending, "{version}");
        }
    });
}

#[test]
fn an_answer_from_another_session_is_refused() {
    run(async {
        let service = http().service();
        let [one, other] = [Client::new(&service, "2025-11-25").await, Client::new(&service, "2025-11-25").await];
        let asking = call(1, "ask", &json!({"method": "roots/list"}));
        let mut body = one.open(one.post(&asking)).await;
        let request = events(&next(&mut body).await.unwrap()).remove(0);
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": []}});
        assert_eq!(other.send(&answer).await.status, 400);
        assert_eq!(peek(&mut body), Poll::Pending);
        assert_eq!(one.send(&answer).await.status, 202);
        assert_eq!(events(&next(&mut body).await.unwrap())[0]["id"], 1);
    });
}

#[test]
fn what_reaches_nobody_fails_at_once() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let start = tokio::time::Instant::now();
        let asking = call(1, "ask", &json!({"method": "roots/list"}));
        // It takes no stream.
        let mut request = client.post(&asking);
        request.headers_mut().insert("accept", "application/json".parse().unwrap());
        let answer = send(&service, request).await.json();
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().starts_with("failed: "), "{answer}");
        let mut request = client.post(&call(1, "flood", &json!({})));
        request.headers_mut().insert("accept", "application/json".parse().unwrap());
        assert_eq!(send(&service, request).await.json()["result"]["content"][0]["text"], "done");
        assert!(start.elapsed().as_secs() < 1);
    });
}

#[test]
fn a_cancelled_request_has_no_message_for_an_answer() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let waiting = tokio::spawn({
                let client = client.clone();
                async move { client.send(&call(7, "wait", &json!({}))).await }
            });
            signals.started.notified().await;
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
            assert_eq!(client.send(&cancel).await.status, 202);
            signals.ended.notified().await;
            let answer = waiting.await.unwrap();
            assert_eq!((answer.status, answer.events()), (200, vec![]), "{version}");
        }
    });
}

#[test]
fn a_client_that_hangs_up_cancels_nothing() {
    run(async {
        let signals = Signals::default();
        let service = server(&signals).http().service();
        let client = Client::new(&service, "2025-11-25").await;
        for name in ["wait", "work"] {
            let calling = tokio::spawn({
                let (client, request) = (client.clone(), client.post(&call(1, name, &json!({}))));
                async move { client.service.handle(request).await.into_body() }
            });
            signals.started.notified().await;
            if name == "wait" {
                calling.abort();
                assert!(calling.await.is_err());
            } else {
                drop(calling.await.unwrap());
            }
            settle().await;
            // It still runs under its id.
            assert_eq!(client.send(&ping(1)).await.status, 400, "{name}");
            signals.go.notify_one();
            signals.ended.notified().await;
            settle().await;
            assert_eq!(client.send(&ping(1)).await.status, 200, "{name}");
        }
    });
}

#[test]
fn batches_are_served_where_the_revision_has_them() {
    run(async {
        let service = http().service();
        for version in STATEFUL {
            let client = Client::new(&service, version).await;
            let batch = json!([ping(1), call(2, "say", &json!({"text": "hi"})), call(3, "progress", &json!({}))]);
            let answer = client.send(&batch).await;
            if version != "2025-03-26" {
                assert_eq!((answer.status, answer.code()), (400, -32600), "{version}");
                continue;
            }
            let events = answer.events();
            assert_eq!(events[0]["method"], "notifications/progress");
            assert_eq!(events[1].as_array().unwrap().len(), 3, "{events:?}");
            let answers = client.send(&json!([ping(1), ping(2)])).await.json();
            assert_eq!(answers.as_array().unwrap().len(), 2);
            let silent = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
            assert_eq!(client.send(&silent).await.status, 202);
        }
    });
}

/// The log messages of a call.
async fn logged(client: &Client) -> usize {
    let answer = client.send(&call(1, "log", &json!({}))).await;
    if answer.header("content-type") == "application/json" { 0 } else { answer.events().len() - 1 }
}

#[test]
fn the_log_level_is_that_of_the_session() {
    run(async {
        let service: HttpService = http().service();
        for version in STATEFUL {
            let [one, other] = [Client::new(&service, version).await, Client::new(&service, version).await];
            let level = |level: &str| json!({"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": level}});
            assert_eq!(one.send(&level("error")).await.json()["result"], json!({}));
            assert_eq!(other.send(&level("emergency")).await.json()["result"], json!({}));
            assert_eq!((logged(&one).await, logged(&other).await), (1, 0), "{version}");
        }
    });
}

#[test]
fn a_stream_may_carry_more_than_waits_at_once() {
    run(async {
        let client = Client::new(&http().service(), "2025-11-25").await;
        let answer = client.send(&call(1, "flood", &json!({}))).await;
        assert_eq!(answer.events().len(), 101);
        assert!(answer.text.len() > 1_000_000);
    });
}
