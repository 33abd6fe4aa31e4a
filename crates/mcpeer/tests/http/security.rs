//! What is refused before any message is read.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::Request;
use http_body::Frame;
use mcpeer::server::{Http, Server};
use serde_json::json;

use crate::web::{modern, post, read, run, send};

fn http() -> Http {
    Server::builder("test", "1").tool("echo", async || "done").build().unwrap().http()
}

fn call() -> Request<String> {
    modern(1, "tools/call", &json!({"name": "echo"}))
}

fn under(name: &'static str, value: &str) -> Request<String> {
    let mut request = call();
    request.headers_mut().insert(name, value.parse().unwrap());
    request
}

#[test]
fn foreign_names_and_pages_are_refused_with_what_allows_them() {
    run(async {
        let service = http().service();
        for host in ["evil.com", "localhost.evil.com", "192.168.0.7:80"] {
            let answer = send(&service, under("host", host)).await;
            assert_eq!((answer.status, answer.code()), (403, -32600), "{host}");
            assert!(answer.text.contains("allow_host"), "{answer:?}");
        }
        for origin in ["null", "https://evil.com", "http://localhost.evil.com"] {
            let answer = send(&service, under("origin", origin)).await;
            assert_eq!((answer.status, answer.code()), (403, -32600), "{origin}");
            assert!(answer.text.contains("allow_origin"), "{answer:?}");
        }
        let service = http().allow_host("mcp.example.com").allow_origin("https://app.example.com").service();
        assert_eq!(send(&service, under("host", "mcp.example.com:443")).await.status, 200);
        assert_eq!(send(&service, under("origin", "https://app.example.com")).await.status, 200);
        assert_eq!(send(&http().allow_any_host().service(), under("host", "192.168.0.7")).await.status, 200);
    });
}

#[test]
fn every_method_is_checked_for_its_origin() {
    run(async {
        for method in ["GET", "DELETE", "POST", "PUT", "OPTIONS"] {
            let request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
            let request = request.header("origin", "https://evil.com").body(String::new()).unwrap();
            assert_eq!(send(&http().service(), request).await.status, 403, "{method}");
        }
    });
}

#[test]
fn other_methods_are_not_allowed() {
    run(async {
        let plain = http().sessionless().service();
        for (service, method, allowed) in [
            (&plain, "GET", "POST"),
            (&plain, "DELETE", "POST"),
            (&plain, "PUT", "POST"),
            (&http().service(), "PUT", "GET, POST, DELETE"),
            (&http().service(), "OPTIONS", "GET, POST, DELETE"),
        ] {
            let request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
            let answer = send(service, request.body(String::new()).unwrap()).await;
            assert_eq!((answer.status, answer.header("allow")), (405, allowed), "{method}");
        }
    });
}

#[test]
fn bodies_that_are_not_json_are_refused() {
    run(async {
        let service = http().service();
        assert_eq!(send(&service, under("content-type", "text/plain")).await.status, 415);
        assert_eq!(send(&service, under("content-encoding", "gzip")).await.status, 415);
        assert_eq!(send(&service, under("accept", "text/html")).await.status, 406);
    });
}

#[test]
fn a_body_has_a_limit_that_can_be_set() {
    run(async {
        let whole = call().into_body().len();
        for (limit, status) in [(whole, 200), (whole - 1, 413), (10, 413)] {
            let service = http().max_body(limit).service();
            let answer = send(&service, call()).await;
            assert_eq!(answer.status, status, "{limit}");
            assert!(status == 200 || answer.text.contains("max_body"));
        }
    });
}

/// A body whose pieces come one by one, and which then ends or not.
pub(crate) struct Pieces {
    pub(crate) pieces: Vec<Bytes>,
    pub(crate) ends: bool,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.pieces.is_empty() {
            false => Poll::Ready(Some(Ok(Frame::data(self.pieces.remove(0))))),
            true if self.ends => Poll::Ready(None),
            true => Poll::Pending,
        }
    }
}

#[test]
fn a_body_in_pieces_counts_as_a_whole() {
    run(async {
        let (parts, body) = call().into_parts();
        let pieces: Vec<Bytes> = body.as_bytes().chunks(7).map(Bytes::copy_from_slice).collect();
        for (limit, status) in [(body.len(), 200), (body.len() - 1, 413)] {
            let request = Request::from_parts(parts.clone(), Pieces { pieces: pieces.clone(), ends: true });
            let service = http().max_body(limit).service();
            assert_eq!(read(service.handle(request).await).await.status, status);
        }
    });
}

#[test]
fn a_body_that_does_not_end_is_given_up() {
    run(async {
        let (parts, body) = call().into_parts();
        let request = Request::from_parts(parts, Pieces { pieces: vec![body.into()], ends: false });
        let service = http().body_timeout(Duration::from_secs(3)).service();
        let answer = read(service.handle(request).await).await;
        assert_eq!((answer.status, answer.header("connection")), (408, "close"));
    });
}

#[test]
fn requests_at_once_have_a_limit() {
    run(async {
        let stop = Arc::new(tokio::sync::Notify::new());
        let waiting = stop.clone();
        let server = Server::builder("test", "1").tool("wait", move || {
            let waiting = waiting.clone();
            async move {
                waiting.notified().await;
                "done"
            }
        });
        let service = server.build().unwrap().http().max_requests(1).service();
        let call = || modern(1, "tools/call", &json!({"name": "wait"}));
        let first = tokio::spawn({
            let (service, call) = (service.clone(), call());
            async move { send(&service, call).await }
        });
        tokio::task::yield_now().await;
        let second = send(&service, call()).await;
        assert_eq!((second.status, second.header("retry-after")), (503, "1"));
        stop.notify_one();
        assert_eq!(first.await.unwrap().status, 200);
        stop.notify_one();
        assert_eq!(send(&service, call()).await.status, 200);
    });
}

#[test]
fn browsers_hear_what_they_may_only_where_that_is_wanted() {
    run(async {
        let asked = || {
            let request =
                Request::options("/mcp").header("host", "localhost").header("origin", "http://localhost:3000");
            let request = request.header("access-control-request-method", "POST");
            request
                .header("access-control-request-headers", "content-type, mcp-param-city")
                .body(String::new())
                .unwrap()
        };
        assert_eq!(send(&http().service(), asked()).await.status, 405);
        let service = http().cors().service();
        let answer = send(&service, asked()).await;
        assert_eq!(answer.status, 204);
        assert_eq!(answer.header("access-control-allow-origin"), "http://localhost:3000");
        assert_eq!(answer.header("access-control-allow-headers"), "content-type, mcp-param-city");
        let answer = send(&service, under("origin", "http://localhost:3000")).await;
        assert_eq!(answer.header("access-control-allow-origin"), "http://localhost:3000");
        assert!(answer.header("access-control-expose-headers").contains("mcp-session-id"));
        let plain = send(&service, post().body("{}".into()).unwrap()).await;
        assert_eq!(plain.header("access-control-allow-origin"), "");
    });
}
