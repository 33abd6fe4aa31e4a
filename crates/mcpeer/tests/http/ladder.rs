//! The order in which headers and body are looked at.

use http::Request;
use mcpeer::server::{HttpService, Server};
use serde_json::{Value, json};

use crate::web::{MODERN, modern, post, run, send};

fn service() -> HttpService {
    Server::builder("test", "1").tool("näme", async || "done").build().unwrap().http().service()
}

/// A call of the tool, with its headers.
fn call() -> Request<String> {
    let mut request = modern(1, "tools/call", &json!({"name": "näme"}));
    request.headers_mut().insert("mcp-name", "=?base64?bsOkbWU=?=".parse().unwrap());
    request
}

/// Changes the body of a request.
fn with_body(change: impl FnOnce(&mut Value)) -> Request<String> {
    let (parts, body) = call().into_parts();
    let mut body = serde_json::from_str(&body).unwrap();
    change(&mut body);
    Request::from_parts(parts, body.to_string())
}

/// Changes a header of a request; nothing takes it away.
fn with_header(name: &'static str, value: Option<&'static str>) -> Request<String> {
    let mut request = call();
    match value {
        Some(value) => drop(request.headers_mut().insert(name, value.parse().unwrap())),
        None => drop(request.headers_mut().remove(name)),
    }
    request
}

fn unmeta(body: &mut Value) {
    body["params"].as_object_mut().unwrap().remove("_meta");
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

#[test]
fn each_rung_has_its_status_and_its_code() {
    run(async {
        let service = service();
        assert_eq!(send(&service, call()).await.status, 200);
        let rungs: Vec<(&str, Request<String>, u16, i64)> = vec![
            ("no envelope under the header", with_body(unmeta), 400, -32602),
            (
                "no version in the envelope",
                with_body(|body| drop(body["params"]["_meta"].as_object_mut().unwrap().remove(VERSION))),
                400,
                -32602,
            ),
            (
                "no capabilities in the envelope",
                with_body(|body| drop(body["params"]["_meta"].as_object_mut().unwrap().remove(CAPABILITIES))),
                400,
                -32602,
            ),
            ("a version that is no string", with_body(|body| body["params"]["_meta"][VERSION] = json!(7)), 400, -32602),
            (
                "an incomplete envelope on an unknown method",
                with_body(|body| {
                    body["method"] = json!("initialize");
                    body["params"]["_meta"].as_object_mut().unwrap().remove(CAPABILITIES);
                }),
                400,
                -32602,
            ),
            (
                "a version unlike the header's",
                with_body(|body| body["params"]["_meta"][VERSION] = json!("v999")),
                400,
                -32020,
            ),
            ("no version header", with_header("mcp-protocol-version", None), 400, -32020),
            ("a version header of the other era", with_header("mcp-protocol-version", Some("2025-11-25")), 400, -32020),
            ("no method header", with_header("mcp-method", None), 400, -32020),
            ("another method", with_header("mcp-method", Some("tools/list")), 400, -32020),
            ("the method in capitals", with_header("mcp-method", Some("TOOLS/CALL")), 400, -32020),
            ("no name header", with_header("mcp-name", None), 400, -32020),
            ("another name", with_header("mcp-name", Some("name")), 400, -32020),
            ("base64 that is none", with_header("mcp-name", Some("=?base64?bsOkbWU?=")), 400, -32020),
            ("base64 under another mark", with_header("mcp-name", Some("=?BASE64?bsOkbWU=?=")), 400, -32020),
        ];
        for (what, request, status, code) in rungs {
            let answer = send(&service, request).await;
            assert_eq!((answer.status, answer.code()), (status, code), "{what}: {answer:?}");
        }
    });
}

#[test]
fn a_version_that_both_name_and_nobody_serves_is_unsupported() {
    run(async {
        for version in ["2026-08-01", "2025-11-25", "v999"] {
            let mut request = with_body(|body| body["params"]["_meta"][VERSION] = json!(version));
            request.headers_mut().insert("mcp-protocol-version", version.parse().unwrap());
            let answer = send(&service(), request).await;
            assert_eq!((answer.status, answer.code()), (400, -32022), "{version}");
            let data = &answer.json()["error"]["data"];
            assert_eq!(data["requested"], version);
            assert_eq!(data["supported"].as_array().unwrap().len(), 5, "{data}");
        }
    });
}

#[test]
fn methods_that_the_era_does_not_have_are_not_found() {
    run(async {
        for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "nothing/here", "prompts/list"]
        {
            let answer = send(&service(), modern(1, method, &json!({}))).await;
            assert_eq!((answer.status, answer.code()), (404, -32601), "{method}");
            assert_eq!(answer.json()["id"], 1);
        }
    });
}

#[test]
fn headers_that_stand_there_twice_are_refused() {
    run(async {
        for name in ["mcp-protocol-version", "mcp-method", "mcp-name"] {
            let mut request = call();
            let value = request.headers()[name].clone();
            request.headers_mut().append(name, value);
            let answer = send(&service(), request).await;
            assert_eq!((answer.status, answer.code()), (400, -32020), "{name}");
        }
    });
}

#[test]
fn blanks_around_a_header_do_not_count() {
    run(async {
        let mut request = call();
        request.headers_mut().insert("mcp-method", " tools/call\t".parse().unwrap());
        assert_eq!(send(&service(), request).await.status, 200);
    });
}

#[test]
fn a_message_without_a_claim_is_judged_by_its_header() {
    run(async {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let service = Server::builder("test", "1").build().unwrap().http().sessionless().service();
        for (version, status, code) in [
            (None, 200, None),
            (Some("2025-06-18"), 200, None),
            (Some(MODERN), 400, Some(-32602)),
            (Some("2027-01-01"), 400, Some(-32602)),
            (Some("tomorrow"), 400, Some(-32600)),
        ] {
            let request = match version {
                Some(version) => post().header("mcp-protocol-version", version),
                None => post(),
            };
            let answer = send(&service, request.body(ping.to_string()).unwrap()).await;
            let found = answer.json()["error"]["code"].as_i64();
            assert_eq!((answer.status, found), (status, code), "{version:?}");
        }
    });
}

#[test]
fn headers_of_notifications_must_only_not_contradict() {
    run(async {
        let params = json!({"requestId": 1, "_meta": {VERSION: MODERN}});
        let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string();
        for (version, method, status) in [
            (None, None, 202),
            (Some(MODERN), None, 202),
            (Some(MODERN), Some("notifications/cancelled"), 202),
            (Some(MODERN), Some("notifications/progress"), 400),
            (Some("2027-01-01"), None, 400),
        ] {
            let mut request = post();
            if let Some(version) = version {
                request = request.header("mcp-protocol-version", version);
            }
            if let Some(method) = method {
                request = request.header("mcp-method", method);
            }
            let answer = send(&service(), request.body(body.clone()).unwrap()).await;
            assert_eq!(answer.status, status, "{version:?} {method:?} {answer:?}");
            assert!(status == 202 || answer.code() == -32020);
        }
    });
}
