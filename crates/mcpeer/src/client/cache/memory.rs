use std::{
    collections::{BTreeMap, HashMap},
    fmt, mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{About, Entry, Key, Store};

/// Keeps answers in memory: so many, of so many bytes; beyond that those go that were not asked for longest.
///
/// ```
/// use std::sync::Arc;
/// use mcpeer::client::{Client, cache::{Cache, Memory}};
///
/// let store = Arc::new(Memory::new().max_entries(100).max_bytes(1 << 20));
/// let cache = Cache::new().store(store.clone()).server("https://example.com/mcp");
/// let alice = Client::builder("me", "1.0.0").cache(cache.clone().partition("alice"));
/// let bob = Client::builder("me", "1.0.0").cache(cache.partition("bob"));
/// # let _ = (alice, bob);
/// ```
pub struct Memory {
    max_entries: usize,
    max_bytes: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    slots: HashMap<Key, Slot>,
    /// The keys, those not asked for longest first.
    order: BTreeMap<u64, Key>,
    last: u64,
    bytes: usize,
}

struct Slot {
    entry: Entry,
    turn: u64,
}

impl Memory {
    /// Makes one for 1,000 answers of 16 MiB in all.
    ///
    /// ```
    /// assert!(mcpeer::client::cache::Memory::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self { max_entries: 1_000, max_bytes: 16 << 20, table: Mutex::default() }
    }

    /// Sets how many answers are kept.
    ///
    /// ```
    /// # use mcpeer::client::cache::Memory;
    /// let store = Memory::new().max_entries(10);
    /// # let _ = store;
    /// ```
    #[must_use]
    pub fn max_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries;
        self
    }

    /// Sets how many bytes the answers and their params have in all.
    ///
    /// ```
    /// # use mcpeer::client::cache::Memory;
    /// let store = Memory::new().max_bytes(1 << 20);
    /// # let _ = store;
    /// ```
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Gives how many answers are kept, fresh or not.
    ///
    /// ```
    /// assert_eq!(mcpeer::client::cache::Memory::new().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.lock().slots.len()
    }

    /// Whether no answer is kept.
    ///
    /// ```
    /// assert!(mcpeer::client::cache::Memory::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for Memory {
    fn get(&self, key: &Key) -> Option<Entry> {
        let table = &mut *self.lock();
        let slot = table.slots.get_mut(key)?;
        table.last += 1;
        let before = mem::replace(&mut slot.turn, table.last);
        if let Some(key) = table.order.remove(&before) {
            table.order.insert(slot.turn, key);
        }
        Some(slot.entry.clone())
    }

    fn put(&self, key: Key, entry: Entry) {
        let mut table = self.lock();
        table.remove(&key);
        let size = size(&key, &entry);
        if size > self.max_bytes || self.max_entries == 0 {
            return;
        }
        while table.slots.len() >= self.max_entries || table.bytes + size > self.max_bytes {
            let Some((_, oldest)) = table.order.pop_first() else { break };
            table.remove(&oldest);
        }
        table.last += 1;
        let turn = table.last;
        table.bytes += size;
        table.order.insert(turn, key.clone());
        table.slots.insert(key, Slot { entry, turn });
    }

    fn forget(&self, about: &About) {
        let mut table = self.lock();
        let gone: Vec<Key> = table.slots.keys().filter(|key| about.covers(key)).cloned().collect();
        for key in gone {
            table.remove(&key);
        }
    }
}

impl Table {
    fn remove(&mut self, key: &Key) {
        if let Some(slot) = self.slots.remove(key) {
            self.order.remove(&slot.turn);
            self.bytes -= size(key, &slot.entry);
        }
    }
}

fn size(key: &Key, entry: &Entry) -> usize {
    entry.result.as_str().len() + key.params.len() + mem::size_of::<(Key, Slot)>()
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.lock();
        f.debug_struct("Memory").field("entries", &table.slots.len()).field("bytes", &table.bytes).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::{
        super::store::{Name, Owner, What},
        *,
    };
    use crate::{driver::Clock, rpc::Raw, version::Revision};

    fn key(uri: &str) -> Key {
        let owner =
            Owner { server: Name::Own(1), partition: None, revision: Revision::V2026_07_28, capabilities: "{}".into() };
        Key { owner, method: "resources/read".into(), params: format!("{{\"uri\":\"{uri}\"}}").into() }
    }

    fn entry(size: usize, now: Instant) -> Entry {
        Entry { result: Raw::trusted(format!("\"{}\"", "x".repeat(size))), fresh_until: now, asked: 0 }
    }

    fn now() -> Instant {
        crate::driver::Tokio.now()
    }

    fn kept<'a>(memory: &Memory, uris: &[&'a str]) -> Vec<&'a str> {
        uris.iter().copied().filter(|uri| memory.lock().slots.contains_key(&key(uri))).collect()
    }

    #[test]
    fn what_was_not_asked_for_longest_goes_first() {
        let memory = Memory::new().max_entries(3);
        for uri in ["a", "b", "c"] {
            memory.put(key(uri), entry(1, now()));
        }
        assert!(memory.get(&key("a")).is_some());
        memory.put(key("d"), entry(1, now()));
        assert_eq!(kept(&memory, &["a", "b", "c", "d"]), ["a", "c", "d"]);
        memory.put(key("d"), entry(2, now()));
        assert_eq!(memory.len(), 3, "what stood there is replaced");
    }

    #[test]
    fn bytes_are_bounded_and_counted_exactly() {
        let memory = Memory::new().max_bytes(10_000);
        for round in 0..1000 {
            memory.put(key(&format!("{}", round % 77)), entry(round * 7 % 4000, now()));
            let table = memory.lock();
            let sum: usize = table.slots.iter().map(|(key, slot)| size(key, &slot.entry)).sum();
            assert_eq!((table.bytes, table.order.len()), (sum, table.slots.len()));
            assert!(table.bytes <= 10_000);
        }
        memory.put(key("huge"), entry(20_000, now()));
        assert!(memory.get(&key("huge")).is_none());
        memory.forget(&About { server: Name::Own(1), what: What::Everything });
        let table = memory.lock();
        assert_eq!((table.slots.len(), table.bytes, table.order.len()), (0, 0, 0));
    }

    #[test]
    fn what_has_changed_takes_along_what_lies_under_it_and_above_it() {
        let uris = ["f:/a", "f:/a/b", "f:/a/b/c", "f:/ab", "f:/a/x", "g:/a/b"];
        let memory = Memory::new();
        for uri in uris {
            memory.put(key(uri), entry(1, now()));
        }
        memory.forget(&About { server: Name::Own(2), what: What::Resource("f:/a/b".into()) });
        assert_eq!(memory.len(), uris.len(), "of another server");
        memory.forget(&About { server: Name::Own(1), what: What::Resource("f:/a/b".into()) });
        assert_eq!(kept(&memory, &uris), ["f:/ab", "f:/a/x", "g:/a/b"]);
    }
}
