use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{driver::Remote, proto::io::Change};

/// The connections that a server serves right now.
#[derive(Default)]
pub(super) struct Connections(Mutex<Live>);

#[derive(Default)]
struct Live {
    next: u64,
    remotes: BTreeMap<u64, Remote>,
}

impl Connections {
    /// Counts a connection among the living, until what this gives is dropped.
    pub(super) fn enter(&self, remote: Remote) -> Entered<'_> {
        let mut live = self.lock();
        let key = live.next;
        live.next += 1;
        live.remotes.insert(key, remote);
        Entered { connections: self, key }
    }

    /// Tells every connection of a change; each tells its client what that client wants to hear.
    pub(super) fn publish(&self, change: &Change) {
        // Not under the lock: a driver that ends takes it.
        let remotes: Vec<Remote> = self.lock().remotes.values().cloned().collect();
        for remote in remotes {
            let change = change.clone();
            remote.with(move |connection, _| connection.publish(&change));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that lives.
pub(super) struct Entered<'a> {
    connections: &'a Connections,
    key: u64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.connections.lock().remotes.remove(&self.key);
    }
}
