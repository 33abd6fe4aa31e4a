//! One message that goes out, and all that comes back for it.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, Response, StatusCode, header, response};
use tracing::warn;

use super::{
    ResponseBody,
    collect::collect,
    deliver,
    events::{self, Seen},
    listen, other,
    outgoing::{Asked, Outgoing},
    refetch, refusal, send, session,
    shared::{Session, Shared, Turn},
    unless,
};

use crate::{rpc, wire::codes};

/// How long a message without an answer may take to be accepted.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the first requests wait for the server's own stream, which some servers open late.
const OPENING: Duration = Duration::from_millis(500);

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
    if outgoing.asked.is_some() {
        // Its deadline is the connection's to keep.
        return post(&shared, key, &outgoing).await;
    }
    let limit = shared.runtime.clock.sleep(PATIENCE);
    let ended = unless(limit, post(&shared, key, &outgoing)).await;
    let ended = ended.unwrap_or_else(|| Ended::failed(None, format!("the server said nothing within {PATIENCE:?}")));
    match &ended {
        Ended::Over if outgoing.is_initialized && other::taken(&shared).is_none() => {
            let limit = shared.runtime.clock.sleep(OPENING);
            let _ = unless(limit, listen::start(&shared)).await;
        }
        Ended::Over => {}
        // There is nobody to tell.
        Ended::Failed { status, reason } => warn!(status, reason, "a message was not accepted"),
    }
    turn.end();
    ended
}

async fn post(shared: &Arc<Shared>, key: u64, outgoing: &Outgoing) -> Ended {
    if let Some(other) = other::taken(shared) {
        return other.send(shared.clone(), key, outgoing.clone()).await;
    }
    if outgoing.is_initialize() {
        shared.keep_initialize(outgoing.text.clone());
    }
    let (head, body) = match sent(shared, outgoing).await {
        Ok(response) => response.into_parts(),
        Err(ended) => return ended,
    };
    match &outgoing.asked {
        Some(asked) if head.status.is_success() => answered(shared, key, outgoing, asked, &head, body).await,
        Some(asked) => match other::go_on(shared, key, outgoing, asked, head.status, body).await {
            Ok(ended) => ended,
            Err(body) => refusal::take(shared, key, asked, &head, body).await,
        },
        None if head.status.is_success() => Ended::Over,
        None => Ended::failed(Some(head.status), refusal::name(&head)),
    }
}

/// Sends a message, and once more where the server has not looked at it for a reason that could be mended.
async fn sent(shared: &Arc<Shared>, outgoing: &Outgoing) -> Result<Response<ResponseBody>, Ended> {
    let session = shared.session();
    let response = post_in(shared, outgoing, &session).await?;
    let status = response.status();
    let is_in_session = session.id.is_some() && !outgoing.stands_alone();
    let may_lack_headers = |asked: &Asked| outgoing.is_modern && asked.method == "tools/call";
    let asked = match &outgoing.asked {
        Some(asked) if status == StatusCode::NOT_FOUND && is_in_session => asked,
        Some(asked) if status == StatusCode::BAD_REQUEST && may_lack_headers(asked) => asked,
        _ => return Ok(response),
    };
    let (head, body) = response.into_parts();
    let text = collect(body, shared.max_message).await.unwrap_or_default();
    let code = refusal::code(&text, asked);
    if status == StatusCode::NOT_FOUND && code != Some(rpc::Error::METHOD_NOT_FOUND) {
        session::renew(shared, &session).await.map_err(|reason| Ended::failed(Some(status), reason))?;
        return post_in(shared, outgoing, &shared.session()).await;
    }
    if code == Some(codes::HEADER_MISMATCH)
        && let Some(better) = refetch::better(shared, outgoing, asked).await
    {
        return post_in(shared, &better, &session).await;
    }
    Ok(Response::from_parts(head, ResponseBody::whole(text)))
}

async fn post_in(shared: &Shared, outgoing: &Outgoing, session: &Session) -> Result<Response<ResponseBody>, Ended> {
    let mut headers = outgoing.headers.clone();
    if !outgoing.stands_alone() {
        session.write(&mut headers);
    }
    send::post(shared, headers, outgoing.text.clone()).await.map_err(|reason| Ended::failed(None, reason))
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
