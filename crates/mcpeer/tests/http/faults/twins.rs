//! Clients that use the same ids at once.

use std::sync::Arc;

use http::Request;
use mcpeer::{
    handler::Context,
    server::{Args, Server},
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::{begin, call};
use crate::{
    line::{Line, Served},
    sessions,
    web::modern,
};

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Meet {
    name: String,
}

/// A server whose tool answers two callers when both are there.
async fn served() -> Served {
    let barrier = Arc::new(Barrier::new(2));
    let server = Server::builder("test", "1").tool("meet", move |cx: Context, Args(meet): Args<Meet>| {
        let barrier = barrier.clone();
        async move {
            barrier.wait().await;
            cx.progress(1.0, None, Some(&meet.name)).await;
            barrier.wait().await;
            meet.name
        }
    });
    Served::new(&server.build().unwrap().http()).await
}

/// Has two clients call at once; each has to hear its own.
async fn meet(lines: [&mut Line; 2], requests: [&Request<String>; 2]) {
    let [one, other] = lines;
    let answers = tokio::join!(one.call(requests[0]), other.call(requests[1]));
    for (answer, name) in [(answers.0, "one"), (answers.1, "other")] {
        let events = answer.events();
        assert_eq!((events.len(), &events[0]["params"]["message"]), (2, &json!(name)));
        assert_eq!((&events[1]["id"], &events[1]["result"]["content"][0]["text"]), (&json!(1), &json!(name)));
    }
}

fn cancel(meta: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "_meta": meta}})
}

#[tokio::test]
async fn in_the_stateless_era_ids_of_several_clients_have_nothing_to_do_with_each_other() {
    let served = served().await;
    let (mut one, mut other, mut third) = (served.line().await, served.line().await, served.line().await);
    let [first, second] = ["one", "other"].map(|name| call("meet", &json!({"name": name})));
    for _ in 0..3 {
        one.send(&first).await;
        // A cancel of somebody else's, by the same id, ends nothing.
        let cancelling = modern(1, "notifications/cancelled", &json!({"requestId": 1}));
        let cancelling = cancelling.map(|text| {
            let mut body: Value = serde_json::from_str(&text).unwrap();
            body.as_object_mut().unwrap().remove("id");
            body.to_string()
        });
        assert_eq!(third.call(&cancelling).await.status, 202);
        let (answered, answer) = tokio::join!(other.call(&second), one.answer());
        assert_eq!(answered.events()[1]["result"]["content"][0]["text"], "other");
        assert_eq!(answer.events()[1]["result"]["content"][0]["text"], "one");
        meet([&mut one, &mut other], [&first, &second]).await;
    }
}

#[tokio::test]
async fn in_the_stateful_era_ids_belong_to_their_session() {
    let served = served().await;
    let (mut one, mut other, mut third) = (served.line().await, served.line().await, served.line().await);
    let clients = [
        begin(&served, &mut one, "2025-06-18").await,
        begin(&served, &mut other, "2025-11-25").await,
        begin(&served, &mut third, "2025-03-26").await,
    ];
    let first = clients[0].post(&sessions::call(1, "meet", &json!({"name": "one"})));
    let second = clients[1].post(&sessions::call(1, "meet", &json!({"name": "other"})));
    one.send(&first).await;
    assert_eq!(third.call(&clients[2].post(&cancel(&json!({})))).await.status, 202);
    let (answered, answer) = tokio::join!(other.call(&second), one.answer());
    assert_eq!(answered.events()[1]["result"]["content"][0]["text"], "other");
    assert_eq!(answer.events()[1]["result"]["content"][0]["text"], "one");
}

#[tokio::test]
async fn clients_of_both_eras_may_use_the_same_ids() {
    let served = served().await;
    let (mut one, mut other) = (served.line().await, served.line().await);
    let client = begin(&served, &mut other, "2025-06-18").await;
    let first = call("meet", &json!({"name": "one"}));
    let second = client.post(&sessions::call(1, "meet", &json!({"name": "other"})));
    meet([&mut one, &mut other], [&first, &second]).await;
}
