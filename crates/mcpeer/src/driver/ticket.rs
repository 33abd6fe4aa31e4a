use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use super::Remote;
use crate::{proto::io::Request, rpc::Raw};

/// A request of the peer that is being served, shared by its handler and the driver: one allocation, cheap to clone.
#[derive(Clone, Debug)]
pub struct Ticket(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Without its params, which go to the handler.
    request: Request,
    remote: Remote,
    is_cancelled: AtomicBool,
    cancelled: Notify,
    /// The value of the last progress notification.
    progress: Mutex<Option<f64>>,
}

impl Ticket {
    pub(super) fn new(request: Request, remote: Remote) -> Self {
        Self(Arc::new(Inner {
            request,
            remote,
            is_cancelled: AtomicBool::new(false),
            cancelled: Notify::new(),
            progress: Mutex::new(None),
        }))
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
        let mut cancelled = pin!(self.0.cancelled.notified());
        cancelled.as_mut().enable();
        if !self.is_cancelled() {
            cancelled.await;
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
        self.remote().room().await;
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
                clock.sleep_until(clock.now() + options.cancel_grace).await;
            }
        }
    }
}
