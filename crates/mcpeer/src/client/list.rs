use std::{
    collections::HashSet,
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
    vec,
};

use futures_core::Stream;

use super::Client;
use crate::{
    error::{Error, Result},
    model::tools::{ListParams, ListResult, Tool},
    peer::Sent,
    proto::io::Failure,
    rpc::Raw,
};

/// The list of a server's tools, to be asked for as a whole, page by page, or tool by tool. [`Client::tools`] gives it.
///
/// ```
/// # use mcpeer::{client::Client, server::Server, transport::memory};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// # let (ours, theirs) = memory::pair();
/// # tokio::spawn(async move { server.serve(theirs).await });
/// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
/// let tools = client.tools().all().await?;
/// assert_eq!(tools[0].name, "now");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is asked for until one of the methods is called"]
pub struct ListTools {
    client: Client,
    max_pages: usize,
    timeout: Option<Duration>,
}

impl ListTools {
    pub(super) fn new(client: Client) -> Self {
        Self { client, max_pages: 1000, timeout: None }
    }

    /// Sets how many pages are asked for before the list counts as endless; 1,000 unless set.
    ///
    /// ```
    /// # use mcpeer::client::{Client, ListTools};
    /// # fn example(client: &Client) -> ListTools {
    /// client.tools().max_pages(10)
    /// # }
    /// ```
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.max_pages = pages;
        self
    }

    /// Sets how long to wait for each page; the [client's](super::Builder::timeout) unless set.
    ///
    /// ```
    /// # use mcpeer::client::{Client, ListTools};
    /// # fn example(client: &Client) -> ListTools {
    /// client.tools().timeout(std::time::Duration::from_secs(5))
    /// # }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Asks for every page, and gives all the tools. Entries that are no tools are left out.
    ///
    /// # Errors
    ///
    /// A page could not be had; or the list does not end, because a page came back twice or there are
    /// [too many](Self::max_pages).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let names: Vec<_> = client.tools().all().await?.into_iter().map(|tool| tool.name).collect();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn all(&self) -> Result<Vec<Tool>> {
        let mut stream = self.stream();
        let mut tools = Vec::new();
        while let Some(tool) = stream.next().await {
            tools.push(tool?);
        }
        Ok(tools)
    }

    /// Asks for one page: the first, or the one that an earlier page's `next_cursor` names.
    ///
    /// # Errors
    ///
    /// The page could not be had.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let first = client.tools().page(None).await?;
    /// if let Some(cursor) = &first.next_cursor {
    ///     let second = client.tools().page(Some(cursor)).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page(&self, cursor: Option<&str>) -> Result<ListResult> {
        page(self.ask(cursor).await?)
    }

    /// Gives one tool after the other, and asks for a page when the one before is used up.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut tools = client.tools().stream();
    /// while let Some(tool) = tools.next().await {
    ///     println!("{}", tool?.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&self) -> ToolStream {
        ToolStream {
            list: self.clone(),
            page: Vec::new().into_iter(),
            state: State::Next(None),
            pages: 0,
            cursors: HashSet::new(),
        }
    }

    fn ask(&self, cursor: Option<&str>) -> Sent<Raw> {
        let mut params = ListParams::new();
        params.cursor = cursor.map(str::to_owned);
        let params = Raw::from_value(&params).expect("text can always be written");
        let call = self.client.peer().request_raw(METHOD, Some(params));
        match self.timeout {
            Some(timeout) => call.timeout(timeout).send(),
            None => call.send(),
        }
    }
}

/// The tools of a server, one after the other: a [`Stream`]. It ends with the list, or with an error.
///
/// ```
/// # use mcpeer::{client::Client, server::Server, transport::memory};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// # let (ours, theirs) = memory::pair();
/// # tokio::spawn(async move { server.serve(theirs).await });
/// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
/// let mut tools = client.tools().stream();
/// assert_eq!(tools.next().await.unwrap()?.name, "now");
/// assert!(tools.next().await.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a stream does nothing unless it is polled"]
pub struct ToolStream {
    list: ListTools,
    page: vec::IntoIter<Tool>,
    state: State,
    pages: usize,
    /// The cursors that were followed.
    cursors: HashSet<String>,
}

enum State {
    /// The page at this cursor is next.
    Next(Option<String>),
    Asked(Sent<Raw>),
    Over,
}

impl ToolStream {
    /// Gives the next tool; `None` at the end of the list.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost when the future is dropped.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut tools = client.tools().stream();
    /// let first = tools.next().await.transpose()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Tool>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Takes in a page.
    fn turn(&mut self, answer: Result<Raw>) -> Result<()> {
        let found = page(answer?)?;
        for skipped in found.tools.skipped() {
            tracing::warn!(
                position = skipped.position,
                reason = skipped.reason,
                "left out an entry of the list of tools that is no tool"
            );
        }
        self.page = found.tools.into_iter();
        let Some(cursor) = found.next_cursor else { return Ok(()) };
        if self.pages >= self.list.max_pages {
            return Err(endless(format!("the list of tools has more than {} pages", self.pages)));
        }
        if !self.cursors.insert(cursor.clone()) {
            return Err(endless(format!("the list of tools does not end: it comes to the cursor {cursor:?} again")));
        }
        self.state = State::Next(Some(cursor));
        Ok(())
    }
}

impl Stream for ToolStream {
    type Item = Result<Tool>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(tool) = this.page.next() {
                return Poll::Ready(Some(Ok(tool)));
            }
            match &mut this.state {
                State::Next(cursor) => {
                    this.pages += 1;
                    this.state = State::Asked(this.list.ask(cursor.take().as_deref()));
                }
                State::Asked(sent) => {
                    let answer = ready!(Pin::new(sent).poll(cx));
                    this.state = State::Over;
                    if let Err(error) = this.turn(answer) {
                        this.page = Vec::new().into_iter();
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                State::Over => return Poll::Ready(None),
            }
        }
    }
}

impl fmt::Debug for ToolStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolStream").field("list", &self.list).field("pages", &self.pages).finish_non_exhaustive()
    }
}

const METHOD: &str = "tools/list";

fn page(raw: Raw) -> Result<ListResult> {
    raw.decode().map_err(|source| Error::decode("result", METHOD, raw, &source))
}

fn endless(reason: String) -> Error {
    Error::failed(METHOD, Failure::Invalid { reason, raw: None })
}
