//! Streams that are closed before their answer, so that the client comes back for it.

use std::{sync::Arc, task::Poll, time::Duration};

use mcpeer::{
    handler::Context,
    server::{HttpService, Server},
};
use serde_json::json;
use tokio::sync::Notify;

use super::{Client, STATEFUL, call, ids, settle};
use crate::web::{MODERN, events, modern, next, peek, read, run, send};

/// A server whose tool closes its stream twice, and how to let it go on.
fn polled() -> (HttpService, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let goes = go.clone();
    let server = Server::builder("test", "1").tool("poll", move |cx: Context| {
        let goes = goes.clone();
        async move {
            let mut closed = Vec::new();
            closed.push(cx.close_stream(Duration::from_millis(700)));
            if closed[0] {
                goes.notified().await;
                cx.progress(1.0, None, None).await;
                goes.notified().await;
                closed.push(cx.close_stream(Duration::from_secs(3)));
                goes.notified().await;
                // Nobody is there.
                closed.push(cx.close_stream(Duration::from_secs(3)));
            }
            format!("{closed:?}")
        }
    });
    (server.build().unwrap().http().service(), go)
}

#[test]
fn a_handler_sends_its_client_away_and_it_comes_back_for_the_rest() {
    run(async {
        let (service, go) = polled();
        let client = Client::new(&service, "2025-11-25").await;
        let opened = read(service.handle(client.post(&call(1, "poll", &json!({})))).await).await.text;
        assert!(opened.starts_with("id: ") && opened.ends_with("\nretry: 1000\ndata: \n\nretry: 700\n\n"), "{opened}");
        let mut body = service.handle(client.back(ids(&opened)[0])).await.into_body();
        assert_eq!(peek(&mut body), Poll::Pending);
        go.notify_one();
        let progress = next(&mut body).await.unwrap();
        assert_eq!(events(&progress)[0]["params"]["progress"], 1.0);
        go.notify_one();
        assert_eq!(next(&mut body).await.unwrap(), "retry: 3000\n\n");
        assert_eq!(next(&mut body).await, None);
        go.notify_one();
        settle().await;
        let answer = read(service.handle(client.back(ids(&progress)[0])).await).await.events();
        assert_eq!((answer.len(), &answer[0]["id"]), (1, &json!(1)));
        assert_eq!(answer[0]["result"]["content"][0]["text"], "[true, true, false]");
    });
}

#[test]
fn no_client_is_sent_away_that_could_not_come_back() {
    run(async {
        let (service, _) = polled();
        for version in STATEFUL.into_iter().filter(|version| *version != "2025-11-25") {
            let client = Client::new(&service, version).await;
            let answer = client.send(&call(1, "poll", &json!({}))).await.json();
            assert_eq!(answer["result"]["content"][0]["text"], "[false]", "{version}");
        }
        let answer = send(&service, modern(1, "tools/call", &json!({"name": "poll"}))).await.json();
        assert_eq!(answer["result"]["content"][0]["text"], "[false]", "{MODERN}");
        let client = Client::new(&service, "2025-11-25").await;
        let mut request = client.post(&call(1, "poll", &json!({})));
        request.headers_mut().insert("accept", "application/json".parse().unwrap());
        assert_eq!(send(&service, request).await.json()["result"]["content"][0]["text"], "[false]");
    });
}

#[test]
fn a_call_that_takes_its_time_has_a_stream_to_come_back_to() {
    run(async {
        let signals = super::Signals::default();
        let service = super::server(&signals).http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let start = tokio::time::Instant::now();
        let mut body = service.handle(client.post(&call(1, "wait", &json!({})))).await.into_body();
        assert_eq!(start.elapsed().as_millis(), 500);
        let first = next(&mut body).await.unwrap();
        drop(body);
        signals.go.notify_one();
        signals.ended.notified().await;
        settle().await;
        let answer = read(service.handle(client.back(ids(&first)[0])).await).await.events();
        assert_eq!(answer[0]["result"]["content"][0]["text"], "done");
    });
}
