use std::borrow::Cow;

use serde::Serialize;

use super::{IntoHandlerError, Json, ProtocolError, base64};
use crate::{
    model::{
        input::InputRequired,
        resources::{BlobContents, Contents, ReadResult, TextContents},
    },
    proto::io::Reply,
    rpc::{self, Raw},
};

/// What a handler of a resource may return.
///
/// Text, bytes, [`Json`], contents of the model, a whole [`ReadResult`]; an `Option` of these, of which `None` says
/// that there is no such resource; or a `Result` of these, whose error is logged and hidden unless it is a
/// [`ProtocolError`].
///
/// ```
/// use mcpeer::server::{IntoResourceResult, ResourceResult};
///
/// struct Page(String);
///
/// impl IntoResourceResult for Page {
///     fn into_resource_result(self) -> ResourceResult {
///         format!("<p>{}</p>", self.0).into_resource_result().mime_type("text/html")
///     }
/// }
/// # let _ = Page(String::new()).into_resource_result();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    note = "return text, bytes, `Json<T>`, contents, an `Option` or a `Result` of one of these"
)]
pub trait IntoResourceResult {
    /// Makes the result.
    fn into_resource_result(self) -> ResourceResult;
}

/// What came of reading a resource.
///
/// ```
/// use mcpeer::server::ResourceResult;
///
/// let page = ResourceResult::text("<p>hello</p>").mime_type("text/html");
/// # let _ = page;
/// ```
#[derive(Debug)]
pub struct ResourceResult(Outcome);

#[derive(Debug)]
enum Outcome {
    Text { text: String, mime_type: Option<String> },
    Bytes { bytes: Vec<u8>, mime_type: Option<String> },
    Whole(ReadResult),
    NotFound,
    InputRequired(Raw),
    Error(rpc::Error),
}

impl ResourceResult {
    /// Makes a result of text.
    ///
    /// ```
    /// # use mcpeer::server::ResourceResult;
    /// let page = ResourceResult::text("hello");
    /// # let _ = page;
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Self(Outcome::Text { text: text.into(), mime_type: None })
    }

    /// Makes a result of bytes.
    ///
    /// ```
    /// # use mcpeer::server::ResourceResult;
    /// let pixel = ResourceResult::bytes([0; 4]).mime_type("application/octet-stream");
    /// # let _ = pixel;
    /// ```
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Outcome::Bytes { bytes: bytes.into(), mime_type: None })
    }

    /// Says that there is no such resource.
    ///
    /// ```
    /// # use mcpeer::server::ResourceResult;
    /// let none = ResourceResult::not_found();
    /// # let _ = none;
    /// ```
    pub fn not_found() -> Self {
        Self(Outcome::NotFound)
    }

    /// Sets the media type of text or bytes; that of the resource's declaration stands otherwise.
    ///
    /// ```
    /// # use mcpeer::server::ResourceResult;
    /// let page = ResourceResult::text("# hello").mime_type("text/markdown");
    /// # let _ = page;
    /// ```
    #[must_use]
    pub fn mime_type(mut self, name: impl Into<String>) -> Self {
        if let Outcome::Text { mime_type, .. } | Outcome::Bytes { mime_type, .. } = &mut self.0 {
            *mime_type = Some(name.into());
        }
        self
    }

    /// Gives the reply: what was asked for stands in it, and the media type that was declared.
    pub(super) fn into_reply(self, uri: &str, declared: Option<&str>) -> Reply {
        let mime = |given: Option<String>| given.or_else(|| declared.map(str::to_owned));
        let contents: Contents = match self.0 {
            Outcome::Text { text, mime_type } => {
                let mut contents = TextContents::new(uri, text);
                contents.mime_type = mime(mime_type);
                contents.into()
            }
            Outcome::Bytes { bytes, mime_type } => {
                let mut contents = BlobContents::new(uri, base64::encode(&bytes));
                contents.mime_type = mime(mime_type);
                contents.into()
            }
            Outcome::Whole(result) => return write(&result),
            Outcome::NotFound => return Reply::Error(ProtocolError::resource_not_found(uri).0),
            Outcome::InputRequired(raw) => return Reply::InputRequired(raw),
            Outcome::Error(error) => return Reply::Error(error),
        };
        write(&ReadResult::new([contents]))
    }
}

/// Writes a result.
pub(super) fn write(result: &impl Serialize) -> Reply {
    match Raw::from_value(result) {
        Ok(raw) => Reply::Complete(raw.into()),
        Err(error) => Reply::Error(error.into_handler_error()),
    }
}

impl From<rpc::Error> for ResourceResult {
    fn from(error: rpc::Error) -> Self {
        Self(Outcome::Error(error))
    }
}

impl IntoResourceResult for ResourceResult {
    fn into_resource_result(self) -> ResourceResult {
        self
    }
}

impl IntoResourceResult for String {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult::text(self)
    }
}

impl IntoResourceResult for &str {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult::text(self)
    }
}

impl IntoResourceResult for Cow<'_, str> {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult::text(self)
    }
}

impl IntoResourceResult for Vec<u8> {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult::bytes(self)
    }
}

impl IntoResourceResult for &[u8] {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult::bytes(self)
    }
}

/// As `include_bytes!` gives them.
impl<const N: usize> IntoResourceResult for &[u8; N] {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult::bytes(self)
    }
}

/// The resource asks the client for input, by hand: the handler runs anew with the answers, which
/// [`Context::input_responses`](crate::handler::Context::input_responses) gives.
impl IntoResourceResult for InputRequired {
    fn into_resource_result(self) -> ResourceResult {
        match Raw::from_value(&self) {
            Ok(raw) => ResourceResult(Outcome::InputRequired(raw)),
            Err(error) => ResourceResult(Outcome::Error(error.into_handler_error())),
        }
    }
}

impl IntoResourceResult for ReadResult {
    fn into_resource_result(self) -> ResourceResult {
        ResourceResult(Outcome::Whole(self))
    }
}

impl IntoResourceResult for Vec<Contents> {
    fn into_resource_result(self) -> ResourceResult {
        ReadResult::new(self).into_resource_result()
    }
}

impl<const N: usize> IntoResourceResult for [Contents; N] {
    fn into_resource_result(self) -> ResourceResult {
        ReadResult::new(self).into_resource_result()
    }
}

impl IntoResourceResult for Contents {
    fn into_resource_result(self) -> ResourceResult {
        [self].into_resource_result()
    }
}

impl IntoResourceResult for TextContents {
    fn into_resource_result(self) -> ResourceResult {
        vec![Contents::from(self)].into_resource_result()
    }
}

impl IntoResourceResult for BlobContents {
    fn into_resource_result(self) -> ResourceResult {
        vec![Contents::from(self)].into_resource_result()
    }
}

impl<T: Serialize> IntoResourceResult for Json<T> {
    fn into_resource_result(self) -> ResourceResult {
        match serde_json::to_string(&self.0) {
            Ok(json) => ResourceResult::text(json).mime_type("application/json"),
            Err(error) => error.into_handler_error().into(),
        }
    }
}

impl<T: IntoResourceResult> IntoResourceResult for Option<T> {
    fn into_resource_result(self) -> ResourceResult {
        self.map_or_else(ResourceResult::not_found, T::into_resource_result)
    }
}

impl<T: IntoResourceResult, E: IntoHandlerError> IntoResourceResult for Result<T, E> {
    fn into_resource_result(self) -> ResourceResult {
        match self {
            Ok(value) => value.into_resource_result(),
            Err(error) => error.into_handler_error().into(),
        }
    }
}
