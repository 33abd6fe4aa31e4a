//! One message that goes out, and all that comes back for it.

use std::sync::Arc;

use http::{HeaderMap, Response, StatusCode, header, response};
use tracing::warn;

use super::{
    ResponseBody,
    collect::collect,
    deliver,
    events::{self, Seen},
    listen,
    outgoing::{Asked, Outgoing},
    refusal, send, session,
    shared::{Session, Shared, Turn},
};

/// How a stream ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Nothing more will come on it.
    Over,
    /// It brought no message, or broke.
    Failed { status: Option<u16>, reason: String },
}

impl Ended {
    pub(super) fn failed(status: Option<StatusCode>, reason: impl Into<String>) -> Self {
        Self::Failed { status: status.map(|status| status.as_u16()), reason: reason.into() }
    }
}

/// Sends a message and takes in what comes back.
pub(super) async fn run(shared: Arc<Shared>, key: u64, outgoing: Outgoing, mut turn: Turn) -> Ended {
    turn.wait(&shared.runtime).await;
    let ended = post(&shared, key, &outgoing).await;
    turn.end();
    if outgoing.asked.is_none() {
        match &ended {
            Ended::Over if outgoing.is_initialized => listen::start(&shared),
            Ended::Over => {}
            // There is nobody to tell.
            Ended::Failed { status, reason } => warn!(status, reason, "a message was not accepted"),
        }
    }
    ended
}

async fn post(shared: &Arc<Shared>, key: u64, outgoing: &Outgoing) -> Ended {
    if outgoing.is_initialize() {
        shared.keep_initialize(outgoing.text.clone());
    }
    let session = shared.session();
    let (mut head, mut body) = match post_in(shared, outgoing, &session).await {
        Ok(response) => response.into_parts(),
        Err(reason) => return Ended::failed(None, reason),
    };
    if let Some(asked) = &outgoing.asked
        && head.status == StatusCode::NOT_FOUND
        && session.id.is_some()
        && !outgoing.stands_alone()
    {
        let text = collect(body, shared.max_message).await.unwrap_or_default();
        if refusal::is_unknown_method(&text, asked) {
            body = ResponseBody::whole(text);
        } else {
            // The server has not looked at the message, so that it can be sent again.
            if let Err(reason) = session::renew(shared, &session).await {
                return Ended::failed(Some(head.status), reason);
            }
            (head, body) = match post_in(shared, outgoing, &shared.session()).await {
                Ok(response) => response.into_parts(),
                Err(reason) => return Ended::failed(None, reason),
            };
        }
    }
    match &outgoing.asked {
        Some(asked) if head.status.is_success() => answered(shared, key, outgoing, asked, &head, body).await,
        Some(asked) => refusal::take(shared, key, asked, &head, body).await,
        None if head.status.is_success() => Ended::Over,
        None => Ended::failed(Some(head.status), refusal::name(&head)),
    }
}

async fn post_in(shared: &Shared, outgoing: &Outgoing, session: &Session) -> Result<Response<ResponseBody>, String> {
    let mut headers = outgoing.headers.clone();
    if !outgoing.stands_alone() {
        session.write(&mut headers);
    }
    send::post(shared, headers, outgoing.text.clone()).await
}

/// Takes in what comes back for a request.
async fn answered(
    shared: &Shared,
    key: u64,
    outgoing: &Outgoing,
    asked: &Asked,
    head: &response::Parts,
    body: ResponseBody,
) -> Ended {
    if outgoing.is_initialize() {
        shared.set_session_id(session::id(&head.headers));
    } else if matches!(&*asked.method, "resources/subscribe" | "logging/setLevel") {
        shared.use_session();
    }
    match Kind::of(&head.headers) {
        Kind::Json => match collect(body, shared.max_message).await {
            Ok(text) => {
                deliver::deliver(shared, key, Some(asked), text).await;
                Ended::Over
            }
            Err(reason) => Ended::failed(None, reason),
        },
        Kind::Events => {
            let seen = Seen::new(Some(asked.clone()), !outgoing.is_modern);
            events::take(shared, key, seen, body).await
        }
        Kind::Other => {
            let reason =
                format!("the server answered with status {} and neither JSON nor an event stream", head.status);
            Ended::failed(Some(head.status), reason)
        }
    }
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Events,
    Other,
}

impl Kind {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = value.split(';').next().unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("application/json") {
            Self::Json
        } else if kind.eq_ignore_ascii_case("text/event-stream") {
            Self::Events
        } else {
            Self::Other
        }
    }
}
