use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
};

use bytes::Bytes;
use http::{Method, Response, StatusCode, Uri};

use super::{
    super::{
        super::sse,
        Body,
        accept::Accepts,
        beside::{Beside, Other},
        endpoint::{Host, Inner},
        refuse::{self, Refused},
        session::Closed,
        sessions::{Asking, new_id, not_allowed},
    },
    channel::{Channel, Mail},
    pipe::Pipe,
};
use crate::{
    driver::Driver,
    proto::{Config, Connection, io::Link},
    rpc::{self, Message, Unreadable},
};

/// What names a session in the address of its messages.
const SESSION: &str = "session_id";

/// Serves HTTP+SSE beside Streamable HTTP: its streams at one path, its messages at another.
pub(crate) fn http_sse<H: Host>(stream: String, messages: String) -> Beside<H> {
    let paths = Arc::new(Paths { stream, messages });
    Beside::new(move || {
        Box::new(HttpSse { paths: paths.clone(), config: OnceLock::new(), live: Arc::default() }) as Box<dyn Other<H>>
    })
}

struct Paths {
    stream: String,
    messages: String,
}

/// HTTP+SSE at one endpoint; dropped, its sessions end.
struct HttpSse {
    paths: Arc<Paths>,
    config: OnceLock<Option<Arc<Config>>>,
    live: Arc<Live>,
}

/// The sessions that are found by their names.
#[derive(Default)]
struct Live(Mutex<HashMap<Box<str>, Arc<Channel>>>);

/// That a session is found, until it is dropped.
struct Listed {
    live: Weak<Live>,
    id: Box<str>,
}

impl Live {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Channel>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shut(&self) {
        let channels: Vec<_> = self.lock().values().cloned().collect();
        channels.iter().for_each(|channel| channel.shut());
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some(live) = self.live.upgrade() {
            live.lock().remove(&self.id);
        }
    }
}

impl HttpSse {
    /// How its connections are set up: they have the stateful era alone.
    fn config<H: Host>(&self, endpoint: &Inner<H>) -> Result<&Arc<Config>, Refused> {
        let config = self.config.get_or_init(|| endpoint.host.config().stateful().map(Arc::new));
        config.as_ref().ok_or_else(|| {
            let message = "this server speaks no revision that has HTTP+SSE; use Streamable HTTP";
            Refused::new(StatusCode::NOT_FOUND, message)
        })
    }

    /// Finds the session that a message belongs to.
    fn find(&self, asking: &Asking) -> Result<Arc<Channel>, Refused> {
        let Some(id) = session_of(&asking.parts.get().uri) else {
            let message = format!(
                "the address names no session; open the stream at {} first, whose first event says where messages go",
                self.paths.stream
            );
            return Err(Refused::new(StatusCode::BAD_REQUEST, message));
        };
        let found = self.live.lock().get(id).cloned();
        found.filter(|channel| channel.is_of(asking.principal.as_ref())).ok_or_else(ended)
    }
}

impl<H: Host> Other<H> for HttpSse {
    fn is_at(&self, path: &str) -> bool {
        path == self.paths.stream || path == self.paths.messages
    }

    fn check(&self, method: &Method, path: &str) -> Result<(), Refused> {
        let (opens, takes) = (path == self.paths.stream, path == self.paths.messages);
        match *method {
            Method::GET if opens => Ok(()),
            Method::POST if takes => Ok(()),
            _ => Err(not_allowed(
                method,
                if opens && takes {
                    "GET, POST"
                } else if opens {
                    "GET"
                } else {
                    "POST"
                },
            )),
        }
    }

    fn open(&self, endpoint: &Inner<H>, asking: &Asking, accepts: Accepts) -> Result<Response<Body>, Refused> {
        if !accepts.events {
            let message = "GET opens a stream: accept text/event-stream";
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, message));
        }
        let config = self.config(endpoint)?;
        let (place, stream_place) = (endpoint.session_place()?, endpoint.stream_place()?);
        let (id, _) = new_id();
        let channel = Arc::new(Channel::new(asking.principal.clone()));
        channel.stream.hold(stream_place);
        let mut first = Vec::new();
        sse::write_event("endpoint", format!("{}?{SESSION}={id}", self.paths.messages).as_bytes(), &mut first);
        channel.stream.push_event(first.into());

        let options = endpoint.host.options();
        let pipe = Pipe::new(channel.clone(), options.runtime.clone());
        let connection = Connection::server(config.clone(), Link::Pipe);
        let driver = Driver::new(connection, pipe, endpoint.host.application(), options.clone());
        let entered = endpoint.host.enter(driver.remote().clone());
        self.live.lock().insert(id.clone(), channel.clone());
        let listed = Listed { live: Arc::downgrade(&self.live), id };
        options.runtime.spawn.spawn(Box::pin(async move {
            driver.await;
            drop((listed, entered, place));
        }));
        Ok(endpoint.stream(channel.stream.clone()))
    }

    fn take(&self, endpoint: &Inner<H>, asking: Asking, message: Bytes) -> Result<Response<Body>, Refused> {
        let channel = self.find(&asking)?;
        match Message::parse(&message, &endpoint.host.config().limits.message) {
            // What names an id is answered on the stream.
            Err(unreadable) if unreadable.id.is_none() && !unreadable.is_answer => return Err(no_message(&unreadable)),
            _ => {}
        }
        channel.post(Mail { message, edge: asking.into_edge() }).map_err(|closed| match closed {
            Closed::Ended => ended(),
            Closed::Full => Refused::busy("too many messages of the session wait; send fewer at once"),
        })?;
        Ok(refuse::empty(StatusCode::ACCEPTED))
    }

    fn shut(&self) {
        self.live.shut();
    }
}

impl Drop for HttpSse {
    fn drop(&mut self) {
        self.live.shut();
    }
}

/// Reads which session an address names.
fn session_of(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix(SESSION)?.strip_prefix('='))
}

/// Says that a session is none, or none of the sender's.
fn ended() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, "there is no such session, or its stream has ended; open another stream")
}

fn no_message(unreadable: &Unreadable) -> Refused {
    let mut refused = Refused::new(StatusCode::BAD_REQUEST, unreadable.to_string());
    if unreadable.fault.is_parse_error() {
        refused.code = rpc::Error::PARSE_ERROR;
    }
    refused
}
