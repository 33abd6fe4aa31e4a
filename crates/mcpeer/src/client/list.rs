use std::{
    collections::HashSet,
    fmt,
    future::{Future, poll_fn},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
    vec,
};

use futures_core::Stream;
use serde::de::DeserializeOwned;

use super::Client;
use crate::{
    error::{Error, Result},
    model::{
        Items,
        extensions::skills::{self, Skill},
        pagination::ListParams,
        prompts::{self, Prompt},
        resources::{self, Resource, ResourceTemplate},
        tools::{self, Tool},
    },
    peer::{Freshness, Sent},
    proto::io::Failure,
    rpc::{self, Raw},
};

/// What a server has a list of: tools, resources, resource templates, prompts, skills.
///
/// ```
/// use mcpeer::{client::{Client, List, Listed}, error::Result};
///
/// async fn count<T: Listed>(list: List<T>) -> Result<usize> {
///     Ok(list.all().await?.len())
/// }
/// # async fn example(client: &Client) -> Result<()> {
/// println!("{} prompts, {} resources", count(client.prompts()).await?, count(client.resources()).await?);
/// # Ok(())
/// # }
/// ```
pub trait Listed: DeserializeOwned + Send + Unpin + 'static + sealed::Listed {
    /// A page of the list.
    type Page: DeserializeOwned + Send;
}

mod sealed {
    /// How the pages of a list are asked for and read.
    pub trait Listed: Sized {
        const METHOD: &'static str;
        const CAPABILITY: &'static str;
        const MEMBER: &'static str;
        /// Whether the server is asked at all.
        fn may_ask(client: &super::Client) -> super::Result<bool> {
            Ok(client.may_ask(Self::CAPABILITY))
        }
        /// What tells items apart.
        fn key(&self) -> &str;
        fn split(page: <Self as super::Listed>::Page) -> (super::Items<Self>, Option<String>)
        where
            Self: super::Listed;
    }
}

macro_rules! listed {
    ($($item:ty: $page:ty, $method:literal, $capability:literal, $member:literal, $field:ident, $key:ident;)*) => {$(
        impl Listed for $item {
            type Page = $page;
        }

        impl sealed::Listed for $item {
            const METHOD: &'static str = $method;
            const CAPABILITY: &'static str = $capability;
            const MEMBER: &'static str = $member;

            fn key(&self) -> &str {
                &self.$key
            }

            fn split(page: $page) -> (Items<Self>, Option<String>) {
                (page.$field, page.next_cursor)
            }
        }
    )*};
}

listed! {
    Tool: tools::ListResult, "tools/list", "tools", "tools", tools, name;
    Resource: resources::ListResult, "resources/list", "resources", "resources", resources, uri;
    ResourceTemplate: resources::ListTemplatesResult, "resources/templates/list", "resources", "resourceTemplates",
        resource_templates, uri_template;
    Prompt: prompts::ListResult, "prompts/list", "prompts", "prompts", prompts, name;
}

impl Listed for Skill {
    type Page = skills::ListResult;
}

impl sealed::Listed for Skill {
    const METHOD: &'static str = "skills/list";
    const CAPABILITY: &'static str = skills::IDENTIFIER;
    const MEMBER: &'static str = "skills";

    /// Only who knows of an extension asks for its list: that there is none must not look like an empty one.
    fn may_ask(client: &Client) -> Result<bool> {
        match client.server_extension(skills::IDENTIFIER) {
            Some(_) => Ok(true),
            None => Err(Error::misuse(format!("the server does not declare the extension `{}`", skills::IDENTIFIER))),
        }
    }

    fn key(&self) -> &str {
        &self.uri
    }

    fn split(page: skills::ListResult) -> (Items<Self>, Option<String>) {
        (page.skills, page.next_cursor)
    }
}

/// The list of a server's tools.
pub type ListTools = List<Tool>;

/// The tools of a server, one after the other.
pub type ToolStream = ListStream<Tool>;

/// A list of a server, to be asked for as a whole, page by page, or item by item. [`Client::tools`],
/// [`Client::resources`], [`Client::resource_templates`] and [`Client::prompts`] give them.
///
/// Where the server does not declare that it has any, the list is empty and the server is not asked, unless the client
/// is [strict](super::Builder::strict_capabilities).
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
#[must_use = "nothing is asked for until one of the methods is called"]
pub struct List<T> {
    client: Client,
    max_pages: usize,
    timeout: Option<Duration>,
    freshness: Freshness,
    item: PhantomData<fn() -> T>,
}

impl<T: Listed> List<T> {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, max_pages: 1000, timeout: None, freshness: Freshness::default(), item: PhantomData }
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

    /// Asks the server for each page, whatever is [kept](super::cache), and keeps what it answers.
    ///
    /// ```
    /// # use mcpeer::client::{Client, ListTools};
    /// # fn example(client: &Client) -> ListTools {
    /// client.tools().refresh()
    /// # }
    /// ```
    pub fn refresh(mut self) -> Self {
        self.freshness = Freshness::New;
        self
    }

    /// Asks the server for each page, and leaves what is [kept](super::cache) as it is.
    ///
    /// ```
    /// # use mcpeer::client::{Client, ListTools};
    /// # fn example(client: &Client) -> ListTools {
    /// client.tools().no_cache()
    /// # }
    /// ```
    pub fn no_cache(mut self) -> Self {
        self.freshness = Freshness::Apart;
        self
    }

    /// Asks for every page, and gives all items. Entries of the wrong shape are left out, and of several with one name
    /// (or address) all but the first.
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
    pub async fn all(&self) -> Result<Vec<T>> {
        let mut stream = self.stream();
        match stream.gather().await {
            // The list that the pages were of that were kept is no more.
            Err(error) if stream.is_of_kept && is_refused_cursor(&error) => {
                self.clone().refresh().stream().gather().await
            }
            outcome => outcome,
        }
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
    pub async fn page(&self, cursor: Option<&str>) -> Result<T::Page> {
        page::<T>(self.page_raw(cursor).await?)
    }

    /// Asks for one page, as JSON as it came: the first, or the one that an earlier page's `nextCursor` names.
    ///
    /// # Errors
    ///
    /// The page could not be had.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let first = client.tools().page_raw(None).await?;
    /// println!("{}", first.as_str());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page_raw(&self, cursor: Option<&str>) -> Result<Raw> {
        if !T::may_ask(&self.client)? {
            return Ok(Raw::trusted(format!("{{\"{}\":[]}}", T::MEMBER)));
        }
        self.ask(cursor).await
    }

    /// Gives one item after the other, and asks for a page when the one before is used up.
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
    pub fn stream(&self) -> ListStream<T> {
        let state = match T::may_ask(&self.client) {
            Ok(true) => State::Next(None),
            Ok(false) => State::Over,
            Err(error) => State::Refused(error),
        };
        ListStream {
            list: self.clone(),
            page: Vec::new().into_iter(),
            state,
            pages: 0,
            cursors: HashSet::new(),
            keys: HashSet::new(),
            is_of_kept: false,
        }
    }

    fn ask(&self, cursor: Option<&str>) -> Sent<Raw> {
        let mut params = ListParams::new();
        params.cursor = cursor.map(str::to_owned);
        let params = Raw::from_value(&params).expect("text can always be written");
        let call = self.client.asking().request_raw(T::METHOD, Some(params));
        let call = match self.freshness {
            Freshness::Kept => call,
            Freshness::New => call.refresh(),
            Freshness::Apart => call.no_cache(),
        };
        match self.timeout {
            Some(timeout) => call.timeout(timeout).send(),
            None => call.send(),
        }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            max_pages: self.max_pages,
            timeout: self.timeout,
            freshness: self.freshness,
            item: PhantomData,
        }
    }
}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List")
            .field("client", &self.client)
            .field("max_pages", &self.max_pages)
            .field("timeout", &self.timeout)
            .finish()
    }
}

/// The items of a list of a server, one after the other: a [`Stream`]. It ends with the list, or with an error.
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
pub struct ListStream<T> {
    list: List<T>,
    page: vec::IntoIter<T>,
    state: State,
    pages: usize,
    /// The cursors that were followed.
    cursors: HashSet<String>,
    /// The names or addresses of the items so far.
    keys: HashSet<String>,
    /// Whether a page was one that was kept.
    is_of_kept: bool,
}

enum State {
    /// The page at this cursor is next.
    Next(Option<String>),
    Asked(Sent<Raw>),
    /// There is nobody to ask.
    Refused(Error),
    Over,
}

impl<T: Listed> ListStream<T> {
    /// Gives the next item; `None` at the end of the list.
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
    pub async fn next(&mut self) -> Option<Result<T>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    async fn gather(&mut self) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while let Some(item) = self.next().await {
            items.push(item?);
        }
        Ok(items)
    }

    /// Takes in a page.
    fn turn(&mut self, answer: Result<Raw>) -> Result<()> {
        let (found, next) = T::split(page::<T>(answer?)?);
        for skipped in found.skipped() {
            let (position, reason) = (skipped.position, &skipped.reason);
            tracing::warn!(position, reason, list = T::METHOD, "left out an entry of the wrong shape");
        }
        self.page = found.into_iter();
        let Some(cursor) = next else { return Ok(()) };
        let endless = |reason| Error::failed(T::METHOD, Failure::Invalid { reason, raw: None });
        if self.pages >= self.list.max_pages {
            return Err(endless(format!("the list has more than {} pages", self.pages)));
        }
        if !self.cursors.insert(cursor.clone()) {
            return Err(endless(format!("the list does not end: it comes to the cursor {cursor:?} again")));
        }
        self.state = State::Next(Some(cursor));
        Ok(())
    }
}

impl<T: Listed> Stream for ListStream<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(item) = this.page.next() {
                if !this.keys.insert(item.key().to_owned()) {
                    tracing::warn!(key = item.key(), list = T::METHOD, "left out an entry that stands there twice");
                    continue;
                }
                return Poll::Ready(Some(Ok(item)));
            }
            match &mut this.state {
                State::Next(cursor) => {
                    this.pages += 1;
                    let sent = this.list.ask(cursor.take().as_deref());
                    this.is_of_kept |= sent.is_kept();
                    this.state = State::Asked(sent);
                }
                State::Asked(sent) => {
                    let answer = ready!(Pin::new(sent).poll(cx));
                    this.state = State::Over;
                    if let Err(error) = this.turn(answer) {
                        this.page = Vec::new().into_iter();
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                State::Refused(_) => {
                    let State::Refused(error) = std::mem::replace(&mut this.state, State::Over) else { continue };
                    return Poll::Ready(Some(Err(error)));
                }
                State::Over => return Poll::Ready(None),
            }
        }
    }
}

impl<T> fmt::Debug for ListStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListStream").field("list", &self.list).field("pages", &self.pages).finish_non_exhaustive()
    }
}

fn is_refused_cursor(error: &Error) -> bool {
    error.rpc().is_some_and(|error| error.code == rpc::Error::INVALID_PARAMS)
}

fn page<T: Listed>(raw: Raw) -> Result<T::Page> {
    raw.decode().map_err(|source| Error::decode("result", T::METHOD, raw, &source))
}
