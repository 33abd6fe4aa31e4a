//! Rounds of a request that the server answers with questions: the answers are gathered, and the request goes out again
//! with them. Stateless era.

use std::{
    borrow::Cow,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use crate::{
    driver::{
        BoxFuture, Pending, Remote,
        io::{Call, Failure},
    },
    error::{Error, Result},
    rpc::{self, Raw, RawRef, raw::write_string},
    version::{Era, Revision},
};

/// What answers the questions of the other side.
pub(crate) trait Answers: Send + Sync {
    /// Begins the answer to a question; `None` where questions of its kind are not answered here.
    fn answer(&self, method: &str, params: Option<Raw>, revision: Revision) -> Option<Answering>;

    /// Gives how long a request may take in all, where it does not say so itself.
    fn max_total(&self) -> Option<Duration>;
}

/// An answer on its way: the JSON of a result, or why there is none.
pub(crate) type Answering = BoxFuture<Result<Raw, rpc::Error>>;

/// A request that may take several rounds.
pub(super) struct Rounds {
    answers: Arc<dyn Answers>,
    remote: Remote,
    call: Call,
    until: Option<(Instant, Duration)>,
    left: usize,
}

impl Rounds {
    /// Begins with the first round, where the era has rounds.
    pub(super) fn new(answers: Arc<dyn Answers>, remote: &Remote, call: &mut Call) -> Option<Self> {
        // A subscription lasts, whatever limit calls have.
        if call.method == "subscriptions/listen" {
            return None;
        }
        if remote.peek_connected().is_some_and(|connected| connected.revision.era() == Era::Legacy) {
            return None;
        }
        call.max_total = call.max_total.or_else(|| answers.max_total());
        let now = remote.options().runtime.clock.now();
        let until = call.max_total.and_then(|limit| Some((now.checked_add(limit)?, limit)));
        Some(Self { answers, remote: remote.clone(), call: call.clone(), until, left: MAX_ROUNDS })
    }

    /// Begins to answer what the server asked.
    pub(super) fn gather(&mut self, asked: &Raw) -> Result<Gathering> {
        let invalid = |reason: String| {
            Error::failed(self.call.method.clone(), Failure::Invalid { reason, raw: Some(asked.clone()) })
        };
        if self.left == 0 {
            return Err(invalid(format!("the server asked for input {MAX_ROUNDS} times and wants more")));
        }
        self.left -= 1;
        let state = asked.borrow().member("requestState").filter(|state| !state.is_null());
        if state.is_some_and(|state| state.as_string().is_none()) {
            return Err(invalid("`requestState` is not a string".into()));
        }
        let requests = asked.borrow().member("inputRequests").filter(|requests| !requests.is_null());
        if requests.is_some_and(|requests| !requests.is_object()) {
            return Err(invalid("`inputRequests` is not an object".into()));
        }
        let mut questions: Vec<Question> = Vec::new();
        for (key, request) in requests.into_iter().flat_map(RawRef::members) {
            if questions.len() == MAX_QUESTIONS || questions.iter().any(|question| *question.key == *key) {
                return Err(invalid(format!(
                    "the server asks more than {MAX_QUESTIONS} questions or one of them twice"
                )));
            }
            questions.push(self.ask(asked, key, request)?);
        }
        if questions.is_empty() && state.is_none() {
            return Err(invalid("the server asks for input and does not say which".into()));
        }
        let clock = &self.remote.options().runtime.clock;
        // A server that only wants to be asked again is not asked as fast as the machine can.
        let pause = questions.is_empty().then(|| clock.now().checked_add(PAUSE)).flatten();
        Ok(Gathering {
            asked: asked.clone(),
            state: state.map(RawRef::to_owned),
            pause: pause.map(|until| clock.sleep_until(until)),
            limit: self.until.map(|(until, limit)| (clock.sleep_until(until), limit)),
            method: self.call.method.clone(),
            questions,
        })
    }

    fn ask(&self, asked: &Raw, key: Cow<'_, str>, request: RawRef<'_>) -> Result<Question> {
        let cannot = || Error::input_required(self.call.method.clone(), asked.clone());
        let revision = self.remote.peek_connected().ok_or_else(cannot)?.revision;
        Question::ask(&*self.answers, revision, &key, request).ok_or_else(cannot)
    }

    /// Sends the request again, with a new id.
    pub(super) fn again(&mut self, gathered: &Gathered) -> Result<Pending, Failure> {
        let mut call = self.call.clone();
        let params = with_input(call.params.as_ref(), gathered.responses.as_deref(), gathered.state.as_ref());
        call.params = Some(params);
        if let Some((until, limit)) = self.until {
            let rest = until.saturating_duration_since(self.remote.options().runtime.clock.now());
            if rest.is_zero() {
                return Err(Failure::Timeout { after: limit, is_total: true });
            }
            call.max_total = Some(rest);
        }
        Ok(self.remote.request(call))
    }

    /// Gives a failure as the whole request has it: its limit is that of all rounds.
    pub(super) fn whole(&self, failure: Failure) -> Failure {
        match (failure, self.until) {
            (Failure::Timeout { is_total: true, .. }, Some((_, limit))) => {
                Failure::Timeout { after: limit, is_total: true }
            }
            (failure, _) => failure,
        }
    }
}

/// The answers to one round of questions, as they come in.
pub(super) struct Gathering {
    asked: Raw,
    state: Option<Raw>,
    questions: Vec<Question>,
    pause: Option<BoxFuture<()>>,
    limit: Option<(BoxFuture<()>, Duration)>,
    method: Cow<'static, str>,
}

/// A question of the server, and its answer as that comes in.
pub(crate) struct Question {
    key: Box<str>,
    method: String,
    answer: State,
}

enum State {
    Open(Answering),
    Answered(Raw),
}

/// What goes out with the next round.
pub(super) struct Gathered {
    /// The JSON of `inputResponses`.
    responses: Option<String>,
    /// The JSON of `requestState`, as it came.
    state: Option<Raw>,
}

impl Gathering {
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Gathered>> {
        if let Some((limit, after)) = &mut self.limit
            && limit.as_mut().poll(cx).is_ready()
        {
            let failure = Failure::Timeout { after: *after, is_total: true };
            return Poll::Ready(Err(Error::failed(self.method.clone(), failure)));
        }
        if let Some(pause) = &mut self.pause
            && pause.as_mut().poll(cx).is_pending()
        {
            return Poll::Pending;
        }
        self.pause = None;
        let mut is_open = false;
        for question in &mut self.questions {
            match question.poll(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => {
                    let error = Error::input_required(self.method.clone(), self.asked.clone()).with_source(error);
                    return Poll::Ready(Err(error));
                }
                Poll::Pending => is_open = true,
            }
        }
        if is_open {
            return Poll::Pending;
        }
        let responses = (!self.questions.is_empty()).then(|| responses(&self.questions));
        Poll::Ready(Ok(Gathered { responses, state: self.state.take() }))
    }
}

impl Question {
    /// Begins to answer what stands among `inputRequests`; `None` where nothing here can.
    pub(crate) fn ask(answers: &dyn Answers, revision: Revision, key: &str, request: RawRef<'_>) -> Option<Self> {
        let method = request.member("method").and_then(RawRef::as_string)?;
        let params = request.member("params").map(RawRef::to_owned);
        let answer = answers.answer(&method, params, revision)?;
        Some(Self { key: key.into(), method: method.into_owned(), answer: State::Open(answer) })
    }

    /// Whether the answer is there.
    #[allow(dead_code, reason = "only tasks are answered bit by bit")]
    pub(crate) fn is_answered(&self) -> bool {
        matches!(self.answer, State::Answered(_))
    }

    /// Ready once the answer is there, or it is clear that none will come.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), rpc::Error>> {
        let State::Open(answer) = &mut self.answer else { return Poll::Ready(Ok(())) };
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(answer).poll(cx))).unwrap_or_else(|_| {
            let message = format!("the handler of `{}` panicked", self.method);
            Poll::Ready(Err(rpc::Error::new(rpc::Error::INTERNAL_ERROR, message)))
        });
        polled.map(|outcome| outcome.map(|raw| self.answer = State::Answered(raw)))
    }
}

/// Writes `inputResponses`, as far as questions are answered.
pub(crate) fn responses(questions: &[Question]) -> String {
    let mut out = b"{".to_vec();
    for question in questions {
        let State::Answered(raw) = &question.answer else { continue };
        if out.len() > 1 {
            out.push(b',');
        }
        write_string(&question.key, &mut out);
        out.push(b':');
        out.extend_from_slice(raw.as_str().as_bytes());
    }
    out.push(b'}');
    String::from_utf8(out).expect("only text was written")
}

/// Gives params with the answers to questions, and the state that goes back with them, in place of what stands there.
pub(super) fn with_input(params: Option<&Raw>, responses: Option<&str>, state: Option<&Raw>) -> Raw {
    let kept = params.into_iter().flat_map(|params| params.borrow().members());
    let kept = kept.filter(|(name, _)| name != "inputResponses" && name != "requestState");
    let kept = kept.map(|(name, value)| (name, value.as_str()));
    let input = [("inputResponses", responses), ("requestState", state.map(Raw::as_str))];
    let input = input.into_iter().filter_map(|(name, value)| Some((Cow::Borrowed(name), value?)));
    let mut out = b"{".to_vec();
    for (name, value) in kept.chain(input) {
        if out.len() > 1 {
            out.push(b',');
        }
        write_string(&name, &mut out);
        out.push(b':');
        out.extend_from_slice(value.as_bytes());
    }
    out.push(b'}');
    Raw::trusted(String::from_utf8(out).expect("only text was written"))
}

/// The most rounds of questions that one request goes through.
const MAX_ROUNDS: usize = 10;
/// The most questions of one round.
const MAX_QUESTIONS: usize = 100;
/// How long to wait before a request that nothing was asked about goes out again.
const PAUSE: Duration = Duration::from_millis(250);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_take_the_place_of_older_ones() {
        let params = Raw::trusted(r#"{"name":"a","inputResponses":{"old":1},"requestState":"old","_meta":{}}"#);
        let state = Raw::trusted(r#""n\u0065w""#);
        let with = |responses, state| with_input(Some(&params), responses, state).as_str().to_owned();
        assert_eq!(
            with(Some(r#"{"k":2}"#), Some(&state)),
            r#"{"name":"a","_meta":{},"inputResponses":{"k":2},"requestState":"n\u0065w"}"#
        );
        assert_eq!(with(None, None), r#"{"name":"a","_meta":{}}"#);
        assert_eq!(with_input(None, None, Some(&state)).as_str(), r#"{"requestState":"n\u0065w"}"#);
    }
}
