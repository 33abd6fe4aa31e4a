use std::{
    any::Any,
    convert::Infallible,
    fmt,
    future::{Future, pending},
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Request, Response};

use super::{Server, router::Router};
use crate::{
    driver::{Options, Remote, Runtime},
    error::{Error, Result},
    handler::{Context as RequestContext, Serving},
    proto::{Config, Connection, io::Link},
    transport::http::server::{
        Beside, Body, Bound, Endpoint, Host, Load, Parts, ResponseFuture, Settings, serve,
        store::{EventStore, SessionStore},
    },
};

/// A server behind Streamable HTTP: how it treats what comes in, and then the [service](Self::service) to mount, or an
/// address to [bind](Self::bind).
///
/// Unless told otherwise it serves only clients and pages of this machine: a page that a browser shows must not reach
/// it under a foreign name.
///
/// ```no_run
/// use mcpeer::server::Server;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// let bound = server.http().allow_host("mcp.example.com").bind("0.0.0.0:8080").await?;
/// bound.serve_until(async { drop(tokio::signal::ctrl_c().await) }).await;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "it serves nothing by itself"]
pub struct Http {
    server: Server,
    settings: Settings,
    path: Arc<str>,
    /// Another transport, at paths of its own.
    pub(super) beside: Option<Beside<Served>>,
}

impl Server {
    /// Serves this server by Streamable HTTP, in both eras on one address.
    ///
    /// ```
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let service = server.http().allow_host("mcp.example.com").service();
    /// # drop(service);
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn http(&self) -> Http {
        Http { server: self.clone(), settings: Settings::default(), path: "/mcp".into(), beside: None }
    }

    /// Serves clients by Streamable HTTP at an address, under the path `/mcp`, until the future is dropped. For more
    /// than that see [`http`](Self::http).
    ///
    /// # Errors
    ///
    /// The address cannot be used.
    ///
    /// ```no_run
    /// use mcpeer::server::Server;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.serve_http("127.0.0.1:8080").await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn serve_http(&self, address: impl tokio::net::ToSocketAddrs) -> Result<()> {
        self.http().bind(address).await?.serve().await;
        Ok(())
    }
}

impl Http {
    /// Serves requests that name this host, too: the name that clients use, as in `mcp.example.com` (with any port) or
    /// `mcp.example.com:8443`. Names of this machine are always served.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().allow_host("mcp.example.com");
    /// # drop(http);
    /// ```
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.settings.allow_host(host.into());
        self
    }

    /// Serves requests whatever host they name: where something in front checks that.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().allow_any_host();
    /// # drop(http);
    /// ```
    pub fn allow_any_host(mut self) -> Self {
        self.settings.allow_any_host();
        self
    }

    /// Serves pages of this origin, as in `https://app.example.com`, and lets them read the answers
    /// ([`cors`](Self::cors)). Pages of this machine and clients that are no browsers are always served.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().allow_origin("https://app.example.com");
    /// # drop(http);
    /// ```
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.settings.allow_origin(origin.into());
        self
    }

    /// Tells browsers that pages of allowed origins may read the answers, those of this machine included.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().cors();
    /// # drop(http);
    /// ```
    pub fn cors(mut self) -> Self {
        self.settings.allow_cors();
        self
    }

    /// Sets how many headers a request may have, 80 unless set; one that has more is answered with status 431, and one
    /// that has far more by the HTTP server in front, without a message.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_headers(200);
    /// # drop(http);
    /// ```
    pub fn max_headers(mut self, headers: usize) -> Self {
        self.settings.set_max_headers(headers);
        self
    }

    /// Sets how many bytes the headers of a request may have; 32 KiB unless set. See [`max_headers`](Self::max_headers).
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_header_bytes(64 << 10);
    /// # drop(http);
    /// ```
    pub fn max_header_bytes(mut self, bytes: usize) -> Self {
        self.settings.set_max_header_bytes(bytes);
        self
    }

    /// Sets how long a client may take for the head of a request, and how long a connection may be idle, at a [bound](Self::bind)
    /// server; 30 seconds unless set. Then the connection is closed.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().head_timeout(std::time::Duration::from_secs(10));
    /// # drop(http);
    /// ```
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.settings.set_head_timeout(timeout);
        self
    }

    /// Sets how many bytes a message may have; 4 MiB unless set. What a layer in front
    /// decompresses counts as it comes out.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_body(64 << 20);
    /// # drop(http);
    /// ```
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.settings.set_max_body(bytes);
        self
    }

    /// Sets how long a client may take to send a message; 30 seconds unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().body_timeout(std::time::Duration::from_secs(5));
    /// # drop(http);
    /// ```
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.settings.set_body_timeout(timeout);
        self
    }

    /// Sets how deep arrays and objects of a message may nest; 128 unless set, which is the most.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_depth(32);
    /// # drop(http);
    /// ```
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.settings.set_max_depth(depth);
        self
    }

    /// Sets how many bytes of messages may be there whose end has not come, in all; more are answered with status 503.
    /// 256 MiB unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_incoming(1 << 30);
    /// # drop(http);
    /// ```
    pub fn max_incoming(mut self, bytes: usize) -> Self {
        self.settings.set_max_incoming(bytes);
        self
    }

    /// Sets for how long a client may read nothing of what waits for it, at a [bound](Self::bind) server, before its
    /// connection is closed; 30 seconds unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().write_timeout(std::time::Duration::from_secs(10));
    /// # drop(http);
    /// ```
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.settings.set_write_timeout(timeout);
        self
    }

    /// Sets after how long a quiet stream gets a comment, and an answer that takes long becomes a stream, so that nobody
    /// in between takes it for dead; 15 seconds unless set, never where it is zero.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().keep_alive(std::time::Duration::from_secs(30));
    /// # drop(http);
    /// ```
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.settings.set_keep_alive(interval);
        self
    }

    /// Sets how many connections are open at once, at a [bound](Self::bind) server; more wait until one is closed. 20,000
    /// unless set. The system may have a lower limit, for open files.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_connections(1_000);
    /// # drop(http);
    /// ```
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.set_max_connections(connections);
        self
    }

    /// Sets how many requests are served at once; more are answered with status 503. 4,096 unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_requests(100);
    /// # drop(http);
    /// ```
    pub fn max_requests(mut self, requests: usize) -> Self {
        self.settings.set_max_requests(requests);
        self
    }

    /// Sets how many event streams are open at once; more are answered with status 503. 16,384 unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_streams(100_000);
    /// # drop(http);
    /// ```
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.settings.set_max_streams(streams);
        self
    }

    /// Serves the stateful era without sessions: each message stands alone, at the revision that its header names. No
    /// `initialize` has to come first, any of several servers can answer, and nothing is kept between messages; so
    /// nothing is asked of the client while a call runs, and nothing is told to it unasked.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().sessionless();
    /// # drop(http);
    /// ```
    pub fn sessionless(mut self) -> Self {
        self.settings.set_sessionless();
        self
    }

    /// Sets after how long a session of the stateful era ends whose client was not seen: it sends nothing, waits for
    /// no answer and reads no stream. 30 minutes unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().session_timeout(std::time::Duration::from_secs(300));
    /// # drop(http);
    /// ```
    pub fn session_timeout(mut self, timeout: Duration) -> Self {
        self.settings.set_session_timeout(timeout);
        self
    }

    /// Sets how many sessions of the stateful era there are at once; an `initialize` beyond that is answered with
    /// status 503. 10,000 unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_sessions(100);
    /// # drop(http);
    /// ```
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.settings.set_max_sessions(sessions);
        self
    }

    /// Sets after how long a client of the stateful era is told to come back whose stream broke off or was
    /// [closed](RequestContext::close_stream); a second unless set.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().retry(std::time::Duration::from_secs(5));
    /// # drop(http);
    /// ```
    pub fn retry(mut self, retry: Duration) -> Self {
        self.settings.set_retry(retry);
        self
    }

    /// Keeps sessions of the stateful era in a store, so that they outlive the process: see
    /// [`sessions`](super::sessions).
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// # use mcpeer::server::sessions::MemorySessionStore;
    /// let http = server.http().session_store(MemorySessionStore::new(100));
    /// # drop(http);
    /// ```
    pub fn session_store(mut self, store: impl SessionStore) -> Self {
        self.settings.set_session_store(Arc::new(store));
        self
    }

    /// Keeps what is said on streams of the stateful era in a store, so that clients can come back for it after the
    /// process has ended: see [`sessions`](super::sessions).
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// # use mcpeer::server::sessions::MemoryEventStore;
    /// let http = server.http().event_store(MemoryEventStore::new(10_000));
    /// # drop(http);
    /// ```
    pub fn event_store(mut self, store: impl EventStore) -> Self {
        self.settings.set_event_store(Arc::new(store));
        self
    }

    /// Sets how long a store is waited for; 5 seconds unless set. After that it counts as one that does not answer: what it
    /// was to keep is said nevertheless, and who comes with a session that it was to look for is answered with status
    /// 503.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// # use mcpeer::server::sessions::MemorySessionStore;
    /// let stores = server.http().session_store(MemorySessionStore::new(100));
    /// let http = stores.store_timeout(std::time::Duration::from_secs(1));
    /// # drop(http);
    /// ```
    pub fn store_timeout(mut self, timeout: Duration) -> Self {
        self.settings.set_store_timeout(timeout);
        self
    }

    /// Sets how many requests of one session of the stateful era run at once; more wait, and some thousand more are
    /// answered with status 503. 100 unless set. In the stateless era HTTP says which belong together: one at a time on a
    /// connection of HTTP/1.1.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().max_session_requests(10);
    /// # drop(http);
    /// ```
    pub fn max_session_requests(mut self, requests: usize) -> Self {
        self.settings.set_max_session_requests(requests);
        self
    }

    /// Sets how long what runs may take to answer once a [bound](Self::bind) server is to end; 10 seconds unless set. Then
    /// connections are closed as they are.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().grace(std::time::Duration::from_secs(60));
    /// # drop(http);
    /// ```
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.set_grace(grace);
        self
    }

    /// Sets the path under which a [bound](Self::bind) server is found; `/mcp` unless set. A mounted service is found
    /// wherever it is mounted.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let http = server.http().path("/tools/mcp");
    /// # drop(http);
    /// ```
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into().into();
        self
    }

    /// Gives a tower service, to be mounted in an HTTP server.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use http::Request;
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let service = server.http().service();
    /// let request = Request::put("/").header("host", "localhost").body(String::new())?;
    /// assert_eq!(service.handle(request).await.status(), 405);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn service(&self) -> HttpService {
        let mut config = Config::clone(&self.server.config);
        config.sessionless = self.settings.is_sessionless();
        self.settings.limit(&mut config.limits);
        let options = Arc::new(self.server.options.clone());
        let host = Served { server: self.server.clone(), config: Arc::new(config), options };
        HttpService(Endpoint::new(host, self.settings.clone(), self.beside.as_ref()))
    }

    /// Takes hold of an address; port 0 is any that is free.
    ///
    /// # Errors
    ///
    /// The address cannot be used.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let bound = server.http().bind("127.0.0.1:0").await?;
    /// assert_ne!(bound.local_addr().port(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn bind(&self, address: impl tokio::net::ToSocketAddrs) -> Result<BoundHttp> {
        let bound = Bound::new(address).await.map_err(|source| Error::connect("the address cannot be used", source))?;
        let runtime = self.server.options.runtime.clone();
        Ok(BoundHttp { bound, service: self.service(), path: self.path.clone(), runtime })
    }
}

/// A server at an address, not yet serving.
#[derive(Debug)]
#[must_use = "it serves nothing by itself"]
pub struct BoundHttp {
    bound: Bound,
    service: HttpService,
    path: Arc<str>,
    runtime: Runtime,
}

impl BoundHttp {
    /// Gives the address.
    ///
    /// ```no_run
    /// # fn show(bound: &mcpeer::server::BoundHttp) {
    /// println!("http://{}/mcp", bound.local_addr());
    /// # }
    /// ```
    pub fn local_addr(&self) -> SocketAddr {
        self.bound.address
    }

    /// Gives the service that answers here, to look after.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build()?;
    /// let bound = server.http().bind("127.0.0.1:0").await?;
    /// assert_eq!(bound.service().load().requests, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn service(&self) -> &HttpService {
        &self.service
    }

    /// Serves for ever: until the future is dropped, which closes every connection at once.
    ///
    /// ```no_run
    /// # async fn run(bound: mcpeer::server::BoundHttp) {
    /// bound.serve().await;
    /// # }
    /// ```
    pub async fn serve(self) {
        self.serve_until(pending()).await;
    }

    /// Serves until `end` completes. Then nothing more is accepted, streams of changes end with their result, and what
    /// runs has [some time](Http::grace) to answer. Dropping the future closes every connection at once.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("clock", "1.0.0").build()?;
    /// server.http().bind("127.0.0.1:0").await?.serve_until(async {}).await;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn serve_until(self, end: impl Future<Output = ()>) {
        let Self { bound, service, path, runtime } = self;
        serve(bound, service.0, path, runtime, end).await;
    }
}

/// A tower service over `http::Request` and `http::Response`. Cheap to clone; every clone is the same endpoint.
///
/// It answers at every path that it is mounted at. A layer in front may leave a
/// [`transport::Principal`](crate::transport::Principal) and [`transport::Claims`](crate::transport::Claims) among the
/// extensions of a request: that is who asks, and what is known of them.
#[derive(Clone)]
pub struct HttpService(Endpoint<Served>);

impl HttpService {
    /// Answers a request.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future is the client hanging up: what runs for it is cancelled.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use http::Request;
    /// use mcpeer::server::Server;
    ///
    /// let server = Server::builder("clock", "1.0.0").build()?;
    /// let request = Request::post("/").header("host", "evil.example").body(String::new())?;
    /// assert_eq!(server.http().service().handle(request).await.status(), 403);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        let Ok(response) = self.0.handle(request).await;
        response
    }

    /// Says how much there is to do right now.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let service = server.http().service();
    /// assert_eq!(service.load().streams, 0);
    /// ```
    pub fn load(&self) -> Load {
        self.0.load()
    }

    /// Serves no more requests: streams of changes end with their result, sessions end, new requests are answered with
    /// status 503, and what runs may answer.
    ///
    /// ```
    /// # let server = mcpeer::server::Server::builder("clock", "1.0.0").build().unwrap();
    /// let service = server.http().service();
    /// service.shut();
    /// ```
    pub fn shut(&self) {
        self.0.shut();
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display + Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        tower_service::Service::<Request<B>>::poll_ready(&mut self.0, cx)
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        self.0.call(request)
    }
}

/// A server as an endpoint serves it.
pub(super) struct Served {
    server: Server,
    /// That of the server, with or without sessions.
    config: Arc<Config>,
    options: Arc<Options>,
}

/// A connection that hears of changes.
pub(super) struct Entered {
    router: Arc<Router>,
    key: usize,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.router.connections.remove(self.key);
    }
}

impl Host for Served {
    type Application = Serving;
    type Entered = Entered;

    fn config(&self) -> &Config {
        &self.config
    }

    fn connection(&self) -> Connection {
        Connection::server(self.config.clone(), Link::Exchange)
    }

    fn application(&self) -> Serving {
        Serving::new(self.server.service.clone())
    }

    fn options(&self) -> &Arc<Options> {
        &self.options
    }

    fn enter(&self, remote: Remote) -> Entered {
        let router = self.server.router.clone();
        let key = router.connections.add(remote);
        Entered { router, key }
    }

    fn end_subscriptions(&self) {
        for (_, remote) in self.server.router.connections.remotes() {
            remote.with(|connection, _| connection.end_subscriptions());
        }
    }
}

impl RequestContext {
    /// Gives the head of the HTTP request that this one came with: headers, and what layers in front put into the
    /// extensions. `None` where it came another way.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn agent(cx: &Context) -> Option<&str> {
    ///     cx.http()?.headers.get("user-agent")?.to_str().ok()
    /// }
    /// ```
    pub fn http(&self) -> Option<&http::request::Parts> {
        let headers: &dyn Any = self.headers()?;
        headers.downcast_ref::<Parts>().map(Parts::get)
    }

    /// Closes the connection on which the answer would come, so that it is not held open while the work takes its time.
    /// The client comes back after so long for what was said meanwhile, as often as it is sent away; the handler goes
    /// on.
    ///
    /// Gives `false`, and closes nothing, where the client could not come back: over another transport than HTTP, at
    /// another revision than 2025-11-25, without sessions.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::handler::Context;
    /// async fn nightly(cx: Context) -> String {
    ///     cx.close_stream(Duration::from_secs(60));
    ///     // … what takes some minutes …
    ///     "done".into()
    /// }
    /// ```
    pub fn close_stream(&self, retry: Duration) -> bool {
        self.channel().is_some_and(|channel| channel.close(retry))
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("settings", &self.settings).field("path", &self.path).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
