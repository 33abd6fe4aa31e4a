//! Handlers: polled inline or in tasks, cancelled, panicking, too many.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::support::{
    Closures, ERAS, Wire, all_wait, cancelled, client_config, done, greet, request, result, serve, server,
    server_config, server_with, start,
};
use crate::{
    driver::{Driver, Options, Run},
    handler::{Context, Misbehaved, Notification, Request, Service, Serving},
    peer::Peer,
    proto::Connection,
    transport::{Link, memory},
    version::Era,
};

/// Counts itself while it is alive.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_ready_handler_is_answered_without_a_task() {
    struct NoTasks;
    impl crate::driver::Spawn for NoTasks {
        fn spawn(&self, _: crate::driver::BoxFuture<()>) {
            panic!("a handler that is ready needs no task");
        }
    }
    for era in ERAS {
        let service = Closures::sync(|request, _| match &*request.method {
            "test/ready" => Run::Ready(done()),
            _ => Run::Pending(Box::pin(async { done() })),
        });
        let (_side, mut wire) = server_with(era, service, Options::default().spawner(NoTasks)).await;
        for (id, method) in [(1, "test/ready"), (2, "test/future")] {
            wire.send(request(era, id, method, json!({}))).await;
            assert_eq!(wire.receive().await["id"], id);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_fails_its_own_request_only() {
    for era in ERAS {
        let service = Closures::sync(|request, _| match &*request.method {
            "test/call" => panic!("secret one"),
            "test/first-poll" => Run::Pending(Box::pin(async { panic!("secret two") })),
            "test/later" => Run::Pending(Box::pin(async {
                tokio::task::yield_now().await;
                panic!("secret three");
            })),
            "test/odd" => std::panic::panic_any(17),
            _ => Run::Ready(done()),
        });
        let (side, mut wire) = server(era, service).await;
        for (id, method) in [(1, "test/call"), (2, "test/first-poll"), (3, "test/later"), (4, "test/odd")] {
            wire.send(request(era, id, method, json!({}))).await;
            let answer = wire.receive().await;
            assert_eq!(answer["id"], id);
            assert_eq!(answer["error"], json!({"code": -32603, "message": "internal error"}));
        }
        wire.send(request(era, 5, "test/fine", json!({}))).await;
        assert!(wire.receive().await["result"].is_object());
        let expected = [
            "the handler of `test/call` panicked: secret one",
            "the handler of `test/first-poll` panicked: secret two",
            "the handler of `test/later` panicked: secret three",
            "the handler of `test/odd` panicked: no message",
        ];
        assert_eq!(side.heard.misbehaved(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_stands_before_its_answer_and_in_order() {
    async fn work(cx: Context, pauses: bool) -> crate::handler::Reply {
        for step in 1..=5 {
            cx.progress(f64::from(step), Some(5.0), Some("step")).await;
            if pauses {
                tokio::task::yield_now().await;
            }
        }
        done()
    }
    for era in ERAS {
        for pauses in [false, true] {
            let (_side, mut wire) = server(era, Closures::of(move |_, cx| work(cx, pauses))).await;
            wire.send(request(era, 1, "test/work", json!({"_meta": {"progressToken": "t"}}))).await;
            for step in 1..=5 {
                let params = &wire.receive().await["params"];
                assert_eq!(params["progressToken"], "t");
                assert_eq!(params["progress"], step);
                assert_eq!(params["total"], 5);
                assert_eq!(params["message"], "step");
            }
            assert_eq!(wire.receive().await["id"], 1);
            assert_eq!(wire.drain().await, Vec::<Value>::new());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn progress_that_does_not_grow_is_dropped() {
    let service = Closures::of(|_, cx: Context| async move {
        for value in [1.0, 1.0, 0.5, f64::NAN, f64::INFINITY, 1.5, 2.0] {
            cx.progress(value, None, None).await;
        }
        done()
    });
    let (_side, mut wire) = server(Era::Legacy, service).await;
    wire.send(request(Era::Legacy, 1, "test/work", json!({"_meta": {"progressToken": 7}}))).await;
    let messages = wire.drain().await;
    let values: Vec<_> = messages.iter().filter_map(|message| message["params"].get("progress").cloned()).collect();
    assert_eq!(values, [json!(1), json!(1.5), json!(2)]);
    assert_eq!(messages.last().unwrap()["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn progress_nobody_asked_for_or_after_the_answer_is_not_sent() {
    for era in ERAS {
        let (late, mut contexts) = mpsc::unbounded_channel();
        let service = Closures::sync(move |_, cx| {
            late.send(cx).unwrap();
            Run::Ready(done())
        });
        let (_side, mut wire) = server(era, service).await;
        for (id, meta) in [(1, json!({})), (2, json!({"progressToken": "t"}))] {
            wire.send(request(era, id, "test/work", json!({"_meta": meta}))).await;
            assert_eq!(wire.receive().await["id"], id);
            contexts.recv().await.unwrap().progress(1.0, None, None).await;
            assert_eq!(wire.drain().await, Vec::<Value>::new());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_request_fires_its_token_and_gets_no_answer() {
    for era in ERAS {
        let fired = Arc::new(Notify::new());
        let seen = fired.clone();
        let service = Closures::of(move |_, cx: Context| {
            let fired = fired.clone();
            async move {
                cx.cancelled().await;
                assert!(cx.is_cancelled());
                fired.notify_one();
                done()
            }
        });
        let (side, mut wire) = server(era, service).await;
        // Zero and the empty string are ids like any other.
        for id in [json!(0), json!(""), json!("7"), json!(7)] {
            wire.send(request(era, id.clone(), "test/wait", json!({}))).await;
            all_wait().await;
            wire.send(cancelled(era, id)).await;
            seen.notified().await;
            assert_eq!(wire.drain().await, Vec::<Value>::new());
        }
        assert_eq!(side.heard.misbehaved(), Vec::<String>::new());
        assert!(!side.peer.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_ignores_its_cancellation_is_dropped_after_the_grace() {
    let alive = Arc::new(AtomicUsize::new(0));
    let count = alive.clone();
    let service = Closures::of(move |_, _| {
        let alive = Alive::new(&count);
        async move {
            let _alive = alive;
            pending().await
        }
    });
    let options = Options::default().cancel_grace(Duration::from_secs(3));
    let (_side, mut wire) = server_with(Era::Legacy, service, options).await;
    wire.send(request(Era::Legacy, 1, "test/hang", json!({}))).await;
    wire.send(cancelled(Era::Legacy, 1)).await;
    tokio::time::sleep(Duration::from_millis(2900)).await;
    assert_eq!(alive.load(Ordering::SeqCst), 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(alive.load(Ordering::SeqCst), 0);
    wire.send(request(Era::Legacy, 1, "ping", json!({}))).await;
    assert_eq!(wire.receive().await, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[tokio::test(start_paused = true)]
async fn a_grace_without_end_lets_a_handler_end_by_itself() {
    let (ended, end) = tokio::sync::oneshot::channel();
    let ended = std::sync::Mutex::new(Some(ended));
    let service = Closures::of(move |_, cx| {
        let ended = ended.lock().unwrap().take();
        async move {
            cx.cancelled().await;
            tokio::time::sleep(Duration::from_secs(1_000_000)).await;
            ended.unwrap().send("in its own time").unwrap();
            done()
        }
    });
    let options = Options::default().cancel_grace(Duration::MAX).close_timeout(Duration::MAX);
    let (_side, mut wire) = server_with(Era::Legacy, service, options).await;
    wire.send(request(Era::Legacy, 1, "test/slow", json!({}))).await;
    wire.send(cancelled(Era::Legacy, 1)).await;
    assert_eq!(end.await, Ok("in its own time"));
}

#[tokio::test(start_paused = true)]
async fn cancel_and_completion_race_to_exactly_one_end() {
    for era in ERAS {
        for cancel_first in [false, true] {
            let go = Arc::new(Notify::new());
            let finish = go.clone();
            let service = Closures::of(move |_, _| {
                let go = go.clone();
                async move {
                    go.notified().await;
                    done()
                }
            });
            let (side, mut wire) = server(era, service).await;
            wire.send(request(era, 1, "test/race", json!({}))).await;
            all_wait().await;
            // Both are there before the driver gets its turn.
            if cancel_first {
                wire.send(cancelled(era, 1)).await;
                finish.notify_one();
            } else {
                finish.notify_one();
                tokio::task::yield_now().await;
                wire.send(cancelled(era, 1)).await;
            }
            let answers = wire.drain().await;
            assert!(answers.len() <= 1, "{answers:?}");
            assert!(!cancel_first || answers.is_empty(), "{answers:?}");
            wire.send(cancelled(era, 1)).await;
            wire.send(request(era, 2, "tools/list", json!({}))).await;
            finish.notify_one();
            assert_eq!(wire.receive().await["id"], 2);
            assert!(!side.peer.is_closed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cancels_that_name_nothing_are_ignored() {
    for era in ERAS {
        let go = Arc::new(Notify::new());
        let finish = go.clone();
        let service = Closures::of(move |_, _| {
            let go = go.clone();
            async move {
                go.notified().await;
                done()
            }
        });
        let (side, mut wire) = server(era, service).await;
        wire.send(request(era, 7, "test/wait", json!({}))).await;
        all_wait().await;
        wire.send(cancelled(era, 12345)).await;
        wire.send(cancelled(era, "7")).await;
        wire.send(cancelled(era, json!({}))).await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled"})).await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []})).await;
        assert_eq!(wire.drain().await, Vec::<Value>::new());
        finish.notify_one();
        assert_eq!(wire.receive().await["id"], 7);
        assert!(!side.peer.is_closed());
    }
}

#[tokio::test(start_paused = true)]
async fn handlers_beyond_the_limit_wait_in_order_and_pings_do_not() {
    for era in ERAS {
        let (started, mut starts) = mpsc::unbounded_channel();
        let go = Arc::new(Notify::new());
        let finish = go.clone();
        let service = Closures::of(move |_, cx: Context| {
            started.send(cx.id().to_string()).unwrap();
            let go = go.clone();
            async move {
                go.notified().await;
                done()
            }
        });
        let (_side, mut wire) = server_with(era, service, Options::default().max_running(2)).await;
        for id in 1..=4 {
            wire.send(request(era, id, "test/wait", json!({}))).await;
        }
        all_wait().await;
        let mut seen = Vec::new();
        while let Ok(id) = starts.try_recv() {
            seen.push(id);
        }
        assert_eq!(seen, ["1", "2"]);
        // A waiting one can be cancelled, and what comes from the protocol itself does not wait.
        wire.send(cancelled(era, 3)).await;
        wire.send(request(era, "p", if era == Era::Legacy { "ping" } else { "server/discover" }, json!({}))).await;
        assert_eq!(wire.receive().await["id"], "p");
        finish.notify_one();
        assert_eq!(wire.receive().await["id"], 1);
        assert_eq!(starts.recv().await.unwrap(), "4");
    }
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_room_starts_before_what_waits_for_its_turn() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let go = Arc::new(Notify::new());
    let finish = go.clone();
    let service = Closures::of(move |_, cx: Context| {
        started.send(cx.id().to_string()).unwrap();
        let go = go.clone();
        async move {
            go.notified().await;
            done()
        }
    });
    let (here, there) = memory::pair();
    let mut config = server_config();
    config.limits.concurrent = 2;
    let connection = Connection::server(Arc::new(config), Link::Pipe);
    let _side = start(connection, here, service, Options::default().max_running(1));
    let mut wire = Wire(there);
    greet(Era::Legacy, &mut wire).await;
    for id in 1..=4 {
        wire.send(request(Era::Legacy, id, "test/wait", json!({}))).await;
    }
    for id in 1..=4 {
        assert_eq!(starts.recv().await.unwrap(), id.to_string());
        finish.notify_one();
        assert_eq!(wire.receive().await["id"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_before_a_panic_stands_before_the_answer() {
    for era in ERAS {
        let service = Closures::of(|_, cx: Context| async move {
            cx.progress(1.0, None, None).await;
            panic!("after the first step")
        });
        let (_side, mut wire) = server(era, service).await;
        wire.send(request(era, 1, "test/work", json!({"_meta": {"progressToken": "t"}}))).await;
        assert_eq!(wire.receive().await["params"]["progress"], 1);
        assert_eq!(wire.receive().await["error"]["code"], -32603);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_handler_counts_until_it_has_ended() {
    let alive = Arc::new(AtomicUsize::new(0));
    let count = alive.clone();
    let service = Closures::of(move |_, _| {
        let alive = Alive::new(&count);
        async move {
            let _alive = alive;
            pending().await
        }
    });
    let options = Options::default().max_running(3).cancel_grace(Duration::from_secs(5));
    let (_side, mut wire) = server_with(Era::Legacy, service, options).await;
    for id in 0..50 {
        wire.send(request(Era::Legacy, id, "test/hang", json!({}))).await;
        wire.send(cancelled(Era::Legacy, id)).await;
    }
    all_wait().await;
    assert_eq!(alive.load(Ordering::SeqCst), 3);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn handlers_start_in_the_order_of_the_wire() {
    let (started, mut starts) = mpsc::unbounded_channel();
    let service = Closures::of(move |_, cx: Context| {
        started.send(cx.id().to_string()).unwrap();
        async move {
            tokio::task::yield_now().await;
            result(&json!({}))
        }
    });
    let (_side, mut wire) = server(Era::Legacy, service).await;
    for id in 0..300 {
        wire.send(request(Era::Legacy, id, "test/work", json!({}))).await;
    }
    for id in 0..300 {
        assert_eq!(starts.recv().await.unwrap(), id.to_string());
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_over_a_notification_or_a_report_disturbs_nothing() {
    struct Jumpy;
    impl Service for Jumpy {
        fn call(&self, _: Request, _: Context) -> Run {
            Run::Ready(done())
        }
        fn notify(&self, _: Notification, _: &Peer) {
            panic!("a notification")
        }
        fn misbehaved(&self, _: &Misbehaved) {
            panic!("a report")
        }
    }
    let (here, there) = memory::pair();
    let connection = Connection::server(Arc::new(server_config()), Link::Pipe);
    let driver = Driver::new(connection, here, Serving::new(Arc::new(Jumpy)), Options::default());
    let _task = tokio::spawn(driver);
    let mut wire = Wire(there);
    greet(Era::Legacy, &mut wire).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "test/notice"})).await;
    wire.send(json!({"jsonrpc": "2.0", "id": 99, "result": {}})).await;
    wire.send(request(Era::Legacy, 1, "test/x", json!({}))).await;
    assert_eq!(wire.receive().await["id"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_is_forgotten_between_threads() {
    let (here, there) = memory::pair();
    let service = Closures::of(|_, _| async {
        tokio::task::yield_now().await;
        done()
    });
    let _server = serve(here, service, Options::default());
    let now = tokio::time::Instant::now().into_std();
    let connection = Connection::client(Arc::new(client_config(Era::Modern)), Link::Pipe, now);
    let client = start(connection, there, Closures::default(), Options::default());
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let peer = client.peer.clone();
            tokio::spawn(async move {
                for _ in 0..500 {
                    peer.request_raw("test/x", None).await.unwrap();
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}
