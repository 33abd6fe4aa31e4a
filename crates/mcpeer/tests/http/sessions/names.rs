//! How a session is named, and who may name it.

use std::collections::HashSet;

use http::Method;
use serde_json::json;

use super::{Client, STATEFUL, call, http, initialize, ping};
use crate::web::{MODERN, legacy, modern, run, send};

#[test]
fn initialize_begins_a_session() {
    run(async {
        let service = http().service();
        let mut names = HashSet::new();
        for version in STATEFUL {
            for header in [None, Some("2025-06-18"), Some(MODERN), Some("tomorrow")] {
                let answer = send(&service, legacy(header, &initialize(version))).await;
                assert_eq!(answer.json()["result"]["protocolVersion"], version, "{header:?}");
                let name = answer.header("mcp-session-id");
                assert!(name.len() >= 32 && name.bytes().all(|byte| (0x21..0x7f).contains(&byte)), "{name}");
                assert!(names.insert(name.to_owned()));
            }
        }
    });
}

#[test]
fn an_initialize_that_fails_begins_none() {
    run(async {
        let service = http().max_sessions(1).service();
        let mut wrong = initialize("2025-11-25");
        wrong["params"]["clientInfo"] = json!("me");
        for _ in 0..3 {
            let answer = send(&service, legacy(None, &wrong)).await;
            assert_eq!((answer.status, answer.code(), answer.header("mcp-session-id")), (400, -32602, ""));
        }
        Client::new(&service, "2025-11-25").await;
    });
}

#[test]
fn every_other_message_has_to_name_its_session() {
    run(async {
        let service = http().service();
        for version in STATEFUL {
            Client::new(&service, version).await;
            for body in [
                ping(1),
                call(1, "say", &json!({"text": "hi"})),
                json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
                json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
                json!([ping(1)]),
            ] {
                let answer = send(&service, legacy(Some(version), &body)).await;
                assert_eq!((answer.status, answer.code()), (400, -32600), "{body}");
                assert!(answer.text.contains("initialize"), "{answer:?}");
                let mut request = legacy(Some(version), &body);
                request.headers_mut().insert("mcp-session-id", "zzz".parse().unwrap());
                let answer = send(&service, request).await;
                assert_eq!((answer.status, answer.code()), (404, -32600), "{body}");
            }
        }
        for method in [Method::GET, Method::DELETE] {
            let mut client = Client::new(&service, "2025-11-25").await;
            client.session = String::new();
            assert_eq!(send(&service, client.request(method.clone(), String::new())).await.status, 400);
            client.session = "zzz".into();
            assert_eq!(send(&service, client.request(method, String::new())).await.status, 404);
        }
    });
}

#[test]
fn a_name_that_stands_there_twice_is_none() {
    run(async {
        let client = Client::new(&http().service(), "2025-11-25").await;
        let mut request = client.post(&ping(1));
        request.headers_mut().append("mcp-session-id", client.session.parse().unwrap());
        assert_eq!(send(&client.service, request).await.status, 404);
        assert_eq!(client.send(&ping(1)).await.status, 200);
    });
}

#[test]
fn a_session_is_only_that_of_who_began_it() {
    run(async {
        let service = http().service();
        for name in [None, Some("me")] {
            let mine = Client::named(&service, "2025-11-25", name).await;
            for foreign in [None, Some("me"), Some("you")].into_iter().filter(|foreign| *foreign != name) {
                let theirs = Client { name: foreign, ..mine.clone() };
                assert_eq!(theirs.send(&ping(1)).await.status, 404, "{foreign:?}");
                assert_eq!(theirs.send(&initialize("2025-11-25")).await.status, 404, "{foreign:?}");
                for request in [theirs.get(), theirs.delete()] {
                    assert_eq!(send(&service, request).await.status, 404, "{foreign:?}");
                }
            }
            assert_eq!(mine.send(&ping(1)).await.status, 200);
        }
    });
}

#[test]
fn a_second_initialize_is_refused_and_changes_nothing() {
    run(async {
        let service = http().service();
        for version in STATEFUL {
            let mut client = Client::new(&service, version).await;
            let answer = client.send(&initialize("2025-06-18")).await;
            assert_eq!((answer.status, answer.code()), (400, -32600), "{version}");
            assert_eq!(client.send(&ping(1)).await.json()["result"], json!({}));
            client.session = "zzz".into();
            assert_eq!(client.send(&initialize(version)).await.status, 404);
        }
    });
}

#[test]
fn the_version_header_has_to_name_a_revision_that_is_served() {
    run(async {
        let service = http().service();
        for negotiated in STATEFUL {
            let client = Client::new(&service, negotiated).await;
            for (version, status) in
                STATEFUL.into_iter().map(|version| (version, 200)).chain([("1999-01-01", 400), ("", 400)])
            {
                let client = Client { version, ..client.clone() };
                assert_eq!(client.send(&ping(1)).await.status, status, "{version}");
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                assert_eq!(client.send(&ready).await.status, if status == 200 { 202 } else { 400 }, "{version}");
                assert_eq!(service.handle(client.get()).await.status(), status, "{version}");
            }
            let mut request = client.post(&ping(1));
            request.headers_mut().remove("mcp-protocol-version");
            assert_eq!(send(&service, request).await.status, 200);
        }
    });
}

#[test]
fn the_stateless_era_knows_no_sessions() {
    run(async {
        let service = http().service();
        let client = Client::new(&service, "2025-11-25").await;
        for name in [&*client.session, "zzz"] {
            let mut request = modern(1, "tools/call", &json!({"name": "say", "arguments": {"text": "hi"}}));
            request.headers_mut().insert("mcp-session-id", name.parse().unwrap());
            let answer = send(&service, request).await;
            assert_eq!(answer.json()["result"]["resultType"], "complete");
        }
        let modern = Client { version: MODERN, ..client.clone() };
        let answer = modern.send(&ping(1)).await;
        assert_eq!((answer.status, answer.code()), (400, -32602));
        for method in [Method::GET, Method::DELETE] {
            let answer = send(&service, modern.request(method, String::new())).await;
            assert_eq!((answer.status, answer.header("allow")), (405, "GET, POST, DELETE"));
        }
        assert_eq!(client.send(&ping(1)).await.status, 200);
    });
}

#[test]
fn a_key_of_the_stateless_era_elsewhere_in_the_message_claims_nothing() {
    run(async {
        let client = Client::new(&http().service(), "2025-11-25").await;
        let text = "io.modelcontextprotocol/protocolVersion";
        let answer = client.send(&call(1, "say", &json!({"text": text}))).await;
        assert_eq!(answer.json()["result"]["content"][0]["text"], text);
        // Escaped it claims what it claims.
        let body = modern(1, "tools/call", &json!({"name": "say", "arguments": {"text": "hi"}}));
        let (parts, body) = body.into_parts();
        let request = http::Request::from_parts(parts, body.replace("/protocolVersion", "\\/protocolVersion"));
        assert_eq!(send(&client.service, request).await.json()["result"]["resultType"], "complete");
    });
}
