//! HTTP+SSE: everything that the server says comes on one stream, and messages are posted elsewhere.

use std::{collections::VecDeque, task::Poll, time::Duration};

use http::{Method, Request, request};
use mcpeer::{
    handler::Context,
    server::{HttpService, Server},
    transport::{Principal, http::server::Body},
    version::Revision,
};
use serde_json::{Value, json};

use super::{Client, STATEFUL, Signals, call, http, initialize, ping, server, settle};
use crate::web::{Answer, events, next, peek, run, send};

/// A client, which has its stream open.
struct Old {
    service: HttpService,
    name: Option<&'static str>,
    body: Body,
    messages: String,
    came: VecDeque<Value>,
}

fn request(method: Method, uri: &str, name: Option<&'static str>) -> request::Builder {
    let request = Request::builder().method(method).uri(uri).header("host", "localhost");
    match name {
        Some(name) => request.extension(Principal(name.into())),
        None => request,
    }
}

fn get(name: Option<&'static str>) -> Request<String> {
    request(Method::GET, "/sse", name).header("accept", "text/event-stream").body(String::new()).unwrap()
}

fn post(uri: &str, name: Option<&'static str>, body: impl ToString) -> Request<String> {
    request(Method::POST, uri, name).header("content-type", "application/json").body(body.to_string()).unwrap()
}

impl Old {
    async fn open(service: &HttpService) -> Self {
        Self::named(service, None).await
    }

    /// Opens a stream, and reads where messages go.
    async fn named(service: &HttpService, name: Option<&'static str>) -> Self {
        let response = service.handle(get(name)).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        let mut body = response.into_body();
        let first = next(&mut body).await.unwrap();
        let messages = first.strip_prefix("event: endpoint\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
        Self { service: service.clone(), name, messages: messages.to_owned(), body, came: VecDeque::new() }
    }

    /// Opens a stream, and begins.
    async fn new(service: &HttpService, version: &'static str) -> Self {
        let mut old = Self::open(service).await;
        assert_eq!(old.begin(version).await, version);
        old
    }

    /// Begins, and gives the revision that the server chose.
    async fn begin(&mut self, version: &str) -> String {
        self.send(&initialize(version)).await;
        let answer = self.next().await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer["result"]["protocolVersion"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn post(&self, body: &Value) -> Answer {
        send(&self.service, post(&self.messages, self.name, body)).await
    }

    /// Sends a message that is accepted.
    async fn send(&self, body: &Value) {
        let answer = self.post(body).await;
        assert_eq!((answer.status, &*answer.text), (202, ""), "{body}");
    }

    /// Gives the next message on the stream.
    async fn next(&mut self) -> Value {
        while self.came.is_empty() {
            let piece = next(&mut self.body).await.expect("the stream goes on");
            assert!(piece.starts_with("event: message\n") || piece.starts_with(':'), "{piece:?}");
            self.came.extend(events(&piece));
        }
        self.came.pop_front().unwrap()
    }
}

/// A server that serves both transports.
fn both(signals: &Signals) -> HttpService {
    server(signals).http().sse("/sse", "/messages").service()
}

#[test]
fn a_stream_begins_with_where_messages_go_and_their_answers_come_on_it() {
    run(async {
        let service = both(&Signals::default());
        for version in STATEFUL {
            let mut old = Old::new(&service, version).await;
            let id = old.messages.strip_prefix("/messages?session_id=").expect("it is relative");
            assert_eq!(id.len(), 32);
            assert_ne!(Old::open(&service).await.messages, old.messages);
            old.send(&call("a", "say", &json!({"text": "two\nlines"}))).await;
            assert_eq!(old.next().await["result"]["content"][0]["text"], "two\nlines");
            old.send(&call(2, "progress", &json!({}))).await;
            assert_eq!(old.next().await["params"]["progressToken"], 5);
            assert_eq!(old.next().await["id"], 2);
            old.send(&ping(3)).await;
            assert_eq!(old.next().await, json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
            old.send(&json!({"jsonrpc": "2.0", "id": 4, "method": "nothing/here"})).await;
            assert_eq!(old.next().await["error"]["code"], -32601);
            assert_eq!(peek(&mut old.body), Poll::Pending);
        }
    });
}

#[test]
fn the_revision_is_one_of_the_stateful_era_that_the_server_speaks() {
    run(async {
        let service = both(&Signals::default());
        for (wanted, chosen) in [("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"), ("1.0", "2025-11-25")] {
            assert_eq!(Old::open(&service).await.begin(wanted).await, chosen);
        }
        let speaks = |revision| Server::builder("test", "1").revisions([revision]).build().unwrap().http();
        let service = speaks(Revision::V2024_11_05).sse("/sse", "/messages").service();
        for wanted in ["2024-11-05", "2025-11-25"] {
            assert_eq!(Old::open(&service).await.begin(wanted).await, "2024-11-05");
        }
        let answer = send(&speaks(Revision::V2026_07_28).sse("/sse", "/messages").service(), get(None)).await;
        assert_eq!((answer.status, answer.code()), (404, -32600));
    });
}

#[test]
fn messages_of_the_stateless_era_are_refused() {
    run(async {
        let mut old = Old::open(&both(&Signals::default())).await;
        let params = crate::web::enveloped(&json!({}));
        old.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})).await;
        let error = old.next().await["error"].clone();
        assert_eq!(error["code"], -32022);
        let mut supported: Vec<_> = error["data"]["supported"].as_array().unwrap().iter().collect();
        supported.reverse();
        assert_eq!(supported, STATEFUL);
        old.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "server/discover"})).await;
        assert_eq!(old.next().await["error"]["code"], -32600);
    });
}

#[test]
fn a_client_that_hangs_up_ends_its_session_and_what_runs_for_it() {
    run(async {
        let signals = Signals::default();
        let service = both(&signals);
        let old = Old::new(&service, "2024-11-05").await;
        old.send(&call(1, "wait", &json!({}))).await;
        signals.started.notified().await;
        let Old { body, messages, .. } = old;
        drop(body);
        signals.ended.notified().await;
        settle().await;
        let answer = send(&service, post(&messages, None, ping(2))).await;
        assert_eq!((answer.status, answer.code()), (404, -32600));
    });
}

#[test]
fn a_cancel_reaches_what_runs() {
    run(async {
        let signals = Signals::default();
        let mut old = Old::new(&both(&signals), "2024-11-05").await;
        old.send(&call(1, "wait", &json!({}))).await;
        signals.started.notified().await;
        old.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
        signals.ended.notified().await;
        old.send(&ping(2)).await;
        assert_eq!(old.next().await["id"], 2);
    });
}

#[test]
fn a_session_is_that_of_whom_it_was_opened_for() {
    run(async {
        let server = Server::builder("test", "1").tool("who", async |cx: Context| {
            let agent = cx.http().and_then(|head| head.headers.get("content-type").cloned());
            format!("{:?} {agent:?}", cx.principal())
        });
        let service = server.build().unwrap().http().sse("/sse", "/messages").service();
        let mut ada = Old::named(&service, Some("ada")).await;
        ada.begin("2024-11-05").await;
        for other in [Some("bob"), None] {
            let answer = send(&service, post(&ada.messages, other, ping(1))).await;
            assert_eq!((answer.status, answer.code()), (404, -32600), "{other:?}");
        }
        ada.send(&call(2, "who", &json!({}))).await;
        let said = ada.next().await;
        assert_eq!(said["result"]["content"][0]["text"], "Some(\"ada\") Some(\"application/json\")");
        let nobody = Old::open(&service).await;
        assert_eq!(send(&service, post(&nobody.messages, Some("ada"), ping(1))).await.status, 404);
    });
}

#[test]
fn what_is_no_message_of_a_session_is_refused() {
    run(async {
        let service = server(&Signals::default()).http().max_body(1000).sse("/sse", "/messages").service();
        let old = Old::new(&service, "2024-11-05").await;
        let messages = &*old.messages;
        let long = ping(1).to_string() + &" ".repeat(1000);
        let changed = |name: &'static str, value: &str, mut request: Request<String>| {
            request.headers_mut().insert(name, value.parse().unwrap());
            request
        };
        let evil = "http://localhost.evil.com";
        for (status, code, request) in [
            (400, -32600, post("/messages", None, ping(1))),
            (404, -32600, post("/messages?session_id=guessed", None, ping(1))),
            (404, -32600, post("/messages?session_id=", None, ping(1))),
            (400, -32700, post(messages, None, "{")),
            (400, -32600, post(messages, None, "{}")),
            (413, -32600, post(messages, None, long)),
            (415, -32600, changed("content-type", "text/plain", post(messages, None, ping(1)))),
            (403, -32600, changed("origin", evil, post(messages, None, ping(1)))),
            (403, -32600, changed("host", "evil.com", post(messages, None, ping(1)))),
            (403, -32600, changed("origin", "null", get(None))),
            (403, -32600, changed("host", "evil.com", get(None))),
            (406, -32600, changed("accept", "application/json", get(None))),
        ] {
            let shown = format!("{request:?}");
            let answer = send(&service, request).await;
            assert_eq!((answer.status, answer.code()), (status, code), "{shown}");
        }
        for (method, uri, allowed) in [
            (Method::POST, "/sse", "GET"),
            (Method::DELETE, "/sse", "GET"),
            (Method::GET, "/messages", "POST"),
            (Method::DELETE, messages, "POST"),
        ] {
            let request = request(method, uri, None).header("content-type", "application/json");
            let answer = send(&service, request.body(ping(1).to_string()).unwrap()).await;
            assert_eq!((answer.status, answer.header("allow")), (405, allowed), "{uri}");
        }
        // None of that has ended anything, nor said anything on the stream.
        let mut old = old;
        old.send(&ping(7)).await;
        assert_eq!(old.next().await["id"], 7);
    });
}

#[test]
fn one_path_may_be_both() {
    run(async {
        let service = server(&Signals::default()).http().sse("/sse", "/sse").service();
        let mut old = Old::new(&service, "2024-11-05").await;
        old.send(&ping(1)).await;
        assert_eq!(old.next().await["id"], 1);
    });
}

#[test]
fn streamable_http_is_served_as_without_it() {
    run(async {
        let service = both(&Signals::default());
        let mut old = Old::new(&service, "2024-11-05").await;
        let new = Client::new(&service, "2025-11-25").await;
        assert_eq!(new.send(&call(1, "say", &json!({"text": "hi"}))).await.json()["id"], 1);
        assert_eq!(service.handle(get(None)).await.status(), 200);
        old.send(&call(1, "say", &json!({"text": "ho"}))).await;
        assert_eq!(old.next().await["result"]["content"][0]["text"], "ho");
        // Unless it was asked for, there is nothing but that.
        assert_eq!(send(&http().service(), get(None)).await.status, 400);
    });
}

#[test]
fn handlers_ask_the_client_and_changes_are_told_on_the_stream() {
    run(async {
        let server = server(&Signals::default());
        let mut old = Old::new(&server.http().sse("/sse", "/messages").service(), "2024-11-05").await;
        old.send(&call("c", "ask", &json!({"method": "roots/list"}))).await;
        let asked = old.next().await;
        assert_eq!(asked["method"], "roots/list");
        old.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}})).await;
        assert_eq!(old.next().await["result"]["content"][0]["text"], "{\"roots\":[]}");
        server.tools_changed();
        assert_eq!(old.next().await["method"], "notifications/tools/list_changed");
    });
}

#[test]
fn messages_may_be_joined_at_the_revision_that_has_that() {
    run(async {
        let service = both(&Signals::default());
        let both = json!([ping(1), call(2, "say", &json!({"text": "hi"}))]);
        let mut old = Old::new(&service, "2025-03-26").await;
        old.send(&both).await;
        let answers = old.next().await;
        assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &json!(2)));
        let mut old = Old::new(&service, "2024-11-05").await;
        old.send(&both).await;
        assert_eq!(old.next().await["error"]["code"], -32600);
    });
}

#[test]
fn sessions_and_streams_are_limited_until_they_end() {
    run(async {
        let http = || server(&Signals::default()).http().sse("/sse", "/messages");
        for service in [http().max_sessions(1).service(), http().max_streams(1).service()] {
            let old = Old::new(&service, "2024-11-05").await;
            let answer = send(&service, get(None)).await;
            assert_eq!((answer.status, answer.code()), (503, -32603));
            drop(old);
            settle().await;
            Old::new(&service, "2024-11-05").await;
        }
    });
}

#[test]
fn a_quiet_stream_is_kept_alive_and_its_session_with_it() {
    run(async {
        let mut old = Old::new(&both(&Signals::default()), "2024-11-05").await;
        let start = tokio::time::Instant::now();
        assert!(next(&mut old.body).await.unwrap().starts_with(':'));
        assert_eq!(start.elapsed(), Duration::from_secs(15));
        tokio::time::sleep(Duration::from_secs(3600)).await;
        old.send(&ping(1)).await;
        assert_eq!(old.next().await["id"], 1);
    });
}

#[test]
fn a_client_that_does_not_read_is_not_listened_to_and_then_given_up() {
    run(async {
        let service = both(&Signals::default());
        let mut old = Old::new(&service, "2024-11-05").await;
        old.send(&call(1, "say", &json!({"text": "x".repeat(100 << 10)}))).await;
        settle().await;
        let mut accepted = 0;
        let refused = loop {
            let answer = old.post(&ping(accepted)).await;
            if answer.status != 202 {
                break answer;
            }
            accepted += 1;
        };
        assert_eq!((refused.status, accepted), (503, 256));
        // Who reads again is listened to again.
        assert_eq!(old.next().await["id"], 1);
        for id in 0..accepted {
            assert_eq!(old.next().await["id"], id);
        }
        old.send(&call(1, "say", &json!({"text": "x".repeat(100 << 10)}))).await;
        tokio::time::sleep(Duration::from_secs(21)).await;
        assert_eq!(old.post(&ping(1)).await.status, 404);
        assert_eq!(next(&mut old.body).await, None);
    });
}

#[test]
fn a_server_that_shuts_down_lets_what_runs_answer() {
    run(async {
        let signals = Signals::default();
        let service = both(&signals);
        let mut old = Old::new(&service, "2024-11-05").await;
        old.send(&call(1, "work", &json!({}))).await;
        signals.started.notified().await;
        service.shut();
        for request in [get(None), post(&old.messages, None, ping(2))] {
            assert_eq!(send(&service, request).await.status, 503);
        }
        signals.go.notify_one();
        assert_eq!(old.next().await["params"]["progress"], 1.0);
        assert_eq!(old.next().await["id"], 1);
        assert_eq!(next(&mut old.body).await, None);
    });
}
