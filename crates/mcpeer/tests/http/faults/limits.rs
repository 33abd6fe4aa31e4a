//! How much may go on at once.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use serde_json::json;

use super::{begin, call, echo, listen, server};
use crate::{
    line::{Served, text_of, until},
    sessions::{self, Client},
    web::{Answer, read, run},
};

#[tokio::test]
async fn requests_at_once_have_a_limit_and_listeners_are_none() {
    let (server, mut told) = server();
    let served = Served::new(&server.http().max_requests(1).max_streams(2)).await;
    let mut listeners = Vec::new();
    for _ in 0..2 {
        let mut line = served.line().await;
        line.send(&listen()).await;
        line.until("acknowledged").await;
        listeners.push(line);
    }
    let mut busy = served.line().await;
    busy.send(&call("hold", &json!({"says": false}))).await;
    told.hears("started").await;
    let load = served.service.load();
    assert_eq!((load.requests, load.streams), (1, 2));
    let mut line = served.line().await;
    for (request, setting) in [(echo(), "max_requests"), (listen(), "max_requests")] {
        let answer = line.call(&request).await;
        assert_eq!((answer.status, answer.code(), answer.header("retry-after")), (503, -32603, "1"));
        assert!(answer.text.contains(setting), "{answer:?}");
    }
    drop(busy);
    told.hears("stopped").await;
    until(|| served.service.load().requests == 0).await;
    let answer = line.call(&listen()).await;
    assert_eq!((answer.status, answer.code()), (503, -32603));
    assert!(answer.text.contains("max_streams"), "{answer:?}");
    drop(listeners.pop());
    until(|| served.service.load().streams == 1).await;
    line.send(&listen()).await;
    line.until("acknowledged").await;
}

#[tokio::test]
async fn requests_that_are_sent_ahead_are_served_one_after_the_other() {
    let (server, mut told) = server();
    let served = Served::new(&server.http()).await;
    let mut line = served.line().await;
    let ahead: String = (0..200).map(|_| text_of(&echo())).collect();
    line.write(text_of(&call("hold", &json!({"says": true}))) + &ahead).await;
    told.hears("started").await;
    assert_eq!(served.line().await.call(&echo()).await.status, 200);
    assert_eq!(served.service.load().requests, 1);
    let mut line = served.line().await;
    line.write(&ahead).await;
    for _ in 0..200 {
        assert_eq!(line.answer().await.status, 200);
    }
}

#[tokio::test]
async fn a_session_has_a_limit_of_its_own() {
    let (server, mut told) = server();
    let served = Served::new(&server.http().max_session_requests(1).max_sessions(2)).await;
    let mut lines = [served.line().await, served.line().await, served.line().await];
    let one = begin(&served, &mut lines[0], "2025-06-18").await;
    let other = begin(&served, &mut lines[1], "2025-06-18").await;
    let refused = lines[2]
        .call(&Client { session: String::new(), ..one.clone() }.post(&sessions::initialize("2025-06-18")))
        .await;
    assert_eq!((refused.status, refused.code()), (503, -32603));
    assert!(refused.text.contains("max_sessions"), "{refused:?}");
    let hold = |id: u64| sessions::call(id, "hold", &json!({"says": false}));
    lines[0].send(&one.post(&hold(1))).await;
    told.hears("started").await;
    lines[2].send(&one.post(&hold(2))).await;
    // The second waits for the first; the other session does not.
    assert_eq!(lines[1].call(&other.post(&sessions::call(1, "echo", &json!({})))).await.status, 200);
    until(|| served.service.load().requests == 2).await;
    told.heard_nothing();
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(lines[1].call(&one.post(&cancel)).await.status, 202);
    // Its place is free at once.
    told.hears("started").await;
    told.hears("stopped").await;
}

/// Posts messages of a session at once, before its task can take any, and gives the first refusal with its number.
fn refused(client: &Client, message: &str, most: usize) -> (usize, impl Future<Output = Answer>) {
    let mut waiting: Vec<Pin<Box<dyn Future<Output = _>>>> = Vec::new();
    let mut cx = Context::from_waker(Waker::noop());
    for number in 0..most {
        let (service, request) = (client.service.clone(), client.post(&json!({})).map(|_| message.to_owned()));
        let mut future: Pin<Box<dyn Future<Output = _>>> = Box::pin(async move { service.handle(request).await });
        if let Poll::Ready(response) = pin!(&mut future).poll(&mut cx) {
            return (number, read(response));
        }
        waiting.push(future);
    }
    panic!("nothing was refused");
}

#[test]
fn what_waits_for_a_session_is_bounded_by_number_and_by_bytes() {
    run(async {
        let (server, _told) = server();
        let service = server.http().service();
        let client = Client::new(&service, "2025-11-25").await;
        let small = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
        let large = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"x": "x".repeat(3 << 20)}});
        for (message, count) in [(small.to_string(), 256), (large.to_string(), 5)] {
            let (number, answer) = refused(&client, &message, 300);
            let answer = answer.await;
            assert_eq!((number, answer.status, answer.code()), (count, 503, -32603), "{answer:?}");
            assert!(answer.text.contains("fewer at once"), "{answer:?}");
            // Once they were taken there is room again.
            sessions::settle().await;
            assert_eq!(client.send(&sessions::ping(1)).await.status, 200);
        }
    });
}
