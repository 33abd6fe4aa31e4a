//! Event streams, and how they go on after a break.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use tracing::debug;

use super::{
    ResponseBody, deliver,
    exchange::{Ended, Kind},
    outgoing::Asked,
    send,
    shared::Shared,
    unless,
};
use crate::{
    driver::Backoff,
    transport::http::sse::{Reader, TooLong},
};

/// How often in a row a stream is taken up again without anything coming on it.
const ATTEMPTS: u32 = 5;
/// The shortest time after which a stream is taken up again, whatever the server says.
const SHORTEST: Duration = Duration::from_millis(100);
/// The longest that a server can make a client wait.
const LONGEST: Duration = Duration::from_secs(300);
/// How long a stream may stay open after the answer that it is for.
const LINGER: Duration = Duration::from_secs(1);

/// What was seen on a stream so far, over all breaks.
#[derive(Debug)]
pub(super) struct Seen {
    /// The request whose answer is due on it.
    asked: Option<Asked>,
    /// Whether it can be taken up again.
    can_resume: bool,
    last_id: Option<HeaderValue>,
    retry: Option<Duration>,
    is_answered: bool,
    was_open: bool,
    /// How often in a row it was taken up again without anything coming on it.
    attempt: u32,
}

/// Why a stream could not be opened.
pub(super) enum Unopened {
    /// The server does not want it.
    Refused { status: http::StatusCode },
    /// The server could not be reached, or is in trouble.
    Failed { reason: String },
}

impl Seen {
    pub(super) fn new(asked: Option<Asked>, can_resume: bool) -> Self {
        Self { asked, can_resume, last_id: None, retry: None, is_answered: false, was_open: false, attempt: 0 }
    }

    /// Takes note that the stream could be opened.
    pub(super) fn opened(&mut self) {
        self.was_open = true;
    }

    pub(super) fn was_open(&self) -> bool {
        self.was_open
    }

    /// Waits before the stream is opened again: as long as the server said, and longer each time that it failed.
    pub(super) async fn wait(&mut self, shared: &Shared) {
        self.attempt += 1;
        let asked_for = self.retry.map(|retry| retry.clamp(SHORTEST, LONGEST));
        // Not everybody shall come back in the same moment.
        let asked_for = asked_for.map(|retry| retry + Backoff::new(retry / 10, retry / 10).delay(1));
        let delay = match asked_for {
            Some(retry) if self.attempt == 1 => retry,
            retry => Backoff::default().delay(self.attempt).max(retry.unwrap_or_default()),
        };
        let clock = &shared.runtime.clock;
        clock.sleep(delay).await;
    }
}

/// Takes in a stream until the answer is there, also over breaks where the stream can be taken up again.
pub(super) async fn take(shared: &Shared, key: u64, mut seen: Seen, mut body: ResponseBody) -> Ended {
    loop {
        let reason = match read(shared, key, &mut seen, &mut body).await {
            Ok(reason) => reason,
            Err(TooLong) => {
                return Ended::failed(
                    None,
                    format!("the server sent an event of more than {} bytes", shared.max_message),
                );
            }
        };
        // What has ended gives its connection back before another one is opened.
        drop(body);
        if seen.is_answered || !seen.can_resume || seen.last_id.is_none() {
            return reason.map_or(Ended::Over, |reason| Ended::failed(None, reason));
        }
        body = loop {
            if seen.attempt >= ATTEMPTS {
                return Ended::failed(
                    None,
                    format!("the stream broke off {ATTEMPTS} times in a row without an answer"),
                );
            }
            seen.wait(shared).await;
            match open(shared, &seen).await {
                Ok(body) => break body,
                Err(Unopened::Refused { status }) => {
                    let reason =
                        format!("the stream broke off, and the server does not go on with it: status {status}");
                    return Ended::failed(Some(status), reason);
                }
                Err(Unopened::Failed { reason }) => debug!(reason, "a stream could not be taken up again"),
            }
        };
    }
}

/// Opens a stream by GET: that of the session, or the one that broke off.
pub(super) async fn open(shared: &Shared, seen: &Seen) -> Result<ResponseBody, Unopened> {
    let mut headers = HeaderMap::new();
    shared.session().write(&mut headers);
    headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
    if let Some(id) = &seen.last_id {
        headers.insert("last-event-id", id.clone());
    }
    let sent = send::send(shared, Method::GET, headers, Bytes::new()).await;
    let response = sent.map_err(|reason| Unopened::Failed { reason })?;
    let status = response.status();
    if status.is_success() && Kind::of(response.headers()) == Kind::Events {
        return Ok(response.into_body());
    }
    if status.is_server_error() && status != http::StatusCode::NOT_IMPLEMENTED {
        return Err(Unopened::Failed { reason: format!("the server answered with status {status}") });
    }
    Err(Unopened::Refused { status })
}

/// Reads a stream to its end. Gives why it ended where it did not end by itself.
pub(super) async fn read(
    shared: &Shared,
    key: u64,
    seen: &mut Seen,
    body: &mut ResponseBody,
) -> Result<Option<String>, TooLong> {
    let mut reader = Reader::new(shared.max_message);
    let clock = &shared.runtime.clock;
    let mut lingers = None;
    loop {
        let next = match &mut lingers {
            None => body.next().await,
            Some(limit) => unless(limit, body.next()).await.flatten(),
        };
        let piece = match next {
            None => return Ok(None),
            Some(Err(error)) => return Ok(Some(format!("the stream broke off: {}", send::explain(&error)))),
            Some(Ok(piece)) => piece,
        };
        let events = reader.feed(&piece)?;
        if let Some(id) = reader.last_id().and_then(|id| HeaderValue::from_bytes(id).ok())
            && seen.last_id.as_ref() != Some(&id)
        {
            seen.last_id = Some(id);
            seen.attempt = 0;
        }
        seen.retry = reader.retry().or(seen.retry);
        for event in events.into_iter().filter(|event| event.is_message()) {
            seen.attempt = 0;
            if deliver::deliver(shared, key, seen.asked.as_ref(), event.data).await {
                seen.is_answered = true;
                lingers = Some(clock.sleep(LINGER));
            }
        }
    }
}
