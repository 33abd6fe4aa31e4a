use std::{
    mem,
    task::{Context, Poll},
};

use tower_service::Service;

use super::Request;
use crate::{driver::BoxFuture, handler::Reply};

/// A service behind one of the ready layers.
///
/// ```
/// use std::time::Duration;
///
/// use mcpeer::server::layer::{Layered, Next, Timeout};
/// use tower_layer::Layer;
///
/// fn hurried(next: Next) -> Layered<Next, Timeout> {
///     Timeout::new(Duration::from_secs(1)).layer(next)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Layered<S, L> {
    inner: S,
    layer: L,
}

impl<S, L> Layered<S, L> {
    pub(super) fn new(inner: S, layer: L) -> Self {
        Self { inner, layer }
    }
}

impl<S, L> Service<Request> for Layered<S, L>
where
    S: Service<Request, Response = Reply> + Clone + Send + 'static,
    S::Error: Send,
    S::Future: Send,
    L: Ready,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = BoxFuture<Result<Reply, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The clone is not ready; the one that is takes the request.
        let clone = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, clone);
        let layer = self.layer.clone();
        Box::pin(async move { layer.serve(request, move |request| inner.call(request)).await })
    }
}

/// What a ready layer does.
pub trait Ready: Clone + Send + Sync + 'static {
    /// Serves a request by what comes next, or refuses it.
    fn serve<E: Send, F: Future<Output = Result<Reply, E>> + Send>(
        self,
        request: Request,
        next: impl FnOnce(Request) -> F + Send,
    ) -> impl Future<Output = Result<Reply, E>> + Send;
}

/// Implements tower's trait for a ready layer.
macro_rules! layer {
    ($name:ident) => {
        impl<S> tower_layer::Layer<S> for $name {
            type Service = super::Layered<S, $name>;

            fn layer(&self, inner: S) -> Self::Service {
                super::Layered::new(inner, self.clone())
            }
        }
    };
}

pub(super) use layer;
