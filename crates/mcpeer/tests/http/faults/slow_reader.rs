//! Clients that read slowly, or not for a while.

use serde_json::json;

use super::{begin, call, echo, server};
use crate::{line::Served, sessions, web::events};

/// More than the system keeps for a client that does not read.
const STEPS: usize = 160;

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_only_its_own_handler() {
    let (server, mut told) = server();
    let served = Served::new(&server.http()).await;
    let mut slow = served.line().await;
    slow.send(&call("flood", &json!({"size": STEPS}))).await;
    told.hears("started").await;
    let mut quick = served.line().await;
    let client = begin(&served, &mut quick, "2025-11-25").await;
    for id in 0..200 {
        assert_eq!(quick.call(&echo()).await.status, 200);
        assert_eq!(quick.call(&client.post(&sessions::ping(id))).await.status, 200);
    }
    // It waits: what it has to say is not kept instead.
    told.heard_nothing();
    assert_eq!(slow.head().await.0, 200);
    for step in 1..=STEPS {
        let message = events(&slow.chunk().await.unwrap()).remove(0);
        assert_eq!(message["params"]["progress"], step as f64);
    }
    told.hears("stopped").await;
    assert_eq!(events(&slow.chunk().await.unwrap())[0]["id"], 1);
    assert_eq!(slow.chunk().await, None);
}
