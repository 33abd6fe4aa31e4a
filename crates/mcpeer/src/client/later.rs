//! Calls whose results come later: what an extension makes of an answer that only promises one.

use std::{
    any::Any,
    borrow::Cow,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use super::Client;
use crate::{error::Result, rpc::Raw};

/// What goes on with a call that was answered by a promise.
pub(super) trait Later: Any + Send + Sync {
    /// Begins to wait for what an answer promises; `None` where its type is another extension's. `raw` is the answer
    /// without `resultType`.
    fn begin(&self, client: &Client, result_type: &str, raw: &Raw, limits: Limits) -> Option<Result<Box<dyn Ongoing>>>;
}

/// A result that is waited for. Dropping it gives it up.
pub(super) trait Ongoing: Any + Send {
    /// Ready with the result of the call.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Raw>>;

    /// Gives it up, so that it ends with an error that says so.
    fn cancel(&self, reason: Cow<'static, str>);
}

/// What holds for a call.
pub(super) struct Limits {
    /// How long to wait for the answer to each request.
    #[allow(dead_code, reason = "only extensions read it")]
    pub(super) timeout: Option<Duration>,
    /// When the call has to be over, and after how long that is.
    #[allow(dead_code, reason = "only extensions read it")]
    pub(super) until: Option<(Instant, Duration)>,
    /// Whether the caller answers questions of the server.
    #[allow(dead_code, reason = "only extensions read it")]
    pub(super) is_manual: bool,
}
