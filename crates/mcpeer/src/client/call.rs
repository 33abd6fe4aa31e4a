use std::{
    borrow::Cow,
    fmt,
    future::{Future, IntoFuture, poll_fn},
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Client, Progress,
    later::{Limits, Ongoing},
    outputs::Expected,
};
use crate::{
    error::{Error, Result},
    model::{input::InputResponses, logging::Level, tools::CallResult, trace::TraceContext},
    peer::{Call, Sent, complete},
    proto::io::Answer,
    rpc::{self, Raw},
};

/// A call of a tool that is being put together. [`Client::call`] begins one; awaiting it sends it.
///
/// ```
/// # use mcpeer::{client::Client, server::{Args, Server}, transport::memory};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Add { a: f64, b: f64 }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let server = Server::builder("adder", "1.0.0").tool("add", async |Args(add): Args<Add>| (add.a + add.b).to_string()).build()?;
/// # let (ours, theirs) = memory::pair();
/// # tokio::spawn(async move { server.serve(theirs).await });
/// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
/// use std::time::Duration;
///
/// let sum = client.call("add").arguments(&serde_json::json!({"a": 1, "b": 2})).timeout(Duration::from_secs(5)).await?;
/// assert_eq!(sum.as_text(), "3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a call is sent when it is awaited or `send` is called"]
pub struct CallTool<O = CallResult> {
    client: Client,
    name: String,
    arguments: Result<Option<Raw>>,
    meta: Vec<(Cow<'static, str>, Box<RawValue>)>,
    headers: Vec<(String, String)>,
    timeout: Option<Duration>,
    max_total: Option<Duration>,
    log_level: Option<Level>,
    is_reset_by_progress: bool,
    wants_progress: bool,
    on_progress: Option<Box<dyn FnMut(Progress) + Send>>,
    is_manual: bool,
    answers: Option<(InputResponses, Option<String>)>,
    pub(super) is_checked: bool,
    decode: fn(Raw) -> Result<O>,
}

impl CallTool {
    pub(super) fn new(client: Client, name: String) -> Self {
        Self {
            client,
            name,
            arguments: Ok(None),
            meta: Vec::new(),
            headers: Vec::new(),
            timeout: None,
            max_total: None,
            log_level: None,
            is_reset_by_progress: false,
            wants_progress: false,
            on_progress: None,
            is_manual: false,
            answers: None,
            is_checked: true,
            decode: decoded,
        }
    }

    /// Asks for the result as JSON, as it came.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// let now = client.call("now").raw().await?;
    /// assert!(now.as_str().contains(r#"{"type":"text","text":"12:00"}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn raw(self) -> CallTool<Raw> {
        let Self {
            client,
            name,
            arguments,
            meta,
            headers,
            timeout,
            max_total,
            log_level,
            is_reset_by_progress,
            wants_progress,
            on_progress,
            is_manual,
            answers,
            is_checked,
            decode: _,
        } = self;
        CallTool {
            client,
            name,
            arguments,
            meta,
            headers,
            timeout,
            max_total,
            log_level,
            is_reset_by_progress,
            wants_progress,
            on_progress,
            is_manual,
            answers,
            is_checked,
            decode: Ok,
        }
    }
}

impl<O> CallTool<O> {
    /// Sets the arguments: what is written as a JSON object, such as a struct or a map.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").arguments(&serde_json::json!({"a": 1, "b": 2}))
    /// # }
    /// ```
    pub fn arguments(mut self, arguments: &(impl Serialize + ?Sized)) -> Self {
        self.arguments = match Raw::from_value(arguments) {
            Ok(raw) if raw.borrow().is_object() => Ok(Some(raw)),
            Ok(raw) if raw.borrow().is_null() => Ok(None),
            Ok(_) => Err(Error::misuse("the arguments of a tool are a JSON object: give a struct or a map")),
            Err(source) => Err(Error::misuse("the arguments cannot be written as JSON").with_source(source)),
        };
        self
    }

    /// Adds a member to the `_meta` of the request.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").meta("example.com/trace", "7f3a")
    /// # }
    /// ```
    pub fn meta(mut self, name: impl Into<Cow<'static, str>>, value: &(impl Serialize + ?Sized)) -> Self {
        let name = name.into();
        match serde_json::value::to_raw_value(value) {
            Ok(value) => self.meta.push((name, value)),
            Err(source) => {
                self.arguments =
                    Err(Error::misuse(format!("`_meta.{name}` cannot be written as JSON")).with_source(source));
            }
        }
        self
    }

    /// Sends a header along with the call, where the transport has headers: Streamable HTTP. Others leave it out.
    ///
    /// What belongs to the protocol or to HTTP itself cannot be set: `Mcp-*`, `Content-*`, `Accept`, `Host` and the like.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").header("X-Tenant", "acme")
    /// # }
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Says where the call stands in a trace.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// use mcpeer::model::trace::TraceContext;
    ///
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("build").trace(&TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
    /// # }
    /// ```
    pub fn trace(self, trace: &TraceContext) -> Self {
        trace.members().fold(self, |call, (name, value)| call.meta(name, value))
    }

    /// Leaves the questions of a server of the stateless era to the caller: where it asks for input, the outcome is an
    /// error that [says so](Error::is_input_required), and its [`raw`](Error::raw) is what it asks. The same call with
    /// the [answers](Self::answers) goes on. Unless this is set the client's handlers answer.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// use mcpeer::model::input::InputRequired;
    ///
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// match client.call("deploy").manual_input().await {
    ///     Err(error) if error.is_input_required() => {
    ///         let asked: InputRequired = error.raw().unwrap().decode().unwrap();
    ///         println!("{:?}", asked.input_requests);
    ///     }
    ///     outcome => drop(outcome?),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn manual_input(mut self) -> Self {
        self.is_manual = true;
        self
    }

    /// Gives answers to what the server asked, by the keys of its questions, and the state that came with them, as it
    /// came.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// use mcpeer::model::{RawJson, elicitation::CreateResult, input::InputResponses};
    ///
    /// # fn example(client: &Client) -> CallTool {
    /// let decline = RawJson::from_value(&CreateResult::decline()).unwrap();
    /// client.call("deploy").answers([("sure", decline)], Some("c2VhbGVk"))
    /// # }
    /// ```
    pub fn answers(mut self, answers: impl Into<InputResponses>, state: Option<&str>) -> Self {
        self.answers = Some((answers.into(), state.map(str::to_owned)));
        self
    }

    /// Sets how long to wait for the answer; the [client's](super::Builder::timeout) unless set.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").timeout(std::time::Duration::from_secs(5))
    /// # }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long the call may take in all, whatever progress comes; the [client's](super::Builder::max_total)
    /// unless set.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # use std::time::Duration;
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").timeout(Duration::from_secs(5)).reset_on_progress().max_total(Duration::from_secs(600))
    /// # }
    /// ```
    pub fn max_total(mut self, limit: Duration) -> Self {
        self.max_total = Some(limit);
        self
    }

    /// Starts the timeout anew each time the tool tells of progress.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").reset_on_progress()
    /// # }
    /// ```
    pub fn reset_on_progress(mut self) -> Self {
        self.is_reset_by_progress = true;
        self
    }

    /// Asks the tool to tell how far it is; [`Calling::progress`] gives what it tells.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").with_progress()
    /// # }
    /// ```
    pub fn with_progress(mut self) -> Self {
        self.wants_progress = true;
        self
    }

    /// Asks the tool to tell how far it is, and hears it, in order, while the call is awaited.
    ///
    /// ```
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").on_progress(|progress| eprintln!("{} of {:?}", progress.progress, progress.total))
    /// # }
    /// ```
    pub fn on_progress(mut self, hear: impl FnMut(Progress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(hear));
        self
    }

    /// Asks for log messages of this call from a level upwards, where the revision has that: the stateless era. Unless
    /// set it is the [client's](Client::set_log_level).
    ///
    /// ```
    /// use mcpeer::model::logging::Level;
    /// # use mcpeer::client::{CallTool, Client};
    /// # fn example(client: &Client) -> CallTool {
    /// client.call("add").log_level(Level::Debug)
    /// # }
    /// ```
    pub fn log_level(mut self, level: Level) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Sends the call. Dropping what this gives cancels it.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// let mut call = client.call("now").with_progress().send();
    /// while let Some(progress) = call.progress().await {
    ///     println!("{} of {:?}", progress.progress, progress.total);
    /// }
    /// assert_eq!(call.await?.as_text(), "12:00");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn send(self) -> Calling<O> {
        let decode = self.decode;
        let client = self.client.clone();
        let limits = client.later().map(|_| Box::new(self.limits()));
        let expected = if self.is_checked { client.keeper().outputs().expected(&self.name) } else { None };
        let state = match self.prepare() {
            Ok(call) => State::Sent(call.answered().send()),
            Err(error) => State::Settled(Err(error)),
        };
        Calling { state, decode, limits, expected, client }
    }

    /// Gives what holds for the call should its result come later.
    fn limits(&self) -> Limits {
        let total = self.max_total.or_else(|| self.client.peer().answers()?.max_total());
        let now = self.client.remote().options().runtime.clock.now();
        let until = total.and_then(|limit| Some((now.checked_add(limit)?, limit)));
        Limits { timeout: self.timeout, until, is_manual: self.is_manual }
    }

    fn prepare(self) -> Result<Call<Raw>> {
        let params = params(&self.name, self.arguments?.as_ref());
        let mut call = self.client.peer().request_raw(METHOD, Some(params));
        for (name, value) in self.meta {
            call = call.meta(name, &value);
        }
        for (name, value) in self.headers {
            call = call.header(name, value);
        }
        if let Some(timeout) = self.timeout {
            call = call.timeout(timeout);
        }
        if let Some(limit) = self.max_total {
            call = call.max_total(limit);
        }
        if let Some(level) = self.log_level.or_else(|| self.client.request_log_level()) {
            call = call.log_level(level);
        }
        if self.is_reset_by_progress {
            call = call.reset_on_progress();
        }
        if self.wants_progress {
            call = call.with_progress();
        }
        if let Some(hear) = self.on_progress {
            call = call.on_progress(hear);
        }
        if let Some((answers, state)) = &self.answers {
            call = call.answers(answers, state.as_deref());
        }
        if self.is_manual {
            call = call.manual_input();
        }
        Ok(call)
    }
}

impl<O> IntoFuture for CallTool<O> {
    type Output = Result<O>;
    type IntoFuture = Calling<O>;

    fn into_future(self) -> Calling<O> {
        self.send()
    }
}

impl<O> fmt::Debug for CallTool<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallTool").field("name", &self.name).field("arguments", &self.arguments).finish_non_exhaustive()
    }
}

/// A call of a tool that was sent: a future of its result. A result that says that the tool failed is a result, no
/// error.
///
/// Dropping it before then cancels the call at the server. It keeps the connection open as a clone of the client does.
///
/// # Errors
///
/// The server answered with an error, did not answer in time, or left; or the call was cancelled.
#[must_use = "dropping it cancels the call"]
pub struct Calling<O = CallResult> {
    pub(super) state: State,
    decode: fn(Raw) -> Result<O>,
    /// What holds where the result comes later, which takes something that goes on with it.
    limits: Option<Box<Limits>>,
    /// What the tool's result is to be, where it has said so.
    expected: Option<Expected>,
    /// Keeps the connection open until then. Dropped after `state`, so that a cancellation still goes out.
    pub(super) client: Client,
}

pub(super) enum State {
    Sent(Sent<Answer>),
    /// The server has promised a result, which is waited for.
    Later(Box<dyn Ongoing>),
    Settled(Result<Raw>),
    /// The outcome was given.
    Over,
}

impl<O> Calling<O> {
    /// Gives how far the tool is, each time it tells; `None` once the result is there. The call has to ask for it:
    /// [`CallTool::with_progress`].
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost when the future is dropped.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let mut call = client.call("build").with_progress().send();
    /// while let Some(progress) = call.progress().await {
    ///     println!("{} of {:?}", progress.progress, progress.total);
    /// }
    /// let result = call.await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn progress(&mut self) -> Option<Progress> {
        poll_fn(|cx| self.poll_progress(cx)).await
    }

    fn poll_progress(&mut self, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        loop {
            match &mut self.state {
                State::Sent(sent) => {
                    if let Some(progress) = ready!(sent.poll_progress(cx)) {
                        return Poll::Ready(Some(progress));
                    }
                }
                State::Later(_) => {}
                State::Settled(_) | State::Over => return Poll::Ready(None),
            }
            ready!(self.poll_step(cx));
        }
    }

    /// Cancels the call: the server is told why, and awaiting the call gives an error that
    /// [says so](Error::is_cancelled).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) {
    /// let call = client.call("build").send();
    /// call.cancel("the user went home");
    /// assert!(call.await.unwrap_err().is_cancelled());
    /// # }
    /// ```
    pub fn cancel(&self, reason: impl Into<Cow<'static, str>>) {
        match &self.state {
            State::Sent(sent) => sent.cancel(reason),
            State::Later(ongoing) => ongoing.cancel(reason.into()),
            State::Settled(_) | State::Over => {}
        }
    }

    /// Goes on by one step: the answer came, or the result that it promised.
    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.state = match &mut self.state {
            State::Sent(sent) => match ready!(Pin::new(sent).poll(cx)) {
                Ok(answer) => self.answered(answer),
                Err(error) => State::Settled(Err(error)),
            },
            State::Later(ongoing) => State::Settled(ready!(ongoing.poll(cx))),
            State::Settled(_) | State::Over => return Poll::Ready(()),
        };
        Poll::Ready(())
    }

    fn answered(&mut self, answer: Answer) -> State {
        if let Answer::Extension { result_type, raw } = &answer
            && let Some(later) = self.client.later()
            && let Some(limits) = self.limits.take()
            && let Some(ongoing) = later.begin(&self.client, result_type, raw, *limits)
        {
            return ongoing.map_or_else(|error| State::Settled(Err(error)), State::Later);
        }
        State::Settled(complete(METHOD.into(), answer))
    }

    /// Waits until the tool was answered, be it by a promise.
    #[allow(dead_code, reason = "only those who take promises over wait for them")]
    pub(super) fn poll_answered(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if matches!(self.state, State::Sent(_)) { self.poll_step(cx) } else { Poll::Ready(()) }
    }

    pub(super) fn decode(&self, raw: Raw) -> Result<O> {
        if let Some(expected) = &self.expected {
            self.client.keeper().outputs().check(expected, &raw)?;
        }
        (self.decode)(raw)
    }
}

impl<O> Future for Calling<O> {
    type Output = Result<O>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<O>> {
        loop {
            match mem::replace(&mut self.state, State::Over) {
                State::Settled(outcome) => return Poll::Ready(outcome.and_then(|raw| self.decode(raw))),
                State::Over => panic!("a call was polled after its outcome was given"),
                open => self.state = open,
            }
            ready!(self.poll_step(cx));
        }
    }
}

impl<O> fmt::Debug for Calling<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.state {
            State::Sent(sent) => sent.fmt(f),
            State::Later(_) => f.write_str("Later"),
            State::Settled(outcome) => f.debug_tuple("Settled").field(outcome).finish(),
            State::Over => f.write_str("Over"),
        }
    }
}

/// Writes the params of a call.
fn params(name: &str, arguments: Option<&Raw>) -> Raw {
    let mut out = Vec::with_capacity(name.len() + arguments.map_or(0, |raw| raw.as_str().len()) + 32);
    out.extend_from_slice(b"{\"name\":");
    rpc::raw::write_string(name, &mut out);
    if let Some(arguments) = arguments {
        out.extend_from_slice(b",\"arguments\":");
        out.extend_from_slice(arguments.as_str().as_bytes());
    }
    out.push(b'}');
    Raw::trusted(String::from_utf8(out).expect("only text was written"))
}

fn decoded(raw: Raw) -> Result<CallResult> {
    raw.decode().map_err(|source| Error::decode("result", METHOD, raw, &source))
}

const METHOD: &str = "tools/call";
