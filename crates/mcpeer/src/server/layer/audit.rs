use std::{
    fmt,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    Request,
    ready::{Ready, layer},
};
use crate::{driver::Clock, handler::Reply};

/// Tells a function of each request once it is over: who asked for what, with which arguments, and how it went.
///
/// It hears of requests that were given up, too. It runs where the handler ran: let it be short.
///
/// ```
/// use mcpeer::server::{Server, layer::Audit};
///
/// let audit = Audit::new(|entry| {
///     let arguments = entry.request.arguments().map(|arguments| arguments.as_str());
///     let who = entry.request.context().principal();
///     tracing::info!(?who, tool = entry.request.tool().as_deref(), arguments, outcome = ?entry.outcome);
/// });
/// let server = Server::builder("vault", "1.0.0").layer(audit).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Audit(Arc<dyn Fn(&Entry<'_>) + Send + Sync>);

impl Audit {
    /// Sets what hears of each request.
    ///
    /// ```
    /// # use mcpeer::server::layer::Audit;
    /// let audit = Audit::new(|entry| eprintln!("{} took {:?}", entry.request.method(), entry.elapsed));
    /// # let _ = audit;
    /// ```
    pub fn new(hear: impl Fn(&Entry<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Audit")
    }
}

/// A request that is over.
///
/// ```
/// use mcpeer::server::layer::{Entry, Outcome};
///
/// fn is_slow_success(entry: &Entry<'_>) -> bool {
///     entry.outcome == Outcome::Completed && entry.elapsed.as_secs() > 5
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The request, as it was before what lies behind this layer.
    pub request: &'a Request,
    /// How it went.
    pub outcome: Outcome,
    /// How long it took.
    pub elapsed: Duration,
}

/// How a request went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It has its result.
    Completed,
    /// It has a result that tells of a failure.
    Failed,
    /// The client must tell something first.
    InputRequired,
    /// It has an error.
    Refused,
    /// It was given up before it was done: cancelled, timed out outside of this layer, or its handler panicked.
    GivenUp,
}

impl Outcome {
    pub(super) fn of<E>(result: &Result<Reply, E>) -> Self {
        match result {
            Ok(Reply::Complete(payload)) => {
                let is_error = payload.raw.borrow().member("isError");
                if is_error.is_some_and(|raw| raw.as_str() == "true") { Self::Failed } else { Self::Completed }
            }
            Ok(Reply::InputRequired(_)) => Self::InputRequired,
            _ => Self::Refused,
        }
    }
}

layer!(Audit);

impl Ready for Audit {
    async fn serve<E: Send, F: Future<Output = Result<Reply, E>> + Send>(
        self,
        request: Request,
        next: impl FnOnce(Request) -> F + Send,
    ) -> Result<Reply, E> {
        let clock = request.context().runtime().clock.clone();
        let start = clock.now();
        let mut open = Open { audit: self, request: request.clone(), clock, start, outcome: Outcome::GivenUp };
        let result = next(request).await;
        open.outcome = Outcome::of(&result);
        result
    }
}

/// Tells how a request went when it is dropped.
struct Open {
    audit: Audit,
    request: Request,
    clock: Arc<dyn Clock>,
    start: Instant,
    outcome: Outcome,
}

impl Drop for Open {
    fn drop(&mut self) {
        let elapsed = self.clock.now().saturating_duration_since(self.start);
        (self.audit.0)(&Entry { request: &self.request, outcome: self.outcome, elapsed });
    }
}
