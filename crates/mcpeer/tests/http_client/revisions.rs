//! Servers that speak one revision of the stateful era, as servers of its time do.

use std::sync::{Arc, Mutex};

use mcpeer::{
    Client,
    client::Policy,
    model::roots::Root,
    transport::http,
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{
    script::{Asked, Script, said},
    sessions::session,
};

const STATEFUL: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Serves one revision over Streamable HTTP; the calls are the test's.
async fn of_its_time<F, Serving>(version: &'static str, serve: F) -> Script
where
    F: Fn(Asked) -> Serving + Clone + Send + 'static,
    Serving: Future<Output = ()> + Send,
{
    session(version, move |asked: Asked| {
        let serve = serve.clone();
        async move {
            match asked.method() {
                // It has never heard of it.
                "server/discover" => asked.answer(400, "content-type: text/plain\r\n", "Bad Request").await,
                _ => serve(asked).await,
            }
        }
    })
    .await
}

/// Whether it has this key, however deep.
fn mentions(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, value)| key.contains(wanted) || mentions(value, wanted)),
        Value::Array(elements) => elements.iter().any(|element| mentions(element, wanted)),
        _ => false,
    }
}

#[tokio::test]
async fn each_older_revision_is_come_to_and_spoken_as_it_was_written() {
    for version in STATEFUL {
        let script = of_its_time(version, |asked| asked.text("done")).await;
        let client = Client::builder("test", "1").roots([Root::new("file:///home")]);
        let client = client.connect(http::client(&script.url())).await.unwrap();
        assert_eq!((client.revision().as_str(), client.era()), (version, Era::Legacy));
        let call = client.call("x").arguments(&json!({"a": 1})).with_progress();
        assert_eq!(call.await.unwrap().as_text(), "done");
        client.close().await;
        client.peer().closed().await;

        let seen = script.seen();
        let opening = seen.iter().find(|seen| seen.method() == "initialize").unwrap();
        // It offers the newest of the era, and the answer decides.
        assert_eq!(opening.body["params"]["protocolVersion"], "2025-11-25");
        for name in ["mcp-protocol-version", "mcp-session-id", "mcp-method"] {
            assert_eq!(opening.header(name), None, "{version}");
        }
        for seen in seen.iter().filter(|seen| !matches!(seen.method(), "server/discover" | "initialize")) {
            assert_eq!(seen.header("mcp-protocol-version"), Some(version), "{seen:?}");
            assert_eq!(seen.header("mcp-session-id"), Some("s-1"), "{seen:?}");
            for name in ["mcp-method", "mcp-name", "mcp-param-a"] {
                assert_eq!(seen.header(name), None, "{seen:?}");
            }
            assert!(!mentions(&seen.body, "io.modelcontextprotocol/"), "{seen:?}");
            assert!(!seen.body.is_array(), "{seen:?}");
        }
        let call = seen.iter().find(|seen| seen.method() == "tools/call").unwrap();
        let params = &call.body["params"];
        assert_eq!(*params, json!({"name": "x", "arguments": {"a": 1}, "_meta": {"progressToken": call.body["id"]}}));
    }
}

#[tokio::test]
async fn a_server_that_answers_with_a_revision_that_nobody_speaks_is_left() {
    for version in ["2024-10-07", "2026-07-28", "1.0"] {
        let script = of_its_time(version, |asked| asked.text("never")).await;
        let client = Client::builder("test", "1").policy(Policy::LegacyOnly);
        let error = client.connect(http::client(&script.url())).await.unwrap_err();
        assert!(error.to_string().contains(version), "{error}");
        assert!(!script.methods().contains(&"notifications/initialized".to_owned()));
    }
}

/// Answers a call with an array: the request of a server, a notification, the answer.
fn joined(asked: &Asked) -> Value {
    let progress = json!({"progressToken": asked.seen.body["id"], "progress": 1});
    json!([
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": progress},
        {"jsonrpc": "2.0", "id": "s-1", "method": "ping"},
        asked.result_of(&said("joined")),
    ])
}

#[tokio::test]
async fn what_a_server_joins_is_taken_apart_at_2025_03_26_alone() {
    for version in STATEFUL {
        for streams in [false, true] {
            let (answers, ponged) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::new(Notify::new()));
            let (log, pong) = (answers.clone(), ponged.clone());
            let script = of_its_time(version, move |mut asked: Asked| {
                let (log, pong) = (log.clone(), pong.clone());
                async move {
                    if asked.seen.body["method"] != "tools/call" {
                        log.lock().unwrap().push(asked.seen.body.clone());
                        asked.accept().await;
                        return pong.notify_one();
                    }
                    let body = joined(&asked);
                    if streams {
                        asked.open_events().await;
                        asked.event(&body).await;
                    } else {
                        asked.json(200, &body).await;
                    }
                }
            })
            .await;
            let client = Client::builder("test", "1").policy(Policy::LegacyOnly);
            let client = client.connect(http::client(&script.url())).await.unwrap();
            let called = client.call("x").with_progress().await;
            if version == "2025-03-26" {
                assert_eq!(called.unwrap().as_text(), "joined");
                ponged.notified().await;
                assert_eq!(*answers.lock().unwrap(), [json!({"jsonrpc": "2.0", "id": "s-1", "result": {}})]);
            } else {
                let error = called.unwrap_err();
                assert!(!error.is_timeout() && error.rpc().is_none(), "{version}: {error}");
                assert!(answers.lock().unwrap().is_empty());
            }
        }
    }
}

#[tokio::test]
async fn structured_output_is_there_from_2025_06_18_on() {
    for version in ["2025-06-18", "2025-11-25"] {
        let script = of_its_time(version, |asked: Asked| async move {
            let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
            let tool = json!({"name": "count", "inputSchema": {"type": "object"}, "outputSchema": output});
            match asked.method() {
                "tools/list" => asked.result(&json!({"tools": [tool]})).await,
                _ => {
                    let n = asked.seen.body["params"]["arguments"]["n"].clone();
                    let text = json!({"type": "text", "text": "n"});
                    asked.result(&json!({"content": [text], "structuredContent": {"n": n}})).await;
                }
            }
        })
        .await;
        let client = Client::builder("test", "1").revisions([version.parse::<Revision>().unwrap()]);
        let client = client.connect(http::client(&script.url())).await.unwrap();
        let tools = client.tools().all().await.unwrap();
        assert!(tools[0].output_schema.is_some(), "{version}");
        let result = client.call("count").arguments(&json!({"n": 7})).await.unwrap();
        let structured = serde_json::to_value(&result).unwrap()["structuredContent"].clone();
        assert_eq!(structured, json!({"n": 7}));
        // It is checked against what the tool says.
        let error = client.call("count").arguments(&json!({"n": "seven"})).await.unwrap_err();
        assert!(error.is_output_mismatch(), "{version}: {error}");
    }
}
