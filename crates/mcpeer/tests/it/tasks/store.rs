//! Where tasks are kept: stores that are full, fail, or are shared.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use mcpeer::{
    Server,
    driver::BoxFuture,
    server::{
        Tool,
        tasks::{MemoryTaskStore, Record, TaskStore, Tasks},
    },
};
use serde_json::json;
use tokio::sync::Semaphore;

use super::lab::{accept, builder, cancel, connect, get, keys, start, text, until, update};

/// A store as several instances of a server have it, in front of which one can stand.
#[derive(Clone, Debug)]
struct Shared {
    store: Arc<MemoryTaskStore>,
    gate: Arc<Semaphore>,
    is_broken: Arc<AtomicBool>,
}

impl Shared {
    fn new() -> Self {
        Self {
            store: Arc::new(MemoryTaskStore::new(100)),
            gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            is_broken: Arc::default(),
        }
    }

    fn after_the_gate<T: Send + 'static>(
        &self,
        work: impl Future<Output = io::Result<T>> + Send + 'static,
    ) -> BoxFuture<io::Result<T>> {
        let Self { gate, is_broken, .. } = self.clone();
        Box::pin(async move {
            let _open = gate.acquire().await.unwrap();
            match is_broken.load(Ordering::SeqCst) {
                true => Err(io::Error::other("broken")),
                false => work.await,
            }
        })
    }
}

impl TaskStore for Shared {
    fn insert(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        let store = self.store.clone();
        self.after_the_gate(async move { store.insert(record, now).await })
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        let (store, id) = (self.store.clone(), id.to_owned());
        self.after_the_gate(async move { store.get(&id, now).await })
    }

    fn replace(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        let store = self.store.clone();
        self.after_the_gate(async move { store.replace(record, now).await })
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        let store = self.store.clone();
        self.after_the_gate(async move { store.remove_expired(now).await })
    }
}

#[tokio::test]
async fn the_store_in_memory_keeps_the_contract() {
    mcpeer::testing::task_store_contract(async || MemoryTaskStore::new(100)).await;
    let shared = Shared::new();
    mcpeer::testing::task_store_contract(|| async { shared.clone() }).await;
    // Twice, as with a database that is there the next time.
    mcpeer::testing::task_store_contract(|| async { shared.clone() }).await;
}

/// What a store does wrong.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    AnyVersion,
    NeverExpires,
    TakesTwice,
    Forgets,
    NeverRemoves,
}

#[derive(Debug)]
struct WrongStore(MemoryTaskStore, Wrong);

impl TaskStore for WrongStore {
    fn insert(&self, record: Record, now: SystemTime) -> BoxFuture<io::Result<()>> {
        let inserted = self.0.insert(record, now);
        match self.1 {
            Wrong::TakesTwice => Box::pin(async { inserted.await.or(Ok(())) }),
            Wrong::Forgets => Box::pin(async { Ok(()) }),
            _ => inserted,
        }
    }

    fn get(&self, id: &str, now: SystemTime) -> BoxFuture<io::Result<Option<Record>>> {
        self.0.get(id, if matches!(self.1, Wrong::NeverExpires) { SystemTime::UNIX_EPOCH } else { now })
    }

    fn replace(&self, mut record: Record, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        if matches!(self.1, Wrong::AnyVersion) {
            let known = futures_now(self.0.get(&record.id, now)).unwrap();
            record.version = known.map_or(0, |known| known.version + 1);
        }
        self.0.replace(record, now)
    }

    fn remove_expired(&self, now: SystemTime) -> BoxFuture<io::Result<bool>> {
        match self.1 {
            Wrong::NeverRemoves => Box::pin(async { Ok(true) }),
            _ => self.0.remove_expired(now),
        }
    }

    fn is_shared(&self) -> bool {
        false
    }
}

/// Gives the outcome of what is done at once.
fn futures_now<T>(mut future: BoxFuture<T>) -> T {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(outcome) => outcome,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

#[tokio::test]
async fn the_contract_finds_what_a_store_does_wrong() {
    for wrong in [Wrong::AnyVersion, Wrong::NeverExpires, Wrong::TakesTwice, Wrong::Forgets, Wrong::NeverRemoves] {
        let check = tokio::spawn(async move {
            mcpeer::testing::task_store_contract(move || async move { WrongStore(MemoryTaskStore::new(100), wrong) })
                .await;
        });
        assert!(check.await.is_err(), "{wrong:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn any_instance_answers_for_a_task_that_another_runs() {
    let shared = Shared::new();
    let instance = || builder(Tasks::new().store(shared.clone())).build().unwrap();
    let (mut here, mut there) = (connect(&instance()).await, connect(&instance()).await);
    let id = start(&mut here, "multi_input", json!({})).await;
    let task = until(&mut there, &id, "input_required").await;
    assert_eq!(keys(&task), ["first", "last"]);
    update(&mut there, &id, json!({"first": accept(json!({"name": "Ada"}))})).await;
    update(&mut here, &id, json!({"last": accept(json!({"name": "Lovelace"}))})).await;
    assert_eq!(text(&until(&mut there, &id, "completed").await), "Ada Lovelace");

    let id = start(&mut here, "slow_compute", json!({"seconds": 60})).await;
    cancel(&mut there, &id).await;
    assert_eq!(get(&mut here, &id).await["result"]["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_task_is_kept_before_its_client_hears_of_it() {
    let shared = Shared::new();
    let mut client = connect(&builder(Tasks::new().store(shared.clone())).build().unwrap()).await;
    let gate = Arc::new(Semaphore::new(0));
    let slow = Shared { gate: gate.clone(), ..shared.clone() };
    let mut waiting = connect(&builder(Tasks::new().store(slow)).build().unwrap()).await;
    let call = waiting.start("tools/call", json!({"name": "slow_compute"})).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let other = waiting.start("tools/list", json!({})).await;
    // The list is answered first: the call waits for the store.
    let first = waiting.receive().await.unwrap();
    assert_eq!(first["id"], other);
    gate.add_permits(1);
    let answer = waiting.answer(call).await;
    let id = answer["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(get(&mut client, &id).await["result"]["taskId"], json!(id), "it is there for others, too");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_its_task_is_made_runs_nothing() {
    let ran = Arc::new(AtomicBool::new(false));
    let gate = Arc::new(Semaphore::new(0));
    let shared = Shared { gate: gate.clone(), ..Shared::new() };
    let running = ran.clone();
    let server = Server::builder("lab", "1")
        .extension(Tasks::new().store(shared.clone()))
        .tool(Tool::new("mark").task(), move || {
            let running = running.clone();
            async move {
                running.store(true, Ordering::SeqCst);
                "done"
            }
        })
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    let call = client.start("tools/call", json!({"name": "mark"})).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}});
    client.send(&cancel).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    gate.add_permits(1_000);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(!ran.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_has_no_room_refuses_the_call_until_a_task_has_expired() {
    let tasks = Tasks::new().store(MemoryTaskStore::new(2)).ttl(Duration::from_secs(100));
    let mut client = connect(&builder(tasks).build().unwrap()).await;
    for _ in 0..2 {
        start(&mut client, "slow_compute", json!({})).await;
    }
    let refused = client.call("slow_compute", json!({})).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(refused["error"]["message"], "too many tasks are kept now: try again later");
    tokio::time::sleep(Duration::from_secs(101)).await;
    start(&mut client, "slow_compute", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_too_large_to_be_kept_makes_the_task_fail() {
    let server = Server::builder("lab", "1")
        .extension(Tasks::new().store(MemoryTaskStore::new(10).max_bytes(10_000)))
        .tool(Tool::new("large").task(), async || "x".repeat(20_000))
        .build()
        .unwrap();
    let mut client = connect(&server).await;
    let id = start(&mut client, "large", json!({})).await;
    let task = until(&mut client, &id, "failed").await;
    assert_eq!(task["error"]["message"], "there is no room to keep the result");
}

#[tokio::test(start_paused = true)]
async fn an_end_that_could_not_be_kept_is_kept_later() {
    let shared = Shared::new();
    let mut client = connect(&builder(Tasks::new().store(shared.clone())).build().unwrap()).await;
    let id = start(&mut client, "slow_compute", json!({"seconds": 5, "label": "x"})).await;
    shared.is_broken.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(10)).await;
    let answer = get(&mut client, &id).await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(!answer.to_string().contains("broken"), "what the store says is none of the client's business");
    shared.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(text(&until(&mut client, &id, "completed").await), "computed x");
}

#[tokio::test(start_paused = true)]
async fn what_has_expired_is_removed_though_nobody_asks() {
    let store = Arc::new(MemoryTaskStore::new(100));
    let tasks = Tasks::new().store(store.clone()).ttl(Duration::from_secs(100));
    let mut client = connect(&builder(tasks).build().unwrap()).await;
    for _ in 0..2 {
        let id = start(&mut client, "slow_compute", json!({})).await;
        tokio::time::sleep(Duration::from_secs(300)).await;
        // At a time when it had not expired.
        let found = store.get(&id, SystemTime::UNIX_EPOCH).await.unwrap();
        assert!(found.is_none(), "it is still there");
    }
}
