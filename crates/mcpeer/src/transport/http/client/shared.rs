//! What the streams of a transport share.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Uri};
use tokio::sync::{oneshot, watch};

use super::{HttpClient, exchange::Ended, other::Other, tools::Tools};
use crate::{driver::Runtime, rpc::RequestId, version::Revision, wire::headers};

/// How many bytes may have arrived and not be read before streams are read no further.
const UNREAD: usize = 4 << 20;
/// How long a message waits for one before it that is not accepted.
const TURN: Duration = Duration::from_secs(5);

pub(super) struct Shared {
    reach: Reach,
    pub(super) runtime: Runtime,
    /// Held while another session is opened.
    pub(super) renewing: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

/// How the server is reached.
pub(super) struct Reach {
    pub(super) target: Uri,
    pub(super) stack: Arc<dyn HttpClient>,
    /// What is said with every request.
    pub(super) headers: HeaderMap,
    /// How many bytes a message of the server may have.
    pub(super) max_message: usize,
    /// Another transport that the server may speak.
    pub(super) other: Option<Arc<dyn Other>>,
}

impl Deref for Shared {
    type Target = Reach;

    fn deref(&self) -> &Reach {
        &self.reach
    }
}

#[derive(Default)]
struct State {
    last: u64,
    open: BTreeMap<u64, Open>,
    arrived: VecDeque<Arrived>,
    /// The bytes of the messages that have arrived.
    unread: usize,
    /// The bytes of the messages without an answer that are not accepted yet.
    unsent: usize,
    session: Session,
    /// The message that opened the session.
    initialize: Bytes,
    /// Whether the server was told something that it keeps in the session.
    is_session_used: bool,
    tools: Tools,
    /// When the message without an answer that was sent last is accepted.
    quiet: Option<watch::Receiver<()>>,
    /// When the handshake is.
    initialized: Option<watch::Receiver<()>>,
    reader: Option<Waker>,
    flusher: Option<Waker>,
    is_closed: bool,
}

/// What the server said on `initialize`, to be said again with each message.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) id: Option<HeaderValue>,
    pub(super) version: Option<HeaderValue>,
}

/// A stream that may still bring something.
struct Open {
    /// The request whose answer is due on it.
    request: Option<RequestId>,
    /// Dropped to hang up.
    #[allow(dead_code, reason = "it is held to be let go")]
    hang_up: oneshot::Sender<()>,
    /// The bytes of a message without an answer.
    unsent: usize,
    /// Waits for room.
    writer: Option<Waker>,
}

/// What has arrived.
pub(super) enum Arrived {
    Message {
        key: u64,
        text: Vec<u8>,
    },
    Ended {
        request: RequestId,
        ended: Ended,
    },
    /// Nothing can come any more.
    Broken {
        reason: String,
    },
}

/// A stream that was just opened.
pub(super) struct Opened {
    pub(super) key: u64,
    /// Completes when the stream is to be hung up.
    pub(super) hung_up: oneshot::Receiver<()>,
    pub(super) turn: Turn,
}

/// The place of a message among others.
pub(super) struct Turn {
    before: Option<watch::Receiver<()>>,
    /// Dropped when the next one may go.
    after: Option<watch::Sender<()>>,
}

impl Turn {
    /// Waits until what has to come before is accepted, but not for ever.
    pub(super) async fn wait(&mut self, runtime: &Runtime) {
        let Some(mut before) = self.before.take().filter(|before| before.has_changed().is_ok()) else { return };
        let limit = runtime.clock.sleep(TURN);
        super::unless(limit, before.changed()).await;
    }

    /// Lets the next one go.
    pub(super) fn end(&mut self) {
        self.after = None;
    }
}

impl Session {
    /// Whether messages of its revision may come joined in an array.
    pub(super) fn joins_messages(&self) -> bool {
        let version = self.version.as_ref().and_then(|version| version.to_str().ok());
        version.and_then(|version| version.parse().ok()).is_some_and(Revision::has_batches)
    }

    /// Writes it among the headers of a request.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        if let Some(id) = &self.id {
            headers.insert(SESSION_ID, id.clone());
        }
        if let Some(version) = &self.version {
            headers.insert(headers::PROTOCOL_VERSION, version.clone());
        }
    }
}

/// The header that names a session.
pub(super) const SESSION_ID: &str = "mcp-session-id";

impl Shared {
    pub(super) fn new(reach: Reach, runtime: Runtime) -> Self {
        Self { reach, runtime, renewing: tokio::sync::Mutex::default(), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a stream for a request of ours.
    pub(super) fn open_request(&self, request: RequestId) -> Opened {
        let mut state = self.lock();
        let before = state.initialized.clone();
        state.open(Some(request), 0, Turn { before, after: None })
    }

    /// Opens a stream for a message without an answer; such messages keep their order.
    pub(super) fn open_quiet(&self, bytes: usize, is_initialized: bool) -> Opened {
        let mut state = self.lock();
        let (after, accepted) = watch::channel(());
        if is_initialized {
            state.initialized = Some(accepted.clone());
        }
        let before = state.quiet.replace(accepted);
        state.open(None, bytes, Turn { before, after: Some(after) })
    }

    /// Opens a stream on which anything may come.
    pub(super) fn open_listening(&self) -> Opened {
        self.lock().open(None, 0, Turn { before: None, after: None })
    }

    /// Takes note that a stream has ended.
    pub(super) fn end(&self, key: u64, ended: Ended) {
        let mut state = self.lock();
        let Some(open) = state.open.remove(&key) else { return };
        state.unsent -= open.unsent;
        state.arrived.extend(open.request.map(|request| Arrived::Ended { request, ended }));
        wake(state);
    }

    /// Hangs up the stream of a request; what came on it and was not read is lost.
    pub(super) fn abandon(&self, request: &RequestId) {
        let mut state = self.lock();
        let found = state.open.iter().find(|(_, open)| open.request.as_ref() == Some(request));
        let Some(abandoned) = found.map(|(key, _)| *key) else { return };
        state.open.remove(&abandoned);
        let mut unread = 0;
        state.arrived.retain(|arrived| match arrived {
            Arrived::Message { key, text } if *key == abandoned => {
                unread += text.len();
                false
            }
            _ => true,
        });
        state.unread -= unread;
        state.make_room();
    }

    /// Hangs up everything.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.unsent = 0;
        drop(mem::take(&mut state.open));
        wake(state);
    }

    /// Waits until there is room for what has arrived on a stream.
    pub(super) fn poll_room(&self, key: u64, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.unread < UNREAD {
            return Poll::Ready(());
        }
        if let Some(open) = state.open.get_mut(&key) {
            open.writer = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Takes a message, unless its stream was hung up.
    pub(super) fn arrive(&self, key: u64, text: Vec<u8>) {
        let mut state = self.lock();
        if state.open.contains_key(&key) {
            state.unread += text.len();
            state.arrived.push_back(Arrived::Message { key, text });
            wake(state);
        }
    }

    /// Gives what arrived next.
    pub(super) fn poll_arrived(&self, cx: &Context<'_>) -> Poll<Arrived> {
        let mut state = self.lock();
        let Some(arrived) = state.arrived.pop_front() else {
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        };
        if let Arrived::Message { text, .. } = &arrived {
            state.unread -= text.len();
            state.make_room();
        }
        Poll::Ready(arrived)
    }

    pub(super) fn unsent(&self) -> usize {
        self.lock().unsent
    }

    /// Waits until every message without an answer is accepted.
    pub(super) fn poll_sent(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if state.unsent == 0 {
            return Poll::Ready(());
        }
        state.flusher = Some(cx.waker().clone());
        Poll::Pending
    }

    pub(super) fn session(&self) -> Session {
        self.lock().session.clone()
    }

    pub(super) fn set_session_id(&self, id: Option<HeaderValue>) {
        self.lock().session.id = id;
    }

    pub(super) fn set_version(&self, version: Option<HeaderValue>) {
        self.lock().session.version = version;
    }

    /// Keeps what opens a session, to open another one with it.
    pub(super) fn keep_initialize(&self, text: Bytes) {
        self.lock().initialize = text;
    }

    pub(super) fn initialize(&self) -> Bytes {
        self.lock().initialize.clone()
    }

    /// Takes note that the server keeps something in the session that another one would not have.
    pub(super) fn use_session(&self) {
        self.lock().is_session_used = true;
    }

    pub(super) fn is_session_used(&self) -> bool {
        self.lock().is_session_used
    }

    /// Ends the transport with an error.
    pub(super) fn break_off(&self, reason: String) {
        let mut state = self.lock();
        state.arrived.push_back(Arrived::Broken { reason });
        wake(state);
    }

    /// Does something with what is known of tools.
    pub(super) fn with_tools<T>(&self, what: impl FnOnce(&mut Tools) -> T) -> T {
        what(&mut self.lock().tools)
    }
}

impl State {
    fn open(&mut self, request: Option<RequestId>, unsent: usize, turn: Turn) -> Opened {
        self.last += 1;
        let key = self.last;
        let (hang_up, hung_up) = oneshot::channel();
        // On a transport that is closed it is hung up at once.
        if !self.is_closed {
            self.unsent += unsent;
            self.open.insert(key, Open { request, hang_up, unsent, writer: None });
        }
        Opened { key, hung_up, turn }
    }

    /// Lets streams go on if there is room again.
    fn make_room(&mut self) {
        if self.unread < UNREAD {
            self.open.values_mut().filter_map(|open| open.writer.take()).for_each(Waker::wake);
        }
    }
}

/// Wakes the task that owns the transport, not under the lock.
fn wake(mut state: MutexGuard<'_, State>) {
    let wakers = [state.reader.take(), state.flusher.take()];
    drop(state);
    wakers.into_iter().flatten().for_each(Waker::wake);
}
