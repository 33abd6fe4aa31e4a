//! Questions that come before an answer: a server asks by answering `input_required`, the client asks again with what
//! it was asked for. Stateless era.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>

use super::{EmptyParams, Entries, Meta, RawMap, elicitation, sampling};

/// What a server asks for, by keys of its own.
///
/// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>
///
/// ```
/// use mcpeer::model::{elicitation::UrlParams, input::{InputRequest, InputRequests}};
///
/// let mut requests = InputRequests::new();
/// requests.insert("login", InputRequest::from(UrlParams::new("Sign in", "https://example.com/login")));
/// assert_eq!(
///     serde_json::to_string(&requests)?,
///     r#"{"login":{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://example.com/login"}}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type InputRequests = Entries<InputRequest>;

/// What a client answers, by the keys of what it was asked for. The type of an answer follows from the question.
///
/// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>
///
/// ```
/// use mcpeer::model::{elicitation::{Action, CreateResult}, input::InputResponses};
///
/// let responses: InputResponses = serde_json::from_str(r#"{"login":{"action":"accept"}}"#)?;
/// assert_eq!(responses.decode::<CreateResult>("login").unwrap().action, Action::Accept);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type InputResponses = RawMap;

object! {
    /// That a server must be told more before it can answer: what it asks for, or what it wants back, or both.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr>
    pub struct InputRequired("resultType" = "input_required")
    example InputRequired::new().request_state("c2VhbGVk")
        => r#"{"resultType":"input_required","requestState":"c2VhbGVk"}"#;
    required {}
    optional {
        /// What it asks for.
        strict input_requests: InputRequests as "inputRequests" => InputRequests::new();
        /// What it wants back when it is asked again, unread and unchanged.
        strict request_state: String as "requestState" => "c2VhbGVk";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl Default for InputRequired {
    fn default() -> Self {
        Self::new()
    }
}

impl InputRequired {
    /// Adds a question.
    ///
    /// ```
    /// # use mcpeer::model::{elicitation::UrlParams, input::InputRequired};
    /// let result = InputRequired::new().ask("login", UrlParams::new("Sign in", "https://example.com/login"));
    /// assert!(result.input_requests.unwrap().get("login").is_some());
    /// ```
    #[must_use]
    pub fn ask(mut self, key: impl Into<Box<str>>, request: impl Into<InputRequest>) -> Self {
        self.input_requests.get_or_insert_default().insert(key, request);
        self
    }
}

union! {
    /// One thing that a server asks for.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#inputrequest>
    ///
    /// ```
    /// use mcpeer::model::input::{InputRequest, RootsRequest};
    ///
    /// assert_eq!(serde_json::to_string(&InputRequest::from(RootsRequest::new()))?, r#"{"method":"roots/list"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub enum InputRequest by "method" {
        /// That the user be asked.
        Elicitation(ElicitationRequest) = Some("elicitation/create"),
        /// That a model be asked.
        Sampling(SamplingRequest) = Some("sampling/createMessage"),
        /// The roots.
        Roots(RootsRequest) = Some("roots/list"),
    }
}

object! {
    /// That the user be asked.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitrequest>
    pub struct ElicitationRequest("method" = "elicitation/create")
    example ElicitationRequest::new(elicitation::UrlParams::new("Sign in", "https://example.com/login"))
        => r#"{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://example.com/login"}}"#;
    required {
        /// What to ask.
        params: elicitation::CreateParams as "params";
    }
    optional {}
}

object! {
    /// That a model be asked.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessagerequest>
    pub struct SamplingRequest("method" = "sampling/createMessage")
    example SamplingRequest::new(sampling::CreateParams::new([sampling::Message::user("Hello")], 100))
        => r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}],"maxTokens":100}}"#;
    required {
        /// What to ask.
        params: sampling::CreateParams as "params";
    }
    optional {}
}

object! {
    /// The roots.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#listrootsrequest>
    pub struct RootsRequest("method" = "roots/list")
    example RootsRequest::new() => r#"{"method":"roots/list"}"#;
    required {}
    optional {
        /// Params with nothing but `_meta`.
        lenient params: EmptyParams as "params" => EmptyParams::new();
    }
}

impl Default for RootsRequest {
    fn default() -> Self {
        Self::new()
    }
}

impl From<elicitation::CreateParams> for InputRequest {
    fn from(params: elicitation::CreateParams) -> Self {
        Self::Elicitation(ElicitationRequest::new(params))
    }
}

impl From<elicitation::FormParams> for InputRequest {
    fn from(params: elicitation::FormParams) -> Self {
        elicitation::CreateParams::from(params).into()
    }
}

impl From<elicitation::UrlParams> for InputRequest {
    fn from(params: elicitation::UrlParams) -> Self {
        elicitation::CreateParams::from(params).into()
    }
}

impl From<sampling::CreateParams> for InputRequest {
    fn from(params: sampling::CreateParams) -> Self {
        Self::Sampling(SamplingRequest::new(params))
    }
}
