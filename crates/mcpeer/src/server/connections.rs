use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use crate::{
    driver::Remote,
    handler::Context,
    proto::io::{Change, Handle},
};

/// The connections that a server serves right now.
#[derive(Default)]
pub(super) struct Connections {
    live: Mutex<Live>,
    /// Says who may hear that a resource has changed; everybody where there is none.
    judge: OnceLock<Judge>,
}

/// Says whether a listener may hear that a resource has changed.
type Judge = Arc<dyn Fn(&str, &Context) -> bool + Send + Sync>;

#[derive(Default)]
struct Live {
    connections: BTreeMap<usize, Connection>,
}

struct Connection {
    remote: Remote,
    /// Who listens to changes, where that matters: by the subscription, `None` for the session.
    listeners: HashMap<Option<Handle>, Context>,
}

impl Connections {
    /// Counts a connection among the living, until what this gives is dropped.
    pub(super) fn enter(&self, remote: Remote) -> Entered<'_> {
        Entered { connections: self, key: self.add(remote) }
    }

    /// Counts a connection among the living, until it is removed by the key that this gives.
    pub(super) fn add(&self, remote: Remote) -> usize {
        let key = remote.key();
        self.lock().connections.insert(key, Connection { remote, listeners: HashMap::new() });
        key
    }

    pub(super) fn remove(&self, key: usize) {
        self.lock().connections.remove(&key);
    }

    /// Has somebody say who may hear that a resource has changed.
    pub(super) fn judge_by(&self, judge: impl Fn(&str, &Context) -> bool + Send + Sync + 'static) {
        let _ = self.judge.set(Arc::new(judge));
    }

    /// Tells every connection of a change; each tells its client what that client wants to hear, and may.
    pub(super) fn publish(self: &Arc<Self>, change: &Change) {
        if let (Change::Resource { uri }, Some(judge)) = (change, self.judge.get()) {
            return self.publish_to(change, uri, judge);
        }
        for (_, remote) in self.remotes() {
            let change = change.clone();
            remote.with(move |connection, _| connection.publish(&change));
        }
    }

    /// Tells every connection of a change of a resource; each tells those of its listeners that may hear of it.
    fn publish_to(self: &Arc<Self>, change: &Change, uri: &str, judge: &Judge) {
        for (key, remote) in self.remotes() {
            let (connections, change, uri, judge) = (self.clone(), change.clone(), uri.to_owned(), judge.clone());
            remote.with(move |connection, _| {
                let may_hear =
                    |listener| connections.listener(key, listener).is_some_and(|listener| judge(&uri, &listener));
                connection.publish_to(&change, &may_hear);
            });
        }
    }

    /// Takes note of who listens on a connection.
    pub(super) fn listens(&self, listener: Option<Handle>, cx: &Context) {
        if let Some(connection) = self.lock().of(cx.remote()) {
            connection.listeners.insert(listener, cx.clone());
        }
    }

    pub(super) fn listens_no_more(&self, listener: Handle, remote: &Remote) {
        if let Some(connection) = self.lock().of(remote) {
            connection.listeners.remove(&Some(listener));
        }
    }

    fn listener(&self, key: usize, listener: Option<Handle>) -> Option<Context> {
        self.lock().connections.get(&key)?.listeners.get(&listener).cloned()
    }

    /// Gives the ways to all, so that nothing happens under the lock: a driver that ends takes it.
    pub(super) fn remotes(&self) -> Vec<(usize, Remote)> {
        self.lock().connections.iter().map(|(key, connection)| (*key, connection.remote.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    fn of(&mut self, remote: &Remote) -> Option<&mut Connection> {
        self.connections.get_mut(&remote.key())
    }
}

/// A connection that lives.
pub(super) struct Entered<'a> {
    connections: &'a Connections,
    key: usize,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.connections.remove(self.key);
    }
}
