//! The answers that are due on the stream.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::HeaderValue;
use tokio::sync::oneshot;

use super::super::{deliver, outgoing::Asked};
use crate::rpc::{Limits, Message, RawRef, RequestId};

/// The requests whose answers are due.
#[derive(Default)]
pub(super) struct Answers(Mutex<HashMap<RequestId, Due>>);

struct Due {
    is_initialize: bool,
    answered: oneshot::Sender<()>,
}

/// An answer that is due, until this is dropped.
pub(super) struct Awaited {
    answers: Arc<Answers>,
    id: RequestId,
    answered: oneshot::Receiver<()>,
}

/// An answer that a message is.
pub(super) struct Answer {
    pub(super) id: RequestId,
    version: Option<HeaderValue>,
}

impl Answers {
    /// Waits for an answer from now on.
    pub(super) fn expect(self: &Arc<Self>, asked: &Asked) -> Awaited {
        let (answered, hears) = oneshot::channel();
        let due = Due { is_initialize: asked.method == "initialize", answered };
        self.lock().insert(asked.id.clone(), due);
        Awaited { answers: self.clone(), id: asked.id.clone(), answered: hears }
    }

    /// Gives the revision that the handshake came to, if this is its answer.
    pub(super) fn version<'a>(&self, answer: &'a Answer) -> Option<&'a HeaderValue> {
        let is_initialize = self.lock().get(&answer.id).is_some_and(|due| due.is_initialize);
        answer.version.as_ref().filter(|_| is_initialize)
    }

    /// Takes note that an answer has come.
    pub(super) fn settle(&self, answer: &Answer) {
        let due = self.lock().remove(&answer.id);
        // Nobody may wait for it any more.
        due.map(|due| due.answered.send(()));
    }

    /// Takes note that none will come any more.
    pub(super) fn end(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Due>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Awaited {
    /// Waits for the answer; whether it has come.
    pub(super) async fn has_come(mut self) -> bool {
        (&mut self.answered).await.is_ok()
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.answers.lock().remove(&self.id);
    }
}

/// Reads which answers a message has.
pub(super) fn read(text: &[u8]) -> Vec<Answer> {
    match Message::parse(text, &Limits::default()) {
        Ok(Message::Batch(elements)) => {
            let messages = elements.into_iter().filter_map(|element: RawRef<'_>| Message::from_raw(element).ok());
            messages.filter_map(answer).collect()
        }
        Ok(message) => answer(message).into_iter().collect(),
        // What is no whole answer settles its request nevertheless, by the rules of the connection.
        Err(unreadable) => {
            let id = unreadable.id.filter(|_| unreadable.is_answer);
            id.map(|id| Answer { id, version: None }).into_iter().collect()
        }
    }
}

fn answer(message: Message<'_>) -> Option<Answer> {
    match message {
        Message::Response { id: Some(id), result, .. } => {
            Some(Answer { id, version: result.and_then(deliver::version) })
        }
        _ => None,
    }
}
