use std::{
    any::Any,
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
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header, request};
use memchr::memmem::Finder;

use super::{
    Body, Parts, Settings,
    accept::{self, Accepts},
    beside::{Beside, Other},
    collect::{self, Incoming},
    cors,
    exchange::{Exchange, ROUTE},
    headers::look,
    load::Load,
    outlet::Output,
    permit::Permit,
    quiet::Quiet,
    refuse::{self, Refused},
    sessions::{Asking, Sessions, not_allowed},
    sort::{Course, sort},
    stream::Stream,
};
use crate::{
    driver::{Application, BoxFuture, Driver, Options, Remote},
    proto::{
        Config, Connection,
        io::{Edge, Inbound},
    },
    rpc,
    wire::{codes, headers::VersionHeader, meta},
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
    fn options(&self) -> &Arc<Options>;

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

/// The end of the key by which a message claims the stateless era: as much of it as is searched for fastest.
const CLAIM: &str = meta::PROTOCOL_VERSION.split_at(meta::PROTOCOL_VERSION.len() - 31).1;

/// What comes of a request.
pub(super) type Answered = Result<Response<Body>, Infallible>;

/// A request that may be served.
struct Admitted {
    asking: Asking,
    accepts: Accepts,
    /// Whether its body is a message.
    has_message: bool,
    /// Whether it is for the other transport.
    is_beside: bool,
}

/// What a request comes to.
pub(super) enum Answer {
    /// It is there.
    Ready(Response<Body>),
    /// It will be.
    Later(BoxFuture<Result<Response<Body>, Refused>>),
}

/// A message whose answer is not there yet.
struct Going<H: Host> {
    driver: Box<Driver<Exchange, H::Application>>,
    entered: Option<H::Entered>,
    accepts: Accepts,
    is_modern: bool,
    listens: bool,
    permit: Permit,
}

/// The answer to a request that is not served.
struct Turned(Box<Response<Body>>);

impl From<Refused> for Turned {
    fn from(refused: Refused) -> Self {
        Self(Box::new(refused.into_response()))
    }
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
    pub fn new(host: H, mut settings: Settings, beside: Option<&Beside<H>>) -> Self {
        settings.guard_stores(&host.options().runtime);
        let (requests, streams) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let has_sessions = host.config().has_sessions();
        let claim = Finder::new(CLAIM);
        let (sessions, is_shut) = <(Arc<Sessions>, AtomicBool)>::default();
        let (incoming, beside) = (AtomicUsize::new(0), beside.map(Beside::start));
        let inner =
            Inner { host, settings, requests, incoming, streams, sessions, has_sessions, claim, beside, is_shut };
        Self(Arc::new(inner))
    }

    /// Whether another transport is served at this path.
    fn has_beside(&self, path: &str) -> bool {
        self.0.beside.as_ref().is_some_and(|beside| beside.is_at(path))
    }

    /// Answers a request. What can be said without its body is found before the future is polled.
    pub fn handle<B>(&self, request: Request<B>) -> impl Future<Output = Answered> + use<H, B>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        let (head, body) = request.into_parts();
        let asked_from = if self.0.settings.cors { head.headers.get(header::ORIGIN).cloned() } else { None };
        self.answer(self.0.admit(head), asked_from, body)
    }

    /// Answers a request that has to be for this path.
    pub(super) fn handle_at<B>(&self, path: &str, request: Request<B>) -> impl Future<Output = Answered> + use<H, B>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        let is_here = request.uri().path() == path || self.has_beside(request.uri().path());
        let (head, body) = request.into_parts();
        let asked_from = if self.0.settings.cors { head.headers.get(header::ORIGIN).cloned() } else { None };
        let admitted = if is_here { self.0.admit(head) } else { Err(refuse::elsewhere(path).into()) };
        self.answer(admitted, asked_from, body)
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

impl<H: Host> Endpoint<H> {
    fn answer<B>(
        &self,
        admitted: Result<Admitted, Turned>,
        asked_from: Option<HeaderValue>,
        body: B,
    ) -> impl Future<Output = Answered> + use<H, B>
    where
        B: http_body::Body,
        B::Error: fmt::Display,
    {
        let inner = self.0.clone();
        async move {
            let message = match &admitted {
                Ok(Admitted { has_message: true, .. }) => {
                    let Inner { settings, incoming: bytes, .. } = &*inner;
                    let runtime = &inner.host.options().runtime;
                    collect::collect(body, Incoming { settings, bytes, runtime }).await
                }
                _ => Ok(Bytes::new()),
            };
            // What is admitted is not moved before, so that it takes its room only once.
            let answer = match (admitted, message) {
                (Ok(admitted), Ok(message)) => inner.serve(admitted, message).map_err(Turned::from),
                (Err(turned), _) => Err(turned),
                (_, Err(refused)) => Err(refused.into()),
            };
            let mut response = match answer {
                Ok(Answer::Ready(response)) => response,
                Ok(Answer::Later(response)) => response.await.unwrap_or_else(Refused::into_response),
                Err(Turned(response)) => *response,
            };
            if inner.settings.cors {
                cors::allow(&inner.settings.policy, asked_from.as_ref(), &mut response);
            }
            Ok(response)
        }
    }
}

impl<H: Host> Inner<H> {
    /// Checks what can be checked without the body.
    fn admit(&self, head: request::Parts) -> Result<Admitted, Turned> {
        let settings = &self.settings;
        let (seen, known) = look(&head.headers);
        seen.check_size(settings)?;
        settings.policy.check(&seen, &head.uri)?;
        if settings.cors
            && let Some(response) = cors::preflight(&head.method, &head.headers)
        {
            return Err(Turned(Box::new(response)));
        }
        let beside = self.beside.as_deref().filter(|beside| beside.is_at(head.uri.path()));
        if let Some(beside) = beside {
            beside.check(&head.method, head.uri.path())?;
        }
        let (is_beside, has_message) = (beside.is_some(), head.method == Method::POST);
        if has_message {
            accept::check_content(&seen)?;
        }
        // There the answer to a message goes out elsewhere.
        let accepts = match is_beside && has_message {
            true => Accepts { json: true, events: false },
            false => accept::accepted(&head.headers, &seen)?,
        };
        if has_message || is_beside {
            self.check_open()?;
        }
        Ok(Admitted { asking: Asking::new(head, known), accepts, has_message, is_beside })
    }

    /// Serves what was admitted, as far as it goes without waiting.
    fn serve(self: &Arc<Self>, admitted: Admitted, message: Bytes) -> Result<Answer, Refused> {
        let Admitted { asking, accepts, has_message, is_beside } = admitted;
        let beside = self.beside.as_deref().filter(|_| is_beside);
        if !has_message {
            return match beside {
                Some(beside) => beside.open(self, &asking, accepts).map(Answer::Ready),
                None => self.answer_without_body(asking, accepts),
            };
        }
        // Who sends slowly takes no place of those who have sent.
        let permit = Permit::take(&self.requests, self.settings.max_requests).ok_or_else(|| {
            Refused::busy("too many requests are being served; try again; `max_requests` on the endpoint allows more")
        })?;
        if let Some(beside) = beside {
            return beside.take(self, asking, message).map(Answer::Ready);
        }
        if !self.has_sessions || asking.version == VersionHeader::Modern && self.claim.find(&message).is_some() {
            return self.exchange(asking, message, accepts, permit);
        }
        let names_session = asking.parts.names_session();
        let course = sort(asking.version, names_session, &message, &self.host.config().limits.message);
        if course == Course::Alone {
            return self.exchange(asking, message, accepts, permit);
        }
        let inner = self.clone();
        Ok(Answer::Later(Box::pin(async move {
            match course {
                Course::Begins if !names_session => inner.begin(asking, &message, accepts, permit).await,
                Course::Within { is_request } => inner.converse(asking, message, accepts, permit, is_request).await,
                // It hears there that the session has begun already.
                _ => inner.converse(asking, message, accepts, permit, true).await,
            }
        })))
    }

    /// Answers what is no POST.
    fn answer_without_body(self: &Arc<Self>, asking: Asking, accepts: Accepts) -> Result<Answer, Refused> {
        let method = &asking.parts.get().method;
        if !self.has_sessions {
            return Err(not_allowed(method, "POST"));
        }
        // The stateless era knows neither.
        if !matches!(*method, Method::GET | Method::DELETE) || asking.version == VersionHeader::Modern {
            return Err(not_allowed(method, "GET, POST, DELETE"));
        }
        self.check_open()?;
        let is_get = *method == Method::GET;
        let inner = self.clone();
        Ok(Answer::Later(Box::pin(async move {
            match is_get {
                true => inner.listen(&asking, accepts).await,
                false => inner.end(&asking).await,
            }
        })))
    }

    fn check_open(&self) -> Result<(), Refused> {
        match self.is_shut.load(Ordering::Acquire) {
            true => Err(Refused::busy("the server is shutting down")),
            false => Ok(()),
        }
    }

    /// Serves a message on a connection of its own.
    fn exchange(
        self: &Arc<Self>,
        asking: Asking,
        message: Bytes,
        accepts: Accepts,
        permit: Permit,
    ) -> Result<Answer, Refused> {
        let is_modern = asking.version == VersionHeader::Modern;
        let listens = asking.parts.is_of("subscriptions/listen");
        if listens && !accepts.events {
            let message = "`subscriptions/listen` is answered with a stream: accept text/event-stream";
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, message));
        }
        let host = &self.host;
        let transport = Exchange::new(accepts.events);
        let mut driver = Driver::new(host.connection(), transport, host.application(), host.options().clone());
        // A listener is known before it says what it wants to hear of.
        let entered = listens.then(|| host.enter(driver.remote().clone()));
        let edge = asking.into_edge();
        driver.take(Inbound { message: &message, route: ROUTE, edge: Some(edge.clone()) });
        drop(message);
        if driver.transport_mut().output().is_over {
            return Ok(Answer::Ready(self.conclude(&mut driver, accepts, is_modern, spare(edge))));
        }
        drop(edge);
        let exchange = Going { driver: Box::new(driver), entered, accepts, is_modern, listens, permit };
        Ok(Answer::Later(Box::pin(self.clone().go_on(exchange))))
    }

    /// Goes on with a message whose answer is not there yet.
    async fn go_on(self: Arc<Self>, going: Going<H>) -> Result<Response<Body>, Refused> {
        let host = &self.host;
        let Going { mut driver, mut entered, accepts, is_modern, listens, permit } = going;
        let mut place = None;
        let mut quiet = Quiet::new(self.settings.quiet().filter(|_| accepts.events));
        let came = poll_fn(|cx| {
            let has_ended = Pin::new(&mut *driver).poll(cx).is_ready();
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
            return Ok(self.conclude(&mut driver, accepts, is_modern, HeaderMap::new()));
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
        driver: &mut Driver<Exchange, H::Application>,
        accepts: Accepts,
        is_modern: bool,
        spare: HeaderMap,
    ) -> Response<Body> {
        let output = std::mem::take(driver.transport_mut().output());
        driver.retire();
        self.respond(output, accepts, is_modern, spare)
    }

    /// Gives the response to what is over.
    pub(super) fn respond(
        &self,
        output: Output,
        accepts: Accepts,
        is_modern: bool,
        spare: HeaderMap,
    ) -> Response<Body> {
        let Some(last) = output.last else { return refuse::empty(StatusCode::ACCEPTED) };
        let has_more = !output.earlier.is_empty() && accepts.events;
        if has_more || (!accepts.json && output.refusal.is_none()) {
            let stream = Arc::new(Stream::default());
            output.earlier.iter().chain([&last]).for_each(|message| stream.push(message));
            stream.end();
            return self.stream(stream);
        }
        refuse::json(output.refusal.map_or(StatusCode::OK, |code| status_of(code, is_modern)), last, spare)
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

/// Gives the memory of a request's headers for those of its response, unless somebody looks at them still.
fn spare(edge: Arc<Edge>) -> HeaderMap {
    let headers = Arc::try_unwrap(edge).ok().and_then(|edge| edge.headers);
    let parts = headers.and_then(|headers| (headers as Box<dyn Any>).downcast::<Parts>().ok());
    parts.map(Parts::into_spare).unwrap_or_default()
}

/// Runs a connection until its last message, or until nobody reads any more.
async fn run<A: Application>(mut driver: Box<Driver<Exchange, A>>, stream: &Stream) {
    poll_fn(|cx| {
        if stream.is_left(cx) || Pin::new(&mut *driver).poll(cx).is_ready() || stream.is_over() {
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
pub struct ResponseFuture(BoxFuture<Answered>);

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx)
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
        ResponseFuture(Box::pin(self.handle(request)))
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
