//! How a client reaches its server: by a proxy, at its own time, on its own tasks.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use mcpeer::{
    Client,
    client::Policy,
    driver::{BoxFuture, Clock, Spawn, Tokio},
    transport::http::{
        self,
        client::reqwest::{ClientBuilder, Proxy},
    },
};
use serde_json::json;

use crate::{
    script::{Asked, Script, discovered, said},
    sessions::session,
};

#[tokio::test]
async fn a_proxy_carries_what_is_for_the_server() {
    let proxy = Script::new(|asked: Asked| async move {
        match asked.method() {
            "server/discover" => asked.result(&discovered()).await,
            _ => asked.text("done").await,
        }
    })
    .await;
    // There is no such host: only the proxy can know it.
    let through = Proxy::http(format!("http://{}", proxy.address)).unwrap().basic_auth("ada", "secret");
    let connector = http::client("http://mcp.test/tools").reqwest(ClientBuilder::new().proxy(through));
    let client = Client::builder("test", "1").connect(connector.header("x-key", "1")).await.unwrap();
    assert_eq!(client.call("x").await.unwrap().as_text(), "done");
    for seen in proxy.seen() {
        assert_eq!((&*seen.path, seen.header("host")), ("http://mcp.test/tools", Some("mcp.test")));
        assert_eq!(seen.header("proxy-authorization"), Some("Basic YWRhOnNlY3JldA=="));
        assert_eq!(seen.header("x-key"), Some("1"));
    }
    assert_eq!(proxy.methods(), ["server/discover", "tools/call"]);
}

#[tokio::test]
async fn a_proxy_that_refuses_is_told_by_its_status() {
    let proxy = Script::new(|asked: Asked| async move { asked.answer(407, "", "").await }).await;
    let through = Proxy::http(format!("http://{}", proxy.address)).unwrap();
    let connector = http::client("http://mcp.test/").reqwest(ClientBuilder::new().proxy(through));
    let error = Client::builder("test", "1").policy(Policy::ModernOnly).connect(connector).await.unwrap_err();
    assert_eq!(error.http_status(), Some(407), "{error}");
}

/// Counts the tasks that it starts.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Spawn for Counting {
    fn spawn(&self, future: BoxFuture<()>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        Tokio.spawn(future);
    }
}

/// Takes note of how long it is to wait, and lets long times pass at once.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<Duration>>>);

impl Clock for Noting {
    fn now(&self) -> Instant {
        Tokio.now()
    }

    fn sleep_until(&self, deadline: Instant) -> BoxFuture<()> {
        Tokio.sleep_until(deadline)
    }

    fn sleep(&self, time: Duration) -> BoxFuture<()> {
        self.0.lock().unwrap().push(time);
        if time > LONG { Box::pin(std::future::ready(())) } else { Tokio.sleep(time) }
    }
}

/// Longer than anything that a transport waits for by itself.
const LONG: Duration = Duration::from_secs(61);

#[tokio::test]
async fn each_stream_is_taken_up_again_after_its_own_time_by_the_clock_that_was_set() {
    let script = session("2025-11-25", |mut asked: Asked| async move {
        let resumed = asked.seen.header("last-event-id").map(str::to_owned);
        asked.open_events().await;
        match resumed.as_deref() {
            None => {
                let id = asked.seen.body["id"].clone();
                let seconds = asked.seen.body["params"]["name"].as_str().unwrap().to_owned();
                asked.write(&format!("id: {id}\nretry: {seconds}000\ndata:\n\n")).await;
            }
            Some(id) => {
                let id: i64 = id.parse().unwrap();
                asked.event(&json!({"jsonrpc": "2.0", "id": id, "result": said("resumed")})).await;
            }
        }
    })
    .await;
    let (clock, tasks) = (Noting::default(), Counting::default());
    let connector = http::client(&script.url()).clock(clock.clone()).spawner(tasks.clone());
    let client = Client::builder("test", "1").policy(Policy::LegacyOnly).connect(connector).await.unwrap();
    let (first, second) = (client.call("100").send(), client.call("200").send());
    assert_eq!(second.await.unwrap().as_text(), "resumed");
    assert_eq!(first.await.unwrap().as_text(), "resumed");
    let mut waited: Vec<u128> =
        clock.0.lock().unwrap().iter().filter(|time| **time > LONG).map(|time| time.as_millis()).collect();
    waited.sort_unstable();
    // A little longer than they were told, so that not everybody comes back at once.
    let [first, second] = waited[..] else { panic!("{waited:?}") };
    assert!((100_001..=110_000).contains(&first) && (200_001..=220_000).contains(&second), "{waited:?}");
    assert!(tasks.0.load(Ordering::SeqCst) >= 5, "the handshake, the server's own stream, and the two calls");
}
