//! Listeners to changes: who they are, and those that read slowly.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::support::{Closures, ERAS, Side, Wire, all_wait, cancelled, greet, request, server_config, start};
use crate::{
    driver::Options,
    proto::{
        Connection,
        io::{Change, Link},
    },
    rpc::Raw,
    transport::memory,
    version::Era,
};

/// A server with resources, over a pipe that takes little, whose client watches one.
async fn watched(era: Era, options: Options, limit: usize) -> (Side, Wire) {
    let (here, there) = memory::pair_with_capacity(256);
    let mut config = server_config();
    config.capabilities = Raw::trusted(r#"{"resources":{"subscribe":true,"listChanged":true}}"#);
    config.limits.waiting_changes = limit;
    let side = start(Connection::server(Arc::new(config), Link::Pipe), here, Closures::default(), options);
    let mut wire = Wire(there);
    greet(era, &mut wire).await;
    let (method, params) = match era {
        Era::Legacy => ("resources/subscribe", json!({"uri": "a:/x"})),
        Era::Modern => ("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": ["a:/x"]}})),
    };
    wire.send(request(era, 1, method, params)).await;
    wire.receive().await;
    (side, wire)
}

/// Reads until nothing more comes: the paused clock moves only when every task waits.
async fn read_all(wire: &mut Wire) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Ok(message) = tokio::time::timeout(Duration::from_secs(1), wire.receive()).await {
        messages.push(message);
    }
    messages
}

fn publish(side: &Side, uri: String) {
    side.peer.remote().with(move |connection, _| connection.publish(&Change::Resource { uri }));
}

#[tokio::test(start_paused = true)]
async fn who_watches_is_heard_of_at_the_start_and_at_the_end_once() {
    for era in ERAS {
        for by in ["its word", "its end"] {
            let (side, mut wire) = watched(era, Options::default(), 10).await;
            assert_eq!(*side.heard.watched.lock().unwrap(), ["+a:/x"], "{era:?}");
            match (by, era) {
                ("its word", Era::Legacy) => {
                    wire.send(request(era, 2, "resources/unsubscribe", json!({"uri": "a:/x"}))).await;
                }
                ("its word", Era::Modern) => wire.send(cancelled(era, 1)).await,
                _ => {}
            }
            if by == "its word" {
                all_wait().await;
                assert_eq!(*side.heard.watched.lock().unwrap(), ["+a:/x", "-a:/x"], "{era:?}");
            }
            drop(wire);
            side.task.await.unwrap();
            assert_eq!(*side.heard.watched.lock().unwrap(), ["+a:/x", "-a:/x"], "{era:?}: by {by}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_changes_for_a_client_that_sleeps_become_few() {
    for era in ERAS {
        let (side, mut wire) = watched(era, Options::default().high_water(1024), 1000).await;
        for round in 0..1000 {
            for number in 0..10 {
                publish(&side, format!("a:/x/{number}"));
            }
            if round % 100 == 0 {
                all_wait().await;
            }
        }
        let messages = read_all(&mut wire).await;
        let updates: Vec<&Value> = messages.iter().filter(|message| message["params"]["uri"].is_string()).collect();
        assert_eq!(updates.len(), messages.len(), "{era:?}: {messages:?}");
        assert!((10..200).contains(&updates.len()), "{era:?}: {} messages for 10,000 changes", updates.len());
        for number in 0..10 {
            let uri = format!("a:/x/{number}");
            let tail = &updates[updates.len() - 10..];
            assert!(tail.iter().any(|message| message["params"]["uri"] == uri), "{era:?}: the last {uri} is told");
        }
        publish(&side, "a:/x/new".to_owned());
        assert_eq!(wire.receive().await["params"]["uri"], "a:/x/new", "{era:?}: then it goes on as before");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_hurts_no_other_and_its_subscription_ends_with_a_result() {
    let options = Options::default().high_water(1024);
    let (slow, mut slow_wire) = watched(Era::Modern, options.clone(), 20).await;
    let (quick, mut quick_wire) = watched(Era::Modern, options, 20).await;
    for number in 0..500 {
        let uri = format!("a:/x/{number}");
        publish(&slow, uri.clone());
        publish(&quick, uri.clone());
        assert_eq!(quick_wire.receive().await["params"]["uri"], uri);
    }
    all_wait().await;
    let reports = slow.heard.misbehaved();
    assert!(reports.len() == 1 && reports[0].contains("does not read"), "{reports:?}");
    assert_eq!(*slow.heard.watched.lock().unwrap(), ["+a:/x", "-a:/x"]);
    let messages = read_all(&mut slow_wire).await;
    let [.., result, end] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(result["result"]["resultType"], "complete");
    assert_eq!(end["method"], "notifications/cancelled");
    assert!(quick.heard.misbehaved().is_empty());
}
