//! Deadlines: the default, per request, anew with progress, and over all.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    driver::tests::support::{ERAS, Wire, all_wait, answer, client},
    version::Era,
};

fn progress(token: &Value, value: u32) -> Value {
    let params = json!({"progressToken": token, "progress": value});
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
}

/// Sends progress each second until the call is cancelled; gives how often.
async fn progress_each_second(wire: &mut Wire) -> u32 {
    let request = wire.receive().await;
    let token = request["params"]["_meta"]["progressToken"].clone();
    let mut count = 0;
    loop {
        tokio::select! {
            biased;
            message = wire.receive() => {
                assert_eq!(message["method"], "notifications/cancelled");
                assert_eq!(message["params"]["requestId"], request["id"]);
                return count;
            }
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        count += 1;
        wire.send(progress(&token, count)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_fails_after_a_minute_and_is_cancelled() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let start = Instant::now();
        let error = side.peer.request_raw("test/slow", None).await.unwrap_err();
        assert!(error.is_timeout(), "{error:?}");
        assert_eq!(error.to_string(), "`test/slow` failed: no answer came within 60s");
        assert_eq!(start.elapsed().as_secs(), 60);
        let id = wire.receive().await["id"].clone();
        assert_eq!(wire.receive().await["params"]["requestId"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn each_call_has_a_limit_of_its_own() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let start = Instant::now();
        let call = |seconds| side.peer.request_raw("test/slow", None).timeout(Duration::from_secs(seconds)).send();
        let (long, short) = (call(600), call(2));
        assert!(short.await.unwrap_err().is_timeout());
        assert_eq!(start.elapsed().as_secs(), 2);
        let request = wire.receive().await;
        tokio::time::sleep(Duration::from_secs(500)).await;
        wire.send(answer(era, &request["id"], json!({}))).await;
        assert!(long.await.is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn progress_does_not_prolong_a_call_unless_it_was_asked_to() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let start = Instant::now();
        let call = side.peer.request_raw("test/slow", None).with_progress().timeout(Duration::from_millis(4500)).send();
        assert_eq!(progress_each_second(&mut wire).await, 4);
        assert!(call.await.unwrap_err().is_timeout());
        assert_eq!(start.elapsed().as_millis(), 4500);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_for_ever_is_ended_by_the_limit_on_the_whole() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let start = Instant::now();
        let call = side
            .peer
            .request_raw("test/slow", None)
            .timeout(Duration::from_secs(2))
            .reset_on_progress()
            .max_total(Duration::from_millis(30_500))
            .send();
        assert_eq!(progress_each_second(&mut wire).await, 30);
        let error = call.await.unwrap_err();
        assert!(error.is_timeout(), "{error:?}");
        assert_eq!(error.to_string(), "`test/slow` failed: the whole of it took longer than 30.5s");
        assert_eq!(start.elapsed().as_millis(), 30_500);
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_on_the_whole_has_a_timer_of_its_own() {
    for era in ERAS {
        let (side, _wire) = client(era).await;
        let start = Instant::now();
        let call =
            side.peer.request_raw("test/slow", None).timeout(Duration::from_secs(50)).max_total(Duration::from_secs(7));
        assert!(call.await.unwrap_err().is_timeout());
        assert_eq!(start.elapsed().as_secs(), 7);
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_as_long_as_can_be_is_no_limit() {
    let (side, mut wire) = client(Era::Legacy).await;
    let call = side.peer.request_raw("test/slow", None).timeout(Duration::MAX).max_total(Duration::MAX).send();
    let request = wire.receive().await;
    tokio::time::sleep(Duration::from_secs(30 * 24 * 3600)).await;
    wire.send(answer(Era::Legacy, &request["id"], json!({}))).await;
    assert!(call.await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_timeout_does_not_wait_for_a_peer_that_does_not_read() {
    use crate::{
        driver::{Options, tests::support},
        proto::Connection,
        transport::{Link, memory},
    };
    let (here, there) = memory::pair_with_capacity(1);
    let connection =
        Connection::client(support::client_config(Era::Legacy).into(), Link::Pipe, Instant::now().into_std());
    let side = support::start(connection, here, support::Closures::default(), Options::default());
    let mut wire = Wire(there);
    let result =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "w", "version": "1"}});
    wire.answer("initialize", result).await;
    all_wait().await;
    let start = Instant::now();
    let call = side.peer.request_raw("test/stuck", None).timeout(Duration::from_millis(600));
    assert!(call.await.unwrap_err().is_timeout());
    assert_eq!(start.elapsed().as_millis(), 600);
    drop(wire);
}
