//! The stream that belongs to no request, in the stateful era.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::oneshot;
use tracing::debug;

use super::{
    events::{self, Seen, Unopened},
    exchange::Ended,
    session,
    shared::Shared,
    transport::run_stream,
};

/// Opens the stream, where the server offers it, and keeps it open. What is given is dropped once it is known whether
/// there is one: some servers lose what they say before that.
pub(super) fn start(shared: &Arc<Shared>) -> oneshot::Receiver<()> {
    let (opening, opened) = oneshot::channel();
    run_stream(shared, shared.open_listening(), |shared, key, _| async move { listen(&shared, key, opening).await });
    opened
}

async fn listen(shared: &Arc<Shared>, key: u64, opening: oneshot::Sender<()>) -> Ended {
    let mut opening = Some(opening);
    let mut seen = Seen::new(None, true);
    loop {
        let open = events::open(shared, &seen).await;
        drop(opening.take());
        match open {
            Ok(mut body) => {
                seen.opened();
                match events::read(shared, key, &mut seen, &mut body).await {
                    Ok(reason) => debug!(reason, "the server's own stream has ended"),
                    Err(_) => return Ended::failed(None, "the server sent an event that is too long"),
                }
            }
            Err(Unopened::Refused { status }) => {
                let session = shared.session();
                if status == StatusCode::NOT_FOUND && session.id.is_some() && seen.was_open() {
                    // Another stream comes with another session.
                    if let Err(reason) = session::renew(shared, &session).await {
                        debug!(reason, "the session could not be opened anew");
                    }
                    return Ended::Over;
                }
                debug!(%status, "the server has no stream of its own");
                return Ended::Over;
            }
            Err(Unopened::Failed { reason }) => debug!(reason, "the server's own stream could not be opened"),
        }
        seen.wait(shared).await;
    }
}
