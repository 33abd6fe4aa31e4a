use std::{
    borrow::Cow,
    fmt,
    future::{Future, IntoFuture, poll_fn},
    mem,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};

use super::{Peer, meta};
use crate::{
    driver::{
        Pending, Remote,
        io::{self, Answer},
    },
    error::{Error, Result},
    model::{logging::Level, progress::ProgressParams},
    rpc::Raw,
};

/// A request that is not sent yet. Awaiting it sends it and waits for its answer; [`send`](Self::send) only sends it.
///
/// ```
/// # use std::time::Duration;
/// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
/// async fn build(peer: &Peer) -> Result<Raw> {
///     peer.request_raw("test/build", None)
///         .timeout(Duration::from_secs(10))
///         .reset_on_progress()
///         .max_total(Duration::from_secs(600))
///         .await
/// }
/// ```
#[must_use = "a request is sent when it is awaited or `send` is called"]
pub struct Call<O> {
    remote: Remote,
    call: Result<io::Call>,
    meta: Vec<(Cow<'static, str>, Raw)>,
    on_progress: Option<OnProgress>,
    decode: Decode<O>,
}

type OnProgress = Box<dyn FnMut(Progress) + Send>;
type Decode<O> = fn(Cow<'static, str>, Answer) -> Result<O>;

/// How far the peer is with a request.
///
/// ```
/// # use mcpeer::peer::Progress;
/// fn percent(progress: &Progress) -> Option<f64> {
///     Some(100.0 * progress.progress / progress.total?)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; it grows from one to the next.
    pub progress: f64,
    /// How much there is to do, where the peer knows.
    pub total: Option<f64>,
    /// What is being done, for a person.
    pub message: Option<String>,
}

impl From<ProgressParams> for Progress {
    fn from(params: ProgressParams) -> Self {
        Self {
            progress: params.progress.as_f64(),
            total: params.total.map(|total| total.as_f64()),
            message: params.message,
        }
    }
}

impl<O> Call<O> {
    pub(super) fn new(peer: &Peer, method: Cow<'static, str>, params: Result<Option<Raw>>, decode: Decode<O>) -> Self {
        let call = params.map(|params| io::Call { related: peer.related, ..io::Call::new(method, params) });
        Self { remote: peer.remote.clone(), call, meta: Vec::new(), on_progress: None, decode }
    }

    fn set(mut self, change: impl FnOnce(&mut io::Call)) -> Self {
        if let Ok(call) = &mut self.call {
            change(call);
        }
        self
    }

    /// Sets how long to wait for the answer.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("tools/list", None).timeout(Duration::from_secs(5)).await
    /// }
    /// ```
    pub fn timeout(self, timeout: Duration) -> Self {
        self.set(|call| call.timeout = Some(timeout.min(LONGEST)))
    }

    /// Sets how long the whole of it may take, whatever progress comes.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).reset_on_progress().max_total(Duration::from_secs(600)).await
    /// }
    /// ```
    pub fn max_total(self, limit: Duration) -> Self {
        self.set(|call| call.max_total = Some(limit.min(LONGEST)))
    }

    /// Has each progress notification start the [timeout](Self::timeout) anew; asks for progress.
    /// [`max_total`](Self::max_total) still ends it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).timeout(Duration::from_secs(5)).reset_on_progress().await
    /// }
    /// ```
    pub fn reset_on_progress(self) -> Self {
        self.set(|call| {
            call.reset_on_progress = true;
            call.progress = true;
        })
    }

    /// Asks the peer to tell how far it is; [`Sent::progress`] gives what it tells.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     let mut build = peer.request_raw("test/build", None).with_progress().send();
    ///     while let Some(progress) = build.progress().await {
    ///         eprintln!("{}", progress.progress);
    ///     }
    ///     build.await
    /// }
    /// ```
    pub fn with_progress(self) -> Self {
        self.set(|call| call.progress = true)
    }

    /// Asks the peer to tell how far it is and has `hear` called with what it tells, in order and before the answer,
    /// in the task that awaits the answer.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).on_progress(|progress| eprintln!("{}", progress.progress)).await
    /// }
    /// ```
    pub fn on_progress(mut self, hear: impl FnMut(Progress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(hear));
        self.with_progress()
    }

    /// Asks for log messages of this level and above while the request is served. Stateless era only: in the
    /// stateful one the level belongs to the session.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).log_level(mcpeer::model::logging::Level::Debug).await
    /// }
    /// ```
    pub fn log_level(self, level: Level) -> Self {
        self.set(|call| call.log_level = Some(level.as_str().to_owned().into()))
    }

    /// Puts a member into the `_meta` of the params.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).meta("com.example/user", "me").await
    /// }
    /// ```
    pub fn meta(mut self, name: impl Into<Cow<'static, str>>, value: &(impl Serialize + ?Sized)) -> Self {
        let name = name.into();
        match Raw::from_value(value) {
            Ok(value) => self.meta.push((name, value)),
            Err(source) if self.call.is_ok() => {
                self.call = Err(Error::misuse(format!("`_meta.{name}` cannot be written as JSON")).with_source(source));
            }
            Err(_) => {}
        }
        self
    }

    /// Sends the request. What comes back is awaited for the answer; dropping it cancels the request.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     let first = peer.request_raw("test/one", None).send();
    ///     let second = peer.request_raw("test/two", None).send();
    ///     first.await?;
    ///     second.await
    /// }
    /// ```
    pub fn send(self) -> Sent<O> {
        let Self { remote, call, meta, on_progress, decode } = self;
        match call {
            Ok(mut call) => {
                if !meta.is_empty() {
                    call.params = Some(meta::merge(call.params.as_ref(), &meta));
                }
                let method = call.method.clone();
                let state = State::Pending(remote.request(call));
                Sent { state, method, on_progress, decode }
            }
            Err(error) => Sent { state: State::Failed(error), method: "".into(), on_progress, decode },
        }
    }
}

impl Call<Raw> {
    /// Has the result decoded as a type.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Vec<u32>> {
    ///     peer.request_raw("test/numbers", None).decoded().await
    /// }
    /// ```
    pub fn decoded<T: DeserializeOwned>(self) -> Call<T> {
        let Self { remote, call, meta, on_progress, .. } = self;
        Call { remote, call, meta, on_progress, decode: typed }
    }
}

impl<O> IntoFuture for Call<O> {
    type Output = Result<O>;
    type IntoFuture = Sent<O>;

    fn into_future(self) -> Sent<O> {
        self.send()
    }
}

impl<O> fmt::Debug for Call<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("call", &self.call).finish_non_exhaustive()
    }
}

/// A request that was sent: a future of its result.
///
/// # Cancel safety
///
/// Dropping it before it has completed cancels the request: the peer is told in the way of the era and the link, and
/// a late answer is dropped.
#[must_use = "dropping it cancels the request"]
pub struct Sent<O> {
    state: State,
    method: Cow<'static, str>,
    on_progress: Option<OnProgress>,
    decode: Decode<O>,
}

enum State {
    Pending(Pending),
    Failed(Error),
    Over,
}

impl<O> Sent<O> {
    /// Gives the next that the peer tells of its progress, in order; `None` once the answer is there. Nothing comes
    /// unless [`Call::with_progress`] asked for it.
    ///
    /// Of more than 256 that nobody takes, the oldest are dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future of this method loses nothing.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     let mut build = peer.request_raw("test/build", None).with_progress().send();
    ///     let first = build.progress().await;
    ///     eprintln!("{first:?}");
    ///     build.await
    /// }
    /// ```
    pub async fn progress(&mut self) -> Option<Progress> {
        poll_fn(|cx| self.poll_progress(cx)).await
    }

    /// Polls for what [`progress`](Self::progress) gives.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// use std::{future::poll_fn, task::Poll};
    /// async fn call(peer: &Peer) -> bool {
    ///     let mut build = peer.request_raw("test/build", None).with_progress().send();
    ///     poll_fn(|cx| Poll::Ready(build.poll_progress(cx).is_ready())).await
    /// }
    /// ```
    pub fn poll_progress(&mut self, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        let State::Pending(pending) = &mut self.state else { return Poll::Ready(None) };
        loop {
            match pending.poll_progress(cx) {
                // What is no progress at all says nothing about how far the peer is.
                Poll::Ready(Some(params)) => {
                    if let Ok(params) = params.decode::<ProgressParams>() {
                        return Poll::Ready(Some(params.into()));
                    }
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Gives up the request: the peer is told, and awaiting it gives an error that [is a
    /// cancellation](Error::is_cancelled). Without effect once the answer is there.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     let build = peer.request_raw("test/build", None).send();
    ///     build.cancel("not needed after all");
    ///     build.await
    /// }
    /// ```
    pub fn cancel(&self, reason: impl Into<Cow<'static, str>>) {
        if let State::Pending(pending) = &self.state {
            pending.cancel(reason);
        }
    }
}

impl<O> Sent<O> {
    /// Gives what will know the request's id once it is sent; `None` where it could not be made.
    #[doc(hidden)]
    pub fn sent_id(&self) -> Option<crate::driver::SentId> {
        match &self.state {
            State::Pending(pending) => Some(pending.sent()),
            _ => None,
        }
    }
}

impl<O> Future for Sent<O> {
    type Output = Result<O>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<O>> {
        let this = &mut *self;
        if let Some(mut hear) = this.on_progress.take() {
            while let Poll::Ready(Some(progress)) = this.poll_progress(cx) {
                hear(progress);
            }
            this.on_progress = Some(hear);
        }
        match mem::replace(&mut this.state, State::Over) {
            State::Failed(error) => Poll::Ready(Err(error)),
            State::Over => panic!("a request was polled after its outcome was given"),
            State::Pending(mut pending) => {
                let Poll::Ready(outcome) = Pin::new(&mut pending).poll(cx) else {
                    this.state = State::Pending(pending);
                    return Poll::Pending;
                };
                let method = mem::take(&mut this.method);
                Poll::Ready(match outcome {
                    Ok(answer) => (this.decode)(method, answer),
                    Err(failure) => Err(Error::failed(method, failure)),
                })
            }
        }
    }
}

impl<O> fmt::Debug for Sent<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("method", &self.method).finish_non_exhaustive()
    }
}

/// Takes the result of an answer that is complete.
pub(super) fn complete(method: Cow<'static, str>, answer: Answer) -> Result<Raw> {
    let (reason, raw) = match answer {
        Answer::Complete(raw) => return Ok(raw),
        Answer::InputRequired(raw) => return Err(Error::input_required(method, raw)),
        Answer::Extension { result_type, raw } => (format!("no code takes a result of the type `{result_type}`"), raw),
    };
    Err(Error::failed(method, io::Failure::Invalid { reason, raw: Some(raw) }))
}

/// Takes the result of an answer that is complete, as its type.
pub(super) fn typed<O: DeserializeOwned>(method: Cow<'static, str>, answer: Answer) -> Result<O> {
    let raw = complete(method.clone(), answer)?;
    raw.decode().map_err(|source| Error::decode("result", method, raw.clone(), &source))
}

/// As good as for ever, and no sum with the present overflows.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
