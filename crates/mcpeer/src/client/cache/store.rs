use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use crate::{
    rpc::{Raw, RawRef},
    version::Revision,
};

/// Where answers are kept. [`Memory`](super::Memory) is one; one serves any number of clients.
///
/// Its methods are called where requests are begun and where the connection is read, so they must not wait: that an
/// answer no longer holds is known before anybody can hear why. What they keep belongs to this process and this run of
/// it. A store may lose any entry at any time, and nothing is wrong with its answers but that they are asked for again.
///
/// ```
/// use std::{collections::HashMap, sync::Mutex};
/// use mcpeer::client::{Client, cache::{About, Cache, Entry, Key, Store}};
///
/// #[derive(Default)]
/// struct Unbounded(Mutex<HashMap<Key, Entry>>);
///
/// impl Store for Unbounded {
///     fn get(&self, key: &Key) -> Option<Entry> {
///         self.0.lock().unwrap().get(key).cloned()
///     }
///
///     fn put(&self, key: Key, entry: Entry) {
///         self.0.lock().unwrap().insert(key, entry);
///     }
///
///     fn forget(&self, about: &About) {
///         self.0.lock().unwrap().retain(|key, _| !about.covers(key));
///     }
/// }
///
/// let builder = Client::builder("me", "1.0.0").cache(Cache::new().store(Unbounded::default()));
/// # let _ = builder;
/// ```
pub trait Store: Send + Sync + 'static {
    /// Gives what is kept at a key. Whether it is still fresh the client looks at.
    fn get(&self, key: &Key) -> Option<Entry>;

    /// Keeps an answer, in place of what was kept at its key.
    fn put(&self, key: Key, entry: Entry);

    /// Drops all that does not hold any longer.
    fn forget(&self, about: &About);
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn get(&self, key: &Key) -> Option<Entry> {
        (**self).get(key)
    }

    fn put(&self, key: Key, entry: Entry) {
        (**self).put(key, entry);
    }

    fn forget(&self, about: &About) {
        (**self).forget(about);
    }
}

/// What an answer is kept by: server, who may be served it, method and params, and what else it may depend on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub(super) owner: Owner,
    pub(super) method: Arc<str>,
    pub(super) params: Arc<str>,
}

/// Of whom, and for whom, an answer is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    pub(super) server: Name,
    /// `None` where anybody may be served it.
    pub(super) partition: Option<Name>,
    pub(super) revision: Revision,
    /// The capabilities of the client.
    pub(super) capabilities: Arc<str>,
}

/// A name that was given, or that of one client alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Given(Arc<str>),
    Own(u64),
}

impl Name {
    pub(super) fn own() -> Self {
        Self::Own(stamp())
    }
}

impl Key {
    /// Gives the method.
    ///
    /// ```
    /// # use mcpeer::client::cache::Key;
    /// fn is_list(key: &Key) -> bool {
    ///     key.method().ends_with("/list")
    /// }
    /// ```
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Gives the params as JSON, without `_meta` and with members in order.
    ///
    /// ```
    /// # use mcpeer::client::cache::Key;
    /// fn is_first_page(key: &Key) -> bool {
    ///     key.params() == "{}"
    /// }
    /// ```
    pub fn params(&self) -> &str {
        &self.params
    }

    /// Whether anybody may be served what is kept here.
    ///
    /// ```
    /// # use mcpeer::client::cache::Key;
    /// fn is_secret(key: &Key) -> bool {
    ///     !key.is_public()
    /// }
    /// ```
    pub fn is_public(&self) -> bool {
        self.owner.partition.is_none()
    }

    pub(super) fn uri(&self) -> Option<Cow<'_, str>> {
        self.member("uri")
    }

    pub(super) fn is_later_page(&self) -> bool {
        self.member("cursor").is_some()
    }

    fn member(&self, name: &str) -> Option<Cow<'_, str>> {
        RawRef::trusted(&self.params).member(name)?.as_string()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Owner { server, partition, .. } = &self.owner;
        f.debug_struct("Key")
            .field("server", server)
            .field("partition", partition)
            .field("method", &self.method)
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

/// An answer that is kept.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(super) result: Raw,
    pub(super) fresh_until: Instant,
    /// When it was asked for, among all that happens to answers in this process.
    pub(super) asked: u64,
}

impl Entry {
    /// Gives the result.
    ///
    /// ```
    /// # use mcpeer::client::cache::Entry;
    /// fn size(entry: &Entry) -> usize {
    ///     entry.result().as_str().len()
    /// }
    /// ```
    pub fn result(&self) -> &Raw {
        &self.result
    }

    /// Gives until when it is fresh, by the [clock](crate::driver::Clock) of the client that asked.
    ///
    /// ```
    /// # use mcpeer::client::cache::Entry;
    /// fn is_stale(entry: &Entry, now: std::time::Instant) -> bool {
    ///     entry.fresh_until() <= now
    /// }
    /// ```
    pub fn fresh_until(&self) -> Instant {
        self.fresh_until
    }
}

/// What does not hold any longer.
#[derive(Clone, Debug)]
pub struct About {
    pub(super) server: Name,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Everything,
    /// All pages of a list, of whomever they are.
    List(&'static str),
    /// A resource, those under it and those above it.
    Resource(Box<str>),
    /// One answer.
    One(Key),
    /// The pages of a list, of an owner, but for the first.
    LaterPages(Key),
}

impl About {
    /// Whether it is about what is kept at this key.
    ///
    /// ```
    /// use std::collections::HashMap;
    /// # use mcpeer::client::cache::{About, Entry, Key};
    /// fn forget(entries: &mut HashMap<Key, Entry>, about: &About) {
    ///     entries.retain(|key, _| !about.covers(key));
    /// }
    /// ```
    pub fn covers(&self, key: &Key) -> bool {
        self.server == key.owner.server
            && match &self.what {
                What::Everything => true,
                What::List(method) => *key.method == **method,
                What::Resource(uri) => *key.method == *READ && key.uri().is_some_and(|kept| concerns(uri, &kept)),
                What::One(one) => one == key,
                What::LaterPages(first) => {
                    key.method == first.method && key.owner == first.owner && key.is_later_page()
                }
            }
    }
}

/// Whether word of a change of one resource concerns another: it may tell of one that lies under what is read.
pub(super) fn concerns(changed: &str, uri: &str) -> bool {
    lies_under(changed, uri) || lies_under(uri, changed)
}

fn lies_under(uri: &str, above: &str) -> bool {
    uri.strip_prefix(above).is_some_and(|rest| rest.is_empty() || above.ends_with('/') || rest.starts_with('/'))
}

/// Gives a number that is greater than all that it gave before: what happened first has the smaller one. It does what no
/// clock can that may stand still.
pub(super) fn stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

pub(super) const READ: &str = "resources/read";
