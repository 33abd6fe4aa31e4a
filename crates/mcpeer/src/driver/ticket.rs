use std::{
    any::Any,
    borrow::Cow,
    fmt,
    future::Future,
    pin::pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use super::{BoxFuture, Remote};
use crate::{
    proto::io::{Reply, Request},
    rpc::{self, Raw},
};

/// A request of the peer that is being served, shared by its handler and the driver: one allocation, cheap to clone.
#[derive(Clone)]
pub struct Ticket(Arc<Inner>);

struct Inner {
    /// Without its params, which go to the handler.
    request: Request,
    /// The params, where the code above gave them back.
    params: OnceLock<Raw>,
    remote: Remote,
    is_cancelled: AtomicBool,
    cancelled: Notify,
    /// The value of the last progress notification.
    progress: Mutex<Option<f64>>,
    /// What may answer in the handler's place.
    interrupt: OnceLock<Arc<dyn Interrupt>>,
}

/// What may answer a request in the place of its handler, while that waits.
pub trait Interrupt: Any + Send + Sync {
    /// Gives an answer where the handler is not to go on; then its future is dropped. Asked each time when the handler
    /// was polled and waits.
    fn interrupt(&self, ticket: &Ticket) -> Option<Reply>;

    /// Hears that the handler will be run anew for the same request.
    fn run_anew(&self);
}

/// Seals what a client keeps between the rounds of a request, and opens it again. One for all requests of a server.
pub trait Sealing: Any + Send + Sync {
    /// Opens the state that a client gave back with a request, before its handler runs. Gives what an earlier result by
    /// hand had in it.
    fn open(&self, ticket: &Ticket) -> BoxFuture<Result<Option<Raw>, rpc::Error>>;

    /// Seals the state of a result that asks for input, or gives the answer in its place.
    fn seal(&self, ticket: &Ticket, raw: Raw) -> Result<Raw, Reply>;

    /// Gives how many rounds a request may take.
    fn max_rounds(&self) -> u32;

    /// Gives how many questions a round may have.
    fn max_questions(&self) -> usize;
}

impl Ticket {
    /// Makes one of a request without its params.
    pub fn new(request: Request, remote: Remote) -> Self {
        Self(Arc::new(Inner {
            request,
            params: OnceLock::new(),
            remote,
            is_cancelled: AtomicBool::new(false),
            cancelled: Notify::new(),
            progress: Mutex::new(None),
            interrupt: OnceLock::new(),
        }))
    }

    /// Keeps the params, for whoever needs them after the handler was called. Only the first count.
    pub fn keep_params(&self, params: Raw) {
        drop(self.0.params.set(params));
    }

    /// Gives the params that were kept.
    pub fn params(&self) -> Option<&Raw> {
        self.0.params.get()
    }

    /// Gives what may answer in the handler's place, and makes it where there is none yet.
    pub fn interrupt_with(&self, make: impl FnOnce() -> Arc<dyn Interrupt>) -> &Arc<dyn Interrupt> {
        self.0.interrupt.get_or_init(make)
    }

    /// Gives what may answer in the handler's place.
    pub fn interrupt(&self) -> Option<&Arc<dyn Interrupt>> {
        self.0.interrupt.get()
    }

    /// Has the handler polled, so that what may answer in its place is asked.
    pub fn nudge(&self) {
        self.0.cancelled.notify_waiters();
    }

    /// Gives what answers in the handler's place, now that it was polled and waits.
    pub fn interrupted(&self) -> Option<Reply> {
        self.0.interrupt.get()?.interrupt(self)
    }

    /// Gives the request; its params are not in it any more.
    pub fn request(&self) -> &Request {
        &self.0.request
    }

    /// Gives the way to the driver.
    pub fn remote(&self) -> &Remote {
        &self.0.remote
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Acquire)
    }

    /// Waits until nobody waits for the answer any more.
    pub async fn cancelled(&self) {
        // It also wakes for a nudge.
        while !self.is_cancelled() {
            let mut cancelled = pin!(self.0.cancelled.notified());
            cancelled.as_mut().enable();
            if !self.is_cancelled() {
                cancelled.await;
            }
        }
    }

    /// Whether the peer asked for progress and still waits.
    pub fn wants_progress(&self) -> bool {
        self.0.request.progress_token.is_some() && !self.is_cancelled()
    }

    /// Sends progress: `params` without the token. Dropped without a word where the peer asked for none or no longer
    /// waits, and where `progress` is not greater than the last one. Waits while too much waits to be written.
    pub async fn progress(&self, progress: f64, params: impl FnOnce() -> Option<Raw>) {
        if !self.wants_progress() {
            return;
        }
        self.room().await;
        // Held over the post, so that the values stand on the wire in the order in which they were compared.
        let mut last = self.0.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if !progress.is_finite() || last.is_some_and(|last| progress <= last) || self.is_cancelled() {
            return;
        }
        if let Some(params) = params() {
            *last = Some(progress);
            self.remote().post_progress(self.0.request.handle, params);
        }
    }

    /// Sends a log message where the rules of the era let it through. Waits while too much waits to be written.
    pub async fn log(&self, level: Cow<'static, str>, params: Raw) {
        self.room().await;
        self.remote().post_log(Some(self.0.request.handle), level, params);
    }

    /// Waits until there is room for a notification that belongs to the request.
    async fn room(&self) {
        match self.0.request.edge.as_deref().and_then(|edge| edge.channel.as_deref()) {
            // Who reads slowly there holds up nobody else.
            Some(channel) => self.remote().room_in(|| channel.is_full()).await,
            None => self.remote().room().await,
        }
    }

    pub(super) fn cancel(&self) {
        if !self.0.is_cancelled.swap(true, Ordering::AcqRel) {
            self.0.cancelled.notify_waiters();
        }
    }

    /// Completes when a handler has had its time after its request was cancelled.
    pub(super) fn is_overdue(&self) -> impl Future<Output = ()> + Send + use<> {
        let ticket = self.clone();
        async move {
            ticket.cancelled().await;
            let options = ticket.remote().options();
            if !options.cancel_grace.is_zero() {
                let clock = &options.runtime.clock;
                clock.sleep(options.cancel_grace).await;
            }
        }
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_cancelled = self.is_cancelled();
        f.debug_struct("Ticket").field("request", &self.0.request).field("is_cancelled", &is_cancelled).finish()
    }
}
