//! What can go wrong on this side of a connection.

use std::{borrow::Cow, error::Error as StdError, fmt, io};

use crate::{
    model::errors::Known,
    proto::io::{Closed, Failure, Misuse},
    rpc::{self, Raw, explain::explain},
};

/// A result whose error is an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done. What kind of reason it is, the predicates tell; the text is for a person.
///
/// An error that the peer answered with is [`rpc`](Self::rpc). That a tool failed is no error but a result that says
/// so.
///
/// ```
/// use mcpeer::{error::Error, rpc};
///
/// let error = Error::from(rpc::Error::new(rpc::Error::INVALID_PARAMS, "unknown tool `ad`"));
/// assert_eq!(error.rpc().unwrap().code, -32602);
/// assert_eq!(error.to_string(), "the peer answered with an error: unknown tool `ad` (-32602)");
/// assert!(!error.is_timeout());
/// ```
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: Kind,
    /// The method that it is about.
    method: Option<Cow<'static, str>>,
    /// What the transport knows about it.
    diagnosis: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Debug)]
enum Kind {
    /// From the peer, or of the core.
    Failure(Failure),
    /// JSON that does not fit the type that stands there.
    Decode { what: &'static str, explanation: String, raw: Raw },
    /// The caller's fault.
    Misuse(Cow<'static, str>),
    /// The server wants to be told something before it goes on.
    InputRequired(Raw),
    /// The result of a tool is not what the tool said that it would be.
    Output { tool: Box<str>, explanation: String, raw: Raw },
    /// The connection could not be made.
    Connect(Cow<'static, str>),
}

impl Error {
    /// Whether no answer came in time.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(!Error::misuse("give the tool a name").is_timeout());
    /// ```
    pub fn is_timeout(&self) -> bool {
        matches!(self.failure(), Some(Failure::Timeout { .. }))
    }

    /// Whether this side gave up the request.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(!Error::misuse("give the tool a name").is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        matches!(self.failure(), Some(Failure::Cancelled { .. }))
    }

    /// Whether the connection has ended, or could not be made.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(!Error::misuse("give the tool a name").is_closed());
    /// ```
    pub fn is_closed(&self) -> bool {
        matches!(self.failure(), Some(Failure::Closed { .. } | Failure::Misuse(Misuse::Closed)))
            || matches!(self.0.kind, Kind::Connect(_))
    }

    /// Whether the peer broke the protocol: its answer cannot be read, or does not fit what was asked.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(!Error::misuse("give the tool a name").is_peer_misbehaved());
    /// ```
    pub fn is_peer_misbehaved(&self) -> bool {
        matches!(self.failure(), Some(Failure::Invalid { .. }))
            || matches!(self.0.kind, Kind::Decode { .. } | Kind::Output { .. })
    }

    /// Whether a tool's result does not fit the output schema that the tool advertises. [`path`](Self::path) says where,
    /// and [`raw`](Self::raw) is the result.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(!Error::misuse("give the tool a name").is_output_mismatch());
    /// ```
    pub fn is_output_mismatch(&self) -> bool {
        matches!(self.0.kind, Kind::Output { .. })
    }

    /// Whether this side asked for something that cannot be done; nothing was sent.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(Error::misuse("give the tool a name").is_misuse());
    /// ```
    pub fn is_misuse(&self) -> bool {
        match self.failure() {
            Some(Failure::Misuse(misuse)) => !matches!(misuse, Misuse::Closed),
            _ => matches!(self.0.kind, Kind::Misuse(_)),
        }
    }

    /// Whether the server asks for input before it goes on, which nothing here could give. What it asks for is in
    /// [`raw`](Self::raw).
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(!Error::misuse("give the tool a name").is_input_required());
    /// ```
    pub fn is_input_required(&self) -> bool {
        matches!(self.0.kind, Kind::InputRequired(_))
    }

    /// Gives the error that the peer answered with.
    ///
    /// ```
    /// # use mcpeer::{error::Error, rpc};
    /// let error = Error::from(rpc::Error::new(7, "out of paper"));
    /// assert_eq!(error.rpc().unwrap().message, "out of paper");
    /// ```
    pub fn rpc(&self) -> Option<&rpc::Error> {
        match self.failure() {
            Some(Failure::Rpc(error)) => Some(error),
            _ => None,
        }
    }

    /// Gives what the peer's error means, where the specification gives it a meaning: a revision that is not served, a
    /// capability that is missing, a resource that does not exist.
    ///
    /// ```
    /// use mcpeer::{error::Error, model::errors::Known, rpc};
    ///
    /// let error = Error::from(rpc::Error::new(-32002, "no such file"));
    /// assert_eq!(error.known(), Some(Known::ResourceNotFound { uri: None }));
    /// ```
    pub fn known(&self) -> Option<Known> {
        let error = self.rpc()?;
        Known::of(error.code, error.data.as_ref().map(Raw::as_str))
    }

    /// Gives the method that failed, where it was one.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert_eq!(Error::misuse("give the tool a name").method(), None);
    /// ```
    pub fn method(&self) -> Option<&str> {
        self.0.method.as_deref()
    }

    /// Gives the place in the JSON that does not fit, as in `result.tools[3].name`.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert_eq!(Error::misuse("give the tool a name").path(), None);
    /// ```
    pub fn path(&self) -> Option<&str> {
        match &self.0.kind {
            Kind::Decode { explanation, .. } | Kind::Output { explanation, .. } => path_within(explanation),
            _ => None,
        }
    }

    /// Gives the JSON that could not be understood, as it came.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert!(Error::misuse("give the tool a name").raw().is_none());
    /// ```
    pub fn raw(&self) -> Option<&Raw> {
        match &self.0.kind {
            Kind::Decode { raw, .. } | Kind::InputRequired(raw) | Kind::Output { raw, .. } => Some(raw),
            Kind::Failure(Failure::Invalid { raw, .. }) => raw.as_ref(),
            _ => None,
        }
    }

    /// Gives the status of an HTTP response that carried no answer.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert_eq!(Error::misuse("give the tool a name").http_status(), None);
    /// ```
    pub fn http_status(&self) -> Option<u16> {
        match self.failure() {
            Some(Failure::Send(failure)) => failure.status,
            _ => None,
        }
    }

    /// Makes an error of a caller who asked for what cannot be done. The text says what to do instead.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// assert_eq!(Error::misuse("give the tool a name").to_string(), "give the tool a name");
    /// ```
    pub fn misuse(text: impl Into<Cow<'static, str>>) -> Self {
        Self::of(Kind::Misuse(text.into()))
    }

    /// Adds what caused the error.
    ///
    /// ```
    /// use std::error::Error as _;
    /// # use mcpeer::error::Error;
    /// let error = Error::misuse("name a file that exists").with_source(std::io::Error::other("not found"));
    /// assert_eq!(error.source().unwrap().to_string(), "not found");
    /// ```
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// A request of ours that failed.
    pub(crate) fn failed(method: impl Into<Cow<'static, str>>, failure: Failure) -> Self {
        let mut error = Self::of(Kind::Failure(failure));
        error.0.method = Some(method.into());
        error
    }

    /// JSON of the peer that does not fit its type. `what` is `result`, `params` or another part of a message.
    pub(crate) fn decode(
        what: &'static str,
        method: impl Into<Cow<'static, str>>,
        raw: Raw,
        source: &serde_json::Error,
    ) -> Self {
        let explanation = explain(what, raw.as_str(), source);
        let mut error = Self::of(Kind::Decode { what, explanation, raw });
        error.0.method = Some(method.into());
        error
    }

    /// A server that asks for input, of which `raw` tells.
    pub(crate) fn input_required(method: impl Into<Cow<'static, str>>, raw: Raw) -> Self {
        let mut error = Self::of(Kind::InputRequired(raw));
        error.0.method = Some(method.into());
        error
    }

    /// A result of a tool that does not fit its output schema. The explanation begins with the place, in backticks.
    #[allow(dead_code, reason = "only clients with the feature `schema` look")]
    pub(crate) fn output(tool: &str, explanation: String, raw: Raw) -> Self {
        let mut error = Self::of(Kind::Output { tool: tool.into(), explanation, raw });
        error.0.method = Some("tools/call".into());
        error
    }

    /// A connection that has ended, or never began; with what its transport knows, where the reason does not say it.
    pub(crate) fn ended(closed: Closed, diagnosis: Option<&str>) -> Self {
        let diagnosis = diagnosis.filter(|_| closed != Closed::Local);
        let mut error = match closed {
            Closed::Negotiation { method, failure } => Self::failed(method, failure),
            closed => Self::of(Kind::Failure(Failure::Closed { reason: closed.to_string() })),
        };
        if let Some(diagnosis) = diagnosis
            && !error.to_string().contains(diagnosis)
        {
            error.0.diagnosis = Some(diagnosis.to_owned());
        }
        error
    }

    /// Makes an error of a transport that cannot be opened.
    ///
    /// ```
    /// # use mcpeer::error::Error;
    /// let error = Error::connect("the server is not installed", std::io::ErrorKind::NotFound.into());
    /// assert!(error.is_closed());
    /// ```
    pub fn connect(text: impl Into<Cow<'static, str>>, source: io::Error) -> Self {
        Self::of(Kind::Connect(text.into())).with_source(source)
    }

    fn of(kind: Kind) -> Self {
        Self(Box::new(Inner { kind, method: None, diagnosis: None, source: None }))
    }

    fn failure(&self) -> Option<&Failure> {
        match &self.0.kind {
            Kind::Failure(failure) => Some(failure),
            _ => None,
        }
    }
}

/// An explanation begins with the place, in backticks.
fn path_within(explanation: &str) -> Option<&str> {
    let path = explanation.strip_prefix('`')?;
    let end = path.find("`: ").or_else(|| path.find("` is missing"))?;
    Some(&path[..end])
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0.kind, &self.0.method) {
            (Kind::Failure(Failure::Misuse(misuse)), _) => misuse.fmt(f),
            (Kind::Failure(Failure::Rpc(error)), None) => write!(f, "the peer answered with an error: {error}"),
            (Kind::Failure(failure), None) => failure.fmt(f),
            (Kind::Failure(failure), Some(method)) => write!(f, "`{method}` failed: {failure}"),
            (Kind::Decode { what, explanation, .. }, method) => {
                write!(f, "the {what} of `{}` does not fit: {explanation}", method.as_deref().unwrap_or("?"))
            }
            (Kind::InputRequired(_), method) => write!(
                f,
                "the server asks for input before it goes on with `{}`, which this client cannot give: `raw()` has what \
                 it asks for",
                method.as_deref().unwrap_or("?")
            ),
            (Kind::Output { tool, explanation, .. }, _) => write!(
                f,
                "the result of the tool `{tool}` does not fit the output schema that it advertises: {explanation}; tell \
                 its author, or take its results as they are by `unchecked`"
            ),
            (Kind::Misuse(text) | Kind::Connect(text), _) => f.write_str(text),
        }?;
        match &self.0.diagnosis {
            Some(diagnosis) => write!(f, "; {diagnosis}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("method", &self.0.method)
            .field("diagnosis", &self.0.diagnosis)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| &**source as &(dyn StdError + 'static))
    }
}

impl From<rpc::Error> for Error {
    fn from(error: rpc::Error) -> Self {
        Self::of(Kind::Failure(Failure::Rpc(error)))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::of(Kind::Failure(failure))
    }
}

impl From<Misuse> for Error {
    fn from(misuse: Misuse) -> Self {
        Self::of(Kind::Failure(Failure::Misuse(misuse)))
    }
}

impl From<Closed> for Error {
    fn from(closed: Closed) -> Self {
        Self::ended(closed, None)
    }
}

#[cfg(test)]
mod tests;
