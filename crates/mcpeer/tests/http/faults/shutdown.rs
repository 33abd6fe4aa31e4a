//! Servers that are to end.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;

use super::{begin, call, echo, listen, server};
use crate::{
    line::{Served, until},
    sessions::{self, Signals},
    web::modern,
};

#[tokio::test]
async fn what_runs_is_answered_and_streams_of_changes_end_with_their_result() {
    let signals = Signals::default();
    let mut served = Served::new(&sessions::server(&signals).http()).await;
    let mut lines = Vec::new();
    for _ in 0..6 {
        lines.push(served.line().await);
    }
    let [idle, listener, hearer, silent, telling, inside] = &mut lines[..] else { unreachable!() };
    assert_eq!(idle.call(&call("say", &json!({"text": "hi"}))).await.status, 200);
    listener.send(&listen()).await;
    listener.until("acknowledged").await;
    let client = begin(&served, inside, "2025-06-18").await;
    hearer.send(&client.get()).await;
    assert_eq!(hearer.head().await.0, 200);
    // One by one, so that each is known to run.
    silent.send(&call("wait", &json!({}))).await;
    signals.started.notified().await;
    telling.send(&modern(2, "tools/call", &json!({"name": "work", "_meta": {"progressToken": 1}}))).await;
    telling.until("notifications/progress").await;
    signals.started.notified().await;
    inside.send(&client.post(&sessions::call(3, "wait", &json!({})))).await;
    signals.started.notified().await;

    served.end();
    listener.until("\"resultType\":\"complete\"").await;
    for line in [idle, listener, hearer] {
        line.rest().await.unwrap();
    }
    assert!(TcpStream::connect(served.address).await.is_err());
    assert!(!served.has_ended());
    for _ in 0..3 {
        signals.go.notify_one();
        signals.ended.notified().await;
    }
    for (line, id) in [(silent, 1), (inside, 3)] {
        let answer = line.answer().await;
        assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(id)));
        assert_eq!(line.rest().await.unwrap(), "");
    }
    let rest = telling.rest().await.unwrap();
    assert!(rest.contains("\"id\":2") && rest.contains("\"done\"") && rest.ends_with("0\r\n\r\n"), "{rest}");
    served.ended().await;
    until(|| served.service.load() == Default::default()).await;
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut_off() {
    for is_cut in [false, true] {
        let (server, mut told) = server();
        let mut served = Served::new(&server.http().grace(Duration::from_millis(100))).await;
        let mut line = served.line().await;
        line.send(&call("hold", &json!({"says": true}))).await;
        line.until("notifications/progress").await;
        told.hears("started").await;
        let mut idle = served.line().await;
        assert_eq!(idle.call(&echo()).await.status, 200);
        if is_cut {
            served.cut();
        } else {
            served.end();
            served.ended().await;
        }
        told.hears("stopped").await;
        assert!(!line.rest().await.unwrap_or_default().contains("\"result\""));
        assert_eq!(idle.rest().await.unwrap_or_default(), "");
        until(|| served.service.load() == Default::default()).await;
    }
}
