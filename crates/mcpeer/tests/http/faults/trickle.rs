//! Clients that send a byte now and then, so that what they ask for never ends.

use std::time::Duration;

use serde_json::json;

use super::{begin, echo, server};
use crate::{
    line::{Line, Served, head_of, until},
    sessions,
};

const SHORT: Duration = Duration::from_millis(200);

/// Sends bytes one by one until something comes back or the connection ends.
async fn trickle(line: &mut Line, byte: u8) {
    while line.peek().is_some_and(|text| text.is_empty()) && line.try_write([byte]).await.is_ok() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_head_that_trickles_is_given_up() {
    let (server, _told) = server();
    let served = Served::new(&server.http().head_timeout(SHORT)).await;
    let mut line = served.line().await;
    line.write("POST /mcp HTTP/1.1\r\nx-slow: ").await;
    trickle(&mut line, b'x').await;
    // The HTTP server has no answer to what is no request yet.
    assert!(line.rest().await.unwrap_or_default().is_empty());
}

#[tokio::test]
async fn a_body_that_trickles_is_given_up() {
    let (server, _told) = server();
    let served = Served::new(&server.http().body_timeout(SHORT)).await;
    let mut session = served.line().await;
    let client = begin(&served, &mut session, "2025-06-18").await;
    for request in [echo(), client.post(&sessions::ping(1))] {
        let mut line = served.line().await;
        line.write(format!("{}content-length: 4000000\r\n\r\n", head_of(&request))).await;
        trickle(&mut line, b' ').await;
        let answer = line.answer().await;
        assert_eq!((answer.status, answer.code(), answer.header("connection")), (408, -32600, "close"));
        assert!(answer.text.contains("body_timeout"), "{answer:?}");
        assert_eq!(line.rest().await.unwrap(), "");
    }
    assert_eq!(session.call(&client.post(&sessions::ping(1))).await.status, 200);
}

#[tokio::test]
async fn many_of_them_keep_nobody_from_being_served() {
    let (server, mut told) = server();
    let served = Served::new(&server.http().max_requests(1)).await;
    let mut lines = Vec::new();
    for part in 0..400 {
        let mut line = served.line().await;
        let text = format!("{}content-length: 1000\r\n\r\n{{", head_of(&echo()));
        // Half of them are in the midst of the head, half in the midst of the body.
        line.write(if part % 2 == 0 { &text[..40] } else { &text }).await;
        lines.push(line);
    }
    let mut line = served.line().await;
    for _ in 0..50 {
        assert_eq!(line.call(&echo()).await.status, 200);
    }
    line.send(&super::call("hold", &json!({"says": false}))).await;
    told.hears("started").await;
    assert_eq!(served.service.load().requests, 1);
    drop((line, lines));
    told.hears("stopped").await;
    until(|| served.service.load().requests == 0).await;
}
