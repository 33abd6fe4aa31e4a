use std::{
    fmt, io,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use serde_json::Value;
use tokio::sync::Notify;

use crate::transport::{Link, Outbound, Received, Transport};

/// Which way a message went.
///
/// ```
/// use mcpeer::testing::Direction;
///
/// assert_ne!(Direction::ToServer, Direction::ToClient);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// A message that crossed the wire.
///
/// ```
/// use mcpeer::testing::{Direction, Message};
///
/// let message = Message { direction: Direction::ToServer, text: r#"{"jsonrpc":"2.0","method":"ping","id":1}"#.into() };
/// assert_eq!(message.method().as_deref(), Some("ping"));
/// assert_eq!(message.json()["id"], 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Which way it went.
    pub direction: Direction,
    /// Its text, as it was sent.
    pub text: String,
}

impl Message {
    /// Gives it as JSON; `null` where it is none.
    ///
    /// ```
    /// # use mcpeer::testing::{Direction, Message};
    /// let message = Message { direction: Direction::ToClient, text: "not JSON".into() };
    /// assert!(message.json().is_null());
    /// ```
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Gives its method, which answers have none of.
    ///
    /// ```
    /// # use mcpeer::testing::{Direction, Message};
    /// let message = Message { direction: Direction::ToClient, text: r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.into() };
    /// assert_eq!(message.method(), None);
    /// ```
    pub fn method(&self) -> Option<String> {
        self.json().get("method")?.as_str().map(str::to_owned)
    }
}

/// What crossed the wire, in order, as the client saw it. Clones are the same wire.
///
/// ```
/// use mcpeer::{server::Server, testing::{Direction, Pair}, version::Revision};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("clock", "1.0.0").build()?;
/// let pair = Pair::of(&server).revision(Revision::V2025_06_18).connect().await?;
/// pair.client().ping().await?;
/// assert_eq!(pair.wire().methods(Direction::ToServer), ["initialize", "notifications/initialized", "ping"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Wire(Arc<Shared>);

#[derive(Default)]
struct Shared {
    messages: Mutex<Vec<Message>>,
    grown: Notify,
}

impl Wire {
    /// Makes a wire that nothing has crossed.
    ///
    /// ```
    /// assert!(mcpeer::testing::Wire::new().messages().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives all messages.
    ///
    /// ```
    /// # use mcpeer::testing::Pair;
    /// fn print(pair: &Pair) {
    ///     for message in pair.wire().messages() {
    ///         println!("{:?}: {}", message.direction, message.text);
    ///     }
    /// }
    /// ```
    pub fn messages(&self) -> Vec<Message> {
        self.lock().clone()
    }

    /// Gives the messages of one direction as JSON.
    ///
    /// ```
    /// # use mcpeer::testing::{Direction, Wire};
    /// assert!(Wire::new().json(Direction::ToClient).is_empty());
    /// ```
    pub fn json(&self, direction: Direction) -> Vec<Value> {
        self.lock().iter().filter(|message| message.direction == direction).map(Message::json).collect()
    }

    /// Gives the methods of the requests and notifications of one direction.
    ///
    /// ```
    /// # use mcpeer::testing::{Direction, Wire};
    /// assert!(Wire::new().methods(Direction::ToServer).is_empty());
    /// ```
    pub fn methods(&self, direction: Direction) -> Vec<String> {
        self.lock().iter().filter(|message| message.direction == direction).filter_map(Message::method).collect()
    }

    /// Forgets the messages so far.
    ///
    /// ```
    /// # use mcpeer::testing::Wire;
    /// let wire = Wire::new();
    /// wire.clear();
    /// ```
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Waits until the client has sent a message of a method, and gives the first one; at once where it has already.
    ///
    /// ```
    /// # use mcpeer::testing::Pair;
    /// # async fn example(pair: &Pair) {
    /// let call = pair.client().call("now").send();
    /// let request = pair.wire().until_sent("tools/call").await;
    /// assert_eq!(request.json()["params"]["name"], "now");
    /// # drop(call);
    /// # }
    /// ```
    pub async fn until_sent(&self, method: &str) -> Message {
        self.until(|message| message.direction == Direction::ToServer && message.method().as_deref() == Some(method))
            .await
    }

    /// Waits until a message crosses for which this holds, and gives the first one; at once where it has already.
    ///
    /// ```
    /// # use mcpeer::testing::{Direction, Pair};
    /// # async fn example(pair: &Pair) {
    /// let answer = pair.wire().until(|message| message.direction == Direction::ToClient).await;
    /// # drop(answer);
    /// # }
    /// ```
    pub async fn until(&self, holds: impl Fn(&Message) -> bool) -> Message {
        loop {
            let mut grown = pin!(self.0.grown.notified());
            grown.as_mut().enable();
            if let Some(found) = self.lock().iter().find(|message| holds(message)) {
                return found.clone();
            }
            grown.await;
        }
    }

    fn push(&self, direction: Direction, text: &[u8]) {
        self.lock().push(Message { direction, text: String::from_utf8_lossy(text).into_owned() });
        self.0.grown.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Message>> {
        self.0.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lock().iter()).finish()
    }
}

/// A transport of a client on which every message is recorded.
///
/// ```
/// use mcpeer::{client::Client, server::Server, testing::{Recorded, Wire}, transport::memory};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let server = Server::builder("clock", "1.0.0").build()?;
/// let (ours, theirs) = memory::pair();
/// # tokio::spawn(async move { server.serve(theirs).await });
/// let wire = Wire::new();
/// let client = Client::builder("test", "1.0.0").connect_with(Recorded::new(ours, &wire)).await?;
/// assert!(!wire.messages().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorded<T> {
    inner: T,
    wire: Wire,
}

impl<T: Transport> Recorded<T> {
    /// Records what a transport carries.
    ///
    /// ```
    /// # use mcpeer::{testing::{Recorded, Wire}, transport::memory};
    /// let (ours, _theirs) = memory::pair();
    /// let transport = Recorded::new(ours, &Wire::new());
    /// # drop(transport);
    /// ```
    pub fn new(inner: T, wire: &Wire) -> Self {
        Self { inner, wire: wire.clone() }
    }
}

impl<T: Transport> Transport for Recorded<T> {
    fn link(&self) -> Link {
        self.inner.link()
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        let received = self.inner.poll_receive(cx);
        if let Poll::Ready(Ok(Received::Message(inbound))) = &received {
            self.wire.push(Direction::ToClient, inbound.message);
        }
        received
    }

    fn send(&mut self, outbound: Outbound) {
        if let Outbound::Message { text, .. } = &outbound {
            self.wire.push(Direction::ToServer, text);
        }
        self.inner.send(outbound);
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_flush(cx)
    }

    fn buffered(&self) -> usize {
        self.inner.buffered()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_close(cx)
    }

    fn diagnosis(&self) -> Option<String> {
        self.inner.diagnosis()
    }
}
