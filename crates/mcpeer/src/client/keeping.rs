//! What a client keeps of answers, and how much it asks of them.

use std::sync::Arc;

use super::{Builder, CallTool, Client, cache::Cache};

/// What is done with answers.
pub(super) struct Answered {
    pub(super) cache: Option<Cache>,
    pub(super) checks_outputs: bool,
    pub(super) is_strict: bool,
}

impl Default for Answered {
    fn default() -> Self {
        Self { cache: Some(Cache::new()), checks_outputs: true, is_strict: false }
    }
}

impl Builder {
    /// Sets how answers are [kept](super::cache) that the server says are fresh for a time: in memory, and for this
    /// client alone, unless set.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use mcpeer::client::{Client, cache::{Cache, Memory}};
    ///
    /// let store = Arc::new(Memory::new());
    /// let cache = Cache::new().store(store.clone()).server("./files --read-only");
    /// let first = Client::builder("me", "1.0.0").cache(cache.clone());
    /// let second = Client::builder("me", "1.0.0").cache(cache);
    /// # let _ = (first, second);
    /// ```
    pub fn cache(mut self, cache: Cache) -> Self {
        self.answered.cache = Some(cache);
        self
    }

    /// Keeps no answers: each request goes to the server.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").no_cache();
    /// # let _ = builder;
    /// ```
    pub fn no_cache(mut self) -> Self {
        self.answered.cache = None;
        self
    }

    /// Takes results of tools as they are. Unless this is set, and with the feature `schema`, the structured content of
    /// a call's result is checked against the output schema that the tool had when the client listed the tools last; one
    /// that does not fit is an [error](crate::error::Error::is_output_mismatch). Results that say that the tool failed
    /// are not checked, nor those of a tool whose schema cannot be used, of which the log tells.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").unchecked_outputs();
    /// # let _ = builder;
    /// ```
    pub fn unchecked_outputs(mut self) -> Self {
        self.answered.checks_outputs = false;
        self
    }

    /// Takes no result of the stateless era that lacks what it must have: `resultType`, and `ttlMs` and `cacheScope`
    /// where it may be kept. Such a result is an error of which the server is [at
    /// fault](crate::error::Error::is_peer_misbehaved). Unless this is set, one without the first counts as complete,
    /// and one without the others is not kept: there are servers like that. What a server says when it is connected to
    /// is taken in any case.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// let builder = Client::builder("me", "1.0.0").strict();
    /// # let _ = builder;
    /// ```
    pub fn strict(mut self) -> Self {
        self.answered.is_strict = true;
        self
    }
}

impl Client {
    /// Forgets the answers that are [kept](super::cache) of this server, for all clients that share them.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.clear_cache();
    /// let tools = client.tools().all().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn clear_cache(&self) {
        self.keeper().clear();
    }

    /// Says that the client asks by another authorization from now on: what is [kept](super::cache) for the earlier one
    /// alone is not served to this one.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// fn log_in(client: &Client, user: &str) {
    ///     client.set_cache_partition(user);
    /// }
    /// ```
    pub fn set_cache_partition(&self, name: impl Into<Arc<str>>) {
        self.keeper().set_partition(name.into());
    }
}

impl<O> CallTool<O> {
    /// Takes the result as it is, without a look at the tool's output schema. See
    /// [`Builder::unchecked_outputs`](super::Builder::unchecked_outputs).
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").unchecked()
    /// # }
    /// ```
    pub fn unchecked(mut self) -> Self {
        self.is_checked = false;
        self
    }
}
