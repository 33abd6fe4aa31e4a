use std::{borrow::Cow, future::Future, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    driver::{
        Remote, Runtime, Ticket,
        io::{Channel, Envelope, Headers, Reply},
    },
    handler::{TraceContext, course::Course},
    model::{
        Implementation, Number, RawObject, capabilities::ClientCapabilities, input::InputResponses, logging::Level,
    },
    peer::Peer,
    rpc::{Raw, RawRef, RequestId},
    version::{Era, Revision},
};

/// The circumstances of one request: who asks, whether they still wait, and how to tell them about progress.
///
/// Clones are cheap and stand for the same request.
///
/// ```
/// use mcpeer::handler::Context;
///
/// async fn copy(cx: Context, files: Vec<String>) -> usize {
///     let total = files.len() as f64;
///     let mut count = 0;
///     while count < files.len() && !cx.is_cancelled() {
///         count += 1;
///         cx.progress(count as f64, Some(total), Some(&files[count - 1])).await;
///     }
///     count
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Context(pub(super) Ticket, Option<Arc<Beside>>);

/// What only some requests have.
#[derive(Debug, Default)]
struct Beside {
    answers: Option<Arc<Answers>>,
    course: Option<Arc<Course>>,
}

/// What a client gave to a result that asked for input: in the stateful era as answers to requests, in the stateless
/// one with a state that was sealed and is open now.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) responses: Option<Raw>,
    pub(crate) state: Option<Raw>,
}

impl Context {
    pub(super) fn new(ticket: Ticket) -> Self {
        Self(ticket, None)
    }

    pub(crate) fn with_answers(self, answers: Answers) -> Self {
        let course = self.course().cloned();
        Self(self.0, Some(Arc::new(Beside { answers: Some(Arc::new(answers)), course })))
    }

    /// Gives the same circumstances for a call that may go on as a task.
    #[allow(dead_code, reason = "tasks are a feature")]
    pub(crate) fn on_course(&self, course: Arc<Course>) -> Self {
        let answers = self.1.as_ref().and_then(|beside| beside.answers.clone());
        Self(self.0.clone(), Some(Arc::new(Beside { answers, course: Some(course) })))
    }

    /// Gives the course of a call that may go on as a task.
    pub(super) fn course(&self) -> Option<&Arc<Course>> {
        self.1.as_ref()?.course.as_ref()
    }

    /// Gives the course of a call that goes on as a task.
    pub(super) fn task(&self) -> Option<&Arc<Course>> {
        self.course().filter(|course| course.is_task())
    }

    fn answers(&self) -> Option<&Answers> {
        self.1.as_ref()?.answers.as_deref()
    }

    /// Gives what the request shall be answered with in the handler's place, where that waits.
    #[allow(dead_code, reason = "tasks are a feature")]
    pub(crate) fn interrupted(&self) -> Option<Reply> {
        self.0.interrupted()
    }

    /// Says that the handler is run anew.
    #[allow(dead_code, reason = "tasks are a feature")]
    pub(crate) fn run_anew(&self) {
        if let Some(interrupt) = self.0.interrupt() {
            interrupt.run_anew();
        }
    }

    /// Gives the params that were kept.
    #[allow(dead_code, reason = "tasks are a feature")]
    pub(crate) fn params(&self) -> Option<RawRef<'_>> {
        self.0.params().map(Raw::borrow)
    }

    /// Gives how long a handler may go on when it was cancelled.
    #[allow(dead_code, reason = "tasks are a feature")]
    pub(crate) fn cancel_grace(&self) -> Duration {
        self.0.remote().options().cancel_grace_time()
    }

    /// Gives the headers that the request came with, on HTTP.
    #[allow(dead_code, reason = "only servers look at them")]
    pub(crate) fn headers(&self) -> Option<&dyn Headers> {
        self.0.request().edge.as_deref()?.headers.as_deref()
    }

    /// Gives where what belongs to the request goes out, on HTTP.
    #[allow(dead_code, reason = "only HTTP has any")]
    pub(crate) fn channel(&self) -> Option<&dyn Channel> {
        self.0.request().edge.as_deref()?.channel.as_deref()
    }

    /// Gives the way to the driver.
    #[allow(dead_code, reason = "only servers tell connections apart")]
    pub(crate) fn remote(&self) -> &Remote {
        self.0.remote()
    }

    /// Gives the id that the peer gave to the request.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn name(cx: &Context) -> String {
    ///     format!("request {}", cx.id())
    /// }
    /// ```
    pub fn id(&self) -> &RequestId {
        &self.0.request().id
    }

    /// Gives the method.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn is_list(cx: &Context) -> bool {
    ///     cx.method().ends_with("/list")
    /// }
    /// ```
    pub fn method(&self) -> &str {
        &self.0.request().method
    }

    /// Gives the revision that the request was admitted at.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn may_stamp(cx: &Context) -> bool {
    ///     !cx.revision().has_batches()
    /// }
    /// ```
    pub fn revision(&self) -> Revision {
        self.0.request().revision
    }

    /// Gives the era that the request was admitted in.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn may_ask(cx: &Context) -> bool {
    ///     cx.era() == mcpeer::version::Era::Legacy
    /// }
    /// ```
    pub fn era(&self) -> Era {
        self.revision().era()
    }

    /// Gives the other side. What is sent to it belongs to this request and, over HTTP, goes out on its stream.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// async fn roots(cx: Context) -> mcpeer::error::Result<mcpeer::rpc::Raw> {
    ///     cx.peer().request_raw("roots/list", None).await
    /// }
    /// ```
    pub fn peer(&self) -> Peer {
        Peer::new(self.0.remote().clone()).related_to(self.0.request().handle)
    }

    /// Whether nobody waits for the answer any more.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn sum(cx: &Context, numbers: &[u64]) -> Option<u64> {
    ///     numbers.chunks(1000).try_fold(0, |sum, some| (!cx.is_cancelled()).then(|| sum + some.iter().sum::<u64>()))
    /// }
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.task().map_or_else(|| self.0.is_cancelled(), |task| task.is_cancelled())
    }

    /// Completes once nobody waits for the answer any more: the peer cancelled the request, or the connection ended.
    ///
    /// What the handler returns afterwards is dropped. The handler itself is dropped when the
    /// [grace](crate::driver::Options::cancel_grace) is over.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// async fn wait(cx: Context, work: tokio::task::JoinHandle<u32>) -> Option<u32> {
    ///     tokio::select! {
    ///         done = work => done.ok(),
    ///         () = cx.cancelled() => None,
    ///     }
    /// }
    /// ```
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        let (ticket, task) = (self.0.clone(), self.task().cloned());
        async move {
            match task {
                Some(task) => task.cancelled().await,
                None => ticket.cancelled().await,
            }
        }
    }

    /// Whether the peer asked to hear of progress and still waits.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// async fn tell(cx: &Context, files: &[&str]) {
    ///     if cx.wants_progress() {
    ///         cx.progress(0.0, Some(files.len() as f64), Some(&files.join(", "))).await;
    ///     }
    /// }
    /// ```
    pub fn wants_progress(&self) -> bool {
        self.task().is_none() && self.0.wants_progress()
    }

    /// Tells the peer how far the work is. Nothing is sent where the peer did not ask for it or no longer waits, nor
    /// where `progress` is not greater than the last time.
    ///
    /// Waits while more than the [high-water mark](crate::driver::Options::high_water) is still to be written.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// async fn work(cx: Context) {
    ///     for step in 1..=3 {
    ///         cx.progress(f64::from(step), Some(3.0), None).await;
    ///     }
    /// }
    /// ```
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if self.task().is_some() {
            return;
        }
        self.0
            .progress(progress, || {
                let params = Progress { progress: progress.into(), total: total.map(Number::from), message };
                Raw::from_value(&params).ok()
            })
            .await;
    }

    /// Sends a log message to the peer: deprecated since 2026-07-28, which still has it. Nothing is sent where the server does not declare logging or the peer does
    /// not want messages of this level, nor where `data` cannot be written as JSON.
    ///
    /// Waits while more than the [high-water mark](crate::driver::Options::high_water) is still to be written.
    ///
    /// ```
    /// # use mcpeer::{handler::Context, model::logging::Level};
    /// async fn warn(cx: Context) {
    ///     cx.log(Level::Warning, "almost full").await;
    /// }
    /// ```
    pub async fn log(&self, level: Level, data: &(impl Serialize + Sync + ?Sized)) {
        self.log_with(level, None, data).await;
    }

    /// Sends a log message in the name of a part of the server, as [`log`](Self::log) does.
    ///
    /// ```
    /// # use mcpeer::{handler::Context, model::logging::Level};
    /// async fn warn(cx: Context) {
    ///     cx.log_as("disk", Level::Warning, "almost full").await;
    /// }
    /// ```
    pub async fn log_as(&self, logger: &str, level: Level, data: &(impl Serialize + Sync + ?Sized)) {
        self.log_with(level, Some(logger), data).await;
    }

    async fn log_with(&self, level: Level, logger: Option<&str>, data: &(impl Serialize + Sync + ?Sized)) {
        if self.task().is_some() {
            return;
        }
        let Ok(params) = Raw::from_value(&Log { level: &level, logger, data }) else { return };
        self.0.log(level.as_str().to_owned().into(), params).await;
    }

    /// Gives what the client says it is: in the stateless era with this request, in the stateful one once at the
    /// start. It says so itself: decide nothing of weight by it.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn who(cx: &Context) -> String {
    ///     cx.client_info().map_or("somebody".into(), |client| client.name)
    /// }
    /// ```
    pub fn client_info(&self) -> Option<Implementation> {
        self.client_info_raw()?.decode().ok()
    }

    /// Gives what the client can do: in the stateless era with this request, in the stateful one once at the start.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn can_ask(cx: &Context) -> bool {
    ///     cx.client_capabilities().is_some_and(|client| client.elicitation.is_some())
    /// }
    /// ```
    pub fn client_capabilities(&self) -> Option<ClientCapabilities> {
        self.client_capabilities_raw()?.decode().ok()
    }

    /// Gives what the client says it is, as JSON: in the stateless era with this request, in the stateful one once at
    /// the start.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn who(cx: &Context) -> Option<String> {
    ///     Some(cx.client_info_raw()?.borrow().member("name")?.as_string()?.into_owned())
    /// }
    /// ```
    pub fn client_info_raw(&self) -> Option<Raw> {
        match self.envelope() {
            Some(envelope) => envelope.client_info().map(RawRef::to_owned),
            None => self.peer().implementation_raw(),
        }
    }

    /// Gives what the client can do, as JSON: in the stateless era with this request, in the stateful one once at the
    /// start.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn can_sample(cx: &Context) -> bool {
    ///     cx.client_capabilities_raw().is_some_and(|raw| raw.borrow().member("sampling").is_some())
    /// }
    /// ```
    pub fn client_capabilities_raw(&self) -> Option<Raw> {
        match self.envelope() {
            Some(envelope) => envelope.client_capabilities().map(RawRef::to_owned),
            None => self.peer().capabilities_raw(),
        }
    }

    /// Whether the client declares an [extension](crate::extension): in the stateless era with this request, in the
    /// stateful one once at the start.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn takes_tickets(cx: &Context) -> bool {
    ///     cx.client_declares("com.example/tickets")
    /// }
    /// ```
    pub fn client_declares(&self, extension: &str) -> bool {
        self.client_extension_raw(extension, |_| ()).is_some()
    }

    /// Gives the settings under which the client declares an [extension](crate::extension); `None` where it does not.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn takes_pictures(cx: &Context) -> bool {
    ///     cx.client_extension("com.example/tickets").is_some_and(|settings| settings.as_str().contains("pictures"))
    /// }
    /// ```
    pub fn client_extension(&self, extension: &str) -> Option<RawObject> {
        let settings = self.client_extension_raw(extension, |settings| settings.as_str().to_owned())?;
        RawObject::parse(settings).ok()
    }

    fn client_extension_raw<T>(&self, extension: &str, read: impl FnOnce(RawRef<'_>) -> T) -> Option<T> {
        let of_session;
        let capabilities = match self.envelope() {
            Some(envelope) => envelope.client_capabilities()?,
            None => {
                of_session = self.peer().capabilities_raw()?;
                of_session.borrow()
            }
        };
        capabilities.member("extensions")?.member(extension).filter(|settings| settings.is_object()).map(read)
    }

    /// Gives the log level that the request asks for. Stateless era only.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn is_verbose(cx: &Context) -> bool {
    ///     cx.log_level().is_some_and(|level| level == "debug")
    /// }
    /// ```
    pub fn log_level(&self) -> Option<Cow<'_, str>> {
        self.envelope()?.log_level()
    }

    /// Gives the answers to what an earlier result of this method asked the client, as JSON by name.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn is_first_round(cx: &Context) -> bool {
    ///     cx.input_responses_raw().is_none()
    /// }
    /// ```
    pub fn input_responses_raw(&self) -> Option<&Raw> {
        match self.answers() {
            Some(answers) => answers.responses.as_ref(),
            None => self.0.request().lifted.as_deref()?.input_responses.as_ref(),
        }
    }

    /// Gives the answers to what an earlier result of this method asked the client, by name: for a handler that asks
    /// by hand, with a result that is [`InputRequired`](crate::model::input::InputRequired).
    ///
    /// ```
    /// # use mcpeer::{handler::Context, model::elicitation::CreateResult};
    /// fn answer(cx: &Context) -> Option<CreateResult> {
    ///     cx.input_responses()?.decode("name")
    /// }
    /// ```
    pub fn input_responses(&self) -> Option<InputResponses> {
        self.input_responses_raw()?.decode().ok()
    }

    /// Gives the state that an earlier result of this method had, as JSON: see [`request_state`](Self::request_state).
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn state(cx: &Context) -> Option<String> {
    ///     Some(cx.request_state_raw()?.borrow().as_string()?.into_owned())
    /// }
    /// ```
    pub fn request_state_raw(&self) -> Option<&Raw> {
        match self.answers() {
            Some(answers) => answers.state.as_ref(),
            None => self.0.request().lifted.as_deref()?.request_state.as_ref(),
        }
    }

    /// Gives the state that an earlier result of this method had, for a handler that asks by hand, with a result that
    /// is [`InputRequired`](crate::model::input::InputRequired).
    ///
    /// A [`Server`](crate::Server) seals it on its way out, bound to who asks, to the method, to the params and to a
    /// time, and opens it before the handler runs: what does not open ends the request with −32602. A
    /// [`Service`](super::Service) that runs by itself finds what the client sent, which may have been changed on its
    /// way.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn round(cx: &Context) -> u32 {
    ///     cx.request_state().and_then(|state| state.parse().ok()).unwrap_or(0)
    /// }
    /// ```
    pub fn request_state(&self) -> Option<String> {
        Some(self.request_state_raw()?.borrow().as_string()?.into_owned())
    }

    /// Gives who sent the request: the name that authorization gave, where the transport authenticated the sender.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn may_delete(cx: &Context) -> bool {
    ///     cx.principal() == Some("admin")
    /// }
    /// ```
    pub fn principal(&self) -> Option<&str> {
        Some(&self.0.request().edge.as_deref()?.principal.as_ref()?.0)
    }

    /// Gives what authorization says about who sent the request, decoded as a type; `None` where the transport knows
    /// nothing or it does not fit.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// #[derive(serde::Deserialize)]
    /// struct Claims {
    ///     email: String,
    /// }
    ///
    /// fn email(cx: &Context) -> Option<String> {
    ///     Some(cx.claims::<Claims>()?.email)
    /// }
    /// ```
    pub fn claims<T: DeserializeOwned>(&self) -> Option<T> {
        self.claims_raw()?.decode().ok()
    }

    /// Gives what authorization says about who sent the request, as JSON.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn has_scope(cx: &Context) -> bool {
    ///     cx.claims_raw().is_some_and(|claims| claims.borrow().member("scope").is_some())
    /// }
    /// ```
    pub fn claims_raw(&self) -> Option<&Raw> {
        self.0.request().edge.as_deref()?.claims.as_ref()
    }

    /// Gives the `_meta` of the request, as JSON. A [`Service`](super::Service) of one's own finds that of the
    /// stateful era in the params that it was given.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn tenant(cx: &Context) -> Option<String> {
    ///     Some(cx.meta_raw()?.member("com.example/tenant")?.as_string()?.into_owned())
    /// }
    /// ```
    pub fn meta_raw(&self) -> Option<RawRef<'_>> {
        match self.envelope() {
            Some(envelope) => Some(envelope.meta()),
            None => self.0.params()?.borrow().member("_meta"),
        }
    }

    /// Gives the trace that the request belongs to, where the client says so.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn parent(cx: &Context) -> Option<String> {
    ///     Some(cx.trace_context()?.traceparent)
    /// }
    /// ```
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::read(self.meta_raw()?)
    }

    /// Gives what tells the time and starts tasks.
    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.remote().options().runtime
    }

    /// Gives how many questions a round may have.
    pub(super) fn max_questions(&self) -> Option<usize> {
        Some(self.0.remote().options().sealing.as_ref()?.max_questions())
    }

    fn envelope(&self) -> Option<&Envelope> {
        match self.era() {
            Era::Modern => self.0.request().lifted.as_deref()?.envelope.as_ref(),
            Era::Legacy => None,
        }
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

#[derive(Serialize)]
struct Log<'a, T: ?Sized> {
    level: &'a Level,
    #[serde(skip_serializing_if = "Option::is_none")]
    logger: Option<&'a str>,
    data: &'a T,
}
