use std::{borrow::Cow, fmt};

use super::{Raw, RawRef, RequestId, Survey, scan};

/// One message, with its parts as slices of the text.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// `method` and `id`.
    Request {
        /// The id that the answer echoes.
        id: RequestId,
        /// The method.
        method: Cow<'a, str>,
        /// The params, of whatever type.
        params: Option<RawRef<'a>>,
    },
    /// `method` and no `id`.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The params, of whatever type.
        params: Option<RawRef<'a>>,
    },
    /// `result` or `error` and no `method`.
    ///
    /// Nothing else is checked here: both, or an error that is no error object, still name the request that
    /// they fail. A message with only an `id` is a response with neither.
    Response {
        /// The id of the request; absent or `null` where the peer could not read it.
        id: Option<RequestId>,
        /// The result.
        result: Option<RawRef<'a>>,
        /// The error.
        error: Option<RawRef<'a>>,
    },
    /// An array; its elements are checked JSON, each parsed by [`Message::from_raw`].
    Batch(Vec<RawRef<'a>>),
}

impl<'a> Message<'a> {
    /// Checks a text and finds its parts, in one pass, in any order of its members.
    ///
    /// # Errors
    ///
    /// The text is not JSON, is nested too deep or too long, or is no JSON-RPC message.
    ///
    /// ```
    /// use mcpeer::rpc::{Limits, Message, RequestId};
    ///
    /// let text = br#"{"params":{"a":1},"method":"m","id":"x","jsonrpc":"2.0"}"#;
    /// let Message::Request { id, method, params } = Message::parse(text, &Limits::default())? else { panic!() };
    /// assert_eq!(id, RequestId::from("x"));
    /// assert_eq!(method, "m");
    /// assert_eq!(params.unwrap().as_str(), r#"{"a":1}"#);
    /// # Ok::<(), mcpeer::rpc::Unreadable>(())
    /// ```
    pub fn parse(text: &'a [u8], limits: &Limits) -> Result<Self, Unreadable> {
        scan::message(text, limits, &mut ())
    }

    /// Does as [`parse`](Self::parse) does, and tells of the members of the params on the way.
    pub(crate) fn survey(text: &'a [u8], limits: &Limits, survey: &mut impl Survey) -> Result<Self, Unreadable> {
        scan::message(text, limits, survey)
    }

    /// Finds the parts of a value that was checked already: an element of a [`Message::Batch`].
    ///
    /// # Errors
    ///
    /// The value is no JSON-RPC message. An array inside a batch is none.
    ///
    /// ```
    /// use mcpeer::rpc::{Limits, Message};
    ///
    /// let text = br#"[{"jsonrpc":"2.0","method":"m"},1]"#;
    /// let Message::Batch(elements) = Message::parse(text, &Limits::default())? else { panic!() };
    /// assert!(matches!(Message::from_raw(elements[0])?, Message::Notification { .. }));
    /// assert!(Message::from_raw(elements[1]).is_err());
    /// # Ok::<(), mcpeer::rpc::Unreadable>(())
    /// ```
    pub fn from_raw(value: RawRef<'a>) -> Result<Self, Unreadable> {
        scan::element(value)
    }
}

/// What a text may cost before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest message, in bytes. 64 MiB unless set.
    pub max_bytes: usize,
    /// How deep arrays and objects may nest. 128 unless set, and never more than 128, which is where typed
    /// decoding gives up.
    pub max_depth: usize,
    /// How many elements an array of messages may have before the rest is not looked at. 100 unless set.
    pub max_batch: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 64 << 20, max_depth: 128, max_batch: 100 }
    }
}

/// A text that is no message, and what could be read of it all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unreadable {
    /// What is wrong.
    pub fault: Fault,
    /// The id, where exactly one stands there and is well formed.
    pub id: Option<RequestId>,
    /// Whether a `result` or an `error` stands there, so that the text was meant as an answer.
    pub is_answer: bool,
}

impl Unreadable {
    pub(crate) fn new(fault: Fault) -> Self {
        Self { fault, id: None, is_answer: false }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl std::error::Error for Unreadable {}

/// What makes a text unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Not JSON, at this byte.
    NotJson {
        /// Where the text stops being JSON, in bytes from its start.
        at: usize,
    },
    /// Longer than [`Limits::max_bytes`].
    TooLong,
    /// Nested deeper than [`Limits::max_depth`].
    TooDeep,
    /// JSON, but no object and no array.
    NotAnObject,
    /// `jsonrpc` is not `"2.0"`.
    Version,
    /// A member stands there twice.
    Duplicate(&'static str),
    /// `method` is no string.
    Method,
    /// `id` is neither a string nor an integer of 64 bits.
    Id,
    /// Neither `method`, nor `result`, nor `error`, nor `id`.
    Empty,
    /// `method` beside `result` or `error`.
    Mixed,
}

impl Fault {
    /// Whether this is answered as text that is not JSON (−32700) and not as an invalid request (−32600).
    ///
    /// ```
    /// # use mcpeer::rpc::Fault;
    /// assert!(Fault::NotJson { at: 0 }.is_parse_error());
    /// assert!(!Fault::Version.is_parse_error());
    /// ```
    pub fn is_parse_error(&self) -> bool {
        matches!(self, Self::NotJson { .. })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { at } => write!(f, "not JSON at byte {at}"),
            Self::TooLong => f.write_str("the message is longer than the limit"),
            Self::TooDeep => f.write_str("the message is nested deeper than `max_depth` allows"),
            Self::NotAnObject => f.write_str("the message is not an object"),
            Self::Version => f.write_str("`jsonrpc` is not \"2.0\""),
            Self::Duplicate(name) => write!(f, "`{name}` stands there twice"),
            Self::Method => f.write_str("`method` is not a string"),
            Self::Id => f.write_str("`id` is neither a string nor an integer of 64 bits"),
            Self::Empty => f.write_str("neither `method` nor `result` nor `error`"),
            Self::Mixed => f.write_str("`method` stands beside `result` or `error`"),
        }
    }
}

/// Writes a request, without a line end.
pub(crate) fn write_request(id: &RequestId, method: &str, params: Option<&Raw>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    write_id(id, out);
    out.extend_from_slice(b",\"method\":");
    super::raw::write_string(method, out);
    write_params(params, out);
}

/// Writes a notification, without a line end.
pub(crate) fn write_notification(method: &str, params: Option<&Raw>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
    super::raw::write_string(method, out);
    write_params(params, out);
}

/// Writes the start of a result up to where the result itself stands; a `}` closes it.
pub(crate) fn open_result(id: &RequestId, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    write_id(id, out);
    out.extend_from_slice(b",\"result\":");
}

/// Gives how much of a message is not the result in it, in bytes: exactly where the id has no escapes.
pub(crate) fn room_around(id: &RequestId) -> usize {
    let id = match id {
        RequestId::Integer(value) => {
            value.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1 + usize::from(*value < 0)
        }
        RequestId::String(value) => value.len() + 2,
    };
    br#"{"jsonrpc":"2.0","id":,"result":}"#.len() + id
}

/// Writes an error response; without an id where none could be read, never `null`.
pub(crate) fn write_error(id: Option<&RequestId>, error: &super::Error, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
    if let Some(id) = id {
        out.extend_from_slice(b",\"id\":");
        write_id(id, out);
    }
    out.extend_from_slice(b",\"error\":");
    error.write_to(out);
    out.push(b'}');
}

/// Writes an id as JSON.
pub(crate) fn write_id(id: &RequestId, out: &mut Vec<u8>) {
    match id {
        RequestId::Integer(value) => serde_json::to_writer(&mut *out, value).expect("a number can always be written"),
        RequestId::String(value) => super::raw::write_string(value, out),
    }
}

fn write_params(params: Option<&Raw>, out: &mut Vec<u8>) {
    if let Some(params) = params {
        out.extend_from_slice(b",\"params\":");
        out.extend_from_slice(params.as_str().as_bytes());
    }
    out.push(b'}');
}
