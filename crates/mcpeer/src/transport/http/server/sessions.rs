//! Sessions of the stateful era: one connection for all messages of a client, which names it in each.

use std::{
    collections::HashMap,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::AtomicUsize},
    task::Poll,
    time::{Duration, Instant},
};

use bytes::Bytes;
use ct_codecs::{Base64UrlSafeNoPadding, Encoder};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header, request};

use tracing::warn;

use super::{
    Body, Parts,
    accept::Accepts,
    endpoint::{Host, Inner},
    headers::{Known, SESSION},
    keeping::{Keeping, Kept},
    permit::Permit,
    quiet::Quiet,
    refuse::{self, Refused},
    runner::Runner,
    session::{Came, Closed, Session, Setup, Waiting},
    stream::Stream,
};
use crate::{
    driver::{Driver, Remote},
    proto::io::{Claims, Edge, Headers, Inbound, Principal},
    wire::headers::VersionHeader,
};

/// After how long without an answer a request has a stream, by which its client can come back for it.
const QUIET: Duration = Duration::from_millis(500);
/// How often stores are told to remove what has expired.
const TIDY: Duration = Duration::from_secs(60);

/// The sessions of an endpoint; dropped, they end.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    live: Mutex<HashMap<Box<str>, Live>>,
    count: Arc<AtomicUsize>,
    /// When stores were told last to remove what has expired.
    tidied: Mutex<Option<Instant>>,
}

#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) session: Arc<Session>,
    remote: Remote,
}

/// Who asks, and what the head of the request says.
pub(super) struct Asking {
    pub(super) principal: Option<Principal>,
    claims: Option<Claims>,
    pub(super) parts: Box<Parts>,
    pub(super) version: VersionHeader,
}

impl Asking {
    pub(super) fn new(mut head: request::Parts, known: Known) -> Self {
        let principal = head.extensions.remove::<Principal>();
        let claims = head.extensions.remove::<Claims>();
        let parts = Parts::new(head, known);
        let version = parts.version();
        Self { principal, claims, parts, version }
    }

    pub(super) fn into_edge(self) -> Arc<Edge> {
        Arc::new(self.edge())
    }

    fn edge(self) -> Edge {
        let Self { principal, claims, parts, .. } = self;
        Edge { principal, claims: claims.map(Claims::into_raw), headers: Some(parts), channel: None }
    }
}

impl Sessions {
    pub(super) fn count(&self) -> &AtomicUsize {
        &self.count
    }

    /// Takes in nothing more; what runs may answer.
    pub(super) fn shut(&self) {
        let sessions: Vec<_> = self.lock().values().map(|live| live.session.clone()).collect();
        sessions.iter().for_each(|session| session.shut());
    }

    pub(super) fn find(&self, id: &str) -> Option<Live> {
        self.lock().get(id).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.shut();
    }
}

/// That a session is found, until it is dropped.
struct Listed {
    sessions: Weak<Sessions>,
    id: Box<str>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some(sessions) = self.sessions.upgrade() {
            sessions.lock().remove(&self.id);
        }
    }
}

/// A connection in a session.
pub(super) type SessionDriver<H> = Driver<Runner, <H as Host>::Application>;

impl<H: Host> Inner<H> {
    /// Serves an `initialize`: where it succeeds, a session begins.
    pub(super) async fn begin(
        &self,
        asking: Asking,
        message: &Bytes,
        accepts: Accepts,
        permit: Permit,
    ) -> Result<Response<Body>, Refused> {
        let place = self.session_place()?;
        let (id, name) = new_id();
        let kept = self.settings.session_store.is_some().then(|| Kept::new(message, asking.principal.as_ref()));
        let (session, mut driver) = self.prepare(id, asking.principal.clone(), kept);
        // A refusal has a status, and what succeeds is one message.
        let waiting = session.open(Accepts { json: true, ..accepts }, Some(permit));
        driver.take(Inbound { message, route: waiting.route, edge: Some(asking.into_edge()) });
        let Some(output) = waiting.take() else {
            return Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "`initialize` was not answered"));
        };
        if output.refusal.is_some() || output.last.is_none() {
            driver.retire();
            return Ok(self.respond(output, accepts, false, HeaderMap::new()));
        }
        if let Some(keeping) = &session.keeping
            && let Err(error) = keeping.save(self.host.options().runtime.clock.time_of_day()).await
        {
            warn!(%error, "a session could not be kept: it ends with this process");
        }
        self.tidy();
        self.start(session, driver, place);
        let mut response = self.respond(output, accepts, false, HeaderMap::new());
        response.headers_mut().insert(SESSION, name);
        Ok(response)
    }

    /// Makes a session and what runs its connection.
    pub(super) fn prepare(
        &self,
        id: Box<str>,
        principal: Option<Principal>,
        kept: Option<Kept>,
    ) -> (Arc<Session>, SessionDriver<H>) {
        let (settings, options) = (&self.settings, self.host.options());
        let keeping = settings
            .session_store
            .clone()
            .zip(kept)
            .map(|(store, kept)| Box::new(Keeping::new(id.clone(), store, settings.session_timeout, kept)));
        let setup = Setup { retry: settings.retry, stores_events: settings.event_store.is_some() };
        let epoch = u32::from_ne_bytes(random());
        let now = options.runtime.clock.now();
        let session = Arc::new(Session::new(id, epoch, principal, setup, keeping, now));
        let events = settings.event_store.clone();
        let runner = Runner::new(session.clone(), options.runtime.clone(), settings.session_timeout, events);
        let driver = Driver::new(self.host.connection(), runner, self.host.application(), options.clone());
        (session, driver)
    }

    /// Runs a session, unless there is one of its id by now; gives the one that runs.
    pub(super) fn start(&self, session: Arc<Session>, mut driver: SessionDriver<H>, place: Permit) -> Live {
        let remote = driver.remote().clone();
        session.set_primes(remote.peek_connected().is_some_and(|connected| connected.revision.has_priming_events()));
        let live = Live { session: session.clone(), remote: remote.clone() };
        let mut sessions = self.sessions.lock();
        if let Some(other) = sessions.get(&session.id) {
            let other = other.clone();
            drop(sessions);
            driver.retire();
            return other;
        }
        sessions.insert(session.id.clone(), live.clone());
        drop(sessions);
        let entered = self.host.enter(remote);
        let listed = Listed { sessions: Arc::downgrade(&self.sessions), id: session.id.clone() };
        let stores = self.stores();
        // Boxed, so that it takes its room only once.
        let driver = Box::new(driver);
        self.host.options().runtime.spawn.spawn(Box::pin(async move {
            driver.await;
            drop((listed, entered, place));
            if session.has_expired()
                && let Err(error) = stores.forget(&session.id).await
            {
                warn!(%error, "a session that has ended is still kept");
            }
        }));
        live
    }

    /// Serves a message within its session.
    pub(super) async fn converse(
        &self,
        asking: Asking,
        message: Bytes,
        accepts: Accepts,
        permit: Permit,
        is_request: bool,
    ) -> Result<Response<Body>, Refused> {
        let Live { session, .. } = self.find(&asking).await?;
        let clock = &self.host.options().runtime.clock;
        if let Some(keeping) = &session.keeping
            && let Some(saving) = keeping.note(&message, clock.time_of_day())
            && let Err(error) = saving.await
        {
            warn!(%error, "what was changed of a session could not be kept");
        }
        // Nothing runs whose answer could not go out: without a stream there is still the answer itself.
        let place = accepts.events.then(|| self.stream_place());
        let accepts = match &place {
            Some(Err(_)) if accepts.json || !is_request => Accepts { events: false, ..accepts },
            _ => accepts,
        };
        let place = if accepts.events { place.transpose()? } else { None };
        let waiting = session.post(clock.now(), message, asking.edge(), accepts, (permit, place));
        let waiting = waiting.map_err(|closed| match closed {
            Closed::Ended => ended(),
            Closed::Full => Refused::busy("too many messages of the session wait; send fewer at once"),
        })?;
        let patience = if session.primes() { Some(QUIET) } else { self.settings.quiet() };
        let quiet = Quiet::new(patience.filter(|_| is_request && accepts.events));
        match self.came(&waiting, quiet).await {
            Came::Ended => Err(ended()),
            // It was cancelled: the answer is no message.
            Came::Over(output) if is_request && output.last.is_none() && accepts.events => {
                let stream = Arc::new(Stream::default());
                stream.end();
                Ok(self.stream(stream))
            }
            Came::Over(output) => Ok(self.respond(output, accepts, false, HeaderMap::new())),
            Came::Streams => Ok(self.stream(waiting.into_stream(clock.now()))),
        }
    }

    /// Waits for what a message comes to; where it may, it is a stream when that takes its time.
    async fn came(&self, waiting: &Waiting, mut quiet: Quiet) -> Came {
        let runtime = &self.host.options().runtime;
        poll_fn(|cx| match waiting.poll(cx) {
            Poll::Ready(came) => Poll::Ready(came),
            Poll::Pending => quiet.poll(runtime, cx).map(|()| Came::Streams),
        })
        .await
    }

    /// Ends a session.
    pub(super) async fn end(&self, asking: &Asking) -> Result<Response<Body>, Refused> {
        let Live { session, remote } = self.find(asking).await?;
        self.stores().forget(&session.id).await.map_err(|error| {
            warn!(%error, "a session could not be removed from where it is kept");
            Refused::busy("the session cannot be ended right now; try again")
        })?;
        self.sessions.lock().remove(&session.id);
        remote.close().await;
        Ok(refuse::empty(StatusCode::OK))
    }

    /// Takes a place for a session.
    pub(super) fn session_place(&self) -> Result<Permit, Refused> {
        Permit::take(&self.sessions.count, self.settings.max_sessions).ok_or_else(|| {
            Refused::busy("too many sessions are open; try again later; `max_sessions` on the endpoint allows more")
        })
    }

    /// Takes a place for a stream.
    pub(super) fn stream_place(&self) -> Result<Permit, Refused> {
        Permit::take(&self.streams, self.settings.max_streams).ok_or_else(|| {
            Refused::busy("too many streams are open; close some; `max_streams` on the endpoint allows more")
        })
    }

    /// Has stores remove what has expired, now and then.
    fn tidy(&self) {
        let stores = self.stores();
        if stores.are_none() {
            return;
        }
        let runtime = &self.host.options().runtime;
        let now = runtime.clock.now();
        let mut tidied = self.sessions.tidied.lock().unwrap_or_else(PoisonError::into_inner);
        if tidied.is_some_and(|tidied| now < tidied + TIDY) {
            return;
        }
        *tidied = Some(now);
        drop(tidied);
        let now = runtime.clock.time_of_day();
        runtime.spawn.spawn(Box::pin(async move {
            if let Err(error) = stores.tidy(now).await {
                warn!(%error, "what has expired could not be removed");
            }
        }));
    }
}

/// Says that a session is none, or none of the sender's.
pub(super) fn ended() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, "there is no such session, or it has ended; send `initialize` anew")
}

pub(super) fn not_allowed(method: &Method, allowed: &'static str) -> Refused {
    let message = format!("{method} is not served here; send each message by POST");
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, message).with(header::ALLOW, HeaderValue::from_static(allowed))
}

/// Makes the name of a session, which nobody can guess.
pub(super) fn new_id() -> (Box<str>, HeaderValue) {
    let id = Base64UrlSafeNoPadding::encode_to_string(random::<24>()).expect("there is room for it");
    let name = HeaderValue::from_str(&id).expect("it is visible ASCII");
    (id.into(), name)
}

/// Whether it may be the name of a session.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    orion::util::secure_rand_bytes(&mut bytes).expect("the system must give random numbers");
    bytes
}
