use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use super::feed::Feed;
use crate::handler::Notification;

/// The watches of a client.
#[derive(Debug, Default)]
pub(in crate::client) struct Watches(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    feeds: Vec<Weak<Feed>>,
    /// How many watches follow a resource by `resources/subscribe`.
    followed: HashMap<String, usize>,
}

impl Watches {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a watch, which is forgotten when its feed is dropped.
    pub(super) fn add(&self, feed: &Arc<Feed>) {
        let mut table = self.lock();
        table.feeds.retain(|feed| feed.strong_count() > 0);
        table.feeds.push(Arc::downgrade(feed));
    }

    /// Hands a notification to the watches that it is meant for; says whether there is one.
    pub(in crate::client) fn take(&self, notification: &Notification) -> bool {
        let feeds: Vec<_> = self.lock().feeds.iter().filter_map(Weak::upgrade).collect();
        // All of them, not only the first that takes it.
        feeds.iter().filter(|feed| feed.take(notification)).count() > 0
    }

    /// Counts one more watch of a resource; `send` goes out in order with what other watches of it send.
    pub(super) fn follow<T>(&self, uri: &str, send: impl FnOnce() -> T) -> T {
        let mut table = self.lock();
        *table.followed.entry(uri.to_owned()).or_default() += 1;
        send()
    }

    /// Counts one less; `send` is called where it was the last.
    pub(super) fn unfollow(&self, uri: &str, send: impl FnOnce()) {
        let mut table = self.lock();
        let Some(count) = table.followed.get_mut(uri) else { return };
        *count -= 1;
        if *count == 0 {
            table.followed.remove(uri);
            send();
        }
    }
}
