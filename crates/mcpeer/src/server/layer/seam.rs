use std::{
    convert::Infallible,
    error::Error,
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

use super::Request;
use crate::{
    driver::Remote,
    handler::{self, Context, Notification, Reply, Run},
    peer::Peer,
    proto::io::{self, Misbehaved},
    rpc::{self, Raw, RawRef},
    server::{
        Builder, Tool, ToolCall,
        family::Handle,
        wrap::{Subject, Wrap},
    },
};

/// Any error that may change threads.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// What a layer is put around: the way to the handler. Clones are cheap and lead the same way.
///
/// ```
/// use std::task::{Context, Poll};
///
/// use mcpeer::server::{
///     Server,
///     layer::{Next, Request},
/// };
/// use tower_service::Service;
///
/// /// Counts requests as they pass.
/// #[derive(Clone)]
/// struct Counting(Next);
///
/// impl Service<Request> for Counting {
///     type Response = <Next as Service<Request>>::Response;
///     type Error = <Next as Service<Request>>::Error;
///     type Future = <Next as Service<Request>>::Future;
///
///     fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
///         self.0.poll_ready(cx)
///     }
///
///     fn call(&mut self, request: Request) -> Self::Future {
///         // Count here.
///         self.0.call(request)
///     }
/// }
///
/// let server = Server::builder("counted", "1.0.0").layer(tower_layer::layer_fn(Counting)).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Next(Arc<dyn Fn(Request) -> Run + Send + Sync>);

impl Service<Request> for Next {
    type Response = Reply;
    type Error = Infallible;
    type Future = Serving;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Serving {
        Serving(Some((self.0)(request)))
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

/// A handler at work: a future that gives its reply.
#[must_use = "futures do nothing unless polled"]
pub struct Serving(Option<Run>);

impl Future for Serving {
    type Output = Result<Reply, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match self.0.take().expect("a future that gave its outcome is not polled again") {
            Run::Ready(reply) => Poll::Ready(Ok(reply)),
            Run::Pending(mut running) => match running.as_mut().poll(cx) {
                Poll::Ready(reply) => Poll::Ready(Ok(reply)),
                Poll::Pending => {
                    self.0 = Some(Run::Pending(running));
                    Poll::Pending
                }
            },
        }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Serving")
    }
}

/// What can be put around requests: any tower layer whose service takes a [`Request`], gives a [`Reply`], and can be
/// cloned and shared. Each request gets a clone of the service.
///
/// ```
/// use std::time::Duration;
///
/// use mcpeer::server::{
///     Builder,
///     layer::{Around, Timeout},
/// };
///
/// fn guarded(builder: Builder, guard: impl Around) -> Builder {
///     builder.layer(guard).layer(Timeout::new(Duration::from_secs(30)))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put around requests",
    note = "it must be a `tower_layer::Layer<Next>` whose service is `Service<Request, Response = Reply> + Clone + Send + Sync`"
)]
pub trait Around: Send + Sync + 'static {
    /// Gives the way that leads through this layer.
    #[doc(hidden)]
    fn around(&self, next: Next) -> Next;
}

impl<L> Around for L
where
    L: Layer<Next> + Send + Sync + 'static,
    L::Service: Service<Request, Response = Reply> + Clone + Send + Sync + 'static,
    <L::Service as Service<Request>>::Error: Into<BoxError>,
    <L::Service as Service<Request>>::Future: Send + 'static,
{
    fn around(&self, next: Next) -> Next {
        let service = self.layer(next);
        Next(Arc::new(move |request| {
            let mut service = service.clone();
            Run::Pending(Box::pin(async move {
                if let Err(error) = poll_fn(|cx| service.poll_ready(cx)).await {
                    return failed(error.into());
                }
                service.call(request).await.unwrap_or_else(|error| failed(error.into()))
            }))
        }))
    }
}

impl Builder {
    /// Puts a [layer](crate::server::layer) around every request that has a handler, inside those that were added
    /// before.
    ///
    /// ```
    /// use mcpeer::server::{Server, layer::ConcurrencyLimit};
    ///
    /// let server = Server::builder("clock", "1.0.0").layer(ConcurrencyLimit::new(8)).build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn layer(mut self, layer: impl Around) -> Self {
        self.layers.push(Box::new(move |inner| {
            let service = inner.clone();
            let next = layer.around(Next(Arc::new(move |request: Request| {
                let (request, cx) = request.into_parts();
                service.call(request, cx)
            })));
            Arc::new(LayeredService { inner, next })
        }));
        self
    }
}

impl Tool {
    /// Puts a [layer](crate::server::layer) around the calls of this tool, inside those that were added before.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcpeer::server::{Tool, layer::Timeout};
    ///
    /// let tool = Tool::new("search").layer(Timeout::new(Duration::from_secs(5)));
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn layer(mut self, layer: impl Around) -> Self {
        self.layers.push(Arc::new(AroundTool(layer)));
        self
    }
}

/// A service behind a layer.
struct LayeredService {
    inner: Arc<dyn handler::Service>,
    next: Next,
}

impl handler::Service for LayeredService {
    fn call(&self, request: handler::Request, cx: Context) -> Run {
        (self.next.0)(Request::new(request.params, cx))
    }

    fn notify(&self, notification: Notification, peer: &Peer) {
        self.inner.notify(notification, peer);
    }

    fn connected(&self, peer: &Peer) {
        self.inner.connected(peer);
    }

    fn subscribed(&self, filter: &Raw, peer: &Peer) {
        self.inner.subscribed(filter, peer);
    }

    fn listens(&self, listener: io::Handle, cx: &Context) {
        self.inner.listens(listener, cx);
    }

    fn listens_no_more(&self, listener: io::Handle, remote: &Remote) {
        self.inner.listens_no_more(listener, remote);
    }

    fn watched(&self, uri: &str) {
        self.inner.watched(uri);
    }

    fn unwatched(&self, uri: &str) {
        self.inner.unwatched(uri);
    }

    fn misbehaved(&self, report: &Misbehaved) {
        self.inner.misbehaved(report);
    }

    fn closed(&self, reason: &crate::error::Error) {
        self.inner.closed(reason);
    }
}

/// A layer around the calls of one tool.
struct AroundTool<L>(L);

impl<L: Around> Wrap for AroundTool<L> {
    fn wrap(&self, subject: &Subject<'_>, inner: Box<dyn Handle>) -> Result<Box<dyn Handle>, String> {
        let wraps_output = subject.wraps_output;
        let next = self.0.around(Next(Arc::new(move |request: Request| {
            let call = ToolCall::read(request.params().map(Raw::borrow));
            match call {
                Ok(call) => inner.run(&call, request.context(), wraps_output),
                Err(error) => Run::Ready(Reply::Error(error)),
            }
        })));
        Ok(Box::new(LayeredTool(next)))
    }
}

/// A tool behind a layer.
struct LayeredTool(Next);

impl Handle for LayeredTool {
    fn run(&self, call: &ToolCall<'_>, cx: &Context, _: bool) -> Run {
        let mut params = br#"{"name":"#.to_vec();
        rpc::raw::write_string(call.name(), &mut params);
        params.extend_from_slice(br#","arguments":"#);
        params.extend_from_slice(call.arguments().map_or("{}", RawRef::as_str).as_bytes());
        params.push(b'}');
        let params = String::from_utf8(params).expect("only text was written");
        (self.0.0)(Request::new(Some(Raw::trusted(params)), cx.clone()))
    }
}

/// Gives the reply of a request that a layer let fail.
fn failed(error: BoxError) -> Reply {
    match error.downcast::<rpc::Error>() {
        Ok(error) => Reply::Error(*error),
        Err(error) => {
            tracing::error!(error, "a layer let a request fail");
            Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "internal error"))
        }
    }
}
