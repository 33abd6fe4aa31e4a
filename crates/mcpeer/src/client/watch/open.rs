use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    sync::Arc,
};

use super::{Watch, feed::Feed, life::Life};
use crate::{
    client::{Backoff, Client},
    driver::BoxFuture,
    error::Result,
    model::subscriptions::Filter,
};

/// A watch that is to be opened. [`Client::watch`] begins one; awaiting it gives the [`Watch`] once the server has said
/// what it will tell.
///
/// ```
/// # use mcpeer::client::Client;
/// use mcpeer::model::subscriptions::Filter;
///
/// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
/// let mut watch = client.watch(Filter::new().tools_list_changed(true)).capacity(16).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a watch is opened when it is awaited"]
pub struct OpenWatch {
    client: Client,
    filter: Filter,
    capacity: usize,
    backoff: Backoff,
}

impl OpenWatch {
    pub(in crate::client) fn new(client: Client, filter: Filter) -> Self {
        Self { client, filter, capacity: 1024, backoff: Backoff::default() }
    }

    /// Sets how many different changes wait for a reader that is slow; 1,024 unless set. The same change is kept once,
    /// however often it happened. Beyond, the watch [ends](super::Ended::Overrun).
    ///
    /// ```
    /// # use mcpeer::{client::Client, model::subscriptions::Filter};
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let watch = client.watch(Filter::new().tools_list_changed(true)).capacity(16).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn capacity(mut self, changes: usize) -> Self {
        self.capacity = changes.max(1);
        self
    }

    /// Sets how long to wait before the server is asked again where its stream broke off.
    ///
    /// ```
    /// # use mcpeer::{client::{Backoff, Client}, model::subscriptions::Filter};
    /// # use std::time::Duration;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));
    /// let watch = client.watch(Filter::new().tools_list_changed(true)).backoff(backoff).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }
}

impl IntoFuture for OpenWatch {
    type Output = Result<Watch>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Watch>> + Send>>;

    fn into_future(self) -> BoxFuture<Result<Watch>> {
        Box::pin(async move {
            let feed = Arc::new(Feed::new(self.filter, self.capacity));
            self.client.watches().add(&feed);
            let mut life = Life::new(self.client, feed.clone(), self.backoff);
            life.open().await?;
            Ok(Watch::new(feed, Box::pin(life.run())))
        })
    }
}

impl fmt::Debug for OpenWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenWatch").field("filter", &self.filter).finish_non_exhaustive()
    }
}
