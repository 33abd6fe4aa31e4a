//! The end: nothing waits for ever, nothing is settled twice.

use std::{future::pending, sync::Arc, time::Duration};

use serde_json::json;
use tokio::sync::mpsc;

use super::support::{Closures, ERAS, Wire, all_wait, client, done, request, serve, server, server_with};
use crate::{
    driver::{Options, Run},
    handler::Context,
    model::logging::Level,
    proto::io::Closed,
    transport::{TransportExt, memory},
    version::Era,
};

/// Hands out a number when its request is cancelled.
fn tells_cancellation(cancellations: mpsc::UnboundedSender<i32>) -> Closures {
    Closures::of(move |_, cx: Context| {
        let cancellations = cancellations.clone();
        async move {
            cx.cancelled().await;
            cancellations.send(1).unwrap();
            done()
        }
    })
}

#[tokio::test(start_paused = true)]
async fn closing_settles_pending_calls_and_cancels_handlers() {
    for era in ERAS {
        let (side, mut wire) = client(era).await;
        let one = side.peer.request_raw("test/one", None).send();
        let two = side.peer.request_raw("test/two", None).send();
        assert_eq!(wire.receive().await["method"], "test/one");
        side.peer.close().await;
        for call in [one, two] {
            let error = call.await.unwrap_err();
            assert!(error.is_closed(), "{error:?}");
        }
        assert_eq!(side.task.await.unwrap(), Closed::Local);
        assert_eq!(*side.heard.closed.lock().unwrap(), ["the connection has ended: this side closed the connection"]);

        let (cancellations, mut cancelled) = mpsc::unbounded_channel();
        let (side, mut wire) = server(era, tells_cancellation(cancellations)).await;
        wire.send(request(era, 1, "test/wait", json!({}))).await;
        all_wait().await;
        side.peer.close().await;
        assert_eq!(cancelled.recv().await, Some(1));
        assert_eq!(wire.receive_or_end().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_on_a_closed_peer_fails_at_once() {
    for era in ERAS {
        let (side, _wire) = client(era).await;
        side.peer.close().await;
        assert!(side.peer.is_closed());
        let start = tokio::time::Instant::now();
        let error = side.peer.request_raw("tools/list", None).await.unwrap_err();
        assert!(error.is_closed() && !error.is_misuse(), "{error:?}");
        assert!(side.peer.notify_raw("test/x", None).await.unwrap_err().is_closed());
        assert!(side.peer.closed().await.is_closed());
        side.peer.close().await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_before_closing_is_written_out() {
    let (side, mut wire) = client(Era::Legacy).await;
    let call = side.peer.request_raw("test/last", None).send();
    let closing = tokio::spawn({
        let peer = side.peer.clone();
        async move { peer.close().await }
    });
    assert_eq!(wire.receive().await["method"], "test/last");
    closing.await.unwrap();
    assert!(call.await.unwrap_err().is_closed());
    assert_eq!(wire.receive_or_end().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_goes_away_ends_calls_at_once_and_handlers_after_the_drain_time() {
    for era in ERAS {
        let (side, wire) = client(era).await;
        let call = side.peer.request_raw("test/one", None).send();
        all_wait().await;
        drop(wire);
        let start = tokio::time::Instant::now();
        assert!(call.await.unwrap_err().is_closed());
        assert_eq!(start.elapsed(), Duration::ZERO);
        assert!(side.peer.closed().await.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn running_handlers_may_answer_after_the_input_has_ended() {
    for era in ERAS {
        let service = Closures::of(|_, _| async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            done()
        });
        let (side, mut wire) = server(era, service).await;
        wire.send(request(era, 1, "test/slow", json!({}))).await;
        wire.0.close().await.unwrap();
        assert_eq!(wire.receive().await["id"], 1);
        assert_eq!(wire.receive_or_end().await, None);
        assert_eq!(side.task.await.unwrap(), Closed::Remote);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hanging_handler_does_not_keep_a_server_whose_input_has_ended() {
    for era in ERAS {
        let (side, mut wire) = server(era, Closures::of(|_, _| pending())).await;
        wire.send(request(era, 1, "test/hang", json!({}))).await;
        let start = tokio::time::Instant::now();
        wire.0.close().await.unwrap();
        assert_eq!(side.task.await.unwrap(), Closed::Remote);
        assert_eq!(start.elapsed().as_secs(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_driver_settles_everything() {
    for era in ERAS {
        let (side, _wire) = client(era).await;
        let call = side.peer.request_raw("test/one", None).send();
        all_wait().await;
        let late = side.peer.request_raw("test/two", None).send();
        side.task.abort();
        assert!(call.await.unwrap_err().is_closed());
        assert!(late.await.unwrap_err().is_closed());
        assert!(side.peer.is_closed());
        side.peer.close().await;

        let (cancellations, mut cancelled) = mpsc::unbounded_channel();
        let (side, mut wire) = server(era, tells_cancellation(cancellations)).await;
        wire.send(request(era, 1, "test/wait", json!({}))).await;
        all_wait().await;
        side.task.abort();
        assert_eq!(cancelled.recv().await, Some(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_close_its_own_connection() {
    let service = Closures::sync(|_, cx: Context| {
        Run::Pending(Box::pin(async move {
            cx.peer().close().await;
            done()
        }))
    });
    let (side, mut wire) = server(Era::Legacy, service).await;
    wire.send(request(Era::Legacy, 1, "test/close", json!({}))).await;
    assert_eq!(wire.receive_or_end().await, None);
    assert_eq!(side.task.await.unwrap(), Closed::Local);
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_does_not_end_is_given_up() {
    let (here, there) = memory::pair_with_capacity(1);
    let options = Options::default().close_timeout(Duration::from_secs(2));
    let side = serve(here, Closures::default(), options);
    let mut wire = Wire(there);
    wire.send(request(Era::Modern, 1, "server/discover", json!({}))).await;
    wire.send(request(Era::Modern, 2, "server/discover", json!({}))).await;
    all_wait().await;
    let start = tokio::time::Instant::now();
    side.peer.close().await;
    assert_eq!(start.elapsed().as_secs(), 2);
    drop(wire);
}

#[tokio::test(start_paused = true)]
async fn the_context_and_the_peer_outlive_the_connection_without_harm() {
    let (contexts, mut kept) = mpsc::unbounded_channel();
    let service = Closures::sync(move |_, cx| {
        contexts.send(cx).unwrap();
        Run::Ready(done())
    });
    let (side, mut wire) = server_with(Era::Legacy, service, Options::default()).await;
    wire.send(request(Era::Legacy, 1, "test/x", json!({"_meta": {"progressToken": 1}}))).await;
    wire.receive().await;
    let cx: Context = kept.recv().await.unwrap();
    side.peer.close().await;
    cx.progress(1.0, None, None).await;
    cx.log(Level::Info, "gone").await;
    assert!(cx.peer().request_raw("roots/list", None).await.unwrap_err().is_closed());
    // And they keep nothing of it alive: the service is gone.
    assert_eq!(Arc::strong_count(&side.heard), 1);
}
