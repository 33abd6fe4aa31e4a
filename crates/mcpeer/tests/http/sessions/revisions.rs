//! Each revision of the stateful era as it was written: what a session that came to it sends and takes.

use http::Method;
use mcpeer::{
    handler::Context,
    model::{
        content::{Audio, ResourceLink},
        tools::CallResult,
    },
    server::{HttpService, Server, Tool},
};
use serde_json::{Value, json};

use super::{Client, STATEFUL, call, initialize, ping};
use crate::web::{Answer, legacy, run, send};

#[derive(serde::Serialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Measured {
    degrees: i64,
}

fn server() -> Server {
    Server::builder("test", "1")
        .tool(Tool::new("measure").title("Measure").read_only().output::<Measured>(), async |cx: Context| {
            cx.progress(1.0, Some(2.0), Some("half")).await;
            let result = CallResult::structured(&Measured { degrees: 21 }).unwrap();
            result.with(Audio::new("UklGRg==", "audio/wav")).with(ResourceLink::new("a://b", "b"))
        })
        .build()
        .unwrap()
}

fn service() -> HttpService {
    server().http().service()
}

/// The types of the contents in a result.
fn kinds(result: &Value) -> Vec<&str> {
    result["content"].as_array().unwrap().iter().map(|content| content["type"].as_str().unwrap()).collect()
}

#[test]
fn what_a_session_sends_has_the_shape_of_its_revision() {
    run(async {
        let service = service();
        // Whether there is structured output, what contents there are, and whether progress has a text.
        let shapes = [
            ("2024-11-05", false, &["text"][..], false),
            ("2025-03-26", false, &["text", "audio"], true),
            ("2025-06-18", true, &["text", "audio", "resource_link"], true),
            ("2025-11-25", true, &["text", "audio", "resource_link"], true),
        ];
        for (version, has_structure, contents, has_text) in shapes {
            let client = Client::new(&service, version).await;
            let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
            let listed = client.send(&list).await.json()["result"].clone();
            let tool = &listed["tools"][0];
            assert_eq!(tool["name"], "measure", "{version}");
            assert_eq!(tool.get("outputSchema").is_some(), has_structure, "{version}: {tool}");
            let events = client.send(&call(2, "measure", &json!({}))).await.events();
            let progress = &events[0]["params"];
            assert_eq!((&progress["progress"], &progress["total"]), (&json!(1), &json!(2)));
            assert_eq!(progress.get("message").is_some(), has_text, "{version}: {progress}");
            let result = &events[1]["result"];
            assert_eq!(kinds(result), contents, "{version}: {result}");
            let structured = has_structure.then(|| json!({"degrees": 21}));
            assert_eq!(result.get("structuredContent"), structured.as_ref(), "{version}");
            for of_the_other_era in ["resultType", "ttlMs", "cacheScope", "_meta"] {
                assert_eq!((listed.get(of_the_other_era), result.get(of_the_other_era)), (None, None), "{version}");
            }
            let read = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/templates/list"});
            assert_eq!(client.send(&read).await.code(), -32601, "nothing of that kind is offered");
        }
    });
}

#[test]
fn a_version_that_nobody_speaks_is_answered_with_the_newest_of_the_era() {
    run(async {
        let service = service();
        for asked in ["2099-01-01", "2026-07-28", "2024-10-07", "1.0", ""] {
            for header in [None, Some(asked)] {
                let answer = send(&service, legacy(header, &initialize(asked))).await;
                assert_eq!((answer.status, answer.header("mcp-session-id").len()), (200, 32), "{asked}");
                assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25", "{asked}");
            }
        }
    });
}

/// Sends a batch as a client that takes only this kind of body.
async fn send_as(client: &Client, accept: &str, batch: &Value) -> Answer {
    let mut request = client.post(batch);
    request.headers_mut().insert("accept", accept.parse().unwrap());
    send(&client.service, request).await
}

fn ids(answers: &Value) -> Vec<&Value> {
    answers.as_array().unwrap_or_else(|| panic!("no array: {answers}")).iter().map(|answer| &answer["id"]).collect()
}

#[test]
fn a_batch_of_2025_03_26_is_answered_with_one_as_json_or_on_a_stream() {
    run(async {
        let client = Client::new(&service(), "2025-03-26").await;
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}});
        let unknown = json!({"jsonrpc": "2.0", "id": "x", "method": "no/such"});
        let batch = json!([ping(1), cancel, unknown, {"jsonrpc": "2.0", "id": 2.5, "method": "ping"}, ping(4)]);
        let by_json = send_as(&client, "application/json", &batch).await.json();
        let by_stream = send_as(&client, "text/event-stream", &batch).await.events();
        assert_eq!(by_stream.len(), 1, "one event has them all");
        for answers in [&by_json, &by_stream[0]] {
            let mut found = ids(answers);
            found.sort_by_key(|id| id.to_string());
            // What has no id that can be read is answered without one.
            assert_eq!(found, [&json!("x"), &json!(1), &json!(4), &Value::Null], "{answers}");
            let code = |id: &Value| {
                answers.as_array().unwrap().iter().find(|answer| answer["id"] == *id).unwrap()["error"]["code"].clone()
            };
            assert_eq!(
                (code(&json!("x")), code(&Value::Null), code(&json!(1))),
                ((-32601).into(), (-32600).into(), Value::Null)
            );
        }
        // What comes before the answers comes before them on a stream, and not at all in JSON.
        let batch = json!([call(1, "measure", &json!({})), ping(2)]);
        let events = send_as(&client, "text/event-stream", &batch).await.events();
        assert_eq!(events[0]["method"], "notifications/progress", "{events:?}");
        assert_eq!(ids(events.last().unwrap()).len(), 2);
        assert_eq!(ids(&send_as(&client, "application/json", &batch).await.json()).len(), 2);
    });
}

#[test]
fn batches_that_nothing_answers_are_accepted_and_those_that_are_none_refused() {
    run(async {
        let client = Client::new(&service(), "2025-03-26").await;
        let silent = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 7, "result": {}}]);
        let answer = client.send(&silent).await;
        assert_eq!((answer.status, &*answer.text), (202, ""));
        let many = Value::from((0..101).map(ping).collect::<Vec<_>>());
        for refused in [json!([]), many, json!([initialize("2025-03-26"), ping(1)])] {
            let answer = client.send(&refused).await;
            assert_eq!((answer.status, answer.code()), (400, -32600), "{}", answer.text);
            assert!(answer.json().get("id").is_none());
        }
        let full = Value::from((0..100).map(ping).collect::<Vec<_>>());
        assert_eq!(ids(&client.send(&full).await.json()).len(), 100);
    });
}

#[test]
fn what_was_negotiated_says_whether_there_are_batches_whatever_a_header_says() {
    run(async {
        let service = service();
        for negotiated in STATEFUL {
            let client = Client::new(&service, negotiated).await;
            for version in STATEFUL {
                let client = Client { version, ..client.clone() };
                let status = if negotiated == "2025-03-26" { 200 } else { 400 };
                let answer = client.send(&json!([ping(1), ping(2)])).await;
                assert_eq!(answer.status, status, "{negotiated} under {version}: {answer:?}");
            }
        }
    });
}

#[test]
fn a_message_without_a_session_has_the_revision_of_its_header_or_2025_03_26() {
    run(async {
        let service = server().http().sessionless().service();
        let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "measure"}});
        for (version, has_structure, has_batches) in [
            (None, false, true),
            (Some("2024-11-05"), false, false),
            (Some("2025-03-26"), false, true),
            (Some("2025-06-18"), true, false),
            (Some("2025-11-25"), true, false),
        ] {
            let answer = send(&service, legacy(version, &asked)).await.json();
            assert_eq!(answer["result"].get("structuredContent").is_some(), has_structure, "{version:?}");
            let answer = send(&service, legacy(version, &json!([ping(1)]))).await;
            assert_eq!(answer.status, if has_batches { 200 } else { 400 }, "{version:?}");
        }
        for version in ["1999-01-01", "", "2025-06-18, 2025-06-18"] {
            let answer = send(&service, legacy(Some(version), &asked)).await;
            assert_eq!((answer.status, answer.code()), (400, -32600), "{version}");
        }
    });
}

#[test]
fn from_2025_06_18_on_a_wrong_version_is_refused_on_every_verb() {
    run(async {
        let service = service();
        let client = Client::new(&service, "2025-06-18").await;
        let wrong = Client { version: "1999-01-01", ..client.clone() };
        for request in [wrong.post(&ping(1)), wrong.get(), wrong.delete()] {
            let verb = request.method().clone();
            let answer = send(&service, request).await;
            assert_eq!((answer.status, answer.code()), (400, -32600), "{verb}");
            assert!(answer.text.contains("MCP-Protocol-Version"), "{answer:?}");
        }
        // It said so in time: the session lives on.
        assert_eq!(client.send(&ping(1)).await.status, 200);
        let mut twice = client.request(Method::POST, ping(1).to_string());
        twice.headers_mut().insert("content-type", "application/json".parse().unwrap());
        twice.headers_mut().append("mcp-protocol-version", "2025-06-18".parse().unwrap());
        assert_eq!(send(&service, twice).await.status, 400);
    });
}
