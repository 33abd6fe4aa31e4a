//! Peers that read slowly or not at all, and peers that send too much.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context as TaskContext, Poll},
};

use serde_json::{Value, json};

use super::support::{
    Closures, Wire, all_wait, client_config, done, greet, request, result, serve, server, server_config, start,
};
use crate::{
    driver::Options,
    handler::Context,
    model::logging::Level,
    proto::{Connection, io::Closed},
    transport::{Link, Outbound, Received, Transport, TransportExt, memory},
    version::Era,
};

/// Counts the writes that a driver makes and the messages in them.
struct Counting<T> {
    inner: T,
    messages: Arc<AtomicUsize>,
    flushes: Arc<AtomicUsize>,
}

impl<T: Transport> Transport for Counting<T> {
    fn poll_receive(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<Received<'_>>> {
        self.inner.poll_receive(cx)
    }

    fn send(&mut self, outbound: Outbound) {
        self.messages.fetch_add(1, Ordering::SeqCst);
        self.inner.send(outbound);
    }

    fn poll_flush(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        self.flushes.fetch_add(1, Ordering::SeqCst);
        self.inner.poll_flush(cx)
    }

    fn buffered(&self) -> usize {
        self.inner.buffered()
    }

    fn poll_close(&mut self, cx: &mut TaskContext<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_close(cx)
    }
}

#[tokio::test(start_paused = true)]
async fn all_that_is_ready_goes_out_in_one_write() {
    let (here, there) = memory::pair();
    let (messages, flushes) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let transport = Counting { inner: here, messages: messages.clone(), flushes: flushes.clone() };
    let _side = serve(transport, Closures::default(), Options::default());
    let mut wire = Wire(there);
    greet(Era::Legacy, &mut wire).await;
    all_wait().await;
    let (before, sent) = (flushes.load(Ordering::SeqCst), messages.load(Ordering::SeqCst));
    for id in 0..50 {
        wire.send(request(Era::Legacy, id, "test/x", json!({}))).await;
    }
    for id in 0..50 {
        assert_eq!(wire.receive().await["id"], id);
    }
    assert_eq!(messages.load(Ordering::SeqCst) - sent, 50);
    assert_eq!(flushes.load(Ordering::SeqCst) - before, 1);
}

#[tokio::test(start_paused = true)]
async fn two_full_pipes_do_not_deadlock() {
    let (here, there) = memory::pair_with_capacity(1000);
    let text = "x".repeat(10_000);
    let answer = json!({"text": text});
    let echo = move || {
        let answer = answer.clone();
        Closures::of(move |_, _| {
            let answer = result(&answer);
            async move {
                tokio::task::yield_now().await;
                answer
            }
        })
    };
    let server = start(Connection::server(Arc::new(server_config()), Link::Pipe), here, echo(), Options::default());
    let now = tokio::time::Instant::now().into_std();
    let connection = Connection::client(Arc::new(client_config(Era::Legacy)), Link::Pipe, now);
    let client = start(connection, there, echo(), Options::default());
    client.peer.remote().connected().await.unwrap();
    let params = crate::rpc::Raw::from_value(&json!({"text": text})).unwrap();
    let mut calls = Vec::new();
    for _ in 0..50 {
        for peer in [&server.peer, &client.peer] {
            calls.push(peer.request_raw("test/echo", Some(params.clone())).send());
        }
    }
    for call in calls {
        assert_eq!(call.await.unwrap().decode::<Value>().unwrap()["text"], text);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_writer_does_not_stop_reading() {
    let (here, there) = memory::pair_with_capacity(1);
    let side = serve(here, Closures::default(), Options::default());
    let mut wire = Wire(there);
    greet(Era::Legacy, &mut wire).await;
    for id in 0..10 {
        wire.send(request(Era::Legacy, id, "test/x", json!({}))).await;
    }
    // The answers fill the way back, and still notifications get through.
    for _ in 0..100 {
        wire.send(json!({"jsonrpc": "2.0", "method": "test/notice"})).await;
    }
    all_wait().await;
    assert_eq!(side.heard.notifications.lock().unwrap().iter().filter(|method| *method == "test/notice").count(), 100);
    for id in 0..10 {
        assert_eq!(wire.receive().await["id"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_waits_while_the_peer_does_not_read() {
    let (here, there) = memory::pair_with_capacity(1000);
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let service = Closures::of(move |_, cx: Context| {
        let sent = count.clone();
        async move {
            for step in 0..10_000 {
                cx.progress(f64::from(step), None, Some("a message of some length")).await;
                sent.fetch_add(1, Ordering::SeqCst);
            }
            done()
        }
    });
    let _side = serve(here, service, Options::default().high_water(10_000));
    let mut wire = Wire(there);
    greet(Era::Legacy, &mut wire).await;
    wire.send(request(Era::Legacy, 1, "test/flood", json!({"_meta": {"progressToken": 1}}))).await;
    all_wait().await;
    let waiting = sent.load(Ordering::SeqCst);
    assert!((10..500).contains(&waiting), "{waiting} were sent to a peer that does not read");
    for step in 0..10_000 {
        assert_eq!(wire.receive().await["params"]["progress"], step);
    }
    assert_eq!(wire.receive().await["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_gets_no_new_handlers_and_then_no_connection() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = started.clone();
    let text = "x".repeat(10_000);
    let service = Closures::of(move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        let text = text.clone();
        async move { result(&json!({"text": text})) }
    });
    let (here, there) = memory::pair_with_capacity(1000);
    let options = Options::default().start_mark(100_000).max_buffered(200_000);
    let side = serve(here, service, options);
    let mut wire = Wire(there);
    greet(Era::Legacy, &mut wire).await;
    for id in 0..50 {
        wire.send(request(Era::Legacy, id, "test/x", json!({}))).await;
    }
    all_wait().await;
    let running = started.load(Ordering::SeqCst);
    assert!((10..=12).contains(&running), "{running} were started");
    assert!(!side.peer.is_closed());
    // What the protocol answers itself still piles up, up to the limit.
    let id = "y".repeat(10_000);
    while !side.peer.is_closed() {
        // The last of them may come too late.
        let _ = wire.0.send_text(request(Era::Legacy, id.clone(), "ping", json!({})).to_string()).await;
        tokio::task::yield_now().await;
    }
    let Closed::Transport { reason } = side.peer.remote().closed().await else { panic!("closed for another reason") };
    assert!(reason.starts_with("the peer does not read: 2"), "{reason}");
    assert!(reason.ends_with("bytes wait to be written, and the limit is 200000"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_notifications_does_not_keep_others_waiting() {
    for (era, method) in [(Era::Legacy, "ping"), (Era::Modern, "server/discover")] {
        let (side, mut wire) = server(era, Closures::default()).await;
        for index in 0..20_000 {
            let params = json!({"progressToken": 1, "progress": index});
            wire.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        }
        wire.send(request(era, 1, method, json!({}))).await;
        assert_eq!(wire.receive().await["id"], 1);
        assert!(!side.peer.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_floods_with_log_messages_lets_others_through() {
    let service = Closures::of(|request, cx: Context| async move {
        if request.method == "test/flood" {
            for index in 0..100_000 {
                cx.log(Level::Info, &index).await;
            }
        }
        done()
    });
    let (_side, mut wire) = server(Era::Legacy, service).await;
    wire.send(request(Era::Legacy, 1, "test/flood", json!({}))).await;
    wire.send(request(Era::Legacy, 2, "test/other", json!({}))).await;
    let mut before = 0;
    while wire.receive().await["id"] != 2 {
        before += 1;
    }
    assert!(before < 20_000, "{before} log messages came first");
}
