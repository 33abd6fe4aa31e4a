use std::future::Future;

use tracing::{Instrument, debug_span, info};

use super::{
    Outcome, Request,
    ready::{Ready, layer},
};
use crate::handler::Reply;

/// Tells `tracing` of each request when it is done: method, tool, how it went, how long it took. The handler runs in a
/// span that names method and tool. Arguments are not told.
///
/// ```
/// use mcpeer::server::{Server, layer::Trace};
///
/// let server = Server::builder("clock", "1.0.0").layer(Trace::new()).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace(());

impl Trace {
    /// Makes the layer.
    ///
    /// ```
    /// # use mcpeer::server::layer::Trace;
    /// let trace = Trace::new();
    /// # let _ = trace;
    /// ```
    pub fn new() -> Self {
        Self(())
    }
}

layer!(Trace);

impl Ready for Trace {
    async fn serve<E: Send, F: Future<Output = Result<Reply, E>> + Send>(
        self,
        request: Request,
        next: impl FnOnce(Request) -> F + Send,
    ) -> Result<Reply, E> {
        let clock = request.context().runtime().clock.clone();
        let start = clock.now();
        let span = debug_span!("handler", method = request.method(), tool = request.tool().as_deref());
        let result = next(request).instrument(span.clone()).await;
        let _entered = span.enter();
        let elapsed = clock.now().saturating_duration_since(start);
        info!(outcome = ?Outcome::of(&result), ?elapsed, "served");
        result
    }
}
