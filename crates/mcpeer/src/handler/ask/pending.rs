use std::{
    fmt,
    future::{Future, pending},
    mem,
    pin::Pin,
    task::{self, Poll},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Context, Elicited,
    asked::{self, Asked, Question},
    decode, form,
};
use crate::{
    driver::{BoxFuture, io::Reply},
    error::{Error, Result},
    handler::question,
    model::{
        RawObject,
        elicitation::{FormParams, RequestedSchema, UrlParams},
        meta,
        roots::Root,
        sampling,
    },
    peer::with_meta,
    rpc::Raw,
    version::Era,
};

impl Context {
    /// Has the user fill in a form that is made of a type: a struct of texts, numbers, yes-or-no fields, and choices
    /// (enums without data, and lists of these). Optional fields may be left out; defaults stand there at first.
    ///
    /// In the stateless era the handler's future is dropped here and the handler runs anew with the answer: what that
    /// means for the lines before and behind the `await`, for guards, locks and tasks, says
    /// [the guide](crate::guide::state_across_rounds). Not for secrets: for these, [`elicit_url`](Self::elicit_url).
    ///
    /// # Errors
    ///
    /// The type makes no form; the answer does not fit it; in the stateful era, the client answers with an error or
    /// not in time. Where the client cannot answer at all, or in the stateless era answers with what is no answer to
    /// such a question, the request ends here.
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Delivery {
    ///     /// Where to?
    ///     address: String,
    ///     #[serde(default)]
    ///     gift: bool,
    /// }
    ///
    /// async fn order(cx: Context) -> Result<String> {
    ///     Ok(match cx.elicit::<Delivery>("Where shall we send it?").await?.accepted() {
    ///         Some(delivery) => format!("on its way to {}", delivery.address),
    ///         None => "not ordered".to_owned(),
    ///     })
    /// }
    /// ```
    pub fn elicit<T: JsonSchema + DeserializeOwned>(&self, message: impl Into<String>) -> Ask<Elicited<T>> {
        let params = form::of::<T>().map(|schema| FormParams::new(message, schema));
        let params = params.and_then(|params| self.written(question::ELICIT, &params));
        Ask::new(self, question::ELICIT, params.map(Some), decode::form)
    }

    /// Has the user fill in a form.
    ///
    /// # Errors
    ///
    /// As of [`elicit`](Self::elicit).
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context, model::elicitation::{RequestedSchema, StringSchema}};
    ///
    /// async fn name(cx: Context) -> Result<Option<String>> {
    ///     let form = RequestedSchema::new([("name", StringSchema::new().title("Your name"))]);
    ///     Ok(cx.elicit_form("Who are you?", form).await?.accepted().map(|content| content.to_string()))
    /// }
    /// ```
    pub fn elicit_form(&self, message: impl Into<String>, form: RequestedSchema) -> Ask<Elicited<RawObject>> {
        let params = self.written(question::ELICIT, &FormParams::new(message, form));
        Ask::new(self, question::ELICIT, params.map(Some), decode::form)
    }

    /// Sends the user to an address, to sign in or to pay: what he does there, the client does not see. Since
    /// 2025-11-25.
    ///
    /// That he accepts says that he agreed to open it, not that he is done.
    ///
    /// # Errors
    ///
    /// As of [`elicit`](Self::elicit).
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context};
    ///
    /// async fn connect(cx: Context) -> Result<&'static str> {
    ///     let answer = cx.elicit_url("Sign in to the shop", "https://shop.example.com/login").await?;
    ///     Ok(if answer.is_accepted() { "come back when you are signed in" } else { "as you like" })
    /// }
    /// ```
    pub fn elicit_url(&self, message: impl Into<String>, url: impl Into<String>) -> Ask<Elicited<()>> {
        let params = UrlParams::new(message, url);
        let params = match params.has_address() {
            true => self.written(question::ELICIT, &params),
            false => Err(Error::misuse(format!("`{}` is no address: give a whole one, with its scheme", params.url))),
        };
        Ask::new(self, question::ELICIT, params.map(Some), decode::url)
    }

    /// Has the client's model answer, with tools where the params name some. Deprecated since 2026-07-28, which still
    /// has it.
    ///
    /// # Errors
    ///
    /// As of [`elicit`](Self::elicit); and where the conversation is one that
    /// [`check_tool_results`](sampling::CreateParams::check_tool_results) refuses.
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context, model::sampling::{CreateParams, Message}};
    ///
    /// async fn translate(cx: Context) -> Result<String> {
    ///     let answer = cx.sample(CreateParams::new([Message::user("Translate: Guten Tag")], 100)).await?;
    ///     Ok(format!("{} says {:?}", answer.model, answer.content))
    /// }
    /// ```
    pub fn sample(&self, params: sampling::CreateParams) -> Ask<sampling::CreateResult> {
        let params = match params.check_tool_results() {
            Ok(()) => self.written(question::SAMPLE, &params),
            Err(reason) => Err(Error::misuse(reason)),
        };
        Ask::new(self, question::SAMPLE, params.map(Some), |raw| decode::plain(question::SAMPLE, raw))
    }

    /// Asks the client for the folders and files that it lets the server work on. Deprecated since 2026-07-28, which
    /// still has it.
    ///
    /// # Errors
    ///
    /// As of [`elicit`](Self::elicit).
    ///
    /// ```
    /// use mcpeer::{Result, handler::Context};
    ///
    /// async fn folders(cx: Context) -> Result<String> {
    ///     Ok(cx.roots().await?.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(", "))
    /// }
    /// ```
    pub fn roots(&self) -> Ask<Vec<Root>> {
        Ask::new(self, question::ROOTS, Ok(None), decode::roots)
    }

    fn written(&self, method: &str, params: &impl Serialize) -> Result<Raw> {
        Raw::from_value(params).map_err(|source| {
            Error::misuse(format!("the params of `{method}` cannot be written as JSON")).with_source(source)
        })
    }
}

/// A question to the client: a future of its answer. It is asked when it is first polled.
///
/// # Cancel safety
///
/// Dropping it takes the question back: in the stateful era the request is cancelled, in the stateless one a question
/// that has not gone out does not.
#[must_use = "a question is asked when it is awaited"]
pub struct Ask<T>(Stage<T>);

enum Stage<T> {
    New(Box<New<T>>),
    Running(BoxFuture<Result<T>>),
    Over,
}

struct New<T> {
    cx: Context,
    method: &'static str,
    params: Result<Option<Raw>>,
    key: Option<String>,
    timeout: Option<Duration>,
    decode: fn(Raw) -> Result<T>,
}

impl<T> Ask<T> {
    fn new(cx: &Context, method: &'static str, params: Result<Option<Raw>>, decode: fn(Raw) -> Result<T>) -> Self {
        Self(Stage::New(Box::new(New { cx: cx.clone(), method, params, key: None, timeout: None, decode })))
    }

    /// Names the question, so that its answer is known again when the handler runs anew and its words differ.
    ///
    /// Within one request each question has its own key. The client sees it.
    ///
    /// ```
    /// # use mcpeer::{Result, handler::Context};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Sure { sure: bool }
    /// async fn delete(cx: Context, count: usize) -> Result<bool> {
    ///     let answer = cx.elicit::<Sure>(format!("Delete {count} files?")).key("delete").await?;
    ///     Ok(answer.accepted().is_some_and(|answer| answer.sure))
    /// }
    /// ```
    pub fn key(mut self, key: impl Into<String>) -> Self {
        if let Stage::New(new) = &mut self.0 {
            new.key = Some(key.into());
        }
        self
    }

    /// Sets how long to wait for the answer in the stateful era: 10 minutes unless set, for roots one. In the stateless
    /// era the server does not wait; there [`Rounds::expiry`](super::Rounds::expiry) limits the round.
    ///
    /// ```
    /// # use mcpeer::{Result, handler::Context};
    /// async fn count(cx: Context) -> Result<usize> {
    ///     Ok(cx.roots().timeout(std::time::Duration::from_secs(5)).await?.len())
    /// }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        if let Stage::New(new) = &mut self.0 {
            new.timeout = Some(timeout);
        }
        self
    }
}

impl<T: 'static> Future for Ask<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Result<T>> {
        let mut running = match mem::replace(&mut self.0, Stage::Over) {
            Stage::New(new) => {
                let New { cx, method, params, key, timeout, decode } = *new;
                let asking = async move { ask(cx, method, params?, key, timeout).await.and_then(decode) };
                Box::pin(asking) as BoxFuture<Result<T>>
            }
            Stage::Running(running) => running,
            Stage::Over => panic!("a question was polled after its answer was given"),
        };
        let polled = running.as_mut().poll(cx);
        if polled.is_pending() {
            self.0 = Stage::Running(running);
        }
        polled
    }
}

impl<T> Unpin for Ask<T> {}

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match &self.0 {
            Stage::New(new) => Some(new.method),
            _ => None,
        };
        f.debug_struct("Ask").field("method", &method).finish_non_exhaustive()
    }
}

/// Asks in the way of the era. It does not come back where the request ends over the question.
async fn ask(
    cx: Context,
    method: &'static str,
    params: Option<Raw>,
    key: Option<String>,
    timeout: Option<Duration>,
) -> Result<Raw> {
    let asked = Asked::of(&cx);
    if asked.is_within_step() {
        return Err(Error::misuse("a question cannot be asked within a step: ask before it, or behind it"));
    }
    if let Some(lack) = question::lack(&cx, method, params.as_ref().map(Raw::borrow)) {
        let _lacking = asked.lacks(&cx, lack);
        if let Some(task) = cx.task() {
            task.look();
        }
        return pending().await;
    }
    let Some(known) = asked.open(&cx).await else { return pending().await };
    let key = match key {
        Some(key) => asked.claim(key)?,
        None => asked.claim_for(method, params.as_ref()),
    };
    match asked.answer(&cx, known, &key, method) {
        Ok(Some(answer)) => return Ok(answer),
        Ok(None) => {}
        Err(error) => {
            asked.end(&cx, Reply::Error(error));
            return pending().await;
        }
    }
    let params = traced(&cx, params);
    if let Some(task) = cx.task() {
        let answer = task.ask(key.clone(), asked::request(method, params.as_ref())).await;
        asked.note_answer(&key, &answer);
        return Ok(answer);
    }
    match cx.era() {
        Era::Modern => {
            let _waiting = asked.ask(&cx, Question { key, method, params });
            pending().await
        }
        Era::Legacy => {
            let answer = request(&cx, &asked, method, params, timeout).await?;
            asked.note_answer(&key, &answer);
            Ok(answer)
        }
    }
}

/// Asks by a request of its own, as the stateful era does.
async fn request(
    cx: &Context,
    asked: &Asked,
    method: &'static str,
    params: Option<Raw>,
    timeout: Option<Duration>,
) -> Result<Raw> {
    let params = match question::params_at(cx.revision(), method, params) {
        Ok(params) => params,
        Err(text) => {
            asked.end(cx, question::failure(cx, &text));
            return pending().await;
        }
    };
    let call = cx.peer().request_raw(method, params);
    match timeout {
        Some(timeout) => call.timeout(timeout).await,
        None => call.await,
    }
}

/// Gives the params of a question with the trace of the request that it belongs to, unless they have one.
fn traced(cx: &Context, params: Option<Raw>) -> Option<Raw> {
    let Some(trace) = cx.trace_context() else { return params };
    let carried = params.as_ref().and_then(|params| params.borrow().member("_meta"));
    if carried.is_some_and(|carried| carried.member(meta::TRACE_PARENT).is_some()) {
        return params;
    }
    let members: Vec<_> = [
        (meta::TRACE_PARENT, Some(trace.traceparent)),
        (meta::TRACE_STATE, trace.tracestate),
        (meta::BAGGAGE, trace.baggage),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.into(), Raw::from_value(&value?).ok()?)))
    .collect();
    Some(with_meta(params.as_ref(), &members))
}
