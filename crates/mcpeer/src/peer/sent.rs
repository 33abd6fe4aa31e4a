use std::{
    borrow::Cow,
    fmt,
    future::{Future, poll_fn},
    mem,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
};

use super::{
    Progress,
    call::{Decode, OnProgress},
    recall::Note,
    rounds::{Gathered, Gathering, Rounds},
};
use crate::{
    driver::{
        Pending,
        io::{Answer, Failure},
    },
    error::{Error, Result},
    model::progress::ProgressParams,
    rpc::Raw,
};

/// A request that was sent: a future of its result.
///
/// # Cancel safety
///
/// Dropping it before it has completed cancels the request: the peer is told in the way of the era and the link, and
/// a late answer is dropped. The handlers that answer questions of the server for it are dropped with it.
#[must_use = "dropping it cancels the request"]
pub struct Sent<O> {
    state: State,
    method: Cow<'static, str>,
    on_progress: Option<OnProgress>,
    decode: Decode<O>,
    rounds: Option<Box<Rounds>>,
    /// What hears the answer.
    note: Option<Box<dyn Note>>,
    /// Whether the peer was not asked, since its answer was there.
    is_kept: bool,
    given_up: GivenUp,
}

enum State {
    Pending(Pending),
    Gathering(Box<Gathering>),
    Settled(Result<Answer>),
    Over,
}

/// Whether the caller gave up the request, and who hears of it while something else than its answer is waited for.
#[derive(Default)]
pub(crate) struct GivenUp(Mutex<(Option<Cow<'static, str>>, Option<Waker>)>);

impl GivenUp {
    /// Gives up.
    pub(crate) fn give_up(&self, reason: Cow<'static, str>) {
        let mut given_up = self.lock();
        given_up.0 = Some(reason);
        if let Some(waker) = given_up.1.take() {
            waker.wake();
        }
    }

    /// Gives the reason, once it was given up; who asks is woken then.
    pub(crate) fn take(&self, cx: &Context<'_>) -> Option<Cow<'static, str>> {
        let mut given_up = self.lock();
        let reason = given_up.0.take();
        given_up.1 = Some(cx.waker().clone());
        reason
    }

    fn lock(&self) -> MutexGuard<'_, (Option<Cow<'static, str>>, Option<Waker>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O> Sent<O> {
    /// Waits for a request that is on its way.
    pub(super) fn new(
        method: Cow<'static, str>,
        pending: Pending,
        rounds: Option<Rounds>,
        on_progress: Option<OnProgress>,
        decode: Decode<O>,
    ) -> Self {
        let (state, rounds) = (State::Pending(pending), rounds.map(Box::new));
        let given_up = GivenUp::default();
        Self { state, method, on_progress, decode, rounds, note: None, is_kept: false, given_up }
    }

    /// Has the answer heard.
    pub(super) fn noted_by(mut self, note: Option<Box<dyn Note>>) -> Self {
        self.note = note;
        self
    }

    /// Makes one whose answer is there.
    pub(super) fn kept(method: Cow<'static, str>, result: Raw, decode: Decode<O>) -> Self {
        Self { is_kept: true, ..Self::settled(method, Ok(Answer::Complete(result)), decode) }
    }

    /// Whether the peer was not asked, since its answer was there.
    #[allow(dead_code, reason = "only clients keep answers")]
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Makes one that failed before it was sent.
    pub(super) fn failed(error: Error, decode: Decode<O>) -> Self {
        Self::settled("".into(), Err(error), decode)
    }

    fn settled(method: Cow<'static, str>, outcome: Result<Answer>, decode: Decode<O>) -> Self {
        let state = State::Settled(outcome);
        let given_up = GivenUp::default();
        Self { state, method, on_progress: None, decode, rounds: None, note: None, is_kept: false, given_up }
    }

    /// Gives the next that the peer tells of its progress, in order; `None` once the answer is there. Nothing comes
    /// unless [`Call::with_progress`](super::Call::with_progress) asked for it.
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
        loop {
            if let State::Pending(pending) = &mut self.state {
                match pending.poll_progress(cx) {
                    Poll::Ready(Some(params)) => {
                        // What is no progress at all says nothing about how far the peer is.
                        if let Ok(params) = params.decode::<ProgressParams>() {
                            return Poll::Ready(Some(params.into()));
                        }
                        continue;
                    }
                    Poll::Ready(None) => {}
                    Poll::Pending => return Poll::Pending,
                }
            }
            if matches!(self.state, State::Settled(_) | State::Over) {
                return Poll::Ready(None);
            }
            ready!(self.poll_step(cx));
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
        if matches!(self.state, State::Settled(_) | State::Over) {
            return;
        }
        let reason = reason.into();
        if let State::Pending(pending) = &self.state {
            pending.cancel(reason.clone());
        }
        self.given_up.give_up(reason);
    }

    /// Goes on by one step: an answer came, or what the server asked for is there.
    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.state = match &mut self.state {
            State::Pending(pending) => {
                let outcome = ready!(Pin::new(&mut *pending).poll(cx));
                if let Some(note) = self.note.take() {
                    match &outcome {
                        Ok(Answer::Complete(result)) => note.answered(result, pending.received()),
                        Ok(_) => {}
                        Err(failure) => note.failed(failure),
                    }
                }
                self.received(outcome)
            }
            State::Gathering(gathering) => {
                let gathered = match self.given_up.take(cx) {
                    Some(reason) => Err(self.cancelled(reason)),
                    None => ready!(gathering.poll(cx)),
                };
                self.gathered(gathered)
            }
            State::Settled(_) | State::Over => return Poll::Ready(()),
        };
        Poll::Ready(())
    }

    fn received(&mut self, outcome: Result<Answer, Failure>) -> State {
        let Some(rounds) = &mut self.rounds else {
            return State::Settled(outcome.map_err(|failure| Error::failed(self.method.clone(), failure)));
        };
        match outcome {
            Ok(Answer::InputRequired(asked)) => match rounds.gather(&asked) {
                Ok(gathering) => State::Gathering(Box::new(gathering)),
                Err(error) => State::Settled(Err(error)),
            },
            Ok(answer) => State::Settled(Ok(answer)),
            Err(failure) => State::Settled(Err(Error::failed(self.method.clone(), rounds.whole(failure)))),
        }
    }

    fn gathered(&mut self, gathered: Result<Gathered>) -> State {
        let Some(rounds) = &mut self.rounds else { return State::Over };
        match gathered.map(|gathered| rounds.again(&gathered)) {
            Ok(Ok(pending)) => State::Pending(pending),
            Ok(Err(failure)) => State::Settled(Err(Error::failed(self.method.clone(), failure))),
            Err(error) => State::Settled(Err(error)),
        }
    }

    fn cancelled(&self, reason: Cow<'static, str>) -> Error {
        Error::failed(self.method.clone(), Failure::Cancelled { reason: reason.into_owned() })
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
        loop {
            match mem::replace(&mut this.state, State::Over) {
                State::Settled(outcome) => {
                    let method = mem::take(&mut this.method);
                    return Poll::Ready(outcome.and_then(|answer| (this.decode)(method, answer)));
                }
                State::Over => panic!("a request was polled after its outcome was given"),
                open => this.state = open,
            }
            ready!(this.poll_step(cx));
        }
    }
}

impl<O> fmt::Debug for Sent<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("method", &self.method).finish_non_exhaustive()
    }
}
