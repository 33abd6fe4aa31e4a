use std::{
    borrow::Cow,
    collections::HashSet,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use crate::{
    client::{
        Client,
        later::{Limits, Ongoing},
    },
    driver::{BoxFuture, Remote},
    error::{Error, Result},
    model::extensions::tasks::{Cancel, CreateResult, Get, Status, Task, TaskParams},
    peer::{Call, GivenUp, Peer, Question, Sent, responses},
    proto::io::Failure,
    rpc::{self, Raw, RawRef, raw::write_string},
};

/// A task that is followed to its end.
pub(super) struct Drive {
    peer: Peer,
    remote: Remote,
    id: String,
    timeout: Option<Duration>,
    /// How long to wait where the server does not say.
    usual: Duration,
    /// How long to wait before it is asked for again.
    interval: Duration,
    stage: Stage,
    /// Since when it is followed.
    begun: Instant,
    /// The limit of the call.
    limit: Option<(BoxFuture<()>, Duration)>,
    /// When the server forgets the task.
    expiry: Option<Expiry>,
    /// What the task asked, while it is answered.
    questions: Vec<Question>,
    /// The keys of all that it ever asked.
    asked: HashSet<Box<str>>,
    update: Option<(Sent<Raw>, String)>,
    /// What the server said of the task last.
    last: Raw,
    status: Option<Status>,
    /// How often in a row the server could not be asked.
    missed: u32,
    is_manual: bool,
    given_up: GivenUp,
    /// Whether the task is to be cancelled when nobody waits for it any more.
    is_ours: bool,
}

enum Stage {
    Waiting(BoxFuture<()>),
    Asking(Sent<Raw>),
}

struct Expiry {
    at: Instant,
    after: Duration,
    timer: BoxFuture<()>,
}

impl Drive {
    /// Follows a task that a call has become.
    pub(super) fn new(client: &Client, created: CreateResult, usual: Duration, limits: Limits) -> Self {
        let mut drive = Self::of(client, created.task_id, usual);
        drive.is_ours = true;
        drive.timeout = limits.timeout;
        drive.is_manual = limits.is_manual;
        let clock = &drive.remote.options().runtime.clock;
        drive.limit = limits.until.map(|(until, limit)| (clock.sleep_until(until), limit));
        drive.heed(created.poll_interval_ms, created.ttl_ms);
        drive.stage = match created.status {
            Status::Working | Status::Other(_) => drive.wait(),
            _ => drive.ask(),
        };
        drive.status = Some(created.status);
        drive
    }

    /// Follows a task that somebody else is answerable for.
    pub(super) fn of(client: &Client, id: String, usual: Duration) -> Self {
        let (peer, remote) = (client.peer().clone(), client.remote().clone());
        let begun = remote.options().runtime.clock.now();
        let stage = Stage::Asking(get(&peer, &id).raw().send());
        Self {
            peer,
            remote,
            id,
            timeout: None,
            usual,
            interval: usual,
            stage,
            begun,
            limit: None,
            expiry: None,
            questions: Vec::new(),
            asked: HashSet::new(),
            update: None,
            last: Raw::trusted("{}"),
            status: None,
            missed: 0,
            is_manual: false,
            given_up: GivenUp::default(),
            is_ours: false,
        }
    }

    /// Gives the task's id, and how it stood last; from now on nobody here is answerable for it.
    pub(super) fn hand_over(mut self: Box<Self>) -> (String, Option<Status>) {
        self.is_ours = false;
        (mem::take(&mut self.id), self.status.take())
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<Raw>> {
        if let Some(reason) = self.given_up.take(cx) {
            return Poll::Ready(Err(failed(Failure::Cancelled { reason: reason.into_owned() })));
        }
        if let Some((limit, after)) = &mut self.limit
            && limit.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Err(failed(Failure::Timeout { after: *after, is_total: true })));
        }
        loop {
            if let Some(Expiry { after, timer, .. }) = &mut self.expiry
                && timer.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(Err(failed(Failure::Timeout { after: *after, is_total: true })));
            }
            self.poll_answers(cx)?;
            match &mut self.stage {
                Stage::Waiting(timer) => {
                    ready!(timer.as_mut().poll(cx));
                    self.stage = self.ask();
                }
                Stage::Asking(sent) => {
                    let answer = ready!(Pin::new(sent).poll(cx));
                    let end = match answer {
                        Ok(raw) => self.judge(raw)?,
                        Err(error) => {
                            self.miss(error)?;
                            None
                        }
                    };
                    if let Some(result) = end {
                        return Poll::Ready(Ok(result));
                    }
                    self.stage = self.wait();
                }
            }
        }
    }

    /// Takes in answers to what the task asked, and sends those that are there.
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Result<()> {
        for question in &mut self.questions {
            if let Poll::Ready(Err(error)) = question.poll(cx) {
                return Err(self.cannot_answer().with_source(error));
            }
        }
        loop {
            if let Some((sent, _)) = &mut self.update {
                let Poll::Ready(outcome) = Pin::new(sent).poll(cx) else { return Ok(()) };
                let Some((_, said)) = self.update.take() else { return Ok(()) };
                match outcome {
                    Ok(_) => self.missed = 0,
                    Err(error) => {
                        self.miss(error)?;
                        self.tell(said);
                        continue;
                    }
                }
            }
            let (answered, open): (Vec<_>, Vec<_>) =
                mem::take(&mut self.questions).into_iter().partition(Question::is_answered);
            self.questions = open;
            if answered.is_empty() {
                return Ok(());
            }
            self.tell(responses(&answered));
        }
    }

    fn tell(&mut self, said: String) {
        let mut params = b"{\"taskId\":".to_vec();
        write_string(&self.id, &mut params);
        params.extend_from_slice(b",\"inputResponses\":");
        params.extend_from_slice(said.as_bytes());
        params.push(b'}');
        let params = Raw::trusted(String::from_utf8(params).expect("only text was written"));
        let call = self.peer.request_raw("tasks/update", Some(params)).manual_input();
        self.update = Some((self.timed(call).send(), said));
    }

    /// Takes note of how the task stands; gives its result where it has ended with one.
    fn judge(&mut self, raw: Raw) -> Result<Option<Raw>> {
        let task: Task = raw.decode().map_err(|source| Error::decode("result", GET, raw.clone(), &source))?;
        if task.task_id != self.id {
            return Err(invalid(GET, format!("it is about the task {:?}", task.task_id), raw));
        }
        self.missed = 0;
        self.heed(task.poll_interval_ms, task.ttl_ms);
        self.is_ours &= !task.status.is_terminal();
        self.last = raw;
        self.status = Some(task.status.clone());
        match task.status {
            Status::Completed => self.result().map(Some),
            Status::Failed => Err(match task.error {
                Some(error) => {
                    let data = error.data.and_then(|data| Raw::parse(data.as_str()).ok());
                    let failure = rpc::Error::new(error.code, error.message);
                    failed(Failure::Rpc(match data {
                        Some(data) => failure.with_data(data),
                        None => failure,
                    }))
                }
                None => invalid(GET, "the task has failed, and it does not say how".into(), self.last.clone()),
            }),
            Status::Cancelled => {
                let reason = task.status_message.unwrap_or_else(|| "the task was cancelled at the server".into());
                Err(failed(Failure::Cancelled { reason }))
            }
            Status::InputRequired => self.take_questions().map(|()| None),
            _ => Ok(None),
        }
    }

    /// Gives the result of the call, as an answer to it would have had it.
    fn result(&self) -> Result<Raw> {
        let wrong = |reason: &str| invalid(GET, reason.to_owned(), self.last.clone());
        let result = self.last.borrow().member("result").filter(|result| result.is_object());
        let result = result.ok_or_else(|| wrong("the task is completed, and its result is no object"))?;
        let mut out = b"{".to_vec();
        for (name, value) in result.members() {
            if name == "resultType" {
                if value.as_string().as_deref() != Some("complete") {
                    return Err(wrong("the result of the task is not complete"));
                }
                continue;
            }
            if out.len() > 1 {
                out.push(b',');
            }
            write_string(&name, &mut out);
            out.push(b':');
            out.extend_from_slice(value.as_str().as_bytes());
        }
        out.push(b'}');
        Ok(Raw::trusted(String::from_utf8(out).expect("only text was written")))
    }

    /// Begins to answer what the task asks and did not ask before.
    fn take_questions(&mut self) -> Result<()> {
        let last = self.last.clone();
        for (key, request) in last.borrow().member("inputRequests").into_iter().flat_map(RawRef::members) {
            if self.asked.contains(&*key) {
                continue;
            }
            if self.is_manual {
                // Who answers by hand goes on with the task.
                self.is_ours = false;
                return Err(self.cannot_answer());
            }
            if self.asked.len() == MAX_QUESTIONS {
                return Err(invalid(GET, format!("the task asks more than {MAX_QUESTIONS} questions"), last));
            }
            self.asked.insert((&*key).into());
            let revision = self.peer.revision();
            let answers = self.peer.answers().zip(revision);
            let question = answers.and_then(|(answers, revision)| Question::ask(&**answers, revision, &key, request));
            self.questions.push(question.ok_or_else(|| self.cannot_answer())?);
        }
        Ok(())
    }

    fn cannot_answer(&self) -> Error {
        Error::input_required(CALL, self.last.clone())
    }

    /// Takes note that the server could not be asked. A task outlives that, some times.
    fn miss(&mut self, error: Error) -> Result<()> {
        if error.rpc().is_some_and(|error| error.code == rpc::Error::INVALID_PARAMS) {
            // The server does not know it any more.
            self.is_ours = false;
        }
        let is_final = error.rpc().is_some() || error.is_misuse() || error.is_peer_misbehaved();
        if is_final || self.peer.is_closed() || self.missed == MISSES {
            return Err(error);
        }
        self.missed += 1;
        Ok(())
    }

    /// Takes note of what the server says of times.
    fn heed(&mut self, interval_ms: Option<u64>, ttl_ms: Option<u64>) {
        self.interval = interval_ms.map_or(self.usual, |ms| bounded(Duration::from_millis(ms)));
        let after = ttl_ms.map(Duration::from_millis);
        // So that it can still be asked for when its time is just over.
        let at = after.and_then(|after| Some((self.begun.checked_add(after)?.checked_add(self.interval)?, after)));
        let is_new = at.map(|(at, _)| at) != self.expiry.as_ref().map(|expiry| expiry.at);
        if is_new {
            let clock = &self.remote.options().runtime.clock;
            self.expiry = at.map(|(at, after)| Expiry { at, after, timer: clock.sleep_until(at) });
        }
    }

    fn wait(&self) -> Stage {
        let clock = &self.remote.options().runtime.clock;
        Stage::Waiting(clock.sleep(self.interval))
    }

    fn ask(&self) -> Stage {
        Stage::Asking(self.timed(get(&self.peer, &self.id).raw()).send())
    }

    fn timed(&self, call: Call<Raw>) -> Call<Raw> {
        match self.timeout {
            Some(timeout) => call.timeout(timeout),
            None => call,
        }
    }
}

impl Ongoing for Drive {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Raw>> {
        self.poll_end(cx)
    }

    fn cancel(&self, reason: Cow<'static, str>) {
        self.given_up.give_up(reason);
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        if self.is_ours && !self.remote.is_closed() {
            let sent = self.peer.request::<Cancel>(TaskParams::new(&*self.id)).send();
            // Whoever waited is gone, and the answer has to be waited for all the same.
            self.remote.options().runtime.spawn.spawn(Box::pin(async move { drop(sent.await) }));
        }
    }
}

/// Begins to ask how a task stands.
pub(super) fn get(peer: &Peer, id: &str) -> Call<Task> {
    peer.request::<Get>(TaskParams::new(id)).manual_input()
}

/// Keeps a time between two questions from being too short or too long.
pub(super) fn bounded(interval: Duration) -> Duration {
    interval.clamp(SHORTEST, LONGEST)
}

fn failed(failure: Failure) -> Error {
    Error::failed(CALL, failure)
}

fn invalid(method: &'static str, reason: String, raw: Raw) -> Error {
    Error::failed(method, Failure::Invalid { reason, raw: Some(raw) })
}

const CALL: &str = "tools/call";
const GET: &str = "tasks/get";
/// The shortest time between two questions how a task stands.
const SHORTEST: Duration = Duration::from_millis(100);
/// The longest time between two questions how a task stands.
const LONGEST: Duration = Duration::from_secs(3600);
/// How often in a row a server may stay without an answer before its task counts as lost.
const MISSES: u32 = 3;
/// The most questions that one task may ask.
const MAX_QUESTIONS: usize = 1000;
