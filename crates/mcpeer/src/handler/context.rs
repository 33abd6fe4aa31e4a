use std::{borrow::Cow, future::Future, sync::Arc};

use serde::Serialize;

use crate::{
    driver::{
        Ticket,
        io::{Edge, Envelope},
    },
    peer::Peer,
    rpc::{Raw, RawRef, RequestId},
    version::{Era, Revision},
};

/// The circumstances of one request: who asks, whether they still wait, and how to tell them about progress.
///
/// Clones are cheap and stand for the same request.
#[derive(Clone, Debug)]
pub struct Context(Ticket);

impl Context {
    pub(super) fn new(ticket: Ticket) -> Self {
        Self(ticket)
    }

    /// Gives the id that the peer gave to the request.
    pub fn id(&self) -> &RequestId {
        &self.0.request().id
    }

    /// Gives the method.
    pub fn method(&self) -> &str {
        &self.0.request().method
    }

    /// Gives the revision that the request was admitted at.
    pub fn revision(&self) -> Revision {
        self.0.request().revision
    }

    /// Gives the era that the request was admitted in.
    pub fn era(&self) -> Era {
        self.revision().era()
    }

    /// Gives the other side. What is sent to it belongs to this request and, over HTTP, goes out on its stream.
    pub fn peer(&self) -> Peer {
        Peer::new(self.0.remote().clone()).related_to(self.0.request().handle)
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Completes once nobody waits for the answer any more: the peer cancelled the request, or the connection ended.
    ///
    /// What the handler returns afterwards is dropped. The handler itself is dropped when the
    /// [grace](crate::driver::Options::cancel_grace) is over.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        let ticket = self.0.clone();
        async move { ticket.cancelled().await }
    }

    /// Whether the peer asked to hear of progress and still waits.
    pub fn wants_progress(&self) -> bool {
        self.0.wants_progress()
    }

    /// Tells the peer how far the work is. Nothing is sent where the peer did not ask for it or no longer waits, nor
    /// where `progress` is not greater than the last time.
    ///
    /// Waits while more than the [high-water mark](crate::driver::Options::high_water) is still to be written.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.0
            .progress(progress, || {
                let params = Progress { progress: Number(progress), total: total.map(Number), message };
                Raw::from_value(&params).ok()
            })
            .await;
    }

    /// Sends a log message to the peer. Nothing is sent where the server does not declare logging or the peer does
    /// not want messages of this level.
    ///
    /// Waits while more than the [high-water mark](crate::driver::Options::high_water) is still to be written.
    pub async fn log_raw(&self, level: &'static str, logger: Option<&str>, data: &(impl Serialize + ?Sized)) {
        let Ok(params) = Raw::from_value(&Log { level, logger, data }) else { return };
        self.0.remote().log(Some(self.0.request().handle), level, params).await;
    }

    /// Gives what the client says it is, as JSON: in the stateless era with this request, in the stateful one once at
    /// the start.
    pub fn client_info_raw(&self) -> Option<Raw> {
        match self.envelope() {
            Some(envelope) => envelope.client_info().map(RawRef::to_owned),
            None => self.peer().implementation_raw(),
        }
    }

    /// Gives what the client can do, as JSON: in the stateless era with this request, in the stateful one once at the
    /// start.
    pub fn client_capabilities_raw(&self) -> Option<Raw> {
        match self.envelope() {
            Some(envelope) => envelope.client_capabilities().map(RawRef::to_owned),
            None => self.peer().capabilities_raw(),
        }
    }

    /// Gives the log level that the request asks for. Stateless era only.
    pub fn log_level(&self) -> Option<Cow<'_, str>> {
        self.envelope()?.log_level()
    }

    /// Gives the answers to what an earlier result of this method asked the client, as JSON by name.
    pub fn input_responses_raw(&self) -> Option<&Raw> {
        self.0.request().lifted.as_deref()?.input_responses.as_ref()
    }

    /// Gives the state that an earlier result of this method gave to the client, as JSON, as the client gave it back.
    pub fn request_state_raw(&self) -> Option<&Raw> {
        self.0.request().lifted.as_deref()?.request_state.as_ref()
    }

    fn envelope(&self) -> Option<&Envelope> {
        match self.era() {
            Era::Modern => self.0.request().lifted.as_deref()?.envelope.as_ref(),
            Era::Legacy => None,
        }
    }

    /// Gives what the transport knows about the request.
    pub(crate) fn edge(&self) -> Option<&Arc<Edge>> {
        self.0.request().edge.as_ref()
    }
}

#[derive(Serialize)]
struct Progress<'a> {
    progress: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
}

/// A number that is written as an integer where it is one: some peers accept nothing else for a count.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Up to here every integer has a double of its own.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() <= EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

#[derive(Serialize)]
struct Log<'a, T: ?Sized> {
    level: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    logger: Option<&'a str>,
    data: &'a T,
}
