use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    Handler, HttpMessage, HttpRequest, HttpResponse,
    body::{BodySize, MessageBody},
    error::PayloadError,
    http::{self as theirs, header as their_headers},
    web::Payload,
};
use bytes::Bytes;
use futures_core::Stream;
use http::{Extensions, HeaderName, HeaderValue, Request, Response, Version, header};
use http_body::{Body as _, Frame, SizeHint};

use super::HttpService;
use crate::transport::{Claims, Principal, http::server::Body};

/// A server as a handler of actix-web, made by [`HttpService::actix`]. Cheap to clone; every clone is the same
/// endpoint, also in other workers.
///
/// It wants every method under its path, so it is mounted by `web::route()`; in scopes and behind middleware, too.
///
/// A client that hangs up before anything was answered is noticed, and what runs for it cancelled, only where the
/// `HttpServer` is told so by `h1_allow_half_closed(false)`: actix-web takes it else for a client that still reads.
///
/// ```
/// use actix_web::{App, test, web};
/// use mcpeer::server::Server;
///
/// # actix_web::rt::System::new().block_on(async {
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// let mcp = server.http().service().actix();
/// let app = test::init_service(App::new().route("/mcp", web::route().to(mcp))).await;
///
/// let request = test::TestRequest::put().uri("/mcp").insert_header(("host", "localhost")).to_request();
/// assert_eq!(test::call_service(&app, request).await.status(), 405);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ActixHandler {
    service: HttpService,
    passed: Vec<fn(&HttpRequest, &mut Extensions)>,
}

impl HttpService {
    /// Gives a handler for actix-web, to be mounted there.
    ///
    /// ```no_run
    /// use actix_web::{App, HttpServer, web};
    /// use mcpeer::server::Server;
    ///
    /// # actix_web::rt::System::new().block_on(async {
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let mcp = server.http().service().actix();
    /// HttpServer::new(move || App::new().route("/mcp", web::route().to(mcp.clone())))
    ///     .h1_allow_half_closed(false)
    ///     .bind("127.0.0.1:8080")?
    ///     .run()
    ///     .await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn actix(&self) -> ActixHandler {
        ActixHandler { service: self.clone(), passed: vec![pass::<Principal>, pass::<Claims>] }
    }
}

impl ActixHandler {
    /// Passes on what middleware left under this type in the extensions of the request: a handler finds it among those
    /// of the head, by [`Context::http`](crate::handler::Context::http). [`Principal`] and [`Claims`] are always passed
    /// on.
    ///
    /// ```
    /// use mcpeer::{handler::Context, server::Server};
    ///
    /// #[derive(Clone)]
    /// struct Tenant(String);
    ///
    /// let server = Server::builder("who", "1.0.0")
    ///     .tool("tenant", |cx: Context| {
    ///         let tenant = cx.http().and_then(|head| head.extensions.get::<Tenant>());
    ///         tenant.map_or("nobody".to_owned(), |tenant| tenant.0.clone())
    ///     })
    ///     .build()?;
    /// let mcp = server.http().service().actix().pass::<Tenant>();
    /// # drop(mcp);
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn pass<T: Clone + Send + Sync + 'static>(mut self) -> Self {
        self.passed.push(pass::<T>);
        self
    }
}

impl Handler<(HttpRequest, Payload)> for ActixHandler {
    type Output = HttpResponse;
    type Future = Pin<Box<dyn Future<Output = HttpResponse>>>;

    fn call(&self, (request, payload): (HttpRequest, Payload)) -> Self::Future {
        let service = self.service.clone();
        let mut ours = head(&request).map(|()| Incoming { payload, length: length(&request) });
        for pass in &self.passed {
            pass(&request, ours.extensions_mut());
        }
        // It belongs to a pool that only has room for so many.
        drop(request);
        Box::pin(async move { answer(service.handle(ours).await) })
    }
}

impl fmt::Debug for ActixHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActixHandler").field("service", &self.service).finish_non_exhaustive()
    }
}

fn pass<T: Clone + Send + Sync + 'static>(from: &HttpRequest, to: &mut Extensions) {
    if let Some(value) = from.extensions().get::<T>() {
        to.insert(value.clone());
    }
}

/// Says what the head of a request says in the words of the `http` crate.
fn head(theirs: &HttpRequest) -> Request<()> {
    let version = match theirs.version() {
        theirs::Version::HTTP_10 => Version::HTTP_10,
        theirs::Version::HTTP_2 => Version::HTTP_2,
        _ => Version::HTTP_11,
    };
    let mut ours = Request::builder().method(theirs.method().as_str()).uri(theirs.uri().to_string()).version(version);
    for (name, value) in theirs.headers() {
        ours = ours.header(name.as_str(), value.as_bytes());
    }
    // Both have the same grammar; what would be none for ours names no host, and is refused.
    ours.body(()).unwrap_or_default()
}

fn length(request: &HttpRequest) -> u64 {
    let length = request.headers().get(their_headers::CONTENT_LENGTH);
    length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or_default()
}

fn answer(ours: Response<Body>) -> HttpResponse {
    let (head, body) = ours.into_parts();
    let status =
        theirs::StatusCode::from_u16(head.status.as_u16()).unwrap_or(theirs::StatusCode::INTERNAL_SERVER_ERROR);
    let mut theirs = HttpResponse::build(status);
    for (name, value) in &head.headers {
        if is_close(name, value) {
            theirs.force_close();
        }
        theirs.append_header((name.as_str(), value.as_bytes()));
    }
    theirs.body(Outgoing(body))
}

fn is_close(name: &HeaderName, value: &HeaderValue) -> bool {
    name == header::CONNECTION && value == "close"
}

/// The body of a request, as it comes in.
struct Incoming {
    payload: Payload,
    /// What the client says of its length.
    length: u64,
}

impl http_body::Body for Incoming {
    type Data = Bytes;
    type Error = PayloadError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, PayloadError>>> {
        Pin::new(&mut self.payload).poll_next(cx).map_ok(Frame::data)
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = SizeHint::new();
        hint.set_lower(self.length);
        hint
    }
}

/// The body of a response.
struct Outgoing(Body);

impl MessageBody for Outgoing {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0.size_hint().exact().map_or(BodySize::Stream, BodySize::Sized)
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        // There are no trailers.
        Pin::new(&mut self.0).poll_frame(cx).map_ok(|frame| frame.into_data().unwrap_or_default())
    }
}
