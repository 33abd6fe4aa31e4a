//! Servers of the stateful era that keep sessions.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use mcpeer::{
    Client,
    client::{Builder, Change, Policy},
    model::{
        elicitation::{CreateResult, FormParams},
        subscriptions::Filter,
    },
    transport::http,
    version::Revision,
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use crate::script::{Asked, Script, initialized, said};

const OPEN: &str = "mcp-session-id: s-1\r\n";

fn legacy() -> Builder {
    Client::builder("test", "1").policy(Policy::LegacyOnly)
}

/// Serves what every session needs; the rest is the test's.
pub(crate) async fn session<F, Serving>(version: &'static str, serve: F) -> Script
where
    F: Fn(Asked) -> Serving + Clone + Send + 'static,
    Serving: Future<Output = ()> + Send,
{
    Script::new(move |asked: Asked| {
        let serve = serve.clone();
        async move {
            match asked.method() {
                "initialize" => {
                    let body = asked.result_of(&initialized(version));
                    asked.json_with(200, OPEN, &body).await;
                }
                "notifications/initialized" => asked.accept().await,
                "GET" if asked.seen.header("last-event-id").is_none() => asked.answer(405, "", "").await,
                "DELETE" => asked.answer(200, "", "").await,
                _ => serve(asked).await,
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_session_is_named_until_it_is_ended() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let script = session(version, |asked| asked.text("done")).await;
        let client = legacy().connect(http::client(&script.url())).await.unwrap();
        assert_eq!(client.revision().as_str(), version);
        client.call("x").await.unwrap();
        client.close().await;
        client.peer().closed().await;
        let seen = script.seen();
        let mut methods = script.methods();
        assert_eq!(methods.remove(0), "initialize");
        assert_eq!(methods.remove(0), "notifications/initialized");
        assert_eq!(methods.pop().as_deref(), Some("DELETE"));
        methods.sort();
        assert_eq!(methods, ["GET", "tools/call"]);
        for seen in &seen {
            let is_first = seen.method() == "initialize";
            let (id, version) = if is_first { (None, None) } else { (Some("s-1"), Some(version)) };
            assert_eq!(seen.header("mcp-session-id"), id, "{seen:?}");
            assert_eq!(seen.header("mcp-protocol-version"), version, "{seen:?}");
            assert_eq!(seen.header("mcp-method"), None);
        }
    }
}

#[tokio::test]
async fn the_end_of_the_handshake_is_accepted_before_anything_else_is_sent() {
    let is_accepted = Arc::new(AtomicBool::new(false));
    let (flag, (tell, mut told)) = (is_accepted.clone(), mpsc::unbounded_channel());
    let script = Script::new(move |asked: Asked| {
        let (flag, tell) = (flag.clone(), tell.clone());
        async move {
            match asked.method() {
                "initialize" => asked.result(&initialized("2025-11-25")).await,
                "notifications/initialized" => {
                    let (go, going) = oneshot::channel::<()>();
                    tell.send(go).unwrap();
                    going.await.unwrap();
                    flag.store(true, Ordering::SeqCst);
                    asked.accept().await;
                }
                "tools/call" => {
                    let said = if flag.load(Ordering::SeqCst) { "after" } else { "before" };
                    asked.text(said).await;
                }
                _ => asked.answer(405, "", "").await,
            }
        }
    })
    .await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    let call = client.call("x").send();
    let go = told.recv().await.unwrap();
    // Whatever wanted to go before would be gone by now.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    go.send(()).unwrap();
    assert_eq!(call.await.unwrap().as_text(), "after");
}

#[tokio::test]
async fn the_stream_of_the_server_is_there_before_the_first_request() {
    let is_open = Arc::new(AtomicBool::new(false));
    let script = Script::new(move |mut asked: Asked| {
        let is_open = is_open.clone();
        async move {
            match asked.method() {
                "initialize" => asked.result(&initialized("2025-11-25")).await,
                "GET" => {
                    // Whatever was sent beside it would be here by now.
                    for _ in 0..100 {
                        tokio::task::yield_now().await;
                    }
                    is_open.store(true, Ordering::SeqCst);
                    asked.open_events().await;
                    asked.hung_up().await;
                }
                "tools/call" => {
                    let said = if is_open.load(Ordering::SeqCst) { "after" } else { "before" };
                    asked.text(said).await;
                }
                _ => asked.accept().await,
            }
        }
    })
    .await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    assert_eq!(client.call("x").await.unwrap().as_text(), "after");
}

#[tokio::test]
async fn questions_come_on_the_stream_of_their_request_and_are_answered_by_a_message() {
    let (tell, told) = mpsc::unbounded_channel();
    let told = Arc::new(tokio::sync::Mutex::new(told));
    let script = session("2025-11-25", move |mut asked: Asked| {
        let (tell, told) = (tell.clone(), told.clone());
        async move {
            if asked.method() == "POST" {
                tell.send(asked.seen.body["result"]["content"]["name"].clone()).unwrap();
                return asked.accept().await;
            }
            asked.open_events().await;
            let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
            let params = json!({"message": "Who?", "requestedSchema": schema});
            let ask = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params});
            asked.event(&ask).await;
            let name = told.lock().await.recv().await.unwrap();
            let answer = asked.result_of(&said(name.as_str().unwrap()));
            asked.event(&answer).await;
        }
    })
    .await;
    let client = legacy().on_elicit(|_: FormParams| ready(CreateResult::accept([("name", "Ada")])));
    let client = client.connect(http::client(&script.url())).await.unwrap();
    assert_eq!(client.call("greet").await.unwrap().as_text(), "Ada");
}

#[tokio::test]
async fn the_stream_of_the_server_is_heard_and_opened_again() {
    let opened = Arc::new(AtomicUsize::new(0));
    let script = Script::new(move |mut asked: Asked| {
        let opened = opened.clone();
        async move {
            match asked.method() {
                "initialize" => {
                    let mut result = initialized("2025-11-25");
                    result["capabilities"] = json!({"tools": {"listChanged": true}});
                    let body = asked.result_of(&result);
                    asked.json_with(200, OPEN, &body).await;
                }
                "GET" => {
                    let round = opened.fetch_add(1, Ordering::SeqCst);
                    let last = asked.seen.header("last-event-id").map(str::to_owned);
                    assert_eq!(last, round.checked_sub(1).map(|before| format!("e{before}")));
                    asked.open_events().await;
                    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                    asked.write(&format!("id: e{round}\nretry: 1\ndata: {changed}\n\n")).await;
                    if round == 3 {
                        asked.hung_up().await;
                    }
                }
                _ => asked.accept().await,
            }
        }
    })
    .await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    let mut watch = client.watch(Filter::new().tools_list_changed(true)).await.unwrap();
    while script.methods().iter().filter(|method| *method == "GET").count() < 4 {
        assert_eq!(watch.next().await, Some(Change::Tools));
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_taken_up_again_after_the_time_that_the_server_says() {
    let script = session("2025-11-25", |mut asked: Asked| async move {
        match asked.seen.header("last-event-id").map(str::to_owned).as_deref() {
            None => {
                asked.open_events().await;
                asked.write("id: e1\nretry: 100\ndata:\n\n").await;
            }
            // Once more, without anything new.
            Some("e1") => {
                asked.open_events().await;
                asked.write("id: e2\nretry: 1\ndata:\n\n").await;
            }
            Some("e2") => {
                asked.open_events().await;
                // The id of the request that is open.
                let id = 2;
                asked.event(&json!({"jsonrpc": "2.0", "id": id, "result": said("resumed")})).await;
            }
            other => panic!("{other:?} was never given"),
        }
    })
    .await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    let start = Instant::now();
    assert_eq!(client.call("x").await.unwrap().as_text(), "resumed");
    assert!(start.elapsed() >= Duration::from_millis(100));
    let last: Vec<_> = script.seen().into_iter().filter(|seen| seen.header("last-event-id").is_some()).collect();
    assert_eq!(last.len(), 2);
    assert!(last.iter().all(|seen| seen.verb == "GET" && seen.header("mcp-session-id") == Some("s-1")));
}

#[tokio::test]
async fn a_stream_that_cannot_be_taken_up_again_fails_its_request() {
    let script = session("2025-11-25", |mut asked: Asked| async move {
        if asked.seen.verb == "GET" {
            return asked.answer(400, "", "").await;
        }
        asked.open_events().await;
        if asked.seen.body["params"]["name"] == "numbered" {
            asked.write("id: e1\nretry: 1\ndata:\n\n").await;
        }
    })
    .await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    for (name, status) in [("numbered", Some(400)), ("plain", None)] {
        let error = client.call(name).await.unwrap_err();
        assert!(!error.is_timeout());
        assert_eq!(error.http_status(), status, "{error}");
    }
}

#[tokio::test]
async fn giving_up_is_said_in_the_session() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let script = session("2025-06-18", move |mut asked: Asked| {
        let tell = tell.clone();
        async move {
            tell.send(asked.seen.body.clone()).unwrap();
            match asked.method() {
                "tools/call" => asked.hung_up().await,
                _ => asked.accept().await,
            }
        }
    })
    .await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    let call = client.call("x").send();
    let id = told.recv().await.unwrap()["id"].clone();
    drop(call);
    let cancelled = told.recv().await.unwrap();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], id);
}

/// A server that forgets its session after the first call, as one that was started anew does.
async fn forgetful() -> Script {
    let (sessions, calls) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    Script::new(move |asked: Asked| {
        let (sessions, calls) = (sessions.clone(), calls.clone());
        async move {
            let current = format!("s-{}", sessions.load(Ordering::SeqCst));
            let is_known = asked.seen.header("mcp-session-id") == Some(&*current);
            match asked.method() {
                "initialize" => {
                    let id = sessions.fetch_add(1, Ordering::SeqCst) + 1;
                    let mut result = initialized("2025-11-25");
                    result["capabilities"] = json!({"tools": {}, "resources": {"subscribe": true}});
                    let body = asked.result_of(&result);
                    asked.json_with(200, &format!("mcp-session-id: s-{id}\r\n"), &body).await;
                }
                "GET" => asked.answer(405, "", "").await,
                _ if !is_known => {
                    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32001, "message": "gone"}});
                    asked.json(404, &body).await;
                }
                "tools/call" => {
                    let call = calls.fetch_add(1, Ordering::SeqCst);
                    if call == 0 {
                        sessions.fetch_add(1, Ordering::SeqCst);
                    }
                    asked.text(&format!("call {call}")).await;
                }
                "resources/subscribe" => asked.result(&json!({})).await,
                "custom/unknown" => {
                    let body = asked.error_of(-32601);
                    asked.json(404, &body).await;
                }
                _ => asked.accept().await,
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_session_that_the_server_lost_is_opened_anew_once_for_all() {
    let script = forgetful().await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    assert_eq!(client.call("x").await.unwrap().as_text(), "call 0");
    let calls: Vec<_> = (0..5).map(|_| client.call("x").send()).collect();
    for call in calls {
        assert!(call.await.unwrap().as_text().starts_with("call "));
    }
    let count = |method: &str| script.methods().iter().filter(|known| *known == method).count();
    assert_eq!(count("initialize"), 2);
    assert_eq!(count("notifications/initialized"), 2);
    client.close().await;
    client.peer().closed().await;
    assert_eq!(script.seen().last().unwrap().header("mcp-session-id"), Some("s-3"));
}

#[tokio::test]
async fn a_method_that_does_not_exist_is_no_lost_session() {
    let script = forgetful().await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    let error = client.peer().request_raw("custom/unknown", None).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32601);
    assert_eq!(script.methods().iter().filter(|method| *method == "initialize").count(), 1);
}

#[tokio::test]
async fn a_lost_session_with_subscriptions_ends_the_connection() {
    let script = forgetful().await;
    let client = legacy().connect(http::client(&script.url())).await.unwrap();
    let filter = Filter::new().resource_subscriptions(["a://b".to_owned()]);
    let _watch = client.watch(filter).await.unwrap();
    client.call("x").await.unwrap();
    let error = client.call("x").await.unwrap_err();
    assert!(error.is_closed() || error.http_status() == Some(404), "{error}");
    client.peer().closed().await;
    assert!(client.peer().is_closed());
    assert_eq!(client.revision(), Revision::V2025_11_25);
}
