use std::time::{Duration, Instant};

use super::{Change, Watch};
use crate::{
    client::{Client, ListTools},
    error::Result,
    model::{subscriptions::Filter, tools::Tool},
};

/// The list of a server's tools, and the list again whenever it has changed. [`Client::follow_tools`] opens it.
///
/// However fast the server says that they have changed, one list is asked for at a time, and the next not before the
/// [interval](Self::interval) has passed.
///
/// ```
/// # use mcpeer::client::Client;
/// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
/// let mut lists = client.follow_tools().await?;
/// while let Some(tools) = lists.next().await {
///     println!("{} tools", tools?.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "dropping it ends it"]
pub struct FollowTools {
    client: Client,
    list: ListTools,
    watch: Watch,
    interval: Duration,
    /// Whether what was given last no longer holds.
    is_due: bool,
    last: Option<Instant>,
}

impl FollowTools {
    pub(in crate::client) async fn open(client: Client) -> Result<Self> {
        let watch = client.watch(Filter::new().tools_list_changed(true)).await?;
        let list = client.tools();
        Ok(Self { client, list, watch, interval: Duration::from_secs(1), is_due: true, last: None })
    }

    /// Sets how long to wait at least between two lists; a second unless set.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # use std::time::Duration;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut lists = client.follow_tools().await?.interval(Duration::from_millis(300));
    /// # Ok(())
    /// # }
    /// ```
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Gives the list, and from the second time on the list after it has changed; `None` once the server no longer
    /// tells. After an error the list is asked for again.
    ///
    /// # Cancel safety
    ///
    /// A list that was asked for is asked for again when the future is dropped.
    ///
    /// ```
    /// # use mcpeer::client::FollowTools;
    /// async fn first(lists: &mut FollowTools) {
    ///     println!("{:?}", lists.next().await);
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Vec<Tool>>> {
        while !self.is_due {
            self.is_due = self.watch.next().await? == Change::Tools;
        }
        let clock = self.client.remote().options().runtime.clock.clone();
        if let Some(last) = self.last {
            clock.sleep_until(last + self.interval).await;
        }
        // The list that is asked for now has all that was told up to now.
        self.watch.skip();
        let tools = self.list.all().await;
        self.last = Some(clock.now());
        self.is_due = tools.is_err() && !self.client.peer().is_closed();
        Some(tools)
    }

    /// Gives the watch that tells of changes: what the server honours, and why it has ended.
    ///
    /// ```
    /// # use mcpeer::client::FollowTools;
    /// fn is_told(lists: &FollowTools) -> bool {
    ///     lists.watch().honoured().tools_list_changed == Some(true)
    /// }
    /// ```
    pub fn watch(&self) -> &Watch {
        &self.watch
    }
}
