use std::{
    collections::BTreeMap,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use tokio::sync::{Notify, oneshot};

use crate::{model::RawJson, rpc::Raw};

/// The course of a call that may go on when it was answered, as a task: shared by its handler and what runs it.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "tasks are a feature")]
pub(crate) struct Course {
    state: Mutex<State>,
    /// Tells the handler that it is a task now, or that it is cancelled.
    told: Notify,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    is_cancelled: bool,
    /// The questions that the handler waits with.
    waiting: BTreeMap<String, Waiting>,
    /// Questions that need no answer any more.
    gone: Vec<String>,
    /// Whether whoever runs it has something to do.
    is_dirty: bool,
    runner: Option<Waker>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// A call like others.
    #[default]
    Call,
    /// The handler wants to go on as a task.
    Wanted,
    Task,
}

#[derive(Debug)]
struct Waiting {
    request: RawJson,
    answer: oneshot::Sender<RawJson>,
}

#[allow(dead_code, reason = "tasks are a feature")]
impl Course {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The handler's side.

    pub(crate) fn is_task(&self) -> bool {
        self.lock().stage == Stage::Task
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.lock().is_cancelled
    }

    pub(crate) async fn cancelled(&self) {
        self.until(|state| state.is_cancelled).await;
    }

    /// Asks for the call to go on as a task, and waits until it is one.
    pub(crate) async fn become_task(&self) {
        self.want_task();
        self.until(|state| state.stage == Stage::Task).await;
    }

    fn want_task(&self) {
        let mut state = self.lock();
        if state.stage == Stage::Call {
            state.stage = Stage::Wanted;
            nudge(state);
        }
    }

    /// Asks a question, and waits for its answer. Dropping the future takes the question back.
    pub(crate) async fn ask(self: &Arc<Self>, key: String, request: RawJson) -> Raw {
        let (answer, answered) = oneshot::channel();
        let _asking = self.wait(key, Waiting { request, answer });
        match answered.await {
            Ok(answer) => Raw::trusted(answer.as_str()),
            Err(_) => pending().await,
        }
    }

    fn wait(self: &Arc<Self>, key: String, waiting: Waiting) -> Asking {
        let mut state = self.lock();
        state.waiting.insert(key.clone(), waiting);
        nudge(state);
        Asking { course: self.clone(), key }
    }

    async fn until(&self, is_so: impl Fn(&State) -> bool) {
        loop {
            let mut told = std::pin::pin!(self.told.notified());
            told.as_mut().enable();
            if is_so(&self.lock()) {
                return;
            }
            told.await;
        }
    }

    // The side of whoever runs it.

    /// Says who is to be woken, and tells whether there is something to do.
    pub(crate) fn poll_dirty(&self, waker: &Waker) -> bool {
        let mut state = self.lock();
        if !state.runner.as_ref().is_some_and(|known| known.will_wake(waker)) {
            state.runner = Some(waker.clone());
        }
        std::mem::take(&mut state.is_dirty)
    }

    /// Has whoever runs it look at what is stored.
    pub(crate) fn look(&self) {
        nudge(self.lock());
    }

    pub(crate) fn wants_task(&self) -> bool {
        self.lock().stage == Stage::Wanted
    }

    /// Lets the handler know that it is a task.
    pub(crate) fn begin(&self) {
        self.lock().stage = Stage::Task;
        self.told.notify_waiters();
    }

    pub(crate) fn cancel(&self) {
        self.lock().is_cancelled = true;
        self.told.notify_waiters();
    }

    /// Gives the questions that wait for answers, and those that no longer do.
    pub(crate) fn questions(&self) -> (Vec<(String, RawJson)>, Vec<String>) {
        let state = self.lock();
        let waiting = state.waiting.iter().map(|(key, waiting)| (key.clone(), waiting.request.clone()));
        (waiting.collect(), state.gone.clone())
    }

    /// Forgets questions that no longer wait.
    pub(crate) fn forget(&self, gone: &[String]) {
        self.lock().gone.retain(|key| !gone.contains(key));
    }

    /// Hands an answer to the handler.
    pub(crate) fn answer(&self, key: &str, answer: RawJson) {
        let mut state = self.lock();
        if let Some(waiting) = state.waiting.remove(key) {
            state.gone.push(key.to_owned());
            drop(state);
            drop(waiting.answer.send(answer));
        }
    }
}

/// Wakes whoever runs it, not under the lock.
fn nudge(mut state: MutexGuard<'_, State>) {
    state.is_dirty = true;
    let runner = state.runner.take();
    drop(state);
    if let Some(runner) = runner {
        runner.wake();
    }
}

/// A question that waits for its answer.
struct Asking {
    course: Arc<Course>,
    key: String,
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut state = self.course.lock();
        if state.waiting.remove(&self.key).is_some() {
            state.gone.push(std::mem::take(&mut self.key));
            nudge(state);
        }
    }
}
