//! What any message may carry: `_meta`, the kind of a result, params and results with nothing else in them.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta>

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::RawMap;

/// The `_meta` of a message or of a part of it: an open object whose keys the specification and others define.
///
/// ```
/// use mcpeer::model::{Meta, Token, meta};
///
/// let carried: Meta = serde_json::from_str(r#"{"progressToken":7,"com.example/trace":[1,2]}"#)?;
/// assert_eq!(carried.decode::<Token>(meta::PROGRESS_TOKEN), Some(Token::Integer(7)));
/// assert_eq!(carried.get("com.example/trace").unwrap().as_str(), "[1,2]");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type Meta = RawMap;

/// The key of the progress token of a request, a [`Token`].
pub const PROGRESS_TOKEN: &str = "progressToken";
/// The key of the revision that a request speaks; stateless era.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of what the client of a request is, an [`Implementation`](super::Implementation); stateless era.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of what the client can do, [`ClientCapabilities`](super::capabilities::ClientCapabilities); stateless era.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of the least log level that a request asks for, a [`Level`](super::logging::Level); stateless era.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of the subscription that a notification belongs to, a [`Token`]; stateless era.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The key of what the server of a result is, an [`Implementation`](super::Implementation); stateless era.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the task that a message belongs to, a [`RelatedTask`](super::tasks::RelatedTask); 2025-11-25.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The key of the text that a model may be given while a task runs; 2025-11-25.
pub const MODEL_IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";
/// The key of the W3C trace context.
pub const TRACE_PARENT: &str = "traceparent";
/// The key of the vendors' part of the W3C trace context.
pub const TRACE_STATE: &str = "tracestate";
/// The key of the W3C baggage.
pub const BAGGAGE: &str = "baggage";

/// What names a request or its progress in the body of another message: a string or an integer, kept as it came.
///
/// ```
/// use mcpeer::model::Token;
///
/// assert_ne!(Token::from(1), Token::from("1"));
/// assert_eq!(serde_json::to_string(&Token::from("1"))?, r#""1""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// An integer.
    Integer(i64),
    /// A string.
    String(Box<str>),
}

impl From<i64> for Token {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for Token {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl Serialize for Token {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::String(value) => serializer.serialize_str(value),
        }
    }
}

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TokenVisitor)
    }
}

struct TokenVisitor;

impl de::Visitor<'_> for TokenVisitor {
    type Value = Token;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer of 64 bits")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Token, E> {
        Ok(Token::Integer(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Token, E> {
        let value = i64::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))?;
        Ok(Token::Integer(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Token, E> {
        Ok(Token::String(value.into()))
    }
}

words! {
    /// What kind of result a result is. One without it is complete.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype>
    pub enum ResultType {
        /// The answer.
        Complete = "complete",
        /// A question that comes before the answer, see [`InputRequired`](super::input::InputRequired).
        InputRequired = "input_required",
    }
}

object! {
    /// Params with nothing but `_meta`.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#requestparams>
    pub struct EmptyParams
    example EmptyParams::new() => "{}";
    required {}
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A result with nothing to say but that it is there.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#emptyresult>
    pub struct EmptyResult
    example EmptyResult::new() => "{}";
    required {}
    optional {
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl Default for EmptyParams {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for EmptyResult {
    fn default() -> Self {
        Self::new()
    }
}
