//! Room for another transport than Streamable HTTP, which a server may speak instead.

use std::sync::Arc;

use http::StatusCode;
use tracing::debug;

use super::{
    ResponseBody,
    collect::collect,
    exchange::Ended,
    outgoing::{Asked, Outgoing},
    refusal,
    shared::Shared,
};
use crate::{driver::BoxFuture, wire::codes};

/// Makes another transport, for one connection.
pub(super) type Start = fn() -> Arc<dyn Other>;

/// Another transport.
pub(super) trait Other: Send + Sync {
    /// Whether messages go that way.
    fn is_taken(&self) -> bool;

    /// Finds out whether the server speaks it; then messages go that way.
    ///
    /// # Errors
    ///
    /// It does not; the text says why.
    fn try_out(self: Arc<Self>, shared: Arc<Shared>) -> BoxFuture<Result<(), String>>;

    /// Sends a message and takes in what comes back.
    fn send(self: Arc<Self>, shared: Arc<Shared>, key: u64, outgoing: Outgoing) -> BoxFuture<Ended>;
}

/// Gives the other transport, if messages go that way.
pub(super) fn taken(shared: &Shared) -> Option<Arc<dyn Other>> {
    shared.other.clone().filter(|other| other.is_taken())
}

/// Goes on by the other transport where the server has refused `initialize` like one that knows nothing else.
///
/// # Errors
///
/// It was not that; the body is given back.
pub(super) async fn go_on(
    shared: &Arc<Shared>,
    key: u64,
    outgoing: &Outgoing,
    asked: &Asked,
    status: StatusCode,
    body: ResponseBody,
) -> Result<Ended, ResponseBody> {
    let Some(other) = shared.other.clone().filter(|_| outgoing.is_initialize() && may_be_older(status)) else {
        return Err(body);
    };
    let text = collect(body, shared.max_message).await.unwrap_or_default();
    if refusal::code(&text, asked).is_some_and(is_modern) {
        return Err(ResponseBody::whole(text));
    }
    match other.clone().try_out(shared.clone()).await {
        Ok(()) => Ok(other.send(shared.clone(), key, outgoing.clone()).await),
        Err(reason) => {
            debug!(reason, "the server speaks no other transport");
            Err(ResponseBody::whole(text))
        }
    }
}

/// Whether a refusal may come from a server that does not know Streamable HTTP: it is one of the request, and neither of
/// who sends it nor of how much that is.
fn may_be_older(status: StatusCode) -> bool {
    const OTHERWISE: [StatusCode; 6] = [
        StatusCode::UNAUTHORIZED,
        StatusCode::FORBIDDEN,
        StatusCode::PROXY_AUTHENTICATION_REQUIRED,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::PAYLOAD_TOO_LARGE,
        StatusCode::TOO_MANY_REQUESTS,
    ];
    status.is_client_error() && !OTHERWISE.contains(&status)
}

/// Whether only a server of the stateless era answers so.
fn is_modern(code: i64) -> bool {
    matches!(code, codes::HEADER_MISMATCH | codes::MISSING_CLIENT_CAPABILITY | codes::UNSUPPORTED_VERSION)
}
