use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::{Context, Poll, Waker},
};

use tracing::Span;

use super::{BoxFuture, Ticket, remote::Command};
use crate::{proto::io::Reply, rpc};

/// What became of a request when its handler was called.
///
/// ```
/// use mcpeer::{handler::{Reply, Run}, rpc::Error};
///
/// let ready = Run::Ready(Reply::Error(Error::new(7, "out of paper")));
/// let later = Run::Pending(Box::pin(async { Reply::Error(Error::new(7, "out of paper")) }));
/// # drop((ready, later));
/// ```
#[must_use = "a request wants an answer"]
pub enum Run {
    /// The answer is there.
    Ready(Reply),
    /// The answer will come from this future. It is polled at once, and moved to a task of its own where that does
    /// not finish it.
    Pending(BoxFuture<Reply>),
}

/// What came of running a handler as far as it goes without waiting.
pub(super) enum Outcome {
    Reply(Reply),
    Pending(BoxFuture<Reply>),
    Panicked(String),
}

/// Calls a handler and polls it once. The waker does nothing: what is not finished is polled anew by its own task.
pub(super) fn start(ticket: &Ticket, handler: impl FnOnce() -> Run) -> Outcome {
    let outcome = catch_unwind(AssertUnwindSafe(|| match handler() {
        Run::Ready(reply) => Outcome::Reply(reply),
        Run::Pending(mut future) => match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => Outcome::Reply(reply),
            Poll::Pending => ticket.interrupted().map_or_else(|| Outcome::Pending(future), Outcome::Reply),
        },
    }));
    outcome.unwrap_or_else(|payload| Outcome::Panicked(panic_text(payload)))
}

/// Runs a handler to its end and reports it, whatever end that is.
pub(super) async fn finish(future: BoxFuture<Reply>, ticket: Ticket, span: Span) {
    let mut report = Report { ticket, outcome: Some(dropped()), panic: None };
    let mut future = Some(future);
    let mut overdue = pin!(report.ticket.is_overdue());
    let outcome = poll_fn(|cx| {
        let _entered = span.enter();
        let running = future.as_mut().expect("a future that gave its outcome is not polled again");
        match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
            Ok(Poll::Ready(reply)) => return Poll::Ready(Ok(Some(reply))),
            Ok(Poll::Pending) => {
                if let Some(reply) = report.ticket.interrupted() {
                    return Poll::Ready(Ok(Some(reply)));
                }
            }
            Err(payload) => return Poll::Ready(Err(panic_text(payload))),
        }
        overdue.as_mut().poll(cx).map(|()| Ok(None))
    })
    .await;
    // A future's drop may panic as well as its poll.
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(future.take())));
    match outcome {
        Ok(reply) => report.outcome = reply,
        Err(text) => report.panicked(text),
    }
    if let Err(payload) = dropped {
        report.panic.get_or_insert(panic_text(payload));
    }
}

/// Tells the driver how a handler ended when it is dropped: also where the runtime drops the task.
struct Report {
    ticket: Ticket,
    outcome: Option<Reply>,
    panic: Option<String>,
}

impl Report {
    fn panicked(&mut self, text: String) {
        self.panic = Some(text);
        self.outcome = Some(internal_error());
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let handle = self.ticket.request().handle;
        let command = Command::Ended { handle, reply: self.outcome.take(), panic: self.panic.take() };
        drop(self.ticket.remote().post(command));
    }
}

/// What the peer hears of a failure whose details are none of its business.
pub(super) fn internal_error() -> Reply {
    Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "internal error"))
}

fn dropped() -> Reply {
    Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the request was given up"))
}

/// Gives what a panic said. Whatever else it carries is dropped with care: that may panic again.
pub(crate) fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = match payload.downcast_ref::<&'static str>() {
        Some(text) => Some((*text).to_owned()),
        None => payload.downcast_ref::<String>().cloned(),
    };
    if text.is_none() {
        drop(catch_unwind(AssertUnwindSafe(|| drop(payload))));
    }
    text.unwrap_or_else(|| "no message".into())
}
