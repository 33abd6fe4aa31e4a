use std::{
    io,
    time::{Duration, SystemTime},
};

use crate::server::sessions::{Event, EventStore, Record, SessionStore};

/// Checks that a [store of sessions](SessionStore) does what servers rely on. `open` gives the store, and is called
/// twice, as two processes would open it one after the other; a store in memory gives the same one twice. It goes by a
/// time that is long past, so that it does not meet real sessions, and removes what it made.
///
/// # Panics
///
/// The store does not; the message says what.
///
/// ```
/// use std::sync::Arc;
/// use mcpeer::{server::sessions::MemorySessionStore, testing::session_store_contract};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = Arc::new(MemorySessionStore::new(100));
/// session_store_contract(async || store.clone()).await;
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn session_store_contract<S: SessionStore, Opening>(open: impl Fn() -> Opening)
where
    Opening: Future<Output = S>,
{
    let (store, id) = (open().await, "mcpeer-contract-1");
    let get = async |id: &str, now| expect(store.get(id, now).await);
    expect(store.remove_expired(later()).await);
    expect(store.remove(id).await);
    assert_eq!(get(id, NOW).await, None, "there is a record that was never added");
    let text = format!("{{\"a\":\"ä\\u0000\\\"'\\\\ 😀\",\"b\":\"{}\"}}", "x".repeat(100_000));
    let record = Record { id: id.into(), expires: NOW + Duration::from_secs(60), text };
    expect(store.put(record.clone(), NOW).await);
    assert_eq!(get(id, NOW).await, Some(record.clone()), "a record is not found as it was once `put` is done");
    let other = Record { id: "mcpeer-contract-2".into(), text: "{}".into(), ..record.clone() };
    expect(store.put(other.clone(), NOW).await);
    for strange in ["mcpeer-contract", "MCPEER-CONTRACT-1", "", "../mcpeer-contract-1", "mcpeer-contract-1\0", "%", "*"]
    {
        assert_eq!(get(strange, NOW).await, None, "ids are exact, and {strange:?} is none");
    }
    let longer = Record { expires: NOW + Duration::from_secs(90), text: "{}".into(), ..record.clone() };
    expect(store.put(longer.clone(), NOW).await);
    assert_eq!(get(id, NOW).await, Some(longer.clone()), "`put` does not take the place of what was there");
    let reopened = open().await;
    assert_eq!(
        expect(reopened.get(id, NOW).await),
        Some(longer.clone()),
        "a record is gone when the store is reopened"
    );
    assert_eq!(get(id, longer.expires).await, None, "a record is found when it has expired");
    expect(store.remove_expired(other.expires).await);
    assert_eq!(get(&other.id, NOW).await, None, "what has expired is not removed");
    assert!(get(id, other.expires).await.is_some(), "a record is removed before its time");
    expect(reopened.remove(id).await);
    assert_eq!(get(id, NOW).await, None, "a record that was removed is found");
    expect(store.remove(id).await);
    expect(store.remove_expired(later()).await);
}

/// Checks that a [store of events](EventStore) does what servers rely on: as
/// [`session_store_contract`] does. It needs room for 40 events and 200 kB.
///
/// # Panics
///
/// The store does not; the message says what.
///
/// ```
/// use std::sync::Arc;
/// use mcpeer::{server::sessions::MemoryEventStore, testing::event_store_contract};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = Arc::new(MemoryEventStore::new(100));
/// event_store_contract(async || store.clone()).await;
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn event_store_contract<S: EventStore, Opening>(open: impl Fn() -> Opening)
where
    Opening: Future<Output = S>,
{
    let store = open().await;
    expect(store.remove_expired(later()).await);
    for session in [ONE, OTHER] {
        expect(store.remove(session).await);
    }
    what_was_said_comes_back_in_order(&store, &open().await).await;
    nothing_of_another_stream_comes_along(&store).await;
    what_has_expired_is_gone(&store).await;
    expect(store.remove(ONE).await);
    assert_eq!(after(&store, ONE, "s-a1", 0, NOW).await, [], "events of a session that was removed are found");
    assert_eq!(after(&store, OTHER, "s-a1", 0, NOW).await.len(), 1, "`remove` removes what is another session's");
    expect(store.remove(OTHER).await);
    expect(store.remove_expired(later()).await);
}

async fn what_was_said_comes_back_in_order(store: &dyn EventStore, reopened: &dyn EventStore) {
    let odd = format!("{{\"a\":\"ä\\u0000\\\"'\\\\ 😀\",\n\"b\":\"{}\"}}", "x".repeat(100_000));
    let said: Vec<_> = (1..=12).map(|sequence| event("s-a1", sequence)).collect();
    let said = [said, vec![Event { text: odd, sequence: 13, ..event("s-a1", 13) }]].concat();
    assert_eq!(after(store, ONE, "s-a1", 0, NOW).await, [], "there are events that were never added");
    for event in &said {
        expect(store.append(ONE, event.clone(), NOW).await);
    }
    for store in [store, reopened] {
        for sequence in [0, 1, 11, 12, 13, 14, u64::MAX] {
            let wanted = said.iter().filter(|event| event.sequence > sequence).cloned().collect::<Vec<_>>();
            let found = after(store, ONE, "s-a1", sequence, NOW).await;
            assert!(found == wanted, "behind {sequence} come {:?}", sequences(&found));
        }
    }
    let last = Event { text: String::new(), is_last: true, ..event("s-a1", 14) };
    expect(reopened.append(ONE, last.clone(), NOW).await);
    assert_eq!(after(store, ONE, "s-a1", 13, NOW).await, [last], "a stream that ends without a message");
}

async fn nothing_of_another_stream_comes_along(store: &dyn EventStore) {
    for (session, stream) in [(ONE, "s-a11"), (ONE, "s-o1"), (ONE, "S-A1"), (OTHER, "s-a1")] {
        expect(store.append(session, event(stream, 20), NOW).await);
        let found = after(store, session, stream, 0, NOW).await;
        assert_eq!(found, [event(stream, 20)], "of {stream} in {session} come {:?}", sequences(&found));
    }
    let found = after(store, ONE, "s-a1", 12, NOW).await;
    assert_eq!(sequences(&found), [13, 14], "what is another stream's or session's comes along");
}

async fn what_has_expired_is_gone(store: &dyn EventStore) {
    let longer = Event { expires: NOW + Duration::from_secs(90), ..event("s-a2", 2) };
    for event in [event("s-a2", 1), longer.clone()] {
        expect(store.append(OTHER, event, NOW).await);
    }
    let now = event("s-a2", 1).expires;
    let found = after(store, OTHER, "s-a2", 0, now).await;
    assert_eq!(sequences(&found), [2], "an event is found when it has expired");
    expect(store.remove_expired(now - Duration::from_millis(1)).await);
    assert_eq!(after(store, OTHER, "s-a2", 0, NOW).await.len(), 2, "an event is removed before its time");
    expect(store.remove_expired(now).await);
    assert_eq!(after(store, OTHER, "s-a2", 0, NOW).await, [longer], "what has expired is not removed");
    // It was removed, too.
    expect(store.append(OTHER, event("s-a1", 20), NOW).await);
    expect(store.append(ONE, event("s-a1", 21), NOW).await);
}

async fn after(store: &dyn EventStore, session: &str, stream: &str, sequence: u64, now: SystemTime) -> Vec<Event> {
    expect(store.after(session, stream, sequence, now).await)
}

fn event(stream: &str, sequence: u64) -> Event {
    let text = format!("{{\"number\":{sequence}}}");
    Event { stream: stream.into(), sequence, text, is_last: false, expires: NOW + Duration::from_secs(60) }
}

fn sequences(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.sequence).collect()
}

fn expect<T>(outcome: io::Result<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("the store failed: {error}"))
}

const ONE: &str = "mcpeer-contract-1";
const OTHER: &str = "mcpeer-contract-2";

/// A time that is long past, so that nothing real is meant.
const NOW: SystemTime = SystemTime::UNIX_EPOCH;

/// When all of this has expired, and nothing real has.
fn later() -> SystemTime {
    NOW + Duration::from_secs(3600)
}
