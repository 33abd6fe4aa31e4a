use std::{
    fmt,
    future::{Future, poll_fn},
    io,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use super::{
    exchange::{self, Ended},
    outgoing::Outgoing,
    session,
    shared::{Arrived, Opened, Shared},
    unless,
};
use crate::{
    driver::BoxFuture,
    proto::io::MoreHeaders,
    rpc::RequestId,
    transport::{Inbound, Link, Outbound, Received, Route, Transport},
};

/// How long the end may take, for what was sent and for the session each.
const PATIENCE: Duration = Duration::from_secs(5);

/// A transport that sends each message by a request of its own; [`client`](super::client()) makes what opens it.
pub struct HttpTransport {
    shared: Arc<Shared>,
    /// The message that was received last.
    message: Vec<u8>,
    closing: Option<BoxFuture<()>>,
}

impl HttpTransport {
    pub(super) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared), message: Vec::new(), closing: None }
    }

    fn begin(&self, request: Option<RequestId>, text: Vec<u8>, more: Option<&MoreHeaders>) {
        let shared = &self.shared;
        let (bytes, id) = (text.len(), request.clone());
        let read = shared.with_tools(|tools| Outgoing::read(text, request, tools)).map(|outgoing| outgoing.with(more));
        // What comes over a bridge cancels in the way of pipes; outside a session, to cancel is to hang up.
        if let Ok(Outgoing { cancels: Some(cancelled), .. }) = &read
            && shared.session().version.is_none()
        {
            return shared.abandon(cancelled);
        }
        let opened = match (id, &read) {
            (Some(id), _) => shared.open_request(id),
            (None, Ok(outgoing)) => shared.open_quiet(bytes, outgoing.is_initialized),
            (None, Err(_)) => return,
        };
        match read {
            Ok(outgoing) => run_stream(shared, opened, |shared, key, turn| exchange::run(shared, key, outgoing, turn)),
            Err(reason) => shared.end(opened.key, Ended::failed(None, reason)),
        }
    }
}

/// Runs a stream beside the connection until it ends or is hung up.
pub(super) fn run_stream<S>(
    shared: &Arc<Shared>,
    opened: Opened,
    stream: impl FnOnce(Arc<Shared>, u64, super::shared::Turn) -> S,
) where
    S: Future<Output = Ended> + Send + 'static,
{
    let Opened { key, hung_up, turn } = opened;
    let stream = stream(shared.clone(), key, turn);
    let ending = shared.clone();
    shared.runtime.spawn.spawn(Box::pin(async move {
        let hung_up = async move { drop(hung_up.await) };
        if let Some(ended) = unless(hung_up, stream).await {
            ending.end(key, ended);
        }
    }));
}

impl Transport for HttpTransport {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        self.shared.poll_arrived(cx).map(|arrived| match arrived {
            Arrived::Message { key, text } => {
                self.message = text;
                Ok(Received::Message(Inbound { message: &self.message, route: Route(key), edge: None }))
            }
            Arrived::Ended { request, ended: Ended::Over } => Ok(Received::StreamEnded(request)),
            Arrived::Ended { request, ended: Ended::Failed { status, reason } } => {
                Ok(Received::Failed { request, status, reason })
            }
            Arrived::Broken { reason } => Err(io::Error::new(io::ErrorKind::ConnectionReset, reason)),
        })
    }

    fn send(&mut self, outbound: Outbound) {
        match outbound {
            Outbound::Message { request, text, headers, .. } => self.begin(request, text, headers.as_ref()),
            Outbound::Abandon { request } => self.shared.abandon(&request),
            // It is for those who serve streams.
            Outbound::End { .. } => {}
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shared.poll_sent(cx).map(Ok)
    }

    fn buffered(&self) -> usize {
        self.shared.unsent()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shared = &self.shared;
        let closing = self.closing.get_or_insert_with(|| {
            let shared = shared.clone();
            Box::pin(async move {
                let limit = || shared.runtime.clock.sleep(PATIENCE);
                unless(limit(), poll_fn(|cx| shared.poll_sent(cx))).await;
                let session = shared.session();
                shared.close();
                unless(limit(), session::end(&shared, &session)).await;
            })
        });
        closing.as_mut().poll(cx).map(Ok)
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTransport").finish_non_exhaustive()
    }
}
