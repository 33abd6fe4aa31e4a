use std::{
    fmt,
    time::{Duration, Instant},
};

use super::{Change, Watch};
use crate::{
    client::{Client, List, Listed},
    driver::after,
    error::Result,
    model::{
        prompts::Prompt,
        resources::{Resource, ResourceTemplate},
        subscriptions::Filter,
        tools::Tool,
    },
};

/// A list of a server's, and the list again whenever it has changed. [`Client::follow_tools`],
/// [`Client::follow_prompts`], [`Client::follow_resources`] and [`Client::follow_resource_templates`] open one.
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
#[must_use = "dropping it ends it"]
pub struct Follow<T = Tool> {
    client: Client,
    list: List<T>,
    watch: Watch,
    interval: Duration,
    /// Whether what was given last no longer holds.
    is_due: bool,
    last: Option<Instant>,
}

/// The list of a server's tools, and the list again whenever it has changed.
pub type FollowTools = Follow<Tool>;

impl<T: Listed> Follow<T> {
    pub(in crate::client) async fn open(client: Client, filter: Filter) -> Result<Self> {
        let watch = client.watch(filter).await?;
        // What was kept before anybody watched may be older than a change that nobody told.
        let list = List::new(client.clone()).refresh();
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
    pub async fn next(&mut self) -> Option<Result<Vec<T>>> {
        while !self.is_due {
            self.is_due = matches!(self.watch.next().await?, Change::Tools | Change::Prompts | Change::Resources);
        }
        let clock = self.client.remote().options().runtime.clock.clone();
        if let Some(last) = self.last {
            clock.sleep_until(after(last, self.interval)).await;
        }
        // The list that is asked for now has all that was told up to now.
        self.watch.skip();
        let all = self.list.all().await;
        self.last = Some(clock.now());
        self.is_due = all.is_err() && !self.client.peer().is_closed();
        Some(all)
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

impl Client {
    /// Follows the list of tools: gives it now, and anew whenever it has changed.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
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
    pub async fn follow_tools(&self) -> Result<Follow<Tool>> {
        Follow::open(self.clone(), Filter::new().tools_list_changed(true)).await
    }

    /// Follows the list of prompts: gives it now, and anew whenever it has changed.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut lists = client.follow_prompts().await?;
    /// while let Some(prompts) = lists.next().await {
    ///     println!("{} prompts", prompts?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn follow_prompts(&self) -> Result<Follow<Prompt>> {
        Follow::open(self.clone(), Filter::new().prompts_list_changed(true)).await
    }

    /// Follows the list of resources: gives it now, and anew whenever it has changed.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut lists = client.follow_resources().await?;
    /// while let Some(resources) = lists.next().await {
    ///     println!("{} resources", resources?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn follow_resources(&self) -> Result<Follow<Resource>> {
        Follow::open(self.clone(), Filter::new().resources_list_changed(true)).await
    }

    /// Follows the list of resource templates: gives it now, and anew whenever it has changed.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut lists = client.follow_resource_templates().await?;
    /// while let Some(resource_templates) = lists.next().await {
    ///     println!("{} resource templates", resource_templates?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn follow_resource_templates(&self) -> Result<Follow<ResourceTemplate>> {
        Follow::open(self.clone(), Filter::new().resources_list_changed(true)).await
    }
}

impl<T> fmt::Debug for Follow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follow").field("watch", &self.watch).field("interval", &self.interval).finish_non_exhaustive()
    }
}
