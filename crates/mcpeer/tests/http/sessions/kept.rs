//! Sessions and events that are kept in stores: another process goes on with them.

use std::{
    io,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use mcpeer::{
    driver::BoxFuture,
    server::{
        Http, HttpService,
        sessions::{Event, EventStore, MemoryEventStore, MemorySessionStore, Record, SessionStore},
    },
};
use serde_json::json;

use super::{Client, STATEFUL, Signals, call, ids, ping, server, settle};
use crate::web::{events, next, read, run, send};

/// Stores that outlive a process.
#[derive(Clone)]
struct Stores {
    sessions: Arc<MemorySessionStore>,
    events: Arc<MemoryEventStore>,
}

impl Default for Stores {
    fn default() -> Self {
        Self { sessions: Arc::new(MemorySessionStore::new(10)), events: Arc::new(MemoryEventStore::new(1_000)) }
    }
}

impl Stores {
    fn http(&self, signals: &Signals) -> Http {
        server(signals).http().session_store(self.sessions.clone()).event_store(self.events.clone())
    }

    /// A process that serves with these.
    fn service(&self) -> HttpService {
        self.http(&Signals::default()).service()
    }

    async fn record(&self, client: &Client) -> Option<Record> {
        self.sessions.get(&client.session, SystemTime::now()).await.unwrap()
    }
}

impl Client {
    /// The same client at another process.
    fn at(&self, service: &HttpService) -> Self {
        Self { service: service.clone(), ..self.clone() }
    }
}

#[test]
fn a_session_goes_on_in_another_process() {
    run(async {
        for version in STATEFUL {
            let stores = Stores::default();
            let client = Client::named(&stores.service(), version, Some("me")).await;
            let level = json!({"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "error"}});
            assert_eq!(client.send(&level).await.status, 200);
            let service = stores.service();
            // A foreigner neither finds it nor spoils it.
            for name in [None, Some("you")] {
                assert_eq!(Client { name, ..client.at(&service) }.send(&ping(1)).await.status, 404);
            }
            let client = client.at(&service);
            assert_eq!(client.send(&ping(1)).await.json()["result"], json!({}));
            let logged = client.send(&call(1, "log", &json!({}))).await.events();
            assert_eq!((logged.len(), &logged[0]["params"]["level"]), (2, &json!("error")), "{version}");
            // It may be asked something, since it was ready before.
            let asking = call(2, "ask", &json!({"method": "roots/list"}));
            let mut body = client.open(client.post(&asking)).await;
            assert_eq!(events(&next(&mut body).await.unwrap())[0]["method"], "roots/list");
            assert_eq!(send(&service, client.delete()).await.status, 200);
            assert_eq!(client.at(&stores.service()).send(&ping(1)).await.status, 404);
        }
    });
}

#[test]
fn the_answer_is_heard_from_another_process_once() {
    run(async {
        for version in STATEFUL {
            let (stores, signals) = (Stores::default(), Signals::default());
            let service = stores.http(&signals).service();
            let client = Client::new(&service, version).await;
            let mut body = client.open(client.post(&call(1, "work", &json!({})))).await;
            let progress = next(&mut body).await.unwrap();
            drop(body);
            signals.started.notified().await;
            service.shut();
            signals.go.notify_one();
            signals.ended.notified().await;
            settle().await;
            drop(service);
            let client = client.at(&stores.service());
            let rest = read(client.service.handle(client.back(ids(&progress)[0])).await).await;
            let said = rest.events();
            assert_eq!((said.len(), &said[0]["id"]), (1, &json!(1)), "{version}");
            assert_eq!(said[0]["result"]["content"][0]["text"], "done");
            // Behind the answer nothing comes.
            let end = client.service.handle(client.back(ids(&rest.text)[0])).await;
            assert!(end.status() == 400 || read(end).await.events().is_empty());
        }
    });
}

#[test]
fn what_was_not_answered_before_the_end_is_refused_and_not_run_again() {
    run(async {
        let (stores, signals) = (Stores::default(), Signals::default());
        let service = stores.http(&signals).service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut body = service.handle(client.post(&call(1, "work", &json!({})))).await.into_body();
        let first = next(&mut body).await.unwrap();
        let progress = next(&mut body).await.unwrap();
        signals.started.notified().await;
        let client = client.at(&stores.service());
        let said = read(client.service.handle(client.back(ids(&first)[0])).await).await.events();
        assert_eq!((said.len(), &said[0]["method"]), (1, &json!("notifications/progress")));
        let answer = send(&client.service, client.back(ids(&progress)[0])).await;
        assert_eq!((answer.status, answer.code()), (400, -32600));
    });
}

#[test]
fn a_stream_of_changes_goes_on_in_another_process() {
    run(async {
        let stores = Stores::default();
        let before = server(&Signals::default());
        let service = before.http().session_store(stores.sessions.clone()).event_store(stores.events.clone()).service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut body = service.handle(client.get()).await.into_body();
        let first = next(&mut body).await.unwrap();
        before.tools_changed();
        next(&mut body).await.unwrap();
        let after = server(&Signals::default());
        let service = after.http().session_store(stores.sessions.clone()).event_store(stores.events.clone()).service();
        let client = client.at(&service);
        let mut body = client.open(client.back(ids(&first)[0])).await;
        let told = events(&next(&mut body).await.unwrap());
        assert_eq!(told[0]["method"], "notifications/tools/list_changed");
        after.tools_changed();
        next(&mut body).await.unwrap();
    });
}

#[test]
fn a_session_is_kept_for_as_long_as_its_client_is_there_and_no_longer() {
    run(async {
        let stores = Stores::default();
        let service = stores.http(&Signals::default()).session_timeout(Duration::from_secs(60)).service();
        let client = Client::new(&service, "2025-11-25").await;
        let first = stores.record(&client).await.unwrap().expires;
        let listening = service.handle(client.get()).await;
        tokio::time::sleep(Duration::from_secs(600)).await;
        let later = stores.record(&client).await.unwrap().expires;
        assert!(later >= first + Duration::from_secs(500), "{:?}", later.duration_since(first));
        drop(listening);
        tokio::time::sleep(Duration::from_secs(130)).await;
        assert_eq!(stores.record(&client).await, None);
        assert_eq!(client.send(&ping(1)).await.status, 404);
    });
}

#[test]
fn what_a_store_gives_that_is_no_session_is_none() {
    run(async {
        let stores = Stores::default();
        let client = Client::new(&stores.service(), "2025-11-25").await;
        let good = stores.record(&client).await.unwrap();
        let now = SystemTime::now();
        for text in [
            String::new(),
            "{}".into(),
            good.text.replace("initialize", "tools/list"),
            good.text.replace("clientInfo", "client"),
            good.text.replace("\"version\":1", "\"version\":2"),
        ] {
            assert_ne!(text, good.text);
            stores.sessions.put(Record { text: text.clone(), ..good.clone() }, now).await.unwrap();
            assert_eq!(client.at(&stores.service()).send(&ping(1)).await.status, 404, "{text}");
        }
        stores.sessions.put(Record { expires: now - Duration::from_secs(60), ..good.clone() }, now).await.unwrap();
        assert_eq!(client.at(&stores.service()).send(&ping(1)).await.status, 404);
        stores.sessions.put(good, now).await.unwrap();
        assert_eq!(client.at(&stores.service()).send(&ping(1)).await.status, 200);
    });
}

#[test]
fn a_session_that_two_requests_miss_at_once_goes_on_once() {
    run(async {
        let stores = Stores::default();
        let client = Client::new(&stores.service(), "2025-11-25").await;
        let service = stores.http(&Signals::default()).max_sessions(3).service();
        let client = client.at(&service);
        let (one, two) = (ping(1), ping(2));
        let (one, other) = tokio::join!(client.send(&one), client.send(&two));
        assert_eq!((one.status, other.status), (200, 200));
        let sum = json!({"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "error"}});
        assert_eq!(client.send(&sum).await.status, 200);
        settle().await;
        Client::new(&service, "2025-11-25").await;
        Client::new(&service, "2025-11-25").await;
    });
}

/// A store that does as it is told.
#[derive(Debug, Default)]
struct Moody {
    fails: bool,
    panics: Option<PanicsWhen>,
    waits: Option<Arc<tokio::sync::Semaphore>>,
    asked: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum PanicsWhen {
    Asked,
    Polled,
    Dropped,
}

/// Panics when it is dropped.
struct Sore;

impl Drop for Sore {
    fn drop(&mut self) {
        panic!("the store of the test panics when dropped");
    }
}

impl Moody {
    fn answer<T: Send + 'static>(&self, what: String, answer: T) -> BoxFuture<io::Result<T>> {
        self.asked.lock().unwrap().push(what);
        let (fails, panics, waits) = (self.fails, self.panics, self.waits.clone());
        assert_ne!(panics, Some(PanicsWhen::Asked), "the store of the test panics when asked");
        let sore = (panics == Some(PanicsWhen::Dropped)).then(|| Sore);
        Box::pin(async move {
            assert_ne!(panics, Some(PanicsWhen::Polled), "the store of the test panics when polled");
            let _sore = sore;
            if let Some(waits) = waits {
                waits.acquire().await.unwrap().forget();
            }
            if fails { Err(io::Error::other("out of order")) } else { Ok(answer) }
        })
    }
}

impl EventStore for Moody {
    fn append(&self, _: &str, event: Event, _: SystemTime) -> BoxFuture<io::Result<()>> {
        self.answer(format!("append {}", event.sequence), ())
    }

    fn after(&self, _: &str, _: &str, _: u64, _: SystemTime) -> BoxFuture<io::Result<Vec<Event>>> {
        self.answer("after".into(), Vec::new())
    }

    fn remove(&self, _: &str) -> BoxFuture<io::Result<()>> {
        self.answer("remove".into(), ())
    }

    fn remove_expired(&self, _: SystemTime) -> BoxFuture<io::Result<()>> {
        self.answer("remove_expired".into(), ())
    }
}

impl SessionStore for Moody {
    fn put(&self, _: Record, _: SystemTime) -> BoxFuture<io::Result<()>> {
        self.answer("put".into(), ())
    }

    fn get(&self, _: &str, _: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        self.answer("get".into(), None)
    }

    fn remove(&self, _: &str) -> BoxFuture<io::Result<()>> {
        self.answer("remove".into(), ())
    }

    fn remove_expired(&self, _: SystemTime) -> BoxFuture<io::Result<()>> {
        self.answer("remove_expired".into(), ())
    }
}

#[test]
fn stores_that_fail_end_nothing() {
    run(async {
        let moody = || Moody { fails: true, ..Moody::default() };
        let service = server(&Signals::default()).http().session_store(moody()).event_store(moody()).service();
        let mut client = Client::new(&service, "2025-11-25").await;
        assert_eq!(client.send(&call(1, "progress", &json!({}))).await.events().len(), 2);
        // Nobody can say whether there is such a session.
        client.session = "x".repeat(32);
        let answer = client.send(&ping(1)).await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, "1"));
        // What cannot be one is none.
        client.session = "../x".into();
        assert_eq!(client.send(&ping(1)).await.status, 404);
    });
}

#[test]
fn stores_that_panic_end_nothing() {
    run(async {
        for panics in [PanicsWhen::Asked, PanicsWhen::Polled, PanicsWhen::Dropped] {
            // A future that is done has nothing left to drop.
            let waits = (panics == PanicsWhen::Dropped).then(|| Arc::new(tokio::sync::Semaphore::new(0)));
            let moody = || Moody { panics: Some(panics), waits: waits.clone(), ..Moody::default() };
            let service = server(&Signals::default()).http().session_store(moody()).event_store(moody()).service();
            let mut client = Client::new(&service, "2025-11-25").await;
            assert_eq!(client.send(&call(1, "progress", &json!({}))).await.events().len(), 2, "{panics:?}");
            client.session = "x".repeat(32);
            assert_eq!(client.send(&ping(1)).await.status, 503, "{panics:?}");
        }
    });
}

#[test]
fn stores_that_never_answer_hold_nobody_up_for_long() {
    run(async {
        let moody = || Moody { waits: Some(Arc::new(tokio::sync::Semaphore::new(0))), ..Moody::default() };
        let patience = Duration::from_secs(2);
        let http = server(&Signals::default()).http().session_store(moody()).event_store(moody());
        let service = http.store_timeout(patience).service();
        let start = tokio::time::Instant::now();
        let mut client = Client::new(&service, "2025-11-25").await;
        // The session is kept twice: when it begins, and when its client is ready.
        assert_eq!(start.elapsed().as_secs(), 2 * patience.as_secs());
        let start = tokio::time::Instant::now();
        assert_eq!(client.send(&call(1, "progress", &json!({}))).await.events().len(), 2);
        // Two events.
        assert_eq!(start.elapsed().as_secs(), 2 * patience.as_secs());
        client.session = "x".repeat(32);
        let answer = client.send(&ping(1)).await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, "1"));
    });
}

#[test]
fn an_event_is_said_once_it_is_kept_and_holds_up_no_answer_without_one() {
    run(async {
        let waits = Arc::new(tokio::sync::Semaphore::new(0));
        let moody = Moody { waits: Some(waits.clone()), ..Moody::default() };
        let asked = moody.asked.clone();
        let http = server(&Signals::default()).http().event_store(moody);
        // The time of the test goes on by itself while everybody waits.
        let service = http.store_timeout(Duration::MAX).service();
        let tidied = || asked.lock().unwrap().iter().filter(|asked| *asked == "remove_expired").count();
        let client = Client::new(&service, "2025-11-25").await;
        settle().await;
        assert_eq!(tidied(), 1);
        waits.add_permits(1);
        settle().await;
        let mut body = client.open(client.post(&call(1, "progress", &json!({})))).await;
        settle().await;
        assert_eq!(crate::web::peek(&mut body), std::task::Poll::Pending);
        assert_eq!(client.send(&call(2, "say", &json!({"text": "hi"}))).await.json()["id"], 2);
        waits.add_permits(1);
        assert_eq!(events(&next(&mut body).await.unwrap())[0]["params"]["progress"], 1.0);
        settle().await;
        assert_eq!(crate::web::peek(&mut body), std::task::Poll::Pending);
        waits.add_permits(1);
        assert_eq!(events(&next(&mut body).await.unwrap())[0]["id"], 1);
        assert_eq!(next(&mut body).await, None);
        assert_eq!(asked.lock().unwrap()[1..], ["append 1", "append 2"]);
    });
}

#[test]
fn a_store_that_is_slow_holds_up_the_handler_and_not_the_memory() {
    run(async {
        let waits = Arc::new(tokio::sync::Semaphore::new(1));
        let moody = Moody { waits: Some(waits.clone()), ..Moody::default() };
        let service = server(&Signals::default()).http().event_store(moody).service();
        let client = Client::new(&service, "2025-11-25").await;
        let mut body = client.open(client.post(&call(1, "flood", &json!({})))).await;
        settle().await;
        // It still runs under its id, and would be done if it did not wait.
        assert_eq!(client.send(&ping(1)).await.status, 400);
        waits.add_permits(1_000);
        let mut text = String::new();
        while let Some(piece) = next(&mut body).await {
            text.push_str(&piece);
        }
        assert_eq!(events(&text).len(), 101);
    });
}

#[cfg(feature = "testing")]
#[test]
fn the_stores_in_memory_keep_the_contract() {
    run(async {
        let stores = Stores::default();
        mcpeer::testing::session_store_contract(async || stores.sessions.clone()).await;
        mcpeer::testing::event_store_contract(async || stores.events.clone()).await;
    });
}

#[test]
fn the_stores_in_memory_have_an_end() {
    run(async {
        let now = SystemTime::UNIX_EPOCH;
        let store = MemorySessionStore::new(1);
        let record = |id: &str, seconds| Record {
            id: id.into(),
            expires: now + Duration::from_secs(seconds),
            text: String::new(),
        };
        store.put(record("a", 1), now).await.unwrap();
        store.put(record("a", 5), now).await.unwrap();
        assert_eq!(store.put(record("b", 5), now).await.unwrap_err().kind(), io::ErrorKind::StorageFull);
        store.put(record("b", 9), now + Duration::from_secs(5)).await.unwrap();
        let store = MemoryEventStore::new(3).max_bytes(1_000);
        let event = |sequence, length| Event {
            stream: "s".into(),
            sequence,
            text: "x".repeat(length),
            is_last: false,
            expires: now + Duration::from_secs(1),
        };
        let kept = async || store.after("s", "s", 0, now).await.unwrap().iter().map(|event| event.sequence).collect();
        for sequence in 1..=5 {
            store.append("s", event(sequence, 1), now).await.unwrap();
        }
        let numbers: Vec<u64> = kept().await;
        assert_eq!(numbers, [3, 4, 5]);
        store.append("s", event(6, 2_000), now).await.unwrap();
        let numbers: Vec<u64> = kept().await;
        assert_eq!(numbers, [6]);
    });
}
