use std::{
    convert::Infallible,
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request};
use memchr::memmem::Finder;

use super::{
    Body, Settings,
    accept::{self, Accepts},
    beside::{Beside, Other},
    collect::{self, Incoming},
    cors,
    exchange::{Exchange, ROUTE},
    headers::Seen,
    load::Load,
    outlet::Output,
    permit::Permit,
    quiet::Quiet,
    refuse::{self, Refused},
    sessions::{Asking, Sessions, names_session, not_allowed},
    sort::{Course, sort},
    stream::Stream,
};
use crate::{
    driver::{Application, BoxFuture, Driver, Options, Remote},
    proto::{
        Config, Connection,
        io::{Headers, Inbound},
    },
    rpc,
    wire::{
        codes,
        headers::{METHOD, VersionHeader},
        meta,
    },
};

/// What an endpoint serves.
pub trait Host: Send + Sync + 'static {
    /// The code above the connections.
    type Application: Application;
    /// Counts a connection among those that hear of changes, until it is dropped.
    type Entered: Send + 'static;

    /// How connections are set up.
    fn config(&self) -> &Config;

    /// Starts a connection.
    fn connection(&self) -> Connection;

    /// Makes what serves it.
    fn application(&self) -> Self::Application;

    /// How connections are run.
    fn options(&self) -> &Options;

    /// Counts a connection among those that hear of changes.
    fn enter(&self, remote: Remote) -> Self::Entered;

    /// Ends the subscriptions of every connection that was counted, each with its result.
    fn end_subscriptions(&self);
}

/// An endpoint of Streamable HTTP. Cheap to clone; every clone is the same endpoint.
pub struct Endpoint<H>(Arc<Inner<H>>);

pub(super) struct Inner<H> {
    pub(super) host: H,
    pub(super) settings: Settings,
    requests: Arc<AtomicUsize>,
    /// What there is of bodies that have not come to their end.
    incoming: AtomicUsize,
    pub(super) streams: Arc<AtomicUsize>,
    pub(super) sessions: Arc<Sessions>,
    /// Whether the stateful era has sessions here.
    has_sessions: bool,
    /// Finds what claims the stateless era.
    claim: Finder<'static>,
    /// Another transport, at paths of its own.
    beside: Option<Box<dyn Other<H>>>,
    is_shut: AtomicBool,
}

/// What a connection came to without anybody else reading it.
enum Came {
    /// To its end.
    Over,
    /// To a message that others follow, or to nothing for a while.
    Streams,
}

impl<H: Host> Endpoint<H> {
    /// Makes an endpoint, and what it serves beside.
    pub fn new(host: H, settings: Settings, beside: Option<&Beside<H>>) -> Self {
        let (requests, streams) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let has_sessions = host.config().has_sessions();
        let claim = Finder::new(meta::PROTOCOL_VERSION);
        let (sessions, is_shut) = <(Arc<Sessions>, AtomicBool)>::default();
        let (incoming, beside) = (AtomicUsize::new(0), beside.map(Beside::start));
        let inner =
            Inner { host, settings, requests, incoming, streams, sessions, has_sessions, claim, beside, is_shut };
        Self(Arc::new(inner))
    }

    /// Whether another transport is served at this path.
    pub(super) fn has_beside(&self, path: &str) -> bool {
        self.0.beside.as_ref().is_some_and(|beside| beside.is_at(path))
    }

    /// Answers a request.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        let settings = &self.0.settings;
        let (parts, body) = request.into_parts();
        let origin = parts.headers.get(header::ORIGIN).filter(|_| settings.cors).cloned();
        let answered = self.0.answer(parts, body).await;
        let mut response = answered.unwrap_or_else(Refused::into_response);
        if settings.cors {
            cors::allow(&settings.policy, origin.as_ref(), &mut response);
        }
        response
    }

    /// Says how much there is to do right now.
    pub fn load(&self) -> Load {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        let Inner { requests, streams, sessions, .. } = &*self.0;
        Load { requests: count(requests), streams: count(streams), sessions: count(sessions.count()) }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Serves no more requests: streams of changes end with their result, and what runs may answer.
    pub fn shut(&self) {
        self.0.is_shut.store(true, Ordering::Release);
        self.0.host.end_subscriptions();
        self.0.sessions.shut();
        if let Some(beside) = &self.0.beside {
            beside.shut();
        }
    }
}

impl<H: Host> Inner<H> {
    async fn answer<B>(&self, parts: request::Parts, body: B) -> Result<Response<Body>, Refused>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        let settings = &self.settings;
        let seen = Seen::of(&parts.headers);
        seen.check_size(settings)?;
        settings.policy.check(&seen, &parts.uri)?;
        if settings.cors
            && let Some(response) = cors::preflight(&parts.method, &parts.headers)
        {
            return Ok(response);
        }
        if let Some(beside) = self.beside.as_deref().filter(|beside| beside.is_at(parts.uri.path())) {
            beside.check(&parts.method, parts.uri.path())?;
            if parts.method != Method::POST {
                let accepts = accept::accepted(&parts.headers, &seen)?;
                self.check_open()?;
                return beside.open(self, &Asking::new(parts), accepts);
            }
            accept::check_content(&seen)?;
            let (body, _permit) = self.collect(body).await?;
            return beside.take(self, Asking::new(parts), body);
        }
        if parts.method != Method::POST {
            let accepts = accept::accepted(&parts.headers, &seen)?;
            return self.answer_without_body(parts, accepts).await;
        }
        accept::check_content(&seen)?;
        let accepts = accept::accepted(&parts.headers, &seen)?;
        let (body, permit) = self.collect(body).await?;
        let asking = Asking::new(parts);
        if !self.has_sessions || asking.version == VersionHeader::Modern && self.claim.find(&body).is_some() {
            return self.exchange(asking, body, accepts, permit).await;
        }
        let names_session = names_session(&asking.parts.get().headers);
        match sort(asking.version, names_session, &body, &self.host.config().limits.message) {
            Course::Alone => self.exchange(asking, body, accepts, permit).await,
            Course::Begins if !names_session => self.begin(asking, &body, accepts, permit).await,
            // It hears there that the session has begun already.
            Course::Begins => self.converse(asking, body, accepts, permit, true).await,
            Course::Within { is_request } => self.converse(asking, body, accepts, permit, is_request).await,
        }
    }

    /// Reads a message, which counts among those that are served.
    async fn collect<B>(&self, body: B) -> Result<(Bytes, Permit), Refused>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        self.check_open()?;
        let settings = &self.settings;
        let incoming = Incoming { settings, bytes: &self.incoming, runtime: &self.host.options().runtime };
        let body = collect::collect(body, incoming).await?;
        // Who sends slowly takes no place of those who have sent.
        let permit = Permit::take(&self.requests, settings.max_requests).ok_or_else(|| {
            Refused::busy("too many requests are being served; try again; `max_requests` on the endpoint allows more")
        })?;
        Ok((body, permit))
    }

    /// Answers what is no POST.
    async fn answer_without_body(&self, parts: request::Parts, accepts: Accepts) -> Result<Response<Body>, Refused> {
        let method = parts.method.clone();
        if !self.has_sessions {
            return Err(not_allowed(&method, "POST"));
        }
        let asking = Asking::new(parts);
        // The stateless era knows neither.
        if !matches!(method, Method::GET | Method::DELETE) || asking.version == VersionHeader::Modern {
            return Err(not_allowed(&method, "GET, POST, DELETE"));
        }
        self.check_open()?;
        match method {
            Method::GET => self.listen(&asking, accepts).await,
            _ => self.end(&asking).await,
        }
    }

    fn check_open(&self) -> Result<(), Refused> {
        match self.is_shut.load(Ordering::Acquire) {
            true => Err(Refused::busy("the server is shutting down")),
            false => Ok(()),
        }
    }

    /// Serves a message on a connection of its own.
    async fn exchange(
        &self,
        asking: Asking,
        message: Bytes,
        accepts: Accepts,
        permit: Permit,
    ) -> Result<Response<Body>, Refused> {
        let is_modern = asking.version == VersionHeader::Modern;
        let listens = asking.parts.field(METHOD).value() == Some("subscriptions/listen");
        if listens && !accepts.events {
            let message = "`subscriptions/listen` is answered with a stream: accept text/event-stream";
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, message));
        }
        let host = &self.host;
        let transport = Exchange::new(accepts.events);
        let mut driver = Driver::new(host.connection(), transport, host.application(), host.options().clone());
        // A listener is known before it says what it wants to hear of.
        let mut entered = listens.then(|| host.enter(driver.remote().clone()));
        driver.take(Inbound { message: &message, route: ROUTE, edge: Some(asking.into_edge()) });
        drop(message);
        if driver.transport_mut().output().is_over {
            return Ok(self.conclude(driver, accepts, is_modern));
        }
        let mut place = None;
        let mut quiet = Quiet::new(self.settings.quiet().filter(|_| accepts.events));
        let came = poll_fn(|cx| {
            let has_ended = Pin::new(&mut driver).poll(cx).is_ready();
            let output = driver.transport_mut().output();
            if output.is_over || has_ended {
                return Poll::Ready(Came::Over);
            }
            if output.last.is_some() && accepts.events {
                return Poll::Ready(Came::Streams);
            }
            entered.get_or_insert_with(|| host.enter(driver.remote().clone()));
            if quiet.poll(&host.options().runtime, cx).is_ready() {
                // Where there is no room for a stream the answer may still come in time.
                place = self.stream_place().ok();
            }
            if place.is_some() { Poll::Ready(Came::Streams) } else { Poll::Pending }
        })
        .await;
        if let Came::Over = came {
            return Ok(self.conclude(driver, accepts, is_modern));
        }
        let place = place.map_or_else(|| self.stream_place(), Ok)?;
        let entered = entered.unwrap_or_else(|| host.enter(driver.remote().clone()));
        let stream = Arc::new(Stream::default());
        driver.transport_mut().move_to(stream.clone());
        let written = stream.clone();
        // Who only listens counts among the streams alone.
        let permit = (!listens).then_some(permit);
        host.options().runtime.spawn.spawn(Box::pin(async move {
            run(driver, &written).await;
            drop((entered, permit, place));
        }));
        Ok(self.stream(stream))
    }

    /// Ends a connection whose last message is there, and gives the response.
    fn conclude(
        &self,
        mut driver: Driver<Exchange, H::Application>,
        accepts: Accepts,
        is_modern: bool,
    ) -> Response<Body> {
        let output = std::mem::take(driver.transport_mut().output());
        driver.retire();
        self.respond(output, accepts, is_modern)
    }

    /// Gives the response to what is over.
    pub(super) fn respond(&self, output: Output, accepts: Accepts, is_modern: bool) -> Response<Body> {
        let Some(last) = output.last else { return refuse::empty(StatusCode::ACCEPTED) };
        let has_more = !output.earlier.is_empty() && accepts.events;
        if has_more || (!accepts.json && output.refusal.is_none()) {
            let stream = Arc::new(Stream::default());
            output.earlier.iter().chain([&last]).for_each(|message| stream.push(message));
            stream.end();
            return self.stream(stream);
        }
        refuse::json(output.refusal.map_or(StatusCode::OK, |code| status_of(code, is_modern)), last)
    }

    pub(super) fn stream(&self, stream: Arc<Stream>) -> Response<Body> {
        let runtime = self.host.options().runtime.clone();
        let mut response = Response::new(Body::events(stream, runtime, self.settings.keep_alive));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        // Proxies would else keep events back until their buffer is full.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

/// Runs a connection until its last message, or until nobody reads any more.
async fn run<A: Application>(mut driver: Driver<Exchange, A>, stream: &Stream) {
    poll_fn(|cx| {
        if stream.is_left(cx) || Pin::new(&mut driver).poll(cx).is_ready() || stream.is_over() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
    driver.retire();
    stream.end();
}

/// The status of a message that was refused.
fn status_of(code: i64, is_modern: bool) -> StatusCode {
    match code {
        rpc::Error::METHOD_NOT_FOUND if is_modern => StatusCode::NOT_FOUND,
        // The stateful era answers there as everywhere.
        rpc::Error::METHOD_NOT_FOUND => StatusCode::OK,
        rpc::Error::INTERNAL_ERROR => StatusCode::SERVICE_UNAVAILABLE,
        codes::HEADER_MISMATCH | codes::MISSING_CLIENT_CAPABILITY | codes::UNSUPPORTED_VERSION => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::BAD_REQUEST,
    }
}

/// The response to come.
pub struct ResponseFuture(BoxFuture<Response<Body>>);

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx).map(Ok)
    }
}

impl<H: Host, B> tower_service::Service<Request<B>> for Endpoint<H>
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display + Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        let endpoint = self.clone();
        ResponseFuture(Box::pin(async move { endpoint.handle(request).await }))
    }
}

impl<H> Clone for Endpoint<H> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<H> fmt::Debug for Endpoint<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

impl fmt::Debug for ResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseFuture")
    }
}
