use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::Builder;

/// Who is told that the first watcher of a resource came, and that the last one went.
#[derive(Default)]
pub(super) struct Watchers {
    on_watched: Option<Hook>,
    on_unwatched: Option<Hook>,
    /// How many watch a resource, on all connections. Hooks run under its lock, so that they come in order.
    counts: Mutex<HashMap<String, usize>>,
}

type Hook = Box<dyn Fn(&str) + Send + Sync>;

impl Watchers {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn watched(&self, uri: &str) {
        let mut counts = self.lock();
        let count = counts.entry(uri.to_owned()).or_default();
        *count += 1;
        if *count == 1
            && let Some(hook) = &self.on_watched
        {
            hook(uri);
        }
    }

    pub(super) fn unwatched(&self, uri: &str) {
        let mut counts = self.lock();
        let Some(count) = counts.get_mut(uri) else { return };
        *count -= 1;
        if *count == 0 {
            counts.remove(uri);
            if let Some(hook) = &self.on_unwatched {
                hook(uri);
            }
        }
    }
}

impl Builder {
    /// Hears when the first client watches a resource that none watched: time to look for its changes, and to tell of
    /// them by [`Server::resource_updated`](super::Server::resource_updated). It runs on the task of a connection: it
    /// must not block, and wait for no other connection.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let builder = Server::builder("files", "1.0.0").on_watched(|uri| eprintln!("somebody watches {uri}"));
    /// # let _ = builder;
    /// ```
    pub fn on_watched(mut self, hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.watchers.on_watched = Some(Box::new(hear));
        self
    }

    /// Hears when the last client no longer watches a resource, or its connection has ended. As
    /// [`on_watched`](Self::on_watched), it must not block.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let builder = Server::builder("files", "1.0.0").on_unwatched(|uri| eprintln!("nobody watches {uri}"));
    /// # let _ = builder;
    /// ```
    pub fn on_unwatched(mut self, hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.watchers.on_unwatched = Some(Box::new(hear));
        self
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_first_watcher_and_the_last_are_heard_of_and_none_between() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (one, other) = (heard.clone(), heard.clone());
        let builder = Builder::new("files".into(), "1".into())
            .on_watched(move |uri| one.lock().unwrap().push(format!("+{uri}")))
            .on_unwatched(move |uri| other.lock().unwrap().push(format!("-{uri}")));
        let watchers = builder.watchers;
        for uri in ["a", "a", "b"] {
            watchers.watched(uri);
        }
        for uri in ["a", "b", "a", "a", "c"] {
            watchers.unwatched(uri);
        }
        watchers.watched("a");
        assert_eq!(*heard.lock().unwrap(), ["+a", "+b", "-b", "-a", "+a"]);
    }
}
