use std::{borrow::Cow, fmt, future::IntoFuture, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    Extended, Peer, Sent,
    extended::extended,
    headers, meta,
    recall::{Begun, Freshness, Recall},
    rounds::{Answers, Rounds, with_input},
};
use crate::{
    driver::{
        LONGEST, Remote,
        io::{self, Answer},
    },
    error::{Error, Result},
    model::{input::InputResponses, logging::Level, progress::ProgressParams, trace::TraceContext},
    rpc::Raw,
};

/// A request that is not sent yet. Awaiting it sends it and waits for its answer; [`send`](Self::send) only sends it.
///
/// ```
/// # use std::time::Duration;
/// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
/// async fn build(peer: &Peer) -> Result<Raw> {
///     peer.request_raw("test/build", None)
///         .timeout(Duration::from_secs(10))
///         .reset_on_progress()
///         .max_total(Duration::from_secs(600))
///         .await
/// }
/// ```
#[must_use = "a request is sent when it is awaited or `send` is called"]
pub struct Call<O> {
    remote: Remote,
    call: Result<io::Call>,
    meta: Vec<(Cow<'static, str>, Raw)>,
    on_progress: Option<OnProgress>,
    answers: Option<Arc<dyn Answers>>,
    recall: Option<Arc<dyn Recall>>,
    freshness: Freshness,
    decode: Decode<O>,
}

pub(super) type OnProgress = Box<dyn FnMut(Progress) + Send>;
pub(super) type Decode<O> = fn(Cow<'static, str>, Answer) -> Result<O>;

/// How far the peer is with a request.
///
/// ```
/// # use mcpeer::peer::Progress;
/// fn percent(progress: &Progress) -> Option<f64> {
///     Some(100.0 * progress.progress / progress.total?)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; it grows from one to the next.
    pub progress: f64,
    /// How much there is to do, where the peer knows.
    pub total: Option<f64>,
    /// What is being done, for a person.
    pub message: Option<String>,
}

impl From<ProgressParams> for Progress {
    fn from(params: ProgressParams) -> Self {
        Self {
            progress: params.progress.as_f64(),
            total: params.total.map(|total| total.as_f64()),
            message: params.message,
        }
    }
}

impl<O> Call<O> {
    pub(super) fn new(peer: &Peer, method: Cow<'static, str>, params: Result<Option<Raw>>, decode: Decode<O>) -> Self {
        let call = params.map(|params| io::Call { related: peer.related, ..io::Call::new(method, params) });
        Self {
            remote: peer.remote.clone(),
            call,
            meta: Vec::new(),
            on_progress: None,
            answers: peer.answers.clone(),
            recall: peer.recall.clone(),
            freshness: Freshness::default(),
            decode,
        }
    }

    fn set(mut self, change: impl FnOnce(&mut io::Call)) -> Self {
        if let Ok(call) = &mut self.call {
            change(call);
        }
        self
    }

    /// Sets how long to wait for the answer.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("tools/list", None).timeout(Duration::from_secs(5)).await
    /// }
    /// ```
    pub fn timeout(self, timeout: Duration) -> Self {
        self.set(|call| call.timeout = Some(timeout.min(LONGEST)))
    }

    /// Sets how long the whole of it may take, whatever progress comes.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).reset_on_progress().max_total(Duration::from_secs(600)).await
    /// }
    /// ```
    pub fn max_total(self, limit: Duration) -> Self {
        self.set(|call| call.max_total = Some(limit.min(LONGEST)))
    }

    /// Has each progress notification start the [timeout](Self::timeout) anew; asks for progress.
    /// [`max_total`](Self::max_total) still ends it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).timeout(Duration::from_secs(5)).reset_on_progress().await
    /// }
    /// ```
    pub fn reset_on_progress(self) -> Self {
        self.set(|call| {
            call.reset_on_progress = true;
            call.progress = true;
        })
    }

    /// Asks the peer to tell how far it is; [`Sent::progress`] gives what it tells.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     let mut build = peer.request_raw("test/build", None).with_progress().send();
    ///     while let Some(progress) = build.progress().await {
    ///         eprintln!("{}", progress.progress);
    ///     }
    ///     build.await
    /// }
    /// ```
    pub fn with_progress(self) -> Self {
        self.set(|call| call.progress = true)
    }

    /// Asks the peer to tell how far it is and has `hear` called with what it tells, in order and before the answer,
    /// in the task that awaits the answer.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).on_progress(|progress| eprintln!("{}", progress.progress)).await
    /// }
    /// ```
    pub fn on_progress(mut self, hear: impl FnMut(Progress) + Send + 'static) -> Self {
        self.on_progress = Some(Box::new(hear));
        self.with_progress()
    }

    /// Asks for log messages of this level and above while the request is served. Stateless era only: in the
    /// stateful one the level belongs to the session.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).log_level(mcpeer::model::logging::Level::Debug).await
    /// }
    /// ```
    pub fn log_level(self, level: Level) -> Self {
        self.set(|call| call.log_level = Some(level.as_str().to_owned().into()))
    }

    /// Puts a member into the `_meta` of the params.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).meta("com.example/user", "me").await
    /// }
    /// ```
    pub fn meta(mut self, name: impl Into<Cow<'static, str>>, value: &(impl Serialize + ?Sized)) -> Self {
        let name = name.into();
        match Raw::from_value(value) {
            Ok(value) => self.meta.push((name, value)),
            Err(source) if self.call.is_ok() => {
                self.call = Err(Error::misuse(format!("`_meta.{name}` cannot be written as JSON")).with_source(source));
            }
            Err(_) => {}
        }
        self
    }

    /// Sends a header along with the request, where the transport has headers: Streamable HTTP. Others leave it out.
    ///
    /// What belongs to the protocol or to HTTP itself cannot be set: `Mcp-*`, `Content-*`, `Accept`, `Host` and the like.
    /// The answer may be another one for it, so it is neither taken from what a client keeps nor kept, even with
    /// [`refresh`](Self::refresh).
    ///
    /// ```
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).header("X-Tenant", "acme").await
    /// }
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let (name, value) = (name.into(), value.into());
        match (headers::check(&name, &value), &mut self.call) {
            (Ok(()), Ok(call)) => {
                Arc::make_mut(call.headers.get_or_insert_default()).push((name, value));
            }
            (Err(reason), Ok(_)) => self.call = Err(Error::misuse(reason)),
            (_, Err(_)) => {}
        }
        self
    }

    /// Sends the request. What comes back is awaited for the answer; dropping it cancels the request.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Raw> {
    ///     let first = peer.request_raw("test/one", None).send();
    ///     let second = peer.request_raw("test/two", None).send();
    ///     first.await?;
    ///     second.await
    /// }
    /// ```
    pub fn send(self) -> Sent<O> {
        let Self { remote, call, meta, on_progress, answers, recall, freshness, decode } = self;
        let mut call = match call {
            Ok(call) => call,
            Err(error) => return Sent::failed(error, decode),
        };
        if !meta.is_empty() {
            call.params = Some(meta::merge(call.params.as_ref(), &meta));
        }
        // What is kept was asked for without headers, and is for those who ask without.
        let recall = recall.filter(|_| call.headers.is_none());
        let begun = recall.map(|recall| recall.begin(&remote, &call.method, call.params.as_ref(), freshness));
        let note = match begun {
            Some(Begun::Kept(result)) => return Sent::kept(call.method, result, decode),
            Some(Begun::Asked(note)) => note,
            None => None,
        };
        let rounds = answers.and_then(|answers| Rounds::new(answers, &remote, &mut call));
        let method = call.method.clone();
        Sent::new(method, remote.request(call), rounds, on_progress, decode).noted_by(note)
    }

    /// Asks the peer, whatever answer a client keeps (`client::cache`), and has its answer kept instead.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let read = client.read("file:///main.rs").refresh().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn refresh(mut self) -> Self {
        self.freshness = Freshness::New;
        self
    }

    /// Asks the peer, and leaves the answers that a client keeps (`client::cache`) as they are.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let read = client.read("file:///main.rs").no_cache().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn no_cache(mut self) -> Self {
        self.freshness = Freshness::Apart;
        self
    }

    /// Says where the request stands in a trace.
    ///
    /// ```
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// use mcpeer::model::trace::TraceContext;
    ///
    /// async fn call(peer: &Peer, trace: &TraceContext) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).trace(trace).await
    /// }
    /// ```
    pub fn trace(self, trace: &TraceContext) -> Self {
        trace.members().fold(self, |call, (name, value)| call.meta(name, value))
    }

    /// Leaves the questions of a server to the caller: where the server asks for input, the outcome is an error that
    /// [says so](Error::is_input_required), and its [`raw`](Error::raw) is what the server asks. The same request with
    /// the [answers](Self::answers) goes on. Stateless era; in the stateful one a server asks by requests of its own.
    ///
    /// ```
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// use mcpeer::model::{elicitation::CreateResult, input::{InputRequired, InputResponses}};
    /// use mcpeer::model::{RawJson, tools::{Call, CallParams, CallResult}};
    ///
    /// async fn call(peer: &Peer) -> Result<CallResult> {
    ///     let params = CallParams::new("deploy");
    ///     match peer.request::<Call>(&params).manual_input().await {
    ///         Err(error) if error.is_input_required() => {
    ///             let asked: InputRequired = error.raw().unwrap().decode().unwrap();
    ///             let mut answers = InputResponses::new();
    ///             for (key, _) in asked.input_requests.iter().flat_map(|requests| requests.iter()) {
    ///                 answers.insert(key, RawJson::from_value(&CreateResult::decline()).unwrap());
    ///             }
    ///             peer.request::<Call>(&params).answers(&answers, asked.request_state.as_deref()).await
    ///         }
    ///         outcome => outcome,
    ///     }
    /// }
    /// ```
    pub fn manual_input(mut self) -> Self {
        self.answers = None;
        self
    }

    /// Gives answers to what the server asked, by the keys of its questions, and the state that came with them, as it
    /// came.
    ///
    /// ```
    /// # use mcpeer::{error::Result, model::input::InputResponses, peer::Peer, rpc::Raw};
    /// async fn go_on(peer: &Peer, answers: &InputResponses) -> Result<Raw> {
    ///     peer.request_raw("test/build", None).answers(answers, Some("c2VhbGVk")).await
    /// }
    /// ```
    pub fn answers(self, answers: &InputResponses, state: Option<&str>) -> Self {
        let answers = (!answers.is_empty()).then(|| Raw::from_value(answers).expect("JSON can always be written"));
        let state = state.map(|state| Raw::from_value(state).expect("text can always be written"));
        self.set(|call| {
            let answers = answers.as_ref().map(Raw::as_str);
            call.params = Some(with_input(call.params.as_ref(), answers, state.as_ref()));
        })
    }

    /// Asks for the result as JSON, as it came.
    ///
    /// ```
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// use mcpeer::model::tools::{List, ListParams};
    ///
    /// async fn list(peer: &Peer) -> Result<Raw> {
    ///     peer.request::<List>(ListParams::new()).raw().await
    /// }
    /// ```
    pub fn raw(self) -> Call<Raw> {
        self.with_decode(complete)
    }
}

impl<O> Call<O> {
    fn with_decode<T>(self, decode: Decode<T>) -> Call<T> {
        let Self { remote, call, meta, on_progress, answers, recall, freshness, decode: _ } = self;
        Call { remote, call, meta, on_progress, answers, recall, freshness, decode }
    }
}

impl<O: DeserializeOwned> Call<O> {
    /// Takes results, too, of a type that an [extension](crate::extension) of this client defines, where the outcome
    /// would be an error otherwise.
    ///
    /// ```
    /// use mcpeer::{error::Result, model::tools::{Call, CallParams, CallResult}, peer::{Extended, Peer}};
    ///
    /// async fn report(peer: &Peer) -> Result<Extended<CallResult>> {
    ///     peer.request::<Call>(CallParams::new("report")).extended().await
    /// }
    /// ```
    pub fn extended(self) -> Call<Extended<O>> {
        self.with_decode(extended)
    }
}

impl Call<Raw> {
    /// Takes the answer whatever it is.
    #[allow(dead_code, reason = "only clients")]
    pub(crate) fn answered(self) -> Call<Answer> {
        self.with_decode(|_, answer| Ok(answer))
    }

    /// Has the result decoded as a type.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcpeer::{error::Result, peer::Peer, rpc::Raw};
    /// async fn call(peer: &Peer) -> Result<Vec<u32>> {
    ///     peer.request_raw("test/numbers", None).decoded().await
    /// }
    /// ```
    pub fn decoded<T: DeserializeOwned>(self) -> Call<T> {
        self.with_decode(typed)
    }
}

impl<O> IntoFuture for Call<O> {
    type Output = Result<O>;
    type IntoFuture = Sent<O>;

    fn into_future(self) -> Sent<O> {
        self.send()
    }
}

impl<O> fmt::Debug for Call<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("call", &self.call).finish_non_exhaustive()
    }
}

/// Takes the result of an answer that is complete.
pub(crate) fn complete(method: Cow<'static, str>, answer: Answer) -> Result<Raw> {
    let (reason, raw) = match answer {
        Answer::Complete(raw) => return Ok(raw),
        Answer::InputRequired(raw) => return Err(Error::input_required(method, raw)),
        Answer::Extension { result_type, raw } => (format!("no code takes a result of the type `{result_type}`"), raw),
    };
    Err(Error::failed(method, io::Failure::Invalid { reason, raw: Some(raw) }))
}

/// Takes the result of an answer that is complete, as its type.
pub(super) fn typed<O: DeserializeOwned>(method: Cow<'static, str>, answer: Answer) -> Result<O> {
    let raw = complete(method.clone(), answer)?;
    raw.decode().map_err(|source| Error::decode("result", method, raw.clone(), &source))
}
