//! Heads of requests that are wrong, or say things twice.

use http::Request;
use serde_json::json;

use super::{begin, echo, server};
use crate::{
    line::{Served, head_of, text_of},
    sessions,
    web::{Answer, MODERN},
};

/// A request under one more header.
fn with(request: &Request<String>, line: &str) -> String {
    text_of(request).replacen("\r\n", &format!("\r\n{line}\r\n"), 1)
}

/// A request whose header is another, or none.
fn under(name: &'static str, value: &str) -> Request<String> {
    let mut request = echo();
    request.headers_mut().remove(name);
    if !value.is_empty() {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

#[track_caller]
fn is(answer: &Answer, status: u16, code: i64, what: &str) {
    assert_eq!((answer.status, answer.code()), (status, code), "{what}: {answer:?}");
}

#[tokio::test]
async fn what_the_endpoint_refuses_it_says_in_a_message_and_the_connection_stays() {
    let (server, _told) = server();
    let served = Served::new(&server.http()).await;
    let mut line = served.line().await;
    let call = echo();
    for (text, status, code, says) in [
        (with(&call, &format!("MCP-Protocol-Version: {MODERN}")), 400, -32020, "MCP-Protocol-Version"),
        (with(&call, "mcp-method: tools/call"), 400, -32020, "Mcp-Method"),
        (with(&call, "MCP-NAME: echo"), 400, -32020, "Mcp-Name"),
        (text_of(&under("mcp-method", "tools/list")), 400, -32020, "Mcp-Method"),
        (text_of(&under("mcp-protocol-version", "2025-06-18")), 400, -32020, "MCP-Protocol-Version"),
        (with(&call, "host: localhost:8080"), 400, -32600, "Host"),
        (text_of(&under("host", "")), 400, -32600, "Host"),
        (text_of(&under("host", "evil.com")), 403, -32600, "allow_host"),
        (text_of(&call).replacen("/mcp", "http://evil.com/mcp", 1), 403, -32600, "allow_host"),
        (with(&call, "origin: http://localhost\r\norigin: http://localhost"), 403, -32600, "allow_origin"),
        (text_of(&under("content-type", "")), 415, -32600, "application/json"),
        (with(&call, "content-type: application/json"), 415, -32600, "application/json"),
        (with(&call, "content-encoding: gzip"), 415, -32600, "compressed"),
        (text_of(&under("accept", "text/html")), 406, -32600, "Accept"),
        (text_of(&call).replacen("/mcp", "/mcp/", 1), 404, -32600, "/mcp"),
        (text_of(&call).replacen("POST", "PATCH", 1), 405, -32600, "POST"),
    ] {
        line.write(&text).await;
        let answer = line.answer().await;
        is(&answer, status, code, &text);
        assert!(answer.text.contains(says), "{says}: {answer:?}");
        assert_eq!(answer.header("accept-encoding"), if says == "compressed" { "identity" } else { "" });
    }
    assert_eq!(line.call(&call).await.status, 200);
}

#[tokio::test]
async fn in_a_session_what_says_two_things_is_refused() {
    let (server, _told) = server();
    let served = Served::new(&server.http()).await;
    let mut line = served.line().await;
    let client = begin(&served, &mut line, "2025-11-25").await;
    for (request, status) in [(client.post(&sessions::ping(1)), 400), (client.get(), 400), (client.delete(), 400)] {
        line.write(with(&request, "mcp-protocol-version: 2025-06-18")).await;
        is(&line.answer().await, status, -32600, request.method().as_str());
        line.write(with(&request, &format!("mcp-session-id: {}", client.session))).await;
        is(&line.answer().await, 404, -32600, request.method().as_str());
    }
    assert_eq!(line.call(&client.post(&sessions::ping(1))).await.status, 200);
}

#[tokio::test]
async fn what_is_no_one_request_is_refused_and_the_connection_ends() {
    let (server, mut told) = server();
    let served = Served::new(&server.http()).await;
    let head = head_of(&super::call("hold", &json!({"says": false})));
    for (what, text) in [
        ("two lengths", format!("{head}content-length: 4\r\ncontent-length: 5\r\n\r\n")),
        ("a list of lengths", format!("{head}content-length: 4, 5\r\n\r\n")),
        ("a length with a sign", format!("{head}content-length: +4\r\n\r\n")),
        ("a length below nothing", format!("{head}content-length: -1\r\n\r\n")),
        ("another encoding", format!("{head}transfer-encoding: gzip\r\n\r\n")),
        ("another encoding at the end", format!("{head}transfer-encoding: chunked, gzip\r\n\r\n")),
        ("pieces for HTTP/1.0", format!("{head}transfer-encoding: chunked\r\n\r\n").replacen("1.1", "1.0", 1)),
        ("a header over two lines", format!("{head}x-a: b\r\n c\r\ncontent-length: 0\r\n\r\n")),
        ("a blank before the colon", format!("{head}content-length : 0\r\n\r\n")),
        ("a header that is none", format!("{head}nothing\r\n\r\n")),
        ("a line end that is none", format!("{head}x-a: b\rc: d\r\n\r\n")),
        ("no HTTP", "hello\r\n\r\n".to_owned()),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        ("TLS", "\x16\x03\x01\x02\r\n\r\n".to_owned()),
    ] {
        let mut line = served.line().await;
        line.write(&text).await;
        // The HTTP server answers by itself, without a message, or not at all.
        let rest = line.rest().await.unwrap();
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 400 "), "{what}: {rest}");
    }
    told.heard_nothing();
}

#[tokio::test]
async fn nothing_is_smuggled_in_behind_a_request_with_two_lengths() {
    let (server, _told) = server();
    let served = Served::new(&server.http()).await;
    let call = echo();
    let body = format!("{:x}\r\n{}\r\n0\r\n\r\n", call.body().len(), call.body());
    let hidden = text_of(&call);
    for lengths in [
        "content-length: 4\r\ntransfer-encoding: chunked",
        "transfer-encoding: chunked\r\ncontent-length: 4",
        "transfer-encoding: chunked\r\ncontent-length: 40000",
    ] {
        let mut line = served.line().await;
        line.write(format!("{}{lengths}\r\n\r\n{body}{hidden}", head_of(&call))).await;
        let rest = line.rest().await.unwrap();
        assert_eq!(rest.matches("HTTP/1.1 ").count(), 1, "{lengths}: {rest}");
        assert!(rest.starts_with("HTTP/1.1 200 "), "{rest}");
    }
    // The same length twice is one length.
    let mut line = served.line().await;
    line.write(with(&call, &format!("content-length: {}", call.body().len()))).await;
    assert_eq!(line.answer().await.status, 200);
}

#[tokio::test]
async fn headers_have_limits_by_number_and_by_size() {
    let (server, _told) = server();
    let served = Served::new(&server.http()).await;
    let many = |count: usize| -> String {
        let there = echo().headers().len() + 1;
        (there..count).map(|number| format!("x-{number}: 1\r\n")).collect()
    };
    let long = |bytes: usize| format!("x-long: {}\r\n", "x".repeat(bytes));
    for (lines, status, says) in [
        (many(80), 200, Some("done")),
        (many(81), 431, Some("max_headers")),
        (many(100), 431, Some("max_headers")),
        (many(101), 431, None),
        (long(32_000), 200, Some("done")),
        (long(32 << 10), 431, Some("max_header_bytes")),
        (long(400 << 10), 431, None),
    ] {
        let mut line = served.line().await;
        line.write(with(&echo(), lines.trim_end())).await;
        let answer = line.answer().await;
        assert_eq!(answer.status, status, "{says:?} {}", answer.text);
        match says {
            Some(says) => assert!(answer.json().to_string().contains(says), "{answer:?}"),
            // It is too much for the HTTP server, which knows no messages.
            None => assert_eq!(answer.text, ""),
        }
    }
    let served = Served::new(&server.http().max_headers(300).max_header_bytes(100 << 10)).await;
    for lines in [many(300), long(90 << 10)] {
        let mut line = served.line().await;
        line.write(with(&echo(), lines.trim_end())).await;
        assert_eq!(line.answer().await.status, 200);
    }
}

#[tokio::test]
async fn a_message_may_nest_only_so_deep() {
    let (server, _told) = server();
    let arguments = |depth: usize| format!("\"arguments\":{}{}", "[".repeat(depth), "]".repeat(depth));
    let nested = |depth: usize| echo().map(|body| body.replacen("\"arguments\":{}", &arguments(depth), 1));
    for (http, depth, is_read) in [
        (server.http(), 20, true),
        (server.http(), 128, false),
        (server.http(), 30_000, false),
        (server.http().max_depth(10), 5, true),
        (server.http().max_depth(10), 10, false),
    ] {
        let served = Served::new(&http).await;
        let answer = served.line().await.call(&nested(depth)).await;
        if is_read {
            // `arguments` have to be an object.
            assert_eq!((answer.status, answer.code()), (200, -32602), "{answer:?}");
        } else {
            is(&answer, 400, -32600, "too deep");
            assert!(answer.text.contains("max_depth"), "{answer:?}");
        }
    }
}
