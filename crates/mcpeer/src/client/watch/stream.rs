use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;

use super::{Change, feed::Feed};
use crate::{driver::BoxFuture, error::Error, model::subscriptions::Filter};

/// The changes that a server tells of, one after the other: a [`Stream`]. [`Client::watch`](super::super::Client::watch)
/// opens one.
///
/// A change that waits to be read is kept once, however often it happens. Where the server's stream breaks off or the
/// server is started again, it is asked anew, and all that it honours is given once as changed, since nobody told what
/// happened meanwhile; that goes on while the watch is read. Dropping it ends it at the server.
///
/// ```
/// use mcpeer::{client::{Change, Client, Ended}, model::subscriptions::Filter};
///
/// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
/// let mut watch = client.watch(Filter::new().tools_list_changed(true)).await?;
/// while let Some(change) = watch.next().await {
///     if change == Change::Tools {
///         println!("{} tools now", client.tools().all().await?.len());
///     }
/// }
/// if let Some(Ended::Refused(error)) = watch.ended() {
///     eprintln!("{error}");
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "dropping a watch ends it"]
pub struct Watch {
    feed: Arc<Feed>,
    life: Option<BoxFuture<Ended>>,
    ended: Option<Ended>,
}

/// Why a [`Watch`] has ended.
///
/// ```
/// assert_eq!(mcpeer::client::Ended::Server.to_string(), "the server ended the watch");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Ended {
    /// The server ended it in an orderly way.
    Server,
    /// The connection has ended.
    Closed,
    /// More different changes came than are [kept](super::OpenWatch::capacity), since the watch was not read.
    Overrun,
    /// Its stream broke off, and the server refused to open it anew.
    Refused(Error),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server => f.write_str("the server ended the watch"),
            Self::Closed => f.write_str("the connection has ended"),
            Self::Overrun => f.write_str("more changes came than are kept: read faster, or watch less"),
            Self::Refused(error) => write!(f, "the server does not open it anew: {error}"),
        }
    }
}

impl Watch {
    pub(super) fn new(feed: Arc<Feed>, life: BoxFuture<Ended>) -> Self {
        Self { feed, life: Some(life), ended: None }
    }

    /// Gives the next change; `None` once the watch has ended.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost when the future is dropped.
    ///
    /// ```
    /// # use mcpeer::client::Watch;
    /// async fn first(watch: &mut Watch) {
    ///     println!("{:?}", watch.next().await);
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Change> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Gives what of the filter the server honours: of the rest it will not tell.
    ///
    /// ```
    /// # use mcpeer::client::Watch;
    /// fn tells_of_tools(watch: &Watch) -> bool {
    ///     watch.honoured().tools_list_changed == Some(true)
    /// }
    /// ```
    pub fn honoured(&self) -> Filter {
        self.feed.honoured().unwrap_or_default()
    }

    /// Gives why the watch has ended, once it has given its last change.
    ///
    /// ```
    /// # use mcpeer::client::Watch;
    /// fn report(watch: &Watch) {
    ///     if let Some(ended) = watch.ended() {
    ///         eprintln!("{ended}");
    ///     }
    /// }
    /// ```
    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// Forgets the changes that wait.
    pub(super) fn skip(&mut self) {
        while self.feed.poll_change(&Context::from_waker(std::task::Waker::noop())).is_ready() {}
    }

    fn end(&mut self, ended: Ended) {
        self.life = None;
        self.ended = Some(ended);
    }
}

impl Stream for Watch {
    type Item = Change;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Change>> {
        let this = &mut *self;
        loop {
            if let Poll::Ready(change) = this.feed.poll_change(cx) {
                return Poll::Ready(Some(change));
            }
            let Some(life) = &mut this.life else { return Poll::Ready(None) };
            if this.feed.is_overrun() {
                this.end(Ended::Overrun);
            } else {
                let ended = std::task::ready!(life.as_mut().poll(cx));
                this.end(ended);
            }
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("honoured", &self.honoured()).field("ended", &self.ended).finish_non_exhaustive()
    }
}
