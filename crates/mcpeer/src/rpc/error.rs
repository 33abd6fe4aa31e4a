use std::{borrow::Cow, fmt};

use super::Raw;

/// An error as it crosses the wire: a code, a message and, sometimes, data.
///
/// ```
/// use mcpeer::rpc::Error;
///
/// let error = Error::new(Error::INVALID_PARAMS, "unknown tool `ad`");
/// assert_eq!(error.code, -32602);
/// assert_eq!(error.to_string(), "unknown tool `ad` (-32602)");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Error {
    /// What kind of error this is. Codes of an application's own lie outside −32768…−32000.
    pub code: i64,
    /// A short sentence for a person.
    pub message: Cow<'static, str>,
    /// More about it, in a form that the code defines.
    pub data: Option<Raw>,
}

impl Error {
    /// The text is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is no valid request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist, or not at this revision, or its capability is not advertised.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The params do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL_ERROR: i64 = -32603;

    /// Makes an error without data.
    ///
    /// ```
    /// # use mcpeer::rpc::Error;
    /// assert!(Error::new(1, "out of paper").data.is_none());
    /// ```
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Adds data to the error.
    ///
    /// ```
    /// # use mcpeer::rpc::{Error, Raw};
    /// let error = Error::new(1, "out of paper").with_data(Raw::parse(r#"{"tray":2}"#).unwrap());
    /// assert_eq!(error.data.unwrap().as_str(), r#"{"tray":2}"#);
    /// ```
    #[must_use]
    pub fn with_data(mut self, data: Raw) -> Self {
        self.data = Some(data);
        self
    }

    /// Writes the error as the JSON object that stands at `error` of a response.
    pub(crate) fn write_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"code\":");
        out.extend_from_slice(self.code.to_string().as_bytes());
        out.extend_from_slice(b",\"message\":");
        super::raw::write_string(&self.message, out);
        if let Some(data) = &self.data {
            out.extend_from_slice(b",\"data\":");
            out.extend_from_slice(data.as_str().as_bytes());
        }
        out.push(b'}');
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Error {}
