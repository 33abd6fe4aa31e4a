//! How a client follows the life of its connection, and what changes on the other side.

use std::{fmt, future::Future, pin::pin, task::Poll, time::Duration};

use super::{Builder, Client, Health, OpenWatch, Restart};
use crate::{
    driver::{
        Remote,
        io::{Call, Failure},
    },
    model::subscriptions::Filter,
    version::Era,
};

/// How a connection is kept alive.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    pub(super) restart: Option<Restart>,
    pub(super) keep_alive: Option<Duration>,
}

/// How many questions in a row a server may leave without an answer before the connection counts as broken.
const MISSES: u32 = 3;

impl Builder {
    /// Has the connection opened anew where it ends by itself: a child process that died is started again. It is not
    /// unless set.
    ///
    /// Requests on their way fail as closed, since nobody knows whether they were served. Requests that are made
    /// meanwhile wait, within their time. Watches are opened anew. Give [`connect`](Self::connect) what can open the
    /// transport again; a transport that is open already ends for good. In the stateful era a log level has to be set
    /// again.
    ///
    /// ```
    /// use mcpeer::client::{Client, Restart};
    ///
    /// let builder = Client::builder("me", "1.0.0").restart(Restart::times(5));
    /// ```
    pub fn restart(mut self, policy: Restart) -> Self {
        self.lifecycle.restart = Some(policy);
        self
    }

    /// Asks the server whether it is there, each time that so much time has passed since its last answer to that. A
    /// server that leaves three such questions in a row without an answer, each for as long, counts as dead: the
    /// connection ends, or is [opened anew](Self::restart). [`Client::health`] tells of the first one already. It is
    /// not asked unless set, and not in the stateless era, which has no such question.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mcpeer::client::Client;
    ///
    /// let builder = Client::builder("me", "1.0.0").keep_alive(Duration::from_secs(30));
    /// ```
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.lifecycle.keep_alive = Some(interval.max(Duration::from_millis(1)));
        self
    }
}

/// Asks the server from time to time whether it is there, until the connection ends for good.
pub(super) async fn keep_alive(remote: Remote, interval: Duration) {
    let clock = remote.options().runtime.clock.clone();
    let mut missed = 0;
    loop {
        if is_closed_before(&remote, clock.sleep(interval)).await {
            return;
        }
        let is_asked = remote.health().is_up()
            && remote.peek_connected().is_some_and(|connected| connected.revision.era() == Era::Legacy);
        if !is_asked {
            missed = 0;
            continue;
        }
        let mut call = Call::new("ping", None);
        call.timeout = Some(interval);
        missed = match remote.request(call).await {
            Err(Failure::Timeout { .. }) => missed + 1,
            // Any answer is a sign of life; what ended the connection is told elsewhere.
            _ => 0,
        };
        remote.set_responsive(missed);
        if missed == MISSES {
            missed = 0;
            let reason = format!("the server left {MISSES} pings without an answer");
            remote.with(move |connection, now| connection.handle_transport_error(now, &reason));
        }
    }
}

/// Whether the connection ends for good before this is done.
async fn is_closed_before(remote: &Remote, done: impl Future<Output = ()>) -> bool {
    let (mut closed, mut done) = (pin!(remote.closed()), pin!(done));
    std::future::poll_fn(|cx| {
        if closed.as_mut().poll(cx).is_ready() {
            return Poll::Ready(true);
        }
        done.as_mut().poll(cx).map(|()| false)
    })
    .await
}

impl Client {
    /// Begins to watch what the server offers: lists that change, and the contents of resources. Awaiting it waits until
    /// the server has said [what it honours](super::Watch::honoured).
    ///
    /// In the stateless era it is one `subscriptions/listen`. In the stateful one resources are subscribed to one by
    /// one, and changes of lists come unasked.
    ///
    /// # Errors
    ///
    /// The server refuses, or did not answer.
    ///
    /// ```
    /// use mcpeer::{client::Change, model::subscriptions::Filter};
    /// # use mcpeer::client::Client;
    ///
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut watch = client.watch(Filter::new().resource_subscriptions(["config://app".to_owned()])).await?;
    /// while let Some(Change::Resource { uri }) = watch.next().await {
    ///     println!("{uri} has changed");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch(&self, filter: Filter) -> OpenWatch {
        OpenWatch::new(self.clone(), filter)
    }

    /// Gives how the connection is.
    ///
    /// ```
    /// # use mcpeer::{client::{Client, Health}, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert_eq!(client.health(), Health::Up);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn health(&self) -> Health {
        self.remote().health()
    }

    /// Gives how the connection is, and how it is from then on whenever that changes.
    ///
    /// ```
    /// # use mcpeer::{client::{Client, Health}, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// let mut changes = client.health_changes();
    /// assert_eq!(changes.next().await, Some(Health::Up));
    /// client.close().await;
    /// assert!(changes.next().await.unwrap().is_closed());
    /// assert_eq!(changes.next().await, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn health_changes(&self) -> HealthChanges {
        HealthChanges { remote: self.remote().clone(), seen: None }
    }
}

/// How a connection is, whenever that changes. It does not keep the connection open.
///
/// ```
/// # use mcpeer::client::Client;
/// async fn tell(client: &Client) {
///     let mut changes = client.health_changes();
///     while let Some(health) = changes.next().await {
///         eprintln!("{health}");
///     }
/// }
/// ```
pub struct HealthChanges {
    remote: Remote,
    /// The number of the change that was given last.
    seen: Option<u64>,
}

impl HealthChanges {
    /// Gives how the connection is: at once the first time, later when that has changed. What lasted too short to be
    /// asked for is left out. After the end of the connection it gives `None`.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost when the future is dropped.
    ///
    /// ```
    /// # use mcpeer::client::HealthChanges;
    /// async fn until_closed(mut changes: HealthChanges) {
    ///     while changes.next().await.is_some() {}
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Health> {
        let (version, health) = match self.seen {
            None => self.remote.peek_health(),
            Some(u64::MAX) => return None,
            Some(seen) => self.remote.health_after(seen).await,
        };
        self.seen = Some(version);
        Some(health)
    }
}

impl fmt::Debug for HealthChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HealthChanges").field("now", &self.remote.health()).finish()
    }
}
