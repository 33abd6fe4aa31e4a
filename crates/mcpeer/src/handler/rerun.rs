//! Results that ask for input by hand: in the stateless era they go out, in the stateful one the client is asked by
//! requests and the handler is run anew with the answers.

use std::{borrow::Cow, sync::Arc};

use super::{
    Context, Reply, Request, Run, Service,
    context::Answers,
    question::{self, Lack},
};
use crate::{
    driver::Ticket,
    peer::Sent,
    rpc::{Raw, RawRef},
    version::Era,
};

/// How many times a client of the stateful era is asked before one request is given up, unless the server says so.
const MAX_ROUNDS: u32 = 10;

/// Handles a result that asks for input.
///
/// Layers are around each run of the handler, in both eras: in the stateless one each round is a request of its own.
pub(super) fn ask(service: &Arc<dyn Service>, ticket: &Ticket, raw: Raw) -> Run {
    let cx = Context::new(ticket.clone());
    if let Some(refusal) = refusal(&cx, &raw) {
        return Run::Ready(refusal);
    }
    match (cx.era(), &ticket.remote().options().sealing) {
        (Era::Modern, Some(sealing)) => {
            Run::Ready(sealing.seal(ticket, raw).map_or_else(|reply| reply, Reply::InputRequired))
        }
        (Era::Modern, None) => Run::Ready(Reply::InputRequired(raw)),
        (Era::Legacy, _) => Run::Pending(Box::pin(rounds(service.clone(), ticket.clone(), raw))),
    }
}

async fn rounds(service: Arc<dyn Service>, ticket: Ticket, mut raw: Raw) -> Reply {
    let max_rounds = ticket.remote().options().sealing.as_ref().map_or(MAX_ROUNDS, |sealing| sealing.max_rounds());
    for _ in 0..max_rounds {
        let cx = Context::new(ticket.clone());
        let answers = match answers(&cx, &raw).await {
            Ok(answers) => answers,
            Err(text) => return question::failure(&cx, &text),
        };
        if let Some(interrupt) = ticket.interrupt() {
            interrupt.run_anew();
        }
        let request = Request { method: ticket.request().method.clone(), params: ticket.params().cloned() };
        let reply = match service.call(request, cx.with_answers(answers)) {
            Run::Ready(reply) => reply,
            Run::Pending(future) => future.await,
        };
        match reply {
            Reply::InputRequired(next) => match refusal(&Context::new(ticket.clone()), &next) {
                Some(refusal) => return refusal,
                None => raw = next,
            },
            reply => return reply,
        }
    }
    question::failure(&Context::new(ticket), &too_many_rounds(max_rounds))
}

/// Says that a request took too many rounds.
pub(super) fn too_many_rounds(limit: u32) -> String {
    format!("the call took more than {limit} rounds of questions; that is the limit")
}

/// Says that a round has too many questions.
pub(super) fn too_many_questions(count: usize, limit: usize) -> String {
    format!("{count} questions at once are too many: the limit is {limit}")
}

/// Refuses a request whose questions are too many, or the client cannot answer.
fn refusal(cx: &Context, raw: &Raw) -> Option<Reply> {
    if let Some(limit) = cx.max_questions() {
        let count = questions(raw).count();
        if count > limit {
            return Some(question::failure(cx, &too_many_questions(count, limit)));
        }
    }
    let lacks = questions(raw).filter_map(|(_, method, params)| question::lack(cx, &method, params));
    lacks.reduce(Lack::and).map(|lack| lack.reply(cx))
}

/// Gives the questions of a result: key, method and params.
fn questions(raw: &Raw) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>, Option<RawRef<'_>>)> {
    raw.borrow().member("inputRequests").into_iter().flat_map(RawRef::members).map(|(key, request)| {
        let method = request.member("method").and_then(RawRef::as_string).unwrap_or_default();
        (key, method, request.member("params"))
    })
}

/// Asks the client, all at once, and gathers what it answers.
async fn answers(cx: &Context, raw: &Raw) -> Result<Answers, String> {
    let mut asked: Vec<(String, Sent<Raw>)> = Vec::new();
    for (key, method, params) in questions(raw) {
        if ![question::ELICIT, question::SAMPLE, question::ROOTS].contains(&&*method) {
            return Err(format!("the input request `{key}` has no method that a client answers"));
        }
        let params = question::params_at(cx.revision(), &method, params.map(RawRef::to_owned))?;
        asked.push((key.into_owned(), cx.peer().request_raw(method.into_owned(), params).send()));
    }
    let mut responses = crate::model::RawMap::new();
    for (key, sent) in asked {
        let answer = sent.await.map_err(|error| error.to_string())?;
        let answer = crate::model::RawJson::parse(answer.as_str()).map_err(|error| error.to_string())?;
        responses.insert(key, answer);
    }
    let state = raw.borrow().member("requestState").map(RawRef::to_owned);
    let responses = Raw::from_value(&responses).map_err(|error| error.to_string())?;
    Ok(Answers { responses: Some(responses), state })
}
