use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};

use super::{
    super::{
        ResponseBody, deliver,
        exchange::{Ended, Kind},
        other::Other,
        outgoing::Outgoing,
        refusal, send,
        shared::Shared,
        transport::run_stream,
        unless,
    },
    answers::{self, Answers},
    endpoint,
};
use crate::{
    driver::BoxFuture,
    transport::http::sse::{Event, Reader},
};

/// How long the address of messages may take to come, where it is not known whether there will be one.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection by HTTP+SSE.
pub(super) struct Channel {
    state: Mutex<State>,
    answers: Arc<Answers>,
}

struct State {
    /// Whether messages go this way.
    is_taken: bool,
    /// Where they are sent, while the stream is open.
    messages: Option<Uri>,
}

/// A stream, read up to the address of messages.
struct Begun {
    messages: Uri,
    body: ResponseBody,
    reader: Reader,
    /// What came in the same piece.
    events: Vec<Event>,
}

impl Channel {
    /// Makes a connection that goes this way from the start, or once it was tried out.
    pub(super) fn new(is_taken: bool) -> Self {
        Self { state: Mutex::new(State { is_taken, messages: None }), answers: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the stream, and has it read beside.
    async fn open(self: &Arc<Self>, shared: &Arc<Shared>) -> Result<Uri, Ended> {
        let begun = begin(shared).await?;
        let messages = begun.messages.clone();
        *self.lock() = State { is_taken: true, messages: Some(messages.clone()) };
        let this = self.clone();
        run_stream(shared, shared.open_listening(), |shared, key, _| async move {
            let reason = this.take_in(&shared, key, begun).await;
            this.lock().messages = None;
            this.answers.end();
            shared.break_off(reason);
            Ended::Over
        });
        Ok(messages)
    }

    /// Takes in what the server says, to the end of the stream; says why that came.
    async fn take_in(&self, shared: &Shared, key: u64, begun: Begun) -> String {
        let Begun { mut body, mut reader, mut events, .. } = begun;
        loop {
            for event in events.into_iter().filter(Event::is_message) {
                let answers = answers::read(&event.data);
                if let Some(version) = answers.iter().find_map(|answer| self.answers.version(answer)) {
                    shared.set_version(Some(version.clone()));
                }
                deliver::deliver(shared, key, None, event.data).await;
                answers.iter().for_each(|answer| self.answers.settle(answer));
            }
            events = match body.next().await {
                None => return "the server has ended its stream, and with it the connection; connect again".into(),
                Some(Err(error)) => return format!("the server's stream broke off: {}", send::explain(&error)),
                Some(Ok(piece)) => match reader.feed(&piece) {
                    Ok(events) => events,
                    Err(_) => return too_long(shared),
                },
            };
        }
    }

    async fn post(self: Arc<Self>, shared: Arc<Shared>, key: u64, outgoing: Outgoing) -> Ended {
        if outgoing.is_modern {
            let reason = "HTTP+SSE has the stateful era alone";
            return Ended::failed(Some(StatusCode::METHOD_NOT_ALLOWED), reason);
        }
        let known = self.lock().messages.clone();
        let target = match known {
            Some(target) => target,
            None if outgoing.is_initialize() => match self.open(&shared).await {
                Ok(target) => target,
                Err(ended) => return ended,
            },
            None => return Ended::failed(None, "the stream of the server is not open"),
        };
        let awaited = outgoing.asked.as_ref().map(|asked| self.answers.expect(asked));
        let mut headers = outgoing.headers.clone();
        shared.session().write(&mut headers);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let sent = send::send_to(&shared, target, Method::POST, headers, outgoing.text.clone()).await;
        let (head, body) = match sent {
            Ok((_, response)) => response.into_parts(),
            Err(reason) => return Ended::failed(None, reason),
        };
        let is_accepted = head.status.is_success();
        match (&outgoing.asked, awaited) {
            (Some(asked), _) if !is_accepted => refusal::take(&shared, key, asked, &head, body).await,
            (_, None) if !is_accepted => Ended::failed(Some(head.status), refusal::name(&head)),
            (_, None) => Ended::Over,
            (_, Some(awaited)) => match awaited.has_come().await {
                true => Ended::Over,
                false => Ended::failed(None, "the stream of the server ended without the answer"),
            },
        }
    }
}

impl Other for Channel {
    fn is_taken(&self) -> bool {
        self.lock().is_taken
    }

    fn try_out(self: Arc<Self>, shared: Arc<Shared>) -> BoxFuture<Result<(), String>> {
        Box::pin(async move {
            let limit = shared.runtime.clock.sleep(PATIENCE);
            match unless(limit, self.open(&shared)).await {
                Some(Ok(_)) => Ok(()),
                Some(Err(Ended::Failed { reason, .. })) => Err(reason),
                Some(Err(Ended::Over)) | None => Err(format!("it names no address for messages within {PATIENCE:?}")),
            }
        })
    }

    fn send(self: Arc<Self>, shared: Arc<Shared>, key: u64, outgoing: Outgoing) -> BoxFuture<Ended> {
        Box::pin(self.post(shared, key, outgoing))
    }
}

/// Opens the stream and reads its first event.
async fn begin(shared: &Shared) -> Result<Begun, Ended> {
    let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("text/event-stream"))]);
    let sent = send::send_to(shared, shared.target.clone(), Method::GET, headers, Bytes::new()).await;
    let (stream, response) = sent.map_err(|reason| Ended::failed(None, reason))?;
    let (head, mut body) = response.into_parts();
    if !head.status.is_success() {
        return Err(Ended::failed(Some(head.status), refusal::name(&head)));
    }
    if Kind::of(&head.headers) != Kind::Events {
        return Err(Ended::failed(None, "the server answered with no event stream"));
    }
    let mut reader = Reader::new(shared.max_message);
    loop {
        let piece = match body.next().await {
            None => return Err(Ended::failed(None, "the stream ended before it named an address for messages")),
            Some(Err(error)) => {
                return Err(Ended::failed(None, format!("the stream broke off: {}", send::explain(&error))));
            }
            Some(Ok(piece)) => piece,
        };
        let mut events = reader.feed(&piece).map_err(|_| Ended::failed(None, too_long(shared)))?;
        if events.is_empty() {
            continue;
        }
        let first = events.remove(0);
        if first.kind != b"endpoint" {
            return Err(Ended::failed(None, "the first event of the stream is no `endpoint`, as HTTP+SSE has it"));
        }
        let messages = endpoint::read(&stream, &first.data).map_err(|reason| Ended::failed(None, reason))?;
        return Ok(Begun { messages, body, reader, events });
    }
}

fn too_long(shared: &Shared) -> String {
    format!("the server sent an event of more than {} bytes", shared.max_message)
}
