use std::{future::Future, sync::Arc};

use tokio::sync::Semaphore;

use super::{
    Request,
    ready::{Ready, layer},
};
use crate::handler::Reply;

/// Lets so many handlers run at once; further requests wait in order. Clones share the limit: so may several tools.
///
/// ```
/// use mcpeer::server::{Server, Tool, layer::ConcurrencyLimit};
///
/// let printer = ConcurrencyLimit::new(1);
/// let server = Server::builder("printer", "1.0.0")
///     .tool(Tool::new("print").layer(printer.clone()), async || "printed")
///     .tool(Tool::new("scan").layer(printer), async || "scanned")
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConcurrencyLimit(Arc<Semaphore>);

impl ConcurrencyLimit {
    /// Sets how many handlers may run at once.
    ///
    /// ```
    /// # use mcpeer::server::layer::ConcurrencyLimit;
    /// let limit = ConcurrencyLimit::new(8);
    /// # let _ = limit;
    /// ```
    ///
    /// # Panics
    ///
    /// A limit of none, at which nothing would ever run.
    pub fn new(handlers: usize) -> Self {
        assert!(handlers > 0, "at least one handler must be able to run");
        Self(Arc::new(Semaphore::new(handlers.min(Semaphore::MAX_PERMITS))))
    }
}

layer!(ConcurrencyLimit);

impl Ready for ConcurrencyLimit {
    async fn serve<E: Send, F: Future<Output = Result<Reply, E>> + Send>(
        self,
        request: Request,
        next: impl FnOnce(Request) -> F + Send,
    ) -> Result<Reply, E> {
        let _permit = self.0.acquire().await.expect("the semaphore is never closed");
        next(request).await
    }
}
