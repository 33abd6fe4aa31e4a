use std::{fmt, sync::Arc, time::Duration};

use super::{Memory, Store};

/// How a client keeps answers. [`Builder::cache`](super::super::Builder::cache) takes it.
///
/// ```
/// use std::time::Duration;
/// use mcpeer::client::{Client, cache::Cache};
///
/// let builder = Client::builder("me", "1.0.0").cache(Cache::new().default_ttl(Duration::from_secs(5)));
/// # let _ = builder;
/// ```
#[derive(Clone)]
pub struct Cache {
    pub(super) store: Arc<dyn Store>,
    pub(super) server: Option<Arc<str>>,
    pub(super) partition: Option<Arc<str>>,
    pub(super) default_ttl: Option<Duration>,
    pub(super) max_ttl: Duration,
}

impl Cache {
    /// Keeps answers in [memory](Memory), for one client alone.
    ///
    /// ```
    /// # use mcpeer::client::cache::Cache;
    /// let cache = Cache::new();
    /// # let _ = cache;
    /// ```
    pub fn new() -> Self {
        Self {
            store: Arc::new(Memory::new()),
            server: None,
            partition: None,
            default_ttl: None,
            max_ttl: Duration::from_secs(24 * 3600),
        }
    }

    /// Keeps answers in a store. What several clients share of it, [`server`](Self::server) and
    /// [`partition`](Self::partition) say.
    ///
    /// ```
    /// use std::sync::Arc;
    /// # use mcpeer::client::cache::{Cache, Memory};
    /// let store = Arc::new(Memory::new());
    /// let cache = Cache::new().store(store.clone());
    /// # let _ = cache;
    /// ```
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Names the server: where one name is given twice it is the same server, and answers that are public are served to
    /// all of its clients. Take what you trust to be its own, such as its address or the command that starts it.
    ///
    /// Unless it is named, a client shares nothing with others.
    ///
    /// ```
    /// # use mcpeer::client::cache::Cache;
    /// let cache = Cache::new().server("https://example.com/mcp");
    /// # let _ = cache;
    /// ```
    #[must_use]
    pub fn server(mut self, name: impl Into<Arc<str>>) -> Self {
        self.server = Some(name.into());
        self
    }

    /// Names by what authorization the client asks: answers that are private are served to clients with the same one.
    ///
    /// Unless it is named, a client shares nothing private with others.
    ///
    /// ```
    /// # use mcpeer::client::cache::Cache;
    /// let cache = Cache::new().server("https://example.com/mcp").partition("alice");
    /// # let _ = cache;
    /// ```
    #[must_use]
    pub fn partition(mut self, name: impl Into<Arc<str>>) -> Self {
        self.partition = Some(name.into());
        self
    }

    /// Sets for how long answers are fresh where the server does not say so, as none of the stateful era does. Unless it
    /// is set such answers are not kept.
    ///
    /// ```
    /// # use mcpeer::client::cache::Cache;
    /// let cache = Cache::new().default_ttl(std::time::Duration::from_secs(5));
    /// # let _ = cache;
    /// ```
    #[must_use]
    pub fn default_ttl(mut self, ttl: Duration) -> Self {
        self.default_ttl = Some(ttl);
        self
    }

    /// Sets for how long answers are fresh at most, whatever the server says: a day unless set.
    ///
    /// ```
    /// # use mcpeer::client::cache::Cache;
    /// let cache = Cache::new().max_ttl(std::time::Duration::from_secs(600));
    /// # let _ = cache;
    /// ```
    #[must_use]
    pub fn max_ttl(mut self, ttl: Duration) -> Self {
        self.max_ttl = ttl;
        self
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("server", &self.server)
            .field("partition", &self.partition)
            .field("default_ttl", &self.default_ttl)
            .field("max_ttl", &self.max_ttl)
            .finish_non_exhaustive()
    }
}
