use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    future::{Future, poll_fn},
    io, mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Waker},
};

use tokio::sync::oneshot;

use crate::{
    driver::{Spawn, Tokio},
    rpc::RequestId,
    server::Server,
    transport::{Connect, Inbound, Link, Outbound, Received, Route, Transport},
};

/// Connects clients to a server so that each request has a stream of its own, as over Streamable HTTP, but in memory.
/// Clones open streams to the same server.
///
/// Each message of the client is served on a connection of its own: the stateless era runs over it, the stateful one
/// does not. Who gives up a request hangs up its stream, and what a server does for it is dropped.
///
/// ```
/// use mcpeer::{client::{Client, Policy}, server::Server, testing::Exchange};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// let exchange = Exchange::new(&server);
/// let client = Client::builder("test", "1.0.0").policy(Policy::ModernOnly).connect(exchange).await?;
/// assert_eq!(client.call("now").await?.as_text(), "12:00");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Exchange {
    server: Server,
    /// What is open, of all clients.
    opened: Arc<Mutex<Vec<Weak<Streams>>>>,
}

impl Exchange {
    /// Makes a connector to this server.
    ///
    /// ```
    /// # use mcpeer::{server::Server, testing::Exchange};
    /// # fn example(server: &Server) -> Exchange {
    /// Exchange::new(server)
    /// # }
    /// ```
    pub fn new(server: &Server) -> Self {
        Self { server: server.clone(), opened: Arc::default() }
    }

    /// Ends every stream that is open, as if the network had: the client hears only that no more will come on it, and
    /// the server that nobody listens. Says how many there were.
    ///
    /// ```
    /// # use mcpeer::{client::{Client, Policy}, server::Server, testing::Exchange};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let never = async || std::future::pending::<String>().await;
    /// # let server = Server::builder("slow", "1.0.0").tool("never", never).build()?;
    /// let exchange = Exchange::new(&server);
    /// let client = Client::builder("test", "1.0.0").policy(Policy::ModernOnly).connect(exchange.clone()).await?;
    /// let call = tokio::spawn(client.call("never").send());
    /// while exchange.cut() == 0 {
    ///     tokio::task::yield_now().await;
    /// }
    /// assert!(call.await?.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut(&self) -> usize {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.iter().filter_map(Weak::upgrade).map(|streams| streams.cut()).sum()
    }

    pub(super) fn open(&self) -> Exchanging {
        let streams = Arc::new(Streams::default());
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|streams| streams.strong_count() > 0);
        opened.push(Arc::downgrade(&streams));
        Exchanging { server: self.server.clone(), streams, message: Vec::new() }
    }
}

impl Connect for Exchange {
    type Transport = Exchanging;

    async fn connect(&mut self) -> io::Result<Exchanging> {
        Ok(self.open())
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("server", &self.server).finish_non_exhaustive()
    }
}

/// The client's end of the streams that an [`Exchange`] opens.
pub struct Exchanging {
    server: Server,
    streams: Arc<Streams>,
    /// The message that was received last.
    message: Vec<u8>,
}

impl Exchanging {
    /// Opens a stream with a message; `request` is what it asks.
    fn begin(&mut self, request: Option<RequestId>, message: Vec<u8>) {
        let (hang_up, hung_up) = oneshot::channel();
        let key = self.streams.begin(request, hang_up);
        let (server, streams) = (self.server.clone(), self.streams.clone());
        Tokio.spawn(Box::pin(async move {
            let stream = Served::new(message, streams.clone(), key);
            let (mut serving, mut hung_up) = (pin!(server.serve(stream)), pin!(hung_up));
            poll_fn(|cx| {
                let is_over = hung_up.as_mut().poll(cx).is_ready() || serving.as_mut().poll(cx).is_ready();
                if is_over { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            streams.end(key);
        }));
    }
}

impl Transport for Exchanging {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        let mut state = self.streams.lock();
        match state.arrived.pop_front() {
            Some(Arrived::Message { key, text }) => {
                drop(state);
                self.message = text;
                let (message, route) = (&*self.message, Route(key));
                Poll::Ready(Ok(Received::Message(Inbound { message, route, edge: None })))
            }
            Some(Arrived::End(request)) => Poll::Ready(Ok(Received::StreamEnded(request))),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    fn send(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Message { request, text, .. } => self.begin(request, text),
            Outbound::Abandon { request } => self.streams.abandon(&request),
            // It is for those who serve streams.
            Outbound::End { .. } => {}
        }
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn buffered(&self) -> usize {
        0
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.streams.cut();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Exchanging {
    fn drop(&mut self) {
        self.streams.cut();
    }
}

impl fmt::Debug for Exchanging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchanging").field("open", &self.streams.lock().open.len()).finish_non_exhaustive()
    }
}

/// The streams of a client, and what came on them.
#[derive(Default)]
struct Streams(Mutex<State>);

#[derive(Default)]
struct State {
    last: u64,
    open: BTreeMap<u64, Open>,
    arrived: VecDeque<Arrived>,
    waker: Option<Waker>,
}

struct Open {
    /// The request whose answer is due on the stream.
    request: Option<RequestId>,
    /// Dropped to hang up.
    #[allow(dead_code, reason = "it is held to be let go")]
    hang_up: oneshot::Sender<()>,
}

enum Arrived {
    Message { key: u64, text: Vec<u8> },
    End(RequestId),
}

impl Streams {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, request: Option<RequestId>, hang_up: oneshot::Sender<()>) -> u64 {
        let mut state = self.lock();
        state.last += 1;
        let key = state.last;
        state.open.insert(key, Open { request, hang_up });
        key
    }

    /// Takes a message of the server, unless the stream was hung up.
    fn arrive(&self, key: u64, text: Vec<u8>) {
        let mut state = self.lock();
        if state.open.contains_key(&key) {
            state.arrived.push_back(Arrived::Message { key, text });
            state.wake();
        }
    }

    /// Takes note that the server has ended a stream.
    fn end(&self, key: u64) {
        let mut state = self.lock();
        if let Some(open) = state.open.remove(&key) {
            state.arrived.extend(open.request.map(Arrived::End));
            state.wake();
        }
    }

    /// Hangs up the stream of a request; what came on it and was not read is lost.
    fn abandon(&self, request: &RequestId) {
        let mut state = self.lock();
        let found = state.open.iter().find(|(_, open)| open.request.as_ref() == Some(request));
        let Some(abandoned) = found.map(|(key, _)| *key) else { return };
        state.open.remove(&abandoned);
        state.arrived.retain(|arrived| !matches!(arrived, Arrived::Message { key, .. } if *key == abandoned));
    }

    fn cut(&self) -> usize {
        let mut state = self.lock();
        let open = mem::take(&mut state.open);
        let count = open.len();
        state.arrived.extend(open.into_values().filter_map(|open| open.request).map(Arrived::End));
        state.wake();
        count
    }
}

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// The server's end of one stream: one message comes in, and what belongs to it goes out.
struct Served {
    message: Vec<u8>,
    is_read: bool,
    is_over: bool,
    streams: Arc<Streams>,
    key: u64,
    reader: Option<Waker>,
}

impl Served {
    fn new(message: Vec<u8>, streams: Arc<Streams>, key: u64) -> Self {
        Self { message, is_read: false, is_over: false, streams, key, reader: None }
    }

    fn finish(&mut self) {
        self.is_over = true;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl Transport for Served {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        if !mem::replace(&mut self.is_read, true) {
            let (message, route) = (&*self.message, Route(self.key));
            return Poll::Ready(Ok(Received::Message(Inbound { message, route, edge: None })));
        }
        if self.is_over {
            return Poll::Ready(Ok(Received::InputEnded));
        }
        // Until then the client may still hang up, but says nothing more.
        self.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    fn send(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Message { text, is_last, .. } => {
                self.streams.arrive(self.key, text);
                if is_last {
                    self.finish();
                }
            }
            Outbound::End { .. } => self.finish(),
            Outbound::Abandon { .. } => {}
        }
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn buffered(&self) -> usize {
        0
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
