use std::{fmt, future::poll_fn, pin::pin, sync::Arc, task::Poll};

use tokio::sync::{Notify, oneshot};

use super::{Exchange, ManualClock, Recorded, Wire};
use crate::{
    client::{self, Client},
    driver::{Spawn, Tokio},
    error::Result,
    server::Server,
    transport::{connect_with, memory},
    version::Revision,
};

/// A client and a server that talk in memory, and what they say.
///
/// ```
/// use mcpeer::{server::Server, testing::Pair};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// let pair = Pair::of(&server).connect().await?;
/// assert_eq!(pair.client().call("now").await?.as_text(), "12:00");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pair {
    client: Client,
    wire: Wire,
    crash: Arc<Notify>,
    exchange: Option<Exchange>,
}

impl Pair {
    /// Begins a pair with this server. It goes on to be yours: what is changed on it, the client sees.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Pair};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let pair = Pair::of(&server).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn of(server: &Server) -> Setup {
        Setup {
            server: server.clone(),
            client: Client::builder("test", "1.0.0"),
            clock: None,
            capacity: memory::DEFAULT_CAPACITY,
            is_exchange: false,
        }
    }

    /// Gives the client.
    ///
    /// ```
    /// # use mcpeer::testing::Pair;
    /// # async fn example(pair: &Pair) -> mcpeer::error::Result<()> {
    /// let tools = pair.client().tools().all().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Gives what crossed the wire, in all openings of the connection.
    ///
    /// ```
    /// # use mcpeer::testing::{Direction, Pair};
    /// fn asked(pair: &Pair) -> usize {
    ///     pair.wire().json(Direction::ToServer).len()
    /// }
    /// ```
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// Ends the server's side as if its process had died: without a word. On an [exchange](Setup::exchange) every
    /// stream breaks off.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Pair};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let pair = Pair::of(&server).connect().await?;
    /// pair.crash();
    /// assert!(pair.client().peer().closed().await.is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn crash(&self) {
        self.crash.notify_waiters();
        if let Some(exchange) = &self.exchange {
            exchange.cut();
        }
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("client", &self.client).field("wire", &self.wire).finish_non_exhaustive()
    }
}

/// A pair that is to be connected. [`Pair::of`] makes one.
///
/// ```
/// # use mcpeer::{server::Server, testing::Pair};
/// use mcpeer::{client::Client, version::Revision};
///
/// # async fn example(server: Server) -> mcpeer::error::Result<()> {
/// let client = Client::builder("my host", "2.0.0");
/// let pair = Pair::of(&server).client(client).revision(Revision::V2025_11_25).connect().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a pair talks once it is connected"]
pub struct Setup {
    server: Server,
    client: client::Builder,
    clock: Option<ManualClock>,
    capacity: usize,
    is_exchange: bool,
}

impl Setup {
    /// Sets the client; one without anything unless set.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, testing::Pair};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let pair = Pair::of(&server).client(Client::builder("my host", "2.0.0")).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client(mut self, client: client::Builder) -> Self {
        self.client = client;
        self
    }

    /// Has both speak this revision. Set it after the [client](Self::client).
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Pair, version::Revision};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let pair = Pair::of(&server).revision(Revision::V2024_11_05).connect().await?;
    /// assert_eq!(pair.client().revision(), Revision::V2024_11_05);
    /// # Ok(())
    /// # }
    /// ```
    pub fn revision(mut self, revision: Revision) -> Self {
        self.client = self.client.revisions([revision]);
        self
    }

    /// Has both go by this clock; they go by tokio's unless set.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::{ManualClock, Pair}};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let clock = ManualClock::new();
    /// let pair = Pair::of(&server).clock(&clock).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn clock(mut self, clock: &ManualClock) -> Self {
        self.clock = Some(clock.clone());
        self
    }

    /// Sets how many bytes may wait between the two in each direction; 1 MiB unless set.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Pair};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let pair = Pair::of(&server).capacity(4096).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn capacity(mut self, bytes: usize) -> Self {
        self.capacity = bytes;
        self
    }

    /// Gives each request a stream of its own, as Streamable HTTP does: an [`Exchange`] is between the two. Stateless
    /// era.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Pair, version::Revision};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let pair = Pair::of(&server).revision(Revision::V2026_07_28).exchange().connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn exchange(mut self) -> Self {
        self.is_exchange = true;
        self
    }

    /// Connects the two. Each time that the client opens the connection, the server serves a new one.
    ///
    /// # Errors
    ///
    /// They have no revision in common.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Pair};
    /// # async fn example(server: Server) -> mcpeer::error::Result<()> {
    /// let pair = Pair::of(&server).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(self) -> Result<Pair> {
        let Self { mut server, mut client, clock, capacity, is_exchange } = self;
        if let Some(clock) = clock {
            server = server.map_options(|options| options.clock(clock.clone()));
            client = client.map_options(|options| options.clock(clock));
        }
        let (wire, crash) = (Wire::new(), Arc::new(Notify::new()));
        let recorder = wire.clone();
        if is_exchange {
            let exchange = Exchange::new(&server);
            let streams = exchange.clone();
            let connector = connect_with(move || {
                let transport = Recorded::new(streams.open(), &recorder);
                async move { Ok(transport) }
            });
            return Ok(Pair { client: client.connect(connector).await?, wire, crash, exchange: Some(exchange) });
        }
        let crashing = crash.clone();
        let connector = connect_with(move || {
            let (ours, theirs) = memory::pair_with_capacity(capacity);
            let is_ready = serve_until(server.clone(), theirs, crashing.clone());
            let transport = Recorded::new(ours, &recorder);
            async move {
                let _ = is_ready.await;
                Ok(transport)
            }
        });
        Ok(Pair { client: client.connect(connector).await?, wire, crash, exchange: None })
    }
}

/// Serves a transport until it ends or the server crashes; tells when it can crash.
fn serve_until(server: Server, transport: memory::Memory, crashing: Arc<Notify>) -> oneshot::Receiver<()> {
    let (ready, is_ready) = oneshot::channel();
    Tokio.spawn(Box::pin(async move {
        let mut crashed = pin!(crashing.notified());
        crashed.as_mut().enable();
        let _ = ready.send(());
        let mut serving = pin!(server.serve(transport));
        poll_fn(|cx| {
            let is_over = crashed.as_mut().poll(cx).is_ready() || serving.as_mut().poll(cx).is_ready();
            if is_over { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }));
    is_ready
}
