//! What was asked and answered while one request is served.

use std::{
    any::Any,
    collections::{BTreeMap, HashSet},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
};

use tokio::sync::OnceCell;

use super::{Context, Rounds, decode, seal::Known};
use crate::{
    driver::{Interrupt, Ticket, io::Reply},
    error::{Error, Result},
    handler::{
        application::Application,
        question::{self, Lack},
        rerun::{too_many_questions, too_many_rounds},
        resume,
    },
    model::{RawJson, RawMap},
    rpc::{self, Raw, RawRef, raw::push_string},
    version::Era,
};

impl Context {
    pub(super) fn ticket(&self) -> &Ticket {
        &self.0
    }

    /// Keeps the params of the request for what needs them later, and gives them back.
    pub(crate) fn keep_params(&self, params: Option<Raw>) -> Option<RawRef<'_>> {
        if let Some(params) = params {
            self.0.keep_params(params);
        }
        self.0.params().map(Raw::borrow)
    }
}

/// The questions and answers of one request. It outlives the handler's future, not the request.
pub(super) struct Asked {
    rounds: Arc<Rounds>,
    /// What earlier rounds left, once it is opened, or why the request ends over it.
    opened: OnceCell<Result<Known, rpc::Error>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// New questions, to go out when the round ends.
    questions: Vec<Question>,
    /// What the client lacks, for each question that waits and that it cannot answer.
    lacks: Vec<Arc<Lack>>,
    /// What this run of the handler added to what is known.
    answers: BTreeMap<String, RawJson>,
    steps: BTreeMap<String, RawJson>,
    /// The keys of this run.
    keys: HashSet<String>,
    running_steps: usize,
    /// The thread that polls a step at this moment.
    stepping: Option<ThreadId>,
    /// What the request ends with, in place of what the handler would give.
    end: Option<Reply>,
    /// Whether the round has ended over the questions.
    is_over: bool,
}

/// A question to the client.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) key: String,
    pub(super) method: &'static str,
    pub(super) params: Option<Raw>,
}

impl Asked {
    /// Gives what belongs to the request of a context.
    pub(super) fn of(cx: &Context) -> Arc<Self> {
        let interrupt = cx.ticket().interrupt_with(|| {
            let rounds = Application::of(cx).map(|server| server.rounds.clone()).unwrap_or_default();
            Arc::new(Self { rounds, opened: OnceCell::new(), state: Mutex::default() })
        });
        let any: Arc<dyn Any + Send + Sync> = interrupt.clone();
        any.downcast().expect("nothing else answers in a handler's place")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the request with this reply as soon as the handler waits.
    pub(super) fn end(&self, cx: &Context, reply: Reply) {
        self.lock().end.get_or_insert(reply);
        cx.ticket().nudge();
    }

    /// Gives what earlier rounds left; `None` where the request ends over it.
    pub(super) async fn open(&self, cx: &Context) -> Option<&Known> {
        match self.opened(cx).await {
            Ok(known) => Some(known),
            Err(error) => {
                self.end(cx, Reply::Error(error.clone()));
                None
            }
        }
    }

    /// Gives what earlier rounds left, or why there is nothing that could be told.
    pub(super) async fn opened(&self, cx: &Context) -> &Result<Known, rpc::Error> {
        self.opened.get_or_init(|| self.read(cx)).await
    }

    async fn read(&self, cx: &Context) -> Result<Known, rpc::Error> {
        let Some(state) = resume::state(cx.ticket()) else { return Ok(Known::default()) };
        let Some(sealed) = state.borrow().as_string() else { return Err(not_ours()) };
        let now = cx.ticket().remote().options().runtime.clock.time_of_day();
        let Some(known) = Known::open(&sealed, &self.rounds.keyring, cx, now) else { return Err(not_ours()) };
        let Some(store) = &self.rounds.single_use else { return Ok(known) };
        match store.redeem(&known.id, now, known.until()).await {
            Ok(true) => Ok(known),
            Ok(false) => Err(not_ours()),
            Err(error) => {
                tracing::error!(%error, "the store of used states failed");
                Err(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the state cannot be checked now: try again later"))
            }
        }
    }

    /// Takes a key for a question or a step of this run.
    pub(super) fn claim(&self, key: String) -> Result<String> {
        if !self.lock().keys.insert(key.clone()) {
            return Err(Error::misuse(format!("the key `{key}` is taken within this request: give each its own")));
        }
        Ok(key)
    }

    /// Takes a key for a question out of its words.
    pub(super) fn claim_for(&self, method: &'static str, params: Option<&Raw>) -> String {
        let words = digest([method.as_bytes(), params.map_or("", Raw::as_str).as_bytes()]);
        let kind = method.split('/').next().unwrap_or_default();
        let mut state = self.lock();
        (1..)
            .map(|count| match count {
                1 => format!("{kind}-{words:016x}"),
                count => format!("{kind}-{words:016x}-{count}"),
            })
            .find(|key| state.keys.insert(key.clone()))
            .expect("there is always a next number")
    }

    /// Gives the answer to a question, where there is one.
    ///
    /// # Errors
    ///
    /// The client answered with something that is no answer to such a question.
    pub(super) fn answer(
        &self,
        cx: &Context,
        known: &Known,
        key: &str,
        method: &str,
    ) -> Result<Option<Raw>, rpc::Error> {
        let mut state = self.lock();
        if let Some(answer) = known.answers.get(key).or_else(|| state.answers.get(key)) {
            return Ok(Some(Raw::trusted(answer.as_str())));
        }
        let given = match cx.era() {
            Era::Modern => cx.input_responses_raw().and_then(|given| given.borrow().member(key)),
            Era::Legacy => None,
        };
        let Some(given) = given else { return Ok(None) };
        decode::check(method, given).map_err(|error| {
            let reason = rpc::explain::explain(&format!("inputResponses.{key}"), given.as_str(), &error);
            rpc::Error::new(rpc::Error::INVALID_PARAMS, reason)
        })?;
        note(&mut state.answers, key, given);
        Ok(Some(given.to_owned()))
    }

    pub(super) fn note_answer(&self, key: &str, answer: &Raw) {
        note(&mut self.lock().answers, key, answer.borrow());
    }

    /// Has a question go out when the handler waits. Dropping what comes back takes it back.
    pub(super) fn ask(self: &Arc<Self>, cx: &Context, question: Question) -> Waiting {
        let key = question.key.clone();
        self.lock().questions.push(question);
        cx.ticket().nudge();
        Waiting { asked: self.clone(), key }
    }

    /// Ends the request over a question that the client cannot answer, as soon as the handler waits: what is missing for
    /// all that wait then is told at once. Dropping what comes back takes it back.
    pub(super) fn lacks(self: &Arc<Self>, cx: &Context, lack: Lack) -> Lacking {
        let lack = Arc::new(lack);
        self.lock().lacks.push(lack.clone());
        cx.ticket().nudge();
        Lacking { asked: self.clone(), lack }
    }

    pub(super) fn step_value(&self, known: &Known, key: &str) -> Option<RawJson> {
        known.steps.get(key).cloned().or_else(|| self.lock().steps.get(key).cloned())
    }

    pub(super) fn note_step(&self, key: &str, value: RawJson) {
        self.lock().steps.insert(key.to_owned(), value);
    }

    /// Keeps the round from ending until what comes back is dropped.
    pub(super) fn hold(self: &Arc<Self>, cx: &Context) -> Hold {
        self.lock().running_steps += 1;
        Hold { asked: self.clone(), cx: cx.clone() }
    }

    /// Says that a step is being polled on this thread until what it returns.
    pub(super) fn stepping<T>(&self, poll: impl FnOnce() -> T) -> T {
        let before = self.lock().stepping.replace(thread::current().id());
        let polled = poll();
        self.lock().stepping = before;
        polled
    }

    pub(super) fn is_within_step(&self) -> bool {
        self.lock().stepping == Some(thread::current().id())
    }

    /// Ends the round: the questions, and the state that the client keeps.
    fn end_round(&self, ticket: &Ticket, state: &mut State) -> Result<Raw, String> {
        let questions = mem::take(&mut state.questions);
        if questions.len() > self.rounds.max_questions {
            return Err(too_many_questions(questions.len(), self.rounds.max_questions));
        }
        let mut requests = RawMap::new();
        for question in questions {
            requests.insert(question.key, request(question.method, question.params.as_ref()));
        }
        let asked = serde_json::to_string(&requests).map_err(|error| error.to_string())?;
        let sealed = self.sealed(ticket, state, None)?;
        state.is_over = true;
        Ok(with_state(&Raw::trusted(format!("{{\"inputRequests\":{asked}}}")), &sealed))
    }

    /// Ends a round that a handler ended by hand. What it remembers goes out sealed, beside what this knows.
    pub(super) fn by_hand(&self, ticket: &Ticket, result: Raw) -> Result<Raw, String> {
        let mut state = self.lock();
        if state.is_over {
            return Ok(result);
        }
        let by_hand = result.borrow().member("requestState").filter(|state| !state.is_null());
        let by_hand = by_hand.and_then(|state| RawJson::parse(state.as_str()).ok());
        let knows = self.opened.get().is_some_and(|known| known.as_ref().is_ok_and(|known| known.round > 0));
        if by_hand.is_none() && !knows && state.answers.is_empty() && state.steps.is_empty() {
            return Ok(result);
        }
        let sealed = self.sealed(ticket, &mut state, by_hand)?;
        Ok(with_state(&result, &sealed))
    }

    /// Seals what is known when a round ends.
    fn sealed(&self, ticket: &Ticket, state: &mut State, by_hand: Option<RawJson>) -> Result<String, String> {
        let rounds = &self.rounds;
        let mut known = self.opened.get().cloned().and_then(Result::ok).unwrap_or_default();
        known.round += 1;
        if known.round > rounds.max_rounds {
            return Err(too_many_rounds(rounds.max_rounds));
        }
        known.answers.append(&mut state.answers);
        known.steps.append(&mut state.steps);
        known.by_hand = by_hand;
        known.renew(ticket.remote().options().runtime.clock.time_of_day(), rounds.expiry);
        let text = serde_json::to_vec(&known).map_err(|error| error.to_string())?;
        if text.len() > rounds.max_state {
            let (size, limit) = (text.len(), rounds.max_state);
            return Err(format!("what the call must remember has {size} bytes, and the limit is {limit}"));
        }
        Ok(Known::seal(&text, &rounds.keyring, &Context::new(ticket.clone())))
    }
}

impl Interrupt for Asked {
    fn interrupt(&self, ticket: &Ticket) -> Option<Reply> {
        let mut state = self.lock();
        if let Some(end) = state.end.take() {
            return Some(end);
        }
        if let Some(lack) = state.lacks.iter().map(|lack| Lack::clone(lack)).reduce(Lack::and) {
            return Some(lack.reply(&Context::new(ticket.clone())));
        }
        if state.questions.is_empty() || state.running_steps > 0 {
            return None;
        }
        let ended = self.end_round(ticket, &mut state);
        Some(ended.map_or_else(|text| too_much(ticket, &text), Reply::InputRequired))
    }

    fn run_anew(&self) {
        self.lock().keys.clear();
    }
}

/// A question that has gone into the round.
pub(super) struct Waiting {
    asked: Arc<Asked>,
    key: String,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.asked.lock().questions.retain(|question| question.key != self.key);
    }
}

/// A question that the client cannot answer, and that waits.
pub(super) struct Lacking {
    asked: Arc<Asked>,
    lack: Arc<Lack>,
}

impl Drop for Lacking {
    fn drop(&mut self) {
        self.asked.lock().lacks.retain(|lack| !Arc::ptr_eq(lack, &self.lack));
    }
}

/// A step that runs.
pub(super) struct Hold {
    asked: Arc<Asked>,
    cx: Context,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.asked.lock().running_steps -= 1;
        self.cx.ticket().nudge();
    }
}

/// Gives the answer to a request that asks for more than it may.
pub(super) fn too_much(ticket: &Ticket, text: &str) -> Reply {
    tracing::warn!(method = ticket.request().method.as_ref(), text, "a call asks for too much");
    question::failure(&Context::new(ticket.clone()), text)
}

/// Gives a result with this state in place of what stands there.
fn with_state(result: &Raw, sealed: &str) -> Raw {
    let mut out = String::from("{");
    for (name, value) in result.borrow().members().filter(|(name, _)| name != "requestState") {
        push_string(&name, &mut out);
        out.push(':');
        out.push_str(value.as_str());
        out.push(',');
    }
    out.push_str("\"requestState\":");
    push_string(sealed, &mut out);
    out.push('}');
    Raw::trusted(out)
}

fn note(values: &mut BTreeMap<String, RawJson>, key: &str, value: RawRef<'_>) {
    if let Ok(value) = RawJson::parse(value.as_str()) {
        values.insert(key.to_owned(), value);
    }
}

pub(super) fn request(method: &str, params: Option<&Raw>) -> RawJson {
    let text = match params {
        Some(params) => format!("{{\"method\":\"{method}\",\"params\":{}}}", params.as_str()),
        None => format!("{{\"method\":\"{method}\"}}"),
    };
    RawJson::parse(text).expect("a method and JSON make JSON")
}

fn not_ours() -> rpc::Error {
    let message = "`requestState` is not one that this server gave for this request, or it has expired: begin anew";
    rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
}

/// Gives a number that stands for some bytes: FNV-1a. It is the same in every process, and no secret.
fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for byte in part.iter().chain(&[0xff]) {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    digest
}
