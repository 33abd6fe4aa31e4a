use std::{
    io,
    time::{Duration, SystemTime},
};

use crate::server::tasks::{Record, TaskStore};

/// Checks that a [store of tasks](TaskStore) does what servers rely on. `open` gives the store; where it is
/// [shared](TaskStore::is_shared) it is called twice, as two instances of a server would open it. It goes by a
/// time that is long past, so that it does not meet real tasks, and removes what it made.
///
/// # Panics
///
/// The store does not; the message says what.
///
/// ```
/// use mcpeer::{server::tasks::MemoryTaskStore, testing::task_store_contract};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// task_store_contract(async || MemoryTaskStore::new(100)).await;
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn task_store_contract<S: TaskStore, Opening>(open: impl Fn() -> Opening)
where
    Opening: Future<Output = S>,
{
    let first = open().await;
    let other = if first.is_shared() { Some(open().await) } else { None };
    let second: &dyn TaskStore = match &other {
        Some(other) => other,
        None => &first,
    };
    let check = Check { first: &first, second };
    expect(first.remove_expired(later()).await);
    check.what_is_kept_is_found().await;
    check.only_the_next_version_replaces().await;
    check.one_of_two_wins().await;
    check.what_has_expired_is_gone().await;
    check.texts_come_back_as_they_were().await;
    expect(first.remove_expired(later()).await);
}

struct Check<'a> {
    first: &'a dyn TaskStore,
    second: &'a dyn TaskStore,
}

impl Check<'_> {
    async fn what_is_kept_is_found(&self) {
        let record = record("found");
        assert!(self.get("found", NOW).await.is_none(), "there is a record that was never added");
        expect(self.first.insert(record.clone(), NOW).await);
        assert_eq!(self.get("found", NOW).await, Some(record.clone()), "a record is not found once `insert` is done");
        let again = self.second.insert(Record { text: "2".into(), ..record.clone() }, NOW).await;
        let kind = again.map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::AlreadyExists), "an id is taken twice");
        assert_eq!(self.get("found", NOW).await, Some(record), "a record that was refused took the place of another");
        assert!(self.get("foun", NOW).await.is_none() && self.get("FOUND", NOW).await.is_none(), "ids are exact");
    }

    async fn only_the_next_version_replaces(&self) {
        let record = record("versions");
        assert!(!expect(self.first.replace(Record { version: 1, ..record.clone() }, NOW).await), "nothing is replaced");
        assert!(self.get("versions", NOW).await.is_none(), "`replace` adds a record");
        expect(self.first.insert(record.clone(), NOW).await);
        for (version, is_next) in [(0, false), (2, false), (1, true), (1, false), (3, false), (2, true)] {
            let next = Record { version, text: format!("\"{version}\""), ..record.clone() };
            let is_done = expect(self.second.replace(next.clone(), NOW).await);
            assert_eq!(is_done, is_next, "whether version {version} replaces the record");
            if is_next {
                assert_eq!(self.get("versions", NOW).await, Some(next), "a replaced record is not found");
            }
        }
    }

    async fn one_of_two_wins(&self) {
        let record = record("race");
        expect(self.first.insert(record.clone(), NOW).await);
        for version in 1..=20 {
            let next = |text: &str| Record { version, text: text.into(), ..record.clone() };
            let (mut one, mut two) = (self.first.replace(next("1"), NOW), self.second.replace(next("2"), NOW));
            let (mut first, mut second) = (None, None);
            std::future::poll_fn(|cx| {
                for (future, outcome) in [(&mut one, &mut first), (&mut two, &mut second)] {
                    if outcome.is_none()
                        && let std::task::Poll::Ready(done) = future.as_mut().poll(cx)
                    {
                        *outcome = Some(expect(done));
                    }
                }
                if first.is_some() && second.is_some() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            })
            .await;
            assert_eq!(
                [first, second].iter().filter(|done| **done == Some(true)).count(),
                1,
                "of two changes at once not one was made"
            );
            let text = if first == Some(true) { "1" } else { "2" };
            let kept = self.get("race", NOW).await.map(|kept| kept.text);
            assert_eq!(kept.as_deref(), Some(text), "the change that was refused was made");
        }
    }

    async fn what_has_expired_is_gone(&self) {
        let record = record("expired");
        expect(self.first.insert(record.clone(), NOW).await);
        let just_before = record.expires - Duration::from_millis(1);
        assert!(self.get("expired", just_before).await.is_some(), "a record is gone before its time");
        assert!(self.get("expired", record.expires).await.is_none(), "a record is found when it has expired");
        let next = Record { version: 1, ..record.clone() };
        assert!(!expect(self.second.replace(next, record.expires).await), "what has expired is replaced");
        expect(self.second.remove_expired(just_before).await);
        assert!(self.get("expired", just_before).await.is_some(), "a record is removed before its time");
        expect(self.second.remove_expired(record.expires).await);
        assert!(self.get("expired", just_before).await.is_none(), "what has expired is not removed");
        // A place that has become free may be taken.
        expect(self.first.insert(record, NOW).await);
    }

    async fn texts_come_back_as_they_were(&self) {
        let text = format!("{{\"a\":\"ä\\u0000\\\"'\\\\ 😀\",\"b\":\"{}\"}}", "x".repeat(100_000));
        let record = Record { text, ..record("text") };
        expect(self.first.insert(record.clone(), NOW).await);
        assert_eq!(self.get("text", NOW).await, Some(record), "a text is not what it was");
    }

    async fn get(&self, id: &str, now: SystemTime) -> Option<Record> {
        let (one, other) =
            (expect(self.first.get(&name(id), now).await), expect(self.second.get(&name(id), now).await));
        assert_eq!(one, other, "two instances see different records");
        one
    }
}

fn record(id: &str) -> Record {
    Record { id: name(id), version: 0, expires: NOW + Duration::from_secs(60), text: "{}".into() }
}

fn name(id: &str) -> String {
    format!("mcpeer contract {id}")
}

fn expect<T>(outcome: io::Result<T>) -> T {
    outcome.unwrap_or_else(|error| panic!("the store failed: {error}"))
}

/// A time that is long past, so that no real task is meant.
const NOW: SystemTime = SystemTime::UNIX_EPOCH;

/// When all of this has expired, and no real task has.
fn later() -> SystemTime {
    NOW + Duration::from_secs(3600)
}
