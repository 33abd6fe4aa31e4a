use std::{
    future::{Future, poll_fn},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
    time::Duration,
};

use tokio::sync::oneshot;

use super::{
    engine::{Engine, Slot, Verdict},
    state::{Outcome, State},
};
use crate::{
    driver::{BoxFuture, Runtime},
    handler::{Answers, Context, Course, Lack, Reply, Run, lack},
    model::{
        RawJson, RawMap,
        extensions::tasks::{Failure, RESULT_TYPE},
    },
    proto::io::Payload,
    rpc::{self, Raw, RawRef},
    wire,
};

/// A call that goes on as a task.
pub(super) struct Job {
    pub(super) engine: Arc<Engine>,
    pub(super) course: Arc<Course>,
    pub(super) cx: Context,
    pub(super) running: BoxFuture<Reply>,
    pub(super) rerun: Rerun,
}

/// Runs a handler anew for its call.
pub(super) type Rerun = Arc<dyn Fn(&Context) -> Run + Send + Sync>;

impl Job {
    /// Has the call go on beside, and gives what it is answered with now.
    pub(super) async fn begin(self) -> Reply {
        let (answer, answered) = oneshot::channel();
        let spawn = self.cx.runtime().spawn.clone();
        spawn.spawn(Box::pin(self.live(answer)));
        answered.await.unwrap_or_else(|_| Reply::Error(internal_error()))
    }

    async fn live(self, answer: oneshot::Sender<Reply>) {
        let runtime = self.cx.runtime().clone();
        let engine = self.engine.clone();
        let (slot, state) = match engine.create(&self.course, &self.cx).await {
            Ok(created) => created,
            Err(error) => return drop(answer.send(Reply::Error(error))),
        };
        if answer.send(created(&slot, &state)).is_err() {
            // Nobody knows of it.
            return engine.end(&runtime, &slot.id, None).await;
        }
        self.course.begin();
        let revision = self.cx.revision();
        let mut runner = Runner::new(self, &slot, runtime.clone());
        let end = poll_fn(|cx| runner.poll(cx)).await;
        // A future's drop may panic as well as its poll.
        if catch_unwind(AssertUnwindSafe(|| drop(runner))).is_err() {
            tracing::error!("the handler of a task panicked when it was dropped");
        }
        let outcome = match end {
            End::Stopped => None,
            End::Panicked => Some(Outcome::Failed(failure(internal_error()))),
            End::Reply(Reply::Complete(payload)) => Some(Outcome::Completed(written(&payload))),
            End::Reply(Reply::Error(error)) => {
                let error = wire::codec(revision).encode_error(revision, "tools/call", error, true);
                Some(Outcome::Failed(failure(error)))
            }
            End::Reply(_) => {
                tracing::error!("a task ended with what is no result of a call");
                Some(Outcome::Failed(failure(internal_error())))
            }
        };
        engine.end(&runtime, &slot.id, outcome).await;
    }
}

/// How the work of a task ends.
enum End {
    Reply(Reply),
    Panicked,
    /// It was cancelled, or its time was over.
    Stopped,
}

/// Runs the handler of a task, and has what it asks kept and what is answered given to it.
struct Runner {
    job: Job,
    id: String,
    runtime: Runtime,
    /// Looks at what is kept.
    sync: Option<BoxFuture<io::Result<()>>>,
    /// Whether to look again.
    is_due: bool,
    /// When to look again unasked.
    look: Option<BoxFuture<()>>,
    expiry: BoxFuture<()>,
    /// When the handler has had its time after it was cancelled.
    overdue: Option<BoxFuture<()>>,
    /// How often the client was asked by hand.
    rounds: usize,
}

impl Runner {
    fn new(job: Job, slot: &Slot, runtime: Runtime) -> Self {
        let clock = &runtime.clock;
        let left = slot.expires.duration_since(clock.time_of_day()).unwrap_or_default();
        let expiry = clock.sleep(left);
        let mut runner = Self {
            job,
            id: slot.id.clone(),
            expiry,
            runtime,
            sync: None,
            is_due: false,
            look: None,
            overdue: None,
            rounds: 0,
        };
        runner.look_later();
        runner
    }

    /// Looks again after a while, where others may have changed what is kept.
    fn look_later(&mut self) {
        let is_shared = self.job.engine.settings.store.is_shared();
        self.look = is_shared.then(|| self.after(LOOK));
    }

    fn after(&self, time: Duration) -> BoxFuture<()> {
        let clock = &self.runtime.clock;
        clock.sleep(time)
    }

    fn poll(&mut self, cx: &mut TaskContext<'_>) -> Poll<End> {
        loop {
            self.is_due |= self.job.course.poll_dirty(cx.waker());
            match self.poll_handler(cx) {
                Poll::Ready(Some(end)) => return Poll::Ready(end),
                Poll::Ready(None) => continue,
                Poll::Pending => {}
            }
            self.is_due |= self.job.course.poll_dirty(cx.waker());
            if self.look.as_mut().is_some_and(|look| look.as_mut().poll(cx).is_ready()) {
                self.is_due = true;
                self.look_later();
            }
            // What is over does not change any more.
            let is_over = self.job.course.is_cancelled();
            if self.sync.is_none() && std::mem::take(&mut self.is_due) && !is_over {
                let (engine, course) = (self.job.engine.clone(), self.job.course.clone());
                self.sync = Some(Box::pin(sync(engine, course, self.runtime.clone(), self.id.clone())));
            }
            let Some(sync) = &mut self.sync else { break };
            let Poll::Ready(outcome) = sync.as_mut().poll(cx) else { break };
            self.sync = None;
            if let Err(error) = outcome {
                tracing::error!(%error, "the store of tasks failed");
                self.look = Some(self.after(LOOK));
            }
        }
        if self.job.course.is_cancelled() {
            let grace = self.job.cx.cancel_grace();
            if self.overdue.is_none() {
                self.overdue = Some(self.after(grace));
            }
        }
        let is_overdue = self.overdue.as_mut().is_some_and(|overdue| overdue.as_mut().poll(cx).is_ready());
        match is_overdue || self.expiry.as_mut().poll(cx).is_ready() {
            true => Poll::Ready(End::Stopped),
            false => Poll::Pending,
        }
    }

    /// Polls the handler; `None` where it begins anew.
    fn poll_handler(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<End>> {
        let running = &mut self.job.running;
        let end = match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
            Ok(Poll::Ready(Reply::InputRequired(raw))) if !self.job.course.is_cancelled() => {
                self.rounds += 1;
                if self.rounds > MAX_ROUNDS {
                    tracing::error!("a task asks its client by hand too often");
                    return Poll::Ready(Some(End::Reply(Reply::Error(internal_error()))));
                }
                let (course, rerun) = (self.job.course.clone(), self.job.rerun.clone());
                self.job.running = Box::pin(by_hand(course, self.job.cx.clone(), rerun, raw, self.rounds));
                return Poll::Ready(None);
            }
            Ok(Poll::Ready(reply)) => End::Reply(reply),
            Ok(Poll::Pending) => match self.job.cx.interrupted() {
                Some(reply) => End::Reply(reply),
                None => return Poll::Pending,
            },
            Err(_) => {
                tracing::error!("the handler of a task panicked");
                End::Panicked
            }
        };
        Poll::Ready(Some(end))
    }
}

/// Has the questions kept that wait, takes back those that do not, and hands out answers.
async fn sync(engine: Arc<Engine>, course: Arc<Course>, runtime: Runtime, id: String) -> io::Result<()> {
    let (waiting, gone) = course.questions();
    let mut is_changed = false;
    let looked = engine.change(&runtime, &id, |state| {
        if state.is_over() {
            return Verdict::Same;
        }
        is_changed = false;
        for key in &gone {
            // An answer that was heard goes with the next change: nobody sees it.
            state.answers.remove(key);
            is_changed |= state.questions.remove(key).is_some();
        }
        for (key, request) in &waiting {
            if state.questions.get(key).is_none() && state.answers.get(key).is_none() {
                state.questions.insert(&**key, request.clone());
                is_changed = true;
            }
        }
        state.settle();
        if is_changed { Verdict::Changed } else { Verdict::Same }
    });
    match looked.await? {
        Some(state) if !state.is_over() => {
            if is_changed {
                course.forget(&gone);
            }
            for (key, answer) in state.answers.iter() {
                course.answer(key, answer.clone());
            }
        }
        _ => course.cancel(),
    }
    Ok(())
}

/// Asks what a handler asked by its result, and runs the handler anew with the answers.
async fn by_hand(course: Arc<Course>, cx: Context, rerun: Rerun, raw: Raw, round: usize) -> Reply {
    let questions = || raw.borrow().member("inputRequests").into_iter().flat_map(RawRef::members);
    let lacks = questions().filter_map(|(_, request)| {
        let method = request.member("method").and_then(RawRef::as_string).unwrap_or_default();
        lack(&cx, &method, request.member("params"))
    });
    if let Some(lack) = lacks.reduce(Lack::and) {
        return lack.reply(&cx);
    }
    let mut asking: Vec<(String, BoxFuture<Raw>)> = Vec::new();
    let mut answers: Vec<Option<Raw>> = Vec::new();
    for (name, request) in questions() {
        // A key is never used again, though the handler may.
        let key = if round == 1 { name.to_string() } else { format!("{name}-{round}") };
        let Ok(request) = RawJson::parse(request.as_str()) else { return Reply::Error(internal_error()) };
        let course = course.clone();
        asking.push((name.into_owned(), Box::pin(async move { course.ask(key, request).await })));
        answers.push(None);
    }
    poll_fn(|cx| {
        for ((_, asking), answer) in asking.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(given) = Pin::new(asking).poll(cx)
            {
                *answer = Some(given);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let mut responses = RawMap::new();
    for ((name, _), answer) in asking.into_iter().zip(answers) {
        if let Some(answer) = answer.and_then(|answer| RawJson::parse(answer.as_str()).ok()) {
            responses.insert(name, answer);
        }
    }
    let Ok(responses) = Raw::from_value(&responses) else { return Reply::Error(internal_error()) };
    let state = raw.borrow().member("requestState").map(RawRef::to_owned);
    cx.run_anew();
    match rerun(&cx.with_answers(Answers { responses: Some(responses), state })) {
        Run::Ready(reply) => reply,
        Run::Pending(running) => running.await,
    }
}

fn created(slot: &Slot, state: &State) -> Reply {
    let result = Raw::from_value(&state.created(&slot.id)).expect("text and numbers can always be written");
    Reply::Extension { result_type: RESULT_TYPE.into(), payload: result.into() }
}

/// Writes a result as it would have stood on the wire.
fn written(payload: &Payload) -> RawJson {
    let raw = payload.raw.borrow();
    let mut out = String::with_capacity(raw.as_str().len() + 48);
    out.push_str(r#"{"resultType":"complete""#);
    for (name, value) in raw.members().filter(|(name, _)| name != "resultType") {
        out.push(',');
        rpc::raw::push_string(&name, &mut out);
        out.push(':');
        out.push_str(value.as_str());
    }
    if raw.member("content").is_none() {
        out.push_str(r#","content":[]"#);
    }
    out.push('}');
    RawJson::parse(out).expect("members of JSON make JSON")
}

fn failure(error: rpc::Error) -> Failure {
    let failure = Failure::new(error.code, error.message);
    match error.data.and_then(|data| RawJson::parse(data.as_str()).ok()) {
        Some(data) => failure.data(data),
        None => failure,
    }
}

fn internal_error() -> rpc::Error {
    rpc::Error::new(rpc::Error::INTERNAL_ERROR, "internal error")
}

/// How often to look whether another instance changed a task.
const LOOK: Duration = Duration::from_secs(1);
/// How many times the client is asked by hand.
const MAX_ROUNDS: usize = 10;
