//! Cancelling: by dropping the future, by hand, too early, too late.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    driver::tests::support::{ERAS, all_wait, answer, client},
    version::Era,
};

#[tokio::test(start_paused = true)]
async fn dropping_a_call_cancels_it_on_the_wire() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let call = side.peer.request_raw("test/slow", None).send();
        let request = wire.receive().await;
        tokio::select! {
            biased;
            _ = call => panic!("nobody answered"),
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        let mut cancelled = wire.receive().await;
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert!(cancelled.get("id").is_none());
        let params = cancelled["params"].as_object_mut().unwrap();
        assert_eq!(params.remove("requestId").unwrap(), request["id"]);
        assert_eq!(params.remove("reason").unwrap(), "the caller no longer waits");
        // In the stateless era a notification carries the envelope, in the stateful one it does not.
        let meta = params.remove("_meta");
        match era {
            Era::Legacy => assert_eq!(meta, None),
            Era::Modern => assert_eq!(meta.unwrap()["io.modelcontextprotocol/protocolVersion"], "2026-07-28"),
        }
        assert!(params.is_empty(), "{params:?}");
        // A late answer is dropped without a word, and nothing else happens.
        wire.send(answer(era, &request["id"], json!({}))).await;
        assert_eq!(wire.drain().await, Vec::<Value>::new());
        assert_eq!(side.heard.misbehaved(), Vec::<String>::new());
        assert!(!side.peer.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_before_it_is_sent_writes_nothing() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        drop(side.peer.request_raw("test/never", None).send());
        drop(side.peer.request_raw("test/never", None));
        assert_eq!(wire.drain().await, Vec::<Value>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_by_hand_settles_at_once_and_tells_the_peer() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let call = side.peer.request_raw("test/slow", None).send();
        let id = wire.receive().await["id"].clone();
        call.cancel("changed my mind");
        let start = tokio::time::Instant::now();
        let error = call.await.unwrap_err();
        assert!(error.is_cancelled(), "{error:?}");
        assert_eq!(error.to_string(), "`test/slow` failed: cancelled: changed my mind");
        assert_eq!(start.elapsed(), Duration::ZERO);
        let cancelled = wire.receive().await;
        assert_eq!(cancelled["params"]["requestId"], id);
        assert_eq!(cancelled["params"]["reason"], "changed my mind");
        assert_eq!(wire.drain().await, Vec::<Value>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_and_a_cancellation_have_one_winner() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        // The answer is there first: it wins, and nothing is cancelled.
        let call = side.peer.request_raw("test/race", None).send();
        let id = wire.receive().await["id"].clone();
        wire.send(answer(era, &id, json!({"won": true}))).await;
        all_wait().await;
        call.cancel("too late");
        assert!(call.await.unwrap().as_str().contains("won"));
        assert_eq!(wire.drain().await, Vec::<Value>::new());
        // The cancellation is there first: the answer is dropped.
        let call = side.peer.request_raw("test/race", None).send();
        let id = wire.receive().await["id"].clone();
        wire.send(answer(era, &id, json!({"won": true}))).await;
        call.cancel("first");
        all_wait().await;
        assert!(call.await.unwrap_err().is_cancelled());
        assert!(wire.drain().await.len() <= 1);
        assert_eq!(side.heard.misbehaved(), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_an_answered_call_cancels_nothing() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let mut call = side.peer.request_raw("test/quick", None).send();
        wire.answer("test/quick", json!({"resultType": "complete"})).await;
        assert_eq!(call.progress().await, None);
        drop(call);
        assert_eq!(wire.drain().await, Vec::<Value>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_calls_leave_nothing_behind() {
    let (side, mut wire) = client(Era::Legacy).await;
    // More than may be open at once.
    for _ in 0..200 {
        let calls: Vec<_> = (0..100).map(|_| side.peer.request_raw("test/slow", None).send()).collect();
        all_wait().await;
        drop(calls);
        assert_eq!(wire.drain().await.len(), 200);
    }
    let call = side.peer.request_raw("test/quick", None).send();
    wire.answer("test/quick", json!({})).await;
    assert!(call.await.is_ok());
}
