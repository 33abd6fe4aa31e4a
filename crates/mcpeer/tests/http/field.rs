//! What goes wrong in the field with servers: peers that are careless, old, or cut short.

use http::{HeaderValue, Request, Version};
use mcpeer::{
    handler::Context,
    server::{Http, HttpService, Resource, Server},
};
use serde_json::{Value, json};

use crate::web::{MODERN, events, legacy, modern, next, post, run, send};

fn http() -> Http {
    Server::builder("test", "1")
        .tool("=?base64?abc?=", async || "odd")
        .tool("echo", async || "done")
        .tool("changes", async |cx: Context| {
            cx.progress(1.0, None, None).await;
            "done"
        })
        .resource(Resource::new("x://café", "café"), async || "au lait")
        .build()
        .unwrap()
        .http()
}

fn service() -> HttpService {
    http().service()
}

fn ping(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

/// Begins a session, and gives what names it.
async fn begin(service: &HttpService) -> HeaderValue {
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    send(service, legacy(None, &body)).await.headers["mcp-session-id"].clone()
}

fn within(session: &HeaderValue, body: &Value) -> Request<String> {
    let mut request = legacy(Some("2025-06-18"), body);
    request.headers_mut().insert("mcp-session-id", session.clone());
    request
}

#[test]
fn requests_and_the_end_of_the_handshake_may_arrive_in_any_order() {
    run(async {
        let service = service();
        let session = begin(&service).await;
        for (body, status) in [
            (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), 200),
            (json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), 202),
            (json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}), 200),
            (json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), 202),
            (ping(&json!(3)), 200),
        ] {
            assert_eq!(send(&service, within(&session, &body)).await.status, status, "{body}");
        }
    });
}

#[test]
fn an_id_is_answered_as_it_came_or_refused() {
    run(async {
        let service = service();
        let session = begin(&service).await;
        for id in [json!("1"), json!(""), json!(0), json!(-7), json!(9_007_199_254_740_993_i64), json!(i64::MAX)] {
            assert_eq!(send(&service, within(&session, &ping(&id))).await.json()["id"], id);
            let call = modern(id.clone(), "tools/call", &json!({"name": "echo"}));
            assert_eq!(send(&service, call).await.json()["id"], id);
        }
        for id in ["1.5", "3.0", "9223372036854775808", "true", "{}", "[]", "null"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let mut old = within(&session, &Value::Null);
            old.body_mut().clone_from(&text);
            let mut new = modern(4711, "tools/call", &json!({"name": "echo"}));
            *new.body_mut() = new.body().replace("4711", id);
            for request in [old, new] {
                let answer = send(&service, request).await;
                assert_eq!((answer.status, answer.code()), (400, -32600), "{id}: {answer:?}");
                assert!(answer.json().get("id").is_none(), "{answer:?}");
            }
        }
    });
}

#[test]
fn a_cancel_that_names_nothing_open_is_accepted_whatever_its_shape() {
    run(async {
        let service = service();
        let session = begin(&service).await;
        for params in [
            json!({"requestId": 12345}),
            json!({"requestId": {}}),
            json!({"requestId": "0"}),
            json!({"requestId": 0}),
            json!({}),
            json!([]),
            Value::Null,
        ] {
            let mut cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
            if !params.is_null() {
                cancel["params"] = params.clone();
            }
            for request in [within(&session, &cancel), legacy(Some(MODERN), &cancel)] {
                let answer = send(&service, request).await;
                assert!(answer.status == 202 || answer.code() == -32600, "{params}: {answer:?}");
            }
            assert_eq!(send(&service, within(&session, &ping(&json!(1)))).await.status, 200);
        }
    });
}

#[test]
fn whatever_accept_header_clients_write_they_are_served() {
    run(async {
        let service = service();
        for accept in [
            "*/*",
            "application/*, text/event-stream",
            "application/json",
            "Application/JSON, Text/Event-Stream",
            "application/json;q=0.9, text/event-stream;q=0.8",
            "text/html, */*;q=0.1",
            "application/json; charset=utf-8",
            "",
        ] {
            let mut request = modern(1, "tools/call", &json!({"name": "echo"}));
            match accept {
                "" => drop(request.headers_mut().remove("accept")),
                accept => drop(request.headers_mut().insert("accept", accept.parse().unwrap())),
            }
            assert_eq!(send(&service, request).await.json()["id"], 1, "{accept}");
        }
    });
}

#[test]
fn a_host_may_stand_in_the_address_and_an_address_to_bind_is_none() {
    run(async {
        let service = service();
        let under = |uri: &str, host: Option<&'static str>| {
            let mut request = modern(1, "tools/call", &json!({"name": "echo"}));
            *request.uri_mut() = uri.parse().unwrap();
            *request.version_mut() = Version::HTTP_2;
            request.headers_mut().remove("host");
            host.map(|host| request.headers_mut().insert("host", HeaderValue::from_static(host)));
            request
        };
        for (uri, host, status) in [
            ("http://localhost:8080/mcp", None, 200),
            ("http://localhost:8080/mcp", Some("localhost:8080"), 200),
            ("http://evil.example/mcp", None, 403),
            ("http://0.0.0.0:8080/mcp", None, 403),
            ("/mcp", Some("0.0.0.0:8080"), 403),
            ("/mcp", None, 400),
        ] {
            assert_eq!(send(&service, under(uri, host)).await.status, status, "{uri} {host:?}");
        }
    });
}

#[test]
fn names_in_headers_are_decoded_before_they_are_compared() {
    run(async {
        let service = service();
        let read = json!({"uri": "x://café"});
        let odd = json!({"name": "=?base64?abc?="});
        let cases: [(&str, &Value, &[u8], u16); 8] = [
            ("resources/read", &read, b"=?base64?eDovL2NhZsOp?=", 200),
            // Bytes that are no ASCII say nothing for certain.
            ("resources/read", &read, "x://café".as_bytes(), 400),
            ("resources/read", &read, b"=?base64?eDovL2NhZsO?=", 400),
            ("resources/read", &read, b"=?BASE64?eDovL2NhZsOp?=", 400),
            ("tools/call", &odd, b"=?base64?PT9iYXNlNjQ/YWJjPz0=?=", 200),
            ("tools/call", &odd, b"=?base64?abc?=", 400),
            ("tools/call", &json!({"name": "echo"}), b"=?base64?ZWNobw==?=", 200),
            ("tools/call", &json!({"name": "echo"}), b"=?base64?ZWNoby?=", 400),
        ];
        for (method, params, name, status) in cases {
            let mut plain = params.clone();
            // What cannot stand in a header is put there below.
            let key = if method == "tools/call" { "name" } else { "uri" };
            plain[key] = json!("x");
            let mut request = modern(1, method, &plain);
            let body = modern_body(method, params);
            *request.body_mut() = body;
            request.headers_mut().insert("mcp-name", HeaderValue::from_bytes(name).unwrap());
            let answer = send(&service, request).await;
            let code = answer.json()["error"]["code"].as_i64();
            let expected = (status, (status == 400).then_some(-32020));
            assert_eq!((answer.status, code), expected, "{method} {}", String::from_utf8_lossy(name));
        }
    });
}

fn modern_body(method: &str, params: &Value) -> String {
    let params = crate::web::enveloped(params);
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

#[test]
fn subscriptions_are_told_apart_by_ids_of_either_type_and_begin_with_their_acknowledgment() {
    run(async {
        let server = Server::builder("test", "1")
            .tool("echo", async || "done")
            .resource(Resource::new("a://b", "b"), async || "text")
            .build()
            .unwrap();
        let service = server.http().service();
        let mut streams = Vec::new();
        for id in [json!(1), json!("1")] {
            let wanted = json!({"notifications": {"toolsListChanged": true}});
            let body = service.handle(modern(id.clone(), "subscriptions/listen", &wanted)).await.into_body();
            // In the same instant.
            server.tools_changed();
            server.resources_changed();
            streams.push((id, body));
        }
        for (id, body) in &mut streams {
            let mut told = Vec::new();
            while told.len() < 2 {
                told.extend(events(&next(body).await.unwrap()));
            }
            let methods: Vec<_> = told.iter().map(|event| event["method"].as_str().unwrap()).collect();
            assert_eq!(methods, ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"]);
            for event in &told {
                assert_eq!(event["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], *id, "{event}");
            }
        }
        service.shut();
        for (id, body) in &mut streams {
            let mut last = Vec::new();
            while let Some(piece) = next(body).await {
                last.extend(events(&piece));
            }
            assert_eq!(last.last().unwrap()["id"], *id, "the end is the answer to its request");
            assert!(last.iter().all(|event| event["method"] != "notifications/resources/list_changed"));
        }
    });
}

#[test]
fn what_older_clients_send_to_a_server_without_sessions_does_no_harm() {
    run(async {
        let service = http().sessionless().service();
        for verb in ["GET", "DELETE"] {
            for version in [None, Some(MODERN), Some("2025-06-18")] {
                let mut request = post().method(verb).header("mcp-session-id", "stale").header("last-event-id", "1");
                if let Some(version) = version {
                    request = request.header("mcp-protocol-version", version);
                }
                let answer = send(&service, request.body(String::new()).unwrap()).await;
                assert_eq!((answer.status, answer.header("allow")), (405, "POST"), "{verb} {version:?}");
            }
        }
        let mut call = modern(1, "tools/call", &json!({"name": "echo"}));
        call.headers_mut().insert("mcp-session-id", "stale".parse().unwrap());
        call.headers_mut().insert("last-event-id", "7".parse().unwrap());
        let answer = send(&service, call).await;
        assert_eq!((answer.status, answer.header("mcp-session-id")), (200, ""));
        let answer = send(&service, legacy(Some(MODERN), &json!({"jsonrpc": "2.0", "id": 1, "result": {}}))).await;
        assert_eq!((answer.status, answer.code()), (400, -32600));
    });
}
