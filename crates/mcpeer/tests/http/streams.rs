//! Streams: `subscriptions/listen`, clients that hang up, clients that do not read.

use std::{sync::Arc, task::Poll, time::Duration};

use http_body::Body as _;
use mcpeer::{
    handler::Context,
    server::{Server, Tool},
};
use serde_json::json;
use tokio::sync::oneshot;

use crate::web::{events, modern, next, peek, read, run, send};

fn listen() -> http::Request<String> {
    modern("s", "subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}}))
}

fn server() -> Server {
    Server::builder("test", "1").tool("echo", async || "done").build().unwrap()
}

#[test]
fn a_listener_hears_that_it_is_heard_then_of_changes_then_the_end() {
    run(async {
        let server = server();
        let service = server.http().service();
        let response = service.handle(listen()).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut body = response.into_body();
        let acknowledged = events(&next(&mut body).await.unwrap());
        assert_eq!(acknowledged[0]["method"], "notifications/subscriptions/acknowledged");
        server.tools().add(Tool::new("more"), async || "done").unwrap();
        let changed = events(&next(&mut body).await.unwrap());
        assert_eq!(changed[0]["method"], "notifications/tools/list_changed");
        assert_eq!(changed[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
        service.shut();
        let ended = events(&next(&mut body).await.unwrap());
        assert_eq!((&ended[0]["id"], &ended[0]["result"]["resultType"]), (&json!("s"), &json!("complete")));
        assert_eq!(next(&mut body).await, None);
        assert!(body.is_end_stream() || peek(&mut body) == Poll::Ready(None));
        assert_eq!(send(&service, listen()).await.status, 503);
    });
}

#[test]
fn an_answer_that_takes_long_becomes_a_stream_that_is_kept_alive() {
    run(async {
        let wait = async || {
            tokio::time::sleep(Duration::from_secs(20)).await;
            "waited"
        };
        let server = Server::builder("test", "1").tool("wait", wait).build().unwrap();
        let call = || modern(1, "tools/call", &json!({"name": "wait"}));
        let service = server.http().keep_alive(Duration::from_secs(7)).service();
        let start = tokio::time::Instant::now();
        let response = service.handle(call()).await;
        assert_eq!((start.elapsed().as_secs(), response.status().as_u16()), (7, 200));
        let answer = read(response).await;
        assert!(answer.text.starts_with(": keep-alive\n\n"), "{answer:?}");
        assert_eq!(answer.events()[0]["result"]["content"][0]["text"], "waited");

        // Not where a client wants no stream, where nothing is to be kept alive, and where there is no room for one.
        let mut plain = call();
        plain.headers_mut().insert("accept", "application/json".parse().unwrap());
        let (quiet, full) =
            (server.http().keep_alive(Duration::ZERO).service(), server.http().max_streams(0).service());
        for (service, request) in [(&service, plain), (&quiet, call()), (&full, call())] {
            let answer = send(service, request).await;
            assert_eq!(answer.json()["result"]["content"][0]["text"], "waited");
        }
    });
}

#[test]
fn a_quiet_stream_is_kept_alive() {
    run(async {
        let service = server().http().keep_alive(Duration::from_secs(7)).service();
        let mut body = service.handle(listen()).await.into_body();
        next(&mut body).await.unwrap();
        let start = tokio::time::Instant::now();
        for beat in 1..=3 {
            assert_eq!(next(&mut body).await.unwrap(), ": keep-alive\n\n");
            assert_eq!(start.elapsed().as_secs(), 7 * beat);
        }
    });
}

#[test]
fn streams_have_a_limit() {
    run(async {
        let service = server().http().max_streams(1).service();
        let first = service.handle(listen()).await;
        assert_eq!(send(&service, listen()).await.status, 503);
        drop(first);
        // Its task ends when it is polled again.
        tokio::task::yield_now().await;
        assert_eq!(service.handle(listen()).await.status(), 200);
    });
}

/// A server whose tool tells of its end, and how to wait for that.
fn observed(says_something: bool) -> (Server, oneshot::Receiver<()>, Arc<tokio::sync::Notify>) {
    struct Told(Option<oneshot::Sender<()>>);
    impl Drop for Told {
        fn drop(&mut self) {
            let _ = self.0.take().unwrap().send(());
        }
    }
    let (sender, receiver) = oneshot::channel();
    let started = Arc::new(tokio::sync::Notify::new());
    let (told, starts) = (std::sync::Mutex::new(Some(Told(Some(sender)))), started.clone());
    let server = Server::builder("test", "1").tool("wait", move |cx: Context| {
        let (told, starts) = (told.lock().unwrap().take(), starts.clone());
        async move {
            let _told = told;
            if says_something {
                cx.progress(1.0, None, None).await;
            }
            starts.notify_one();
            cx.cancelled().await;
            "never read"
        }
    });
    (server.build().unwrap(), receiver, started)
}

#[test]
fn a_client_that_hangs_up_cancels_its_request() {
    run(async {
        for says_something in [false, true] {
            let (server, ended, started) = observed(says_something);
            let service = server.http().service();
            let call = modern(1, "tools/call", &json!({"name": "wait", "_meta": {"progressToken": 1}}));
            if says_something {
                let mut body = service.handle(call).await.into_body();
                next(&mut body).await.unwrap();
                started.notified().await;
                drop(body);
            } else {
                let handling = tokio::spawn(async move { drop(read(service.handle(call).await).await) });
                started.notified().await;
                handling.abort();
            }
            ended.await.expect("the handler says when it ends");
        }
    });
}

#[test]
fn a_listener_that_does_not_read_holds_up_nobody() {
    run(async {
        let server = server();
        let service = server.http().service();
        let slow = service.handle(listen()).await;
        let mut quick = service.handle(listen()).await.into_body();
        next(&mut quick).await.unwrap();
        for round in 0..2_000 {
            server.tools_changed();
            let changed = events(&next(&mut quick).await.unwrap());
            assert_eq!(changed[0]["method"], "notifications/tools/list_changed", "{round}");
        }
        // What waits for the slow one was joined: it is far less than what the other heard.
        let mut slow = slow.into_body();
        let mut heard = 0;
        while let Poll::Ready(Some(piece)) = peek(&mut slow) {
            heard += piece.len();
            tokio::task::yield_now().await;
        }
        assert!(heard < 400 << 10, "{heard}");
    });
}
