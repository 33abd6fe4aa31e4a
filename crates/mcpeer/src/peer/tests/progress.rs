//! Progress: in order, before the answer, never after it, of any shape.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::{
    driver::tests::support::{ERAS, Wire, all_wait, answer, client},
    version::Era,
};

fn progress(params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}

async fn token(wire: &mut Wire) -> (Value, Value) {
    let request = wire.receive().await;
    (request["id"].clone(), request["params"]["_meta"]["progressToken"].clone())
}

#[tokio::test(start_paused = true)]
async fn progress_before_the_answer_is_heard_first_and_progress_after_it_never() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hear = heard.clone();
        let call = side
            .peer
            .request_raw("test/work", None)
            .on_progress(move |progress| hear.lock().unwrap().push(progress.progress))
            .send();
        let (id, token) = token(&mut wire).await;
        for value in [1, 2, 3] {
            wire.send(progress(json!({"progressToken": token, "progress": value}))).await;
        }
        wire.send(answer(era, &id, json!({}))).await;
        wire.send(progress(json!({"progressToken": token, "progress": 4}))).await;
        all_wait().await;
        assert!(call.await.is_ok());
        assert_eq!(*heard.lock().unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(side.heard.misbehaved(), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn progress_is_a_stream_that_ends_with_the_answer() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let mut call = side.peer.request_raw("test/work", None).with_progress().send();
        let (id, token) = token(&mut wire).await;
        wire.send(progress(json!({"progressToken": token, "progress": 0.25, "total": 1.0, "message": "a"}))).await;
        let first = call.progress().await.unwrap();
        assert_eq!((first.progress, first.total, first.message.as_deref()), (0.25, Some(1.0), Some("a")));
        wire.send(progress(json!({"progressToken": token, "progress": 3}))).await;
        wire.send(answer(era, &id, json!({"done": 1}))).await;
        all_wait().await;
        assert_eq!(call.progress().await.unwrap().progress, 3.0);
        assert_eq!(call.progress().await, None);
        assert_eq!(call.await.unwrap().borrow().member("done").unwrap().as_str(), "1");
    }
}

#[tokio::test(start_paused = true)]
async fn progress_that_is_no_number_or_names_another_token_is_ignored() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let mut call = side.peer.request_raw("test/work", None).with_progress().send();
        let (id, token) = token(&mut wire).await;
        wire.send(progress(json!({"progressToken": token, "progress": "50%"}))).await;
        wire.send(progress(json!({"progressToken": token.to_string(), "progress": 1}))).await;
        wire.send(progress(json!({"progressToken": 1.5, "progress": 1}))).await;
        wire.send(progress(json!({"progressToken": token}))).await;
        wire.send(progress(json!({"progressToken": token, "progress": 7}))).await;
        wire.send(answer(era, &id, json!({}))).await;
        assert_eq!(call.progress().await.unwrap().progress, 7.0);
        assert_eq!(call.progress().await, None);
        assert!(call.await.is_ok());
        assert!(!side.peer.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn progress_nobody_takes_is_kept_up_to_a_bound() {
    let (side, mut wire) = client(Era::Legacy).await;
    let mut call = side.peer.request_raw("test/work", None).with_progress().send();
    let (id, token) = token(&mut wire).await;
    for value in 0..5000 {
        wire.send(progress(json!({"progressToken": token, "progress": value}))).await;
    }
    wire.send(answer(Era::Legacy, &id, json!({}))).await;
    all_wait().await;
    let mut heard = Vec::new();
    while let Some(progress) = call.progress().await {
        heard.push(progress.progress);
    }
    assert_eq!(heard.len(), 256);
    assert_eq!(heard.last(), Some(&4999.0));
    assert!(heard.is_sorted());
    assert!(call.await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn progress_that_crosses_a_cancellation_is_not_given() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let mut call = side.peer.request_raw("test/work", None).with_progress().send();
        let (_, token) = token(&mut wire).await;
        // It has arrived before the driver hears of the cancellation.
        wire.send(progress(json!({"progressToken": token, "progress": 1}))).await;
        call.cancel("enough");
        all_wait().await;
        assert_eq!(call.progress().await, None);
        assert!(call.await.unwrap_err().is_cancelled());
    }
}
