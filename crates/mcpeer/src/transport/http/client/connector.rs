use std::{
    fmt, io,
    sync::{Arc, OnceLock},
};

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use super::{
    Eras, HttpClient, HttpTransport, by_reqwest,
    eras::{self, Known},
    other::Start,
    shared::{Reach, Shared},
};
use crate::{
    driver::{Clock, Runtime, Spawn},
    proto::io::EraMemory,
    transport::Connect,
};

/// How long a message may be unless set.
const MESSAGE: usize = 16 << 20;

/// Reaches a server by Streamable HTTP, in both eras.
///
/// ```
/// # #[cfg(feature = "http-server")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use mcpeer::{Client, Server, transport::http};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// let bound = server.http().bind("127.0.0.1:0").await?;
/// let url = format!("http://{}/mcp", bound.local_addr());
/// tokio::spawn(bound.serve());
///
/// let client = Client::builder("me", "1.0.0").connect(http::client(&url)).await?;
/// assert_eq!(client.call("now").await?.as_text(), "12:00");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "http-server"))]
/// # fn main() {}
/// ```
///
/// An address that is none, or a header that cannot be, is told when it connects.
pub fn client(url: &str) -> Connector {
    Connector {
        target: target(url),
        stack: Arc::default(),
        headers: HeaderMap::new(),
        misuse: None,
        max_message: MESSAGE,
        eras: Eras::default(),
        runtime: Runtime::default(),
        other: None,
    }
}

/// A server's address and how it is reached; [`client`] makes it.
///
/// Clones share what they send by, with its pool of connections, and what was found out about the server's era: of
/// several clients of one server only the first has to ask.
///
/// ```
/// # #[cfg(feature = "http-server")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use mcpeer::{Client, Server, transport::http};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let bound = Server::builder("clock", "1.0.0").build()?.http().bind("127.0.0.1:0").await?;
/// # let url = format!("http://{}/mcp", bound.local_addr());
/// # tokio::spawn(bound.serve());
/// let connector = http::client(&url);
/// let first = Client::builder("me", "1.0.0").connect(connector.clone()).await?;
/// let second = Client::builder("me", "1.0.0").connect(connector).await?;
/// assert_eq!(first.revision(), second.revision());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "http-server"))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Connector {
    target: Result<Uri, String>,
    /// Made when it is needed first.
    stack: Arc<OnceLock<Arc<dyn HttpClient>>>,
    headers: HeaderMap,
    misuse: Option<String>,
    max_message: usize,
    eras: Eras,
    runtime: Runtime,
    /// What else the server may speak.
    pub(super) other: Option<Start>,
}

impl Connector {
    /// Says something with every request, as in a key that the server wants. It goes to the origin of the address alone,
    /// and is not shown by `Debug`.
    ///
    /// ```
    /// use mcpeer::transport::http;
    ///
    /// let connector = http::client("https://example.com/mcp").header("authorization", "Bearer secret");
    /// assert!(!format!("{connector:?}").contains("secret"));
    /// ```
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let (known, value) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
        match (known, value) {
            (Ok(known), _) if is_reserved(&known) => {
                self.misuse = Some(format!("the header {name:?} is set by the transport; leave it out"));
            }
            (Ok(known), Ok(mut value)) => {
                value.set_sensitive(true);
                self.headers.append(known, value);
            }
            _ => self.misuse = Some(format!("the header {name:?}, or its value, has characters that cannot be in it")),
        }
        self
    }

    /// Sets up reqwest: proxies, roots of TLS, time limits of connections. Redirects are not its to follow.
    ///
    /// Unless set it takes proxies from the environment, and trusts whom the system trusts.
    ///
    /// ```
    /// use mcpeer::transport::http;
    ///
    /// // `reqwest` at the version that this crate takes.
    /// use mcpeer::transport::http::client::reqwest::ClientBuilder;
    ///
    /// let connector = http::client("http://localhost:8080/mcp").reqwest(ClientBuilder::new().no_proxy());
    /// # drop(connector);
    /// ```
    #[must_use]
    pub fn reqwest(mut self, builder: reqwest::ClientBuilder) -> Self {
        match by_reqwest::stack(builder) {
            Ok(stack) => self.stack = Arc::new(stack.into()),
            Err(error) => self.misuse = Some(super::send::explain(&error)),
        }
        self
    }

    /// Sends by another stack than reqwest.
    ///
    /// ```
    /// use mcpeer::transport::http::{self, client::HttpClient};
    ///
    /// fn reach(stack: impl HttpClient) -> http::client::Connector {
    ///     http::client("http://localhost:8080/mcp").stack(stack)
    /// }
    /// # let _ = reach(|_| async { Err(std::io::Error::other("no network")) });
    /// ```
    #[must_use]
    pub fn stack(mut self, stack: impl HttpClient) -> Self {
        let stack: Arc<dyn HttpClient> = Arc::new(stack);
        self.stack = Arc::new(stack.into());
        self
    }

    /// Sets how many bytes a message of the server may have; 16 MiB unless set. A longer one fails the request that it
    /// belongs to.
    ///
    /// ```
    /// let connector = mcpeer::transport::http::client("http://localhost:8080/mcp").max_message(1 << 20);
    /// # drop(connector);
    /// ```
    #[must_use]
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.max_message = bytes;
        self
    }

    /// Shares what is found out about servers with other connectors; with none but its own clones unless set.
    ///
    /// ```
    /// use mcpeer::transport::http::{self, client::Eras};
    ///
    /// let eras = Eras::default();
    /// let connector = http::client("http://localhost:8080/mcp").eras(&eras);
    /// # drop(connector);
    /// ```
    #[must_use]
    pub fn eras(mut self, eras: &Eras) -> Self {
        self.eras = eras.clone();
        self
    }

    /// Sets the clock by which it waits, as when a stream is to be taken up again; tokio's unless set. That of the
    /// client is set by [`Options::clock`](crate::driver::Options::clock).
    ///
    /// ```
    /// use mcpeer::{driver::Tokio, transport::http};
    ///
    /// let connector = http::client("http://localhost:8080/mcp").clock(Tokio);
    /// # drop(connector);
    /// ```
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.runtime.clock = Arc::new(clock);
        self
    }

    /// Sets what starts its tasks, one for each message; tokio unless set. That of the client is set by
    /// [`Options::spawner`](crate::driver::Options::spawner).
    ///
    /// ```
    /// use mcpeer::{driver::Tokio, transport::http};
    ///
    /// let connector = http::client("http://localhost:8080/mcp").spawner(Tokio);
    /// # drop(connector);
    /// ```
    #[must_use]
    pub fn spawner(mut self, spawn: impl Spawn) -> Self {
        self.runtime.spawn = Arc::new(spawn);
        self
    }
}

impl Connect for Connector {
    type Transport = HttpTransport;

    async fn connect(&mut self) -> io::Result<HttpTransport> {
        let invalid = |reason: &String| io::Error::new(io::ErrorKind::InvalidInput, reason.clone());
        let target = self.target.as_ref().map_err(invalid)?.clone();
        if let Some(misuse) = &self.misuse {
            return Err(invalid(misuse));
        }
        let stack = match self.stack.get() {
            Some(stack) => stack,
            None => {
                let stack = by_reqwest::stack(reqwest::ClientBuilder::new())?;
                self.stack.get_or_init(|| stack)
            }
        };
        let (headers, max_message) = (self.headers.clone(), self.max_message);
        let other = self.other.map(|start| start());
        let reach = Reach { target, stack: stack.clone(), headers, max_message, other };
        Ok(HttpTransport::new(Shared::new(reach, self.runtime.clone())))
    }

    fn memory(&self) -> Option<Arc<dyn EraMemory>> {
        Some(Arc::new(Known {
            eras: self.eras.clone(),
            address: eras::address(self.target.as_ref().ok()?),
            headers: self.headers.clone(),
            clock: self.runtime.clock.clone(),
        }))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("target", &self.target).finish_non_exhaustive()
    }
}

fn target(url: &str) -> Result<Uri, String> {
    let uri = url.parse::<Uri>().map_err(|error| format!("{url:?} is no address of a server: {error}"))?;
    match uri.scheme_str() {
        Some("http" | "https") if uri.host().is_some_and(|host| !host.is_empty()) => Ok(uri),
        _ => Err(format!("{url:?} is no address of a server: it must begin with http:// or https:// and name a host")),
    }
}

/// Whether the transport itself sets a header.
fn is_reserved(name: &HeaderName) -> bool {
    let own = [header::ACCEPT, header::CONTENT_TYPE, header::CONTENT_LENGTH, header::TRANSFER_ENCODING];
    own.contains(name) || name.as_str().starts_with("mcp-") || name == "last-event-id"
}
