//! Messages that are answered at once.

use mcpeer::{
    handler::Context,
    server::{Args, Http, HttpService, Prompt, ProtocolError, Resource, Server},
};
use serde_json::json;

use crate::web::{MODERN, legacy, modern, post, run, send};

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Echo {
    text: String,
}

fn service() -> HttpService {
    http().service()
}

fn http() -> Http {
    Server::builder("test", "1")
        .tool("echo", async |Args(echo): Args<Echo>| echo.text)
        .tool("later", async |Args(echo): Args<Echo>| {
            tokio::task::yield_now().await;
            echo.text
        })
        .tool("progress", async |cx: Context| {
            cx.progress(1.0, None, None).await;
            "done"
        })
        .tool("refuse", async || Err::<&str, _>(ProtocolError::from(mcpeer::rpc::Error::new(7, "out of paper"))))
        .tool("panic", async || -> &'static str { panic!("on purpose") })
        .resource(Resource::new("a://b", "b"), async || "text")
        .prompt(Prompt::new("greet"), async || "Hello!")
        .build()
        .unwrap()
        .http()
}

#[test]
fn a_request_of_the_stateless_era_is_answered_with_json() {
    run(async {
        let service = service();
        for (method, params, member) in [
            ("tools/list", json!({}), "tools"),
            ("tools/call", json!({"name": "echo", "arguments": {"text": "hi"}}), "content"),
            ("tools/call", json!({"name": "later", "arguments": {"text": "hi"}}), "content"),
            ("resources/read", json!({"uri": "a://b"}), "contents"),
            ("prompts/get", json!({"name": "greet"}), "messages"),
            ("server/discover", json!({}), "supportedVersions"),
        ] {
            let answer = send(&service, modern("x", method, &params)).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            let message = answer.json();
            assert_eq!((&message["id"], &message["result"]["resultType"]), (&json!("x"), &json!("complete")));
            assert!(message["result"][member].is_array(), "{message}");
        }
    });
}

#[test]
fn what_comes_before_the_answer_makes_it_a_stream() {
    run(async {
        let service = service();
        let asked = json!({"name": "progress", "_meta": {"progressToken": 5}});
        let answer = send(&service, modern(1, "tools/call", &asked)).await;
        assert_eq!((answer.status, answer.header("x-accel-buffering")), (200, "no"));
        let events = answer.events();
        assert_eq!(events.len(), 2, "{events:?}");
        assert_eq!(events[0]["params"], json!({"progressToken": 5, "progress": 1}));
        assert_eq!(events[1]["id"], 1);
        // Nobody asked for progress: nothing comes before.
        assert_eq!(send(&service, modern(1, "tools/call", &json!({"name": "progress"}))).await.json()["id"], 1);
    });
}

#[test]
fn a_client_that_takes_only_one_kind_of_body_gets_that() {
    run(async {
        let service = service();
        let asked = json!({"name": "progress", "_meta": {"progressToken": 5}});
        for (accept, is_stream) in [("application/json", false), ("text/event-stream", true)] {
            for params in [&asked, &json!({"name": "echo", "arguments": {"text": "hi"}})] {
                let mut request = modern(1, "tools/call", params);
                request.headers_mut().insert("accept", accept.parse().unwrap());
                let answer = send(&service, request).await;
                assert_eq!(answer.status, 200, "{answer:?}");
                let last = if is_stream { answer.events().pop().unwrap() } else { answer.json() };
                assert_eq!(last["id"], 1, "{accept} {params}");
            }
        }
        let mut listen = modern(1, "subscriptions/listen", &json!({"notifications": {}}));
        listen.headers_mut().insert("accept", "application/json".parse().unwrap());
        assert_eq!(send(&service, listen).await.status, 406);
    });
}

#[test]
fn however_much_comes_before_an_answer_it_comes() {
    run(async {
        let server = Server::builder("test", "1").tool("flood", async |cx: Context| {
            let text = "x".repeat(10 << 10);
            for step in 0..100 {
                cx.progress(f64::from(step), None, Some(&text)).await;
            }
            "done"
        });
        let service = server.build().unwrap().http().service();
        for (accept, messages) in [("application/json", 1), ("text/event-stream", 101)] {
            let mut request = modern(1, "tools/call", &json!({"name": "flood", "_meta": {"progressToken": 5}}));
            request.headers_mut().insert("accept", accept.parse().unwrap());
            let answer = send(&service, request).await;
            let found = if messages == 1 { vec![answer.json()] } else { answer.events() };
            assert_eq!(found.len(), messages, "{accept}");
            assert_eq!(found.last().unwrap()["id"], 1);
        }
    });
}

#[test]
fn what_a_handler_answers_has_status_200() {
    run(async {
        let service = service();
        for (name, code) in [("refuse", 7), ("panic", -32603), ("nobody", -32602)] {
            let answer = send(&service, modern(1, "tools/call", &json!({"name": name}))).await;
            assert_eq!((answer.status, answer.code()), (200, code), "{name}");
        }
    });
}

#[test]
fn a_notification_is_taken_and_has_no_answer() {
    run(async {
        let service = http().sessionless().service();
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        for version in [None, Some("2025-11-25"), Some(MODERN)] {
            let answer = send(&service, legacy(version, &cancel)).await;
            assert_eq!((answer.status, &*answer.text), (202, ""), "{version:?}");
        }
    });
}

#[test]
fn an_answer_that_nobody_waits_for_is_refused() {
    run(async {
        for service in [service(), http().sessionless().service()] {
            for version in [None, Some("2025-11-25"), Some(MODERN)] {
                let answer = send(&service, legacy(version, &json!({"jsonrpc": "2.0", "id": 1, "result": {}}))).await;
                assert_eq!((answer.status, answer.code()), (400, -32600), "{version:?}");
                assert!(answer.json().get("id").is_none());
            }
        }
    });
}

#[test]
fn what_is_no_message_is_refused() {
    run(async {
        let service = service();
        for (body, code) in [
            ("", -32700),
            ("{", -32700),
            ("nonsense", -32700),
            ("[]", -32600),
            ("1", -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        ] {
            let answer = send(&service, post().body(body.to_owned()).unwrap()).await;
            assert_eq!((answer.status, answer.code()), (400, code), "{body}");
        }
    });
}

#[test]
fn two_clients_may_use_one_id_at_once() {
    run(async {
        let service = service();
        let call = |text: &str| modern(1, "tools/call", &json!({"name": "later", "arguments": {"text": text}}));
        let one = send(&service, call("one"));
        let other = send(&service, call("other"));
        let (one, other) = tokio::join!(one, other);
        assert_eq!(one.json()["result"]["content"][0]["text"], "one");
        assert_eq!(other.json()["result"]["content"][0]["text"], "other");
    });
}
