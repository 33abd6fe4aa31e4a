//! Sessions of the stateful era: one connection for all messages of a client, which names it in each.

use std::{
    collections::HashMap,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::AtomicUsize},
};

use bytes::Bytes;
use ct_codecs::{Base64UrlSafeNoPadding, Encoder};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header, request};

use super::{
    Body, Parts,
    accept::Accepts,
    endpoint::{Host, Inner},
    permit::Permit,
    refuse::{self, Refused},
    runner::Runner,
    session::{Came, Closed, Session},
    stream::Stream,
};
use crate::{
    driver::{Driver, Remote},
    proto::io::{Claims, Edge, Field, Headers, Inbound, Principal},
    wire::headers::VersionHeader,
};

/// The header that names a session.
pub(super) const SESSION: &str = "mcp-session-id";

/// The sessions of an endpoint; dropped, they end.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    live: Mutex<HashMap<Box<str>, Live>>,
    count: Arc<AtomicUsize>,
}

#[derive(Clone, Debug)]
struct Live {
    session: Arc<Session>,
    remote: Remote,
}

/// Who asks, and what the head of the request says.
pub(super) struct Asking {
    pub(super) principal: Option<Principal>,
    claims: Option<Claims>,
    pub(super) parts: Parts,
    pub(super) version: VersionHeader,
}

impl Asking {
    pub(super) fn new(mut head: request::Parts) -> Self {
        let principal = head.extensions.remove::<Principal>();
        let claims = head.extensions.remove::<Claims>();
        let parts = Parts::new(head);
        let version = VersionHeader::of(&parts);
        Self { principal, claims, parts, version }
    }

    pub(super) fn into_edge(self) -> Arc<Edge> {
        let Self { principal, claims, parts, .. } = self;
        Arc::new(Edge { principal, claims: claims.map(|claims| claims.0), headers: Some(Box::new(parts)) })
    }
}

impl Sessions {
    /// Takes in nothing more; what runs may answer.
    pub(super) fn shut(&self) {
        let sessions: Vec<_> = self.lock().values().map(|live| live.session.clone()).collect();
        sessions.iter().for_each(|session| session.shut());
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

impl<H: Host> Inner<H> {
    /// Serves an `initialize`: where it succeeds, a session begins.
    pub(super) fn begin(
        &self,
        asking: Asking,
        message: &Bytes,
        accepts: Accepts,
        permit: Permit,
    ) -> Result<Response<Body>, Refused> {
        let place = Permit::take(&self.sessions.count, self.settings.max_sessions)
            .ok_or_else(|| Refused::busy("too many sessions are open; try again later"))?;
        let options = self.host.options();
        let session = Arc::new(Session::new(asking.principal.clone(), options.runtime.clock.now()));
        let waiting = session.open(accepts.events, permit);
        let runner = Runner::new(session.clone(), options.runtime.clone(), self.settings.session_timeout);
        let mut driver = Driver::new(self.host.connection(), runner, self.host.application(), options.clone());
        driver.take(Inbound { message, route: waiting.route, edge: Some(asking.into_edge()) });
        let Some(output) = waiting.take() else {
            return Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "`initialize` was not answered"));
        };
        if output.refusal.is_some() || output.last.is_none() {
            driver.retire();
            return Ok(self.respond(output, accepts, false));
        }
        let (id, name) = new_id();
        let remote = driver.remote().clone();
        let entered = self.host.enter(remote.clone());
        self.sessions.lock().insert(id.clone(), Live { session, remote });
        let listed = Listed { sessions: Arc::downgrade(&self.sessions), id };
        options.runtime.spawn.spawn(Box::pin(async move {
            driver.await;
            drop((listed, entered, place));
        }));
        let mut response = self.respond(output, accepts, false);
        response.headers_mut().insert(SESSION, name);
        Ok(response)
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
        let Live { session, .. } = self.find(&asking)?;
        let now = self.host.options().runtime.clock.now();
        let waiting = session.post(now, message, asking.into_edge(), accepts.events, permit);
        let waiting = waiting.map_err(|closed| match closed {
            Closed::Ended => ended(),
            Closed::Full => Refused::busy("too many messages of the session wait; send fewer at once"),
        })?;
        match poll_fn(|cx| waiting.poll(cx)).await {
            Came::Ended => Err(ended()),
            // It was cancelled: the answer is no message.
            Came::Over(output) if is_request && output.last.is_none() && accepts.events => {
                let stream = Arc::new(Stream::default());
                stream.end();
                Ok(self.stream(stream))
            }
            Came::Over(output) => Ok(self.respond(output, accepts, false)),
            Came::Streams => Ok(self.stream(waiting.into_stream(self.stream_place()?))),
        }
    }

    /// Opens a stream for what belongs to no request.
    pub(super) fn listen(&self, asking: &Asking, accepts: Accepts) -> Result<Response<Body>, Refused> {
        if !accepts.events {
            let message = "GET opens a stream: accept text/event-stream";
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, message));
        }
        let Live { session, .. } = self.find(asking)?;
        let place = self.stream_place()?;
        let stream = session.listen(self.host.options().runtime.clock.now()).map_err(|closed| match closed {
            Closed::Ended => ended(),
            Closed::Full => {
                let message = "the session has several streams open by GET already; close one of them";
                Refused::new(StatusCode::CONFLICT, message)
            }
        })?;
        stream.hold(place);
        Ok(self.stream(stream))
    }

    /// Ends a session.
    pub(super) async fn end(&self, asking: &Asking) -> Result<Response<Body>, Refused> {
        let Live { remote, .. } = self.find(asking)?;
        if let Field::Value(id) = asking.parts.field(SESSION) {
            self.sessions.lock().remove(id);
        }
        remote.close().await;
        Ok(refuse::empty(StatusCode::OK))
    }

    /// Finds the session that a request names.
    fn find(&self, asking: &Asking) -> Result<Live, Refused> {
        let id = match asking.parts.field(SESSION) {
            Field::Value(id) => id,
            Field::Unusable => return Err(ended()),
            Field::Absent => {
                let message = "the Mcp-Session-Id header is missing; send `initialize` first, whose answer has it";
                return Err(Refused::new(StatusCode::BAD_REQUEST, message));
            }
        };
        let live = self.sessions.lock().get(id).cloned();
        let live = live.filter(|live| live.session.is_of(asking.principal.as_ref())).ok_or_else(ended)?;
        let revisions = &self.host.config().revisions;
        match asking.version {
            VersionHeader::Absent => Ok(live),
            VersionHeader::Legacy(revision) if revisions.contains(&revision) => Ok(live),
            VersionHeader::Legacy(_) | VersionHeader::Modern | VersionHeader::Unknown => {
                let names: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
                let message = format!("the MCP-Protocol-Version header names none of {}", names.join(", "));
                Err(Refused::new(StatusCode::BAD_REQUEST, message))
            }
        }
    }

    /// Takes a place for a stream.
    pub(super) fn stream_place(&self) -> Result<Permit, Refused> {
        Permit::take(&self.streams, self.settings.max_streams)
            .ok_or_else(|| Refused::busy("too many streams are open; close some"))
    }
}

/// Whether a request names a session.
pub(super) fn names_session(headers: &HeaderMap) -> bool {
    headers.contains_key(SESSION)
}

/// Says that a session is none, or none of the sender's.
fn ended() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, "there is no such session, or it has ended; send `initialize` anew")
}

pub(super) fn not_allowed(method: &Method, allowed: &'static str) -> Refused {
    let message = format!("{method} is not served here; send each message by POST");
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, message).with(header::ALLOW, HeaderValue::from_static(allowed))
}

/// Makes the name of a session, which nobody can guess.
fn new_id() -> (Box<str>, HeaderValue) {
    let mut bytes = [0; 24];
    orion::util::secure_rand_bytes(&mut bytes).expect("the system must give random numbers");
    let id = Base64UrlSafeNoPadding::encode_to_string(bytes).expect("there is room for it");
    let name = HeaderValue::from_str(&id).expect("it is visible ASCII");
    (id.into(), name)
}
