//! Clients that are there no more, or as good as that, and never said so.

use std::time::Duration;

use serde_json::json;

use super::{call, echo, server};
use crate::line::{Line, Served};

const SHORT: Duration = Duration::from_millis(400);

#[tokio::test]
async fn a_client_that_never_reads_its_answer_is_let_go() {
    let (server, _told) = server();
    // There is room for the next one when this one is gone.
    let served = Served::new(&server.http().write_timeout(SHORT).max_connections(1)).await;
    let mut deaf = Line::narrow(served.address).await;
    deaf.send(&call("big", &json!({"size": 16 << 20}))).await;
    assert_eq!(served.line().await.call(&echo()).await.status, 200);
}

#[tokio::test]
async fn a_client_that_reads_no_stream_is_let_go_and_its_handler_stops() {
    let (server, mut told) = server();
    let served = Served::new(&server.http().write_timeout(SHORT).max_connections(1)).await;
    let mut deaf = Line::narrow(served.address).await;
    deaf.send(&call("flood", &json!({"size": 1_000_000}))).await;
    told.hears("started").await;
    told.hears("stopped").await;
    assert_eq!(served.line().await.call(&echo()).await.status, 200);
    assert_eq!(served.service.load(), Default::default());
}

#[tokio::test]
async fn a_client_that_says_nothing_is_let_go() {
    let (server, _told) = server();
    let served = Served::new(&server.http().head_timeout(SHORT).max_connections(1)).await;
    for has_called in [false, true] {
        let mut dumb = served.line().await;
        if has_called {
            assert_eq!(dumb.call(&echo()).await.status, 200);
        }
        assert_eq!(served.line().await.call(&echo()).await.status, 200);
        assert_eq!(dumb.rest().await.unwrap(), "", "{has_called}");
    }
}
