//! Clients that are gone while their request is being served.

use serde_json::json;

use super::{begin, call, echo, server};
use crate::{
    line::{Served, until},
    sessions,
};

#[tokio::test]
async fn in_the_stateless_era_hanging_up_stops_the_handler() {
    let (server, mut told) = server();
    let served = Served::new(&server.http()).await;
    for says in [false, true] {
        let mut line = served.line().await;
        line.send(&call("hold", &json!({"says": says}))).await;
        if says {
            line.until("notifications/progress").await;
        }
        told.hears("started").await;
        drop(line);
        told.hears("stopped").await;
        until(|| served.service.load() == Default::default()).await;
    }
}

#[tokio::test]
async fn in_the_stateful_era_only_a_cancel_stops_the_handler() {
    let (server, mut told) = server();
    let served = Served::new(&server.http()).await;
    let mut other = served.line().await;
    for says in [false, true] {
        let client = begin(&served, &mut other, "2025-11-25").await;
        let mut line = served.line().await;
        line.send(&client.post(&sessions::call(7, "hold", &json!({"says": says})))).await;
        if says {
            line.until("notifications/progress").await;
        }
        told.hears("started").await;
        drop(line);
        // Nobody holds the stream any more, and what runs goes on.
        until(|| served.service.load().streams == 0).await;
        assert_eq!(other.call(&client.post(&sessions::ping(8))).await.status, 200);
        told.heard_nothing();
        assert_eq!(served.service.load().requests, 1);
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        assert_eq!(other.call(&client.post(&cancel)).await.status, 202);
        told.hears("stopped").await;
        until(|| served.service.load().requests == 0).await;
    }
    assert_eq!(other.call(&echo()).await.status, 200);
}
