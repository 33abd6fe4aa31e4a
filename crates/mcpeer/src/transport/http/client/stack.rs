use std::{
    error::Error,
    fmt,
    future::{Future, poll_fn},
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use http::{Request, Response};
use http_body::Body;

use crate::driver::BoxFuture;

/// What sends HTTP requests: reqwest unless another is given, by [`Connector::stack`](super::Connector::stack).
///
/// Functions are stacks, too. This one is a server in the same process, without any socket:
///
/// ```
/// # #[cfg(feature = "http-server")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use bytes::Bytes;
/// use mcpeer::{Client, Server, transport::http::{self, client::ResponseBody}};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// let service = server.http().service();
/// let stack = move |request: ::http::Request<Bytes>| {
///     let service = service.clone();
///     async move {
///         let request = request.map(|body| String::from_utf8_lossy(&body).into_owned());
///         Ok(service.handle(request).await.map(ResponseBody::new))
///     }
/// };
/// let client = Client::builder("me", "1.0.0").connect(http::client("http://localhost/mcp").stack(stack)).await?;
/// assert_eq!(client.call("now").await?.as_text(), "12:00");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "http-server"))]
/// # fn main() {}
/// ```
pub trait HttpClient: Send + Sync + 'static {
    /// Sends a request and gives the response as soon as its head is there. Redirects are not followed, and cookies
    /// not kept: what may be followed is decided elsewhere. Dropping what is being sent, or the body, hangs up.
    ///
    /// # Errors
    ///
    /// There is no response. The error says why; what it was caused by is told, too.
    fn send(&self, request: Request<Bytes>) -> BoxFuture<io::Result<Response<ResponseBody>>>;
}

impl<F, Sending> HttpClient for F
where
    F: Fn(Request<Bytes>) -> Sending + Send + Sync + 'static,
    Sending: Future<Output = io::Result<Response<ResponseBody>>> + Send + 'static,
{
    fn send(&self, request: Request<Bytes>) -> BoxFuture<io::Result<Response<ResponseBody>>> {
        Box::pin(self(request))
    }
}

/// The body of a response, as it comes in.
pub struct ResponseBody(Box<dyn Pieces>);

impl ResponseBody {
    /// Makes it of any body.
    ///
    /// ```
    /// use mcpeer::transport::http::client::ResponseBody;
    ///
    /// let body = ResponseBody::new("{}".to_owned());
    /// # drop(body);
    /// ```
    pub fn new<B>(body: B) -> Self
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        Self(Box::new(Reading(Box::pin(body))))
    }

    /// Makes it of what was read already.
    pub(super) fn whole(text: Vec<u8>) -> Self {
        Self(Box::new(Whole(text)))
    }

    /// Gives the next piece; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<io::Result<Bytes>> {
        poll_fn(|cx| self.0.poll_next(cx)).await
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseBody")
    }
}

/// A body without its type.
trait Pieces: Send {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>>;
}

struct Reading<B>(Pin<Box<B>>);

impl<B> Pieces for Reading<B>
where
    B: Body + Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        loop {
            match ready!(self.0.as_mut().poll_frame(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error)))),
                Some(Ok(frame)) => {
                    // Trailers say nothing here.
                    if let Ok(mut data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data.copy_to_bytes(data.remaining()))));
                    }
                }
            }
        }
    }
}

struct Whole(Vec<u8>);

impl Pieces for Whole {
    fn poll_next(&mut self, _: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let text = std::mem::take(&mut self.0);
        Poll::Ready((!text.is_empty()).then(|| Ok(text.into())))
    }
}
