use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};

use super::{
    Request,
    ready::{Ready, layer},
};
use crate::handler::Reply;

/// Ends a handler that takes too long: its future is dropped, and the request is refused. A tool's model hears why.
///
/// ```
/// use std::time::Duration;
///
/// use mcpeer::server::{Server, layer::Timeout};
///
/// let server = Server::builder("clock", "1.0.0").layer(Timeout::new(Duration::from_secs(30))).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Timeout(Duration);

impl Timeout {
    /// Sets how long a handler may take.
    ///
    /// ```
    /// # use mcpeer::server::layer::Timeout;
    /// let timeout = Timeout::new(std::time::Duration::from_secs(30));
    /// # let _ = timeout;
    /// ```
    pub fn new(limit: Duration) -> Self {
        Self(limit)
    }
}

layer!(Timeout);

impl Ready for Timeout {
    async fn serve<E: Send, F: Future<Output = Result<Reply, E>> + Send>(
        self,
        request: Request,
        next: impl FnOnce(Request) -> F + Send,
    ) -> Result<Reply, E> {
        let clock = request.context().runtime().clock.clone();
        let asked = request.clone();
        let mut time = clock.sleep(self.0);
        let mut running = pin!(next(request));
        poll_fn(|cx| match running.as_mut().poll(cx) {
            Poll::Pending => time.as_mut().poll(cx).map(|()| Ok(asked.refuse(format!("not done within {:?}", self.0)))),
            ready => ready,
        })
        .await
    }
}
