use std::{borrow::Cow, fmt::Display};

use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::schema;
use crate::{
    model::{
        Content, RawJson, RawObject,
        content::{Audio, EmbeddedResource, Image, ResourceLink, Text},
        input::InputRequired,
        tools::CallResult,
    },
    proto::io::{Payload, Reply},
    rpc::{self, Raw},
};

/// What a handler of a tool may return.
///
/// Text, nothing, [`Json`], [`Content`] or one of its kinds (an image, a recording, a link to a resource, a resource
/// itself), a list of one kind or a tuple of several, a tuple whose last part is [`Json`], a whole [`CallResult`], or
/// a `Result` of one of these. Any error that can be displayed
/// becomes a result with `isError`, which the model sees and can act on; an error of the protocol, which it does not
/// see, is a [`ProtocolError`].
///
/// ```
/// use mcpeer::server::{IntoToolResult, ToolResult};
///
/// struct Celsius(f64);
///
/// impl IntoToolResult for Celsius {
///     fn into_tool_result(self) -> ToolResult {
///         ToolResult::text(format!("{} °C", self.0))
///     }
/// }
/// # let _ = Celsius(20.5).into_tool_result();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    note = "return text, `()`, `Json<T>`, `model::Content` or one of its kinds, a `Vec` or tuple of these, `tools::CallResult`, or a `Result` of one of these whose error is `Display`"
)]
pub trait IntoToolResult {
    /// Makes the result of the call.
    fn into_tool_result(self) -> ToolResult;

    /// Gives the schema of the structured content, where it always has one. The tool advertises it unless it
    /// [was given another](super::Tool::output_schema).
    fn output_schema() -> Option<Schema>
    where
        Self: Sized,
    {
        None
    }
}

/// The result of a call, ready to be sent.
///
/// ```
/// use mcpeer::server::ToolResult;
///
/// let done = ToolResult::text("done");
/// let failed = ToolResult::error("the disk is full");
/// # let _ = (done, failed);
/// ```
#[derive(Debug)]
pub struct ToolResult(Reply);

impl ToolResult {
    /// Makes a result of one text.
    ///
    /// ```
    /// # use mcpeer::server::ToolResult;
    /// let done = ToolResult::text("done");
    /// # let _ = done;
    /// ```
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::one_text(text.as_ref(), "}")
    }

    /// Makes a result that tells the model that the tool failed, and why.
    ///
    /// ```
    /// # use mcpeer::server::ToolResult;
    /// let failed = ToolResult::error("the disk is full");
    /// # let _ = failed;
    /// ```
    pub fn error(reason: impl Display) -> Self {
        Self::one_text(&reason.to_string(), r#","isError":true}"#)
    }

    /// Makes the call fail as a request, without the model seeing why.
    ///
    /// ```
    /// use mcpeer::{rpc, server::ToolResult};
    ///
    /// let refused = ToolResult::protocol_error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the vault is sealed"));
    /// # let _ = refused;
    /// ```
    pub fn protocol_error(error: rpc::Error) -> Self {
        Self(Reply::Error(error))
    }

    /// Makes a result of a type that an [extension](crate::extension) defines, for clients that declare it.
    ///
    /// ```
    /// use mcpeer::{model::RawObject, server::ToolResult};
    /// use serde_json::json;
    ///
    /// let ticket = ToolResult::extension("com.example/ticket", RawObject::from([("ticket", json!("7"))]));
    /// # let _ = ticket;
    /// ```
    pub fn extension(result_type: &'static str, result: RawObject) -> Self {
        Self(Reply::Extension { result_type: result_type.into(), payload: Raw::trusted(result.as_str()).into() })
    }

    /// Gives the reply. `wraps_output` is what the tool's output schema says about it.
    pub(super) fn into_reply(self, wraps_output: bool) -> Reply {
        match self.0 {
            Reply::Complete(payload) => Reply::Complete(Payload { wraps_output, ..payload }),
            reply => reply,
        }
    }

    fn one_text(text: &str, end: &str) -> Self {
        const START: &str = r#"{"content":[{"type":"text","text":"#;
        // Exact where nothing needs an escape, and then the text is not moved again.
        let mut out = String::with_capacity(START.len() + text.len() + "\"\"}]".len() + end.len());
        out.push_str(START);
        rpc::raw::push_string(text, &mut out);
        out.push_str("}]");
        out.push_str(end);
        Self(Reply::Complete(plain(Raw::trusted(out))))
    }

    fn unwritable(error: &serde_json::Error) -> Self {
        tracing::error!(%error, "the result of a tool cannot be written as JSON");
        let message = "the tool's result cannot be written as JSON";
        Self::protocol_error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, message))
    }
}

impl From<CallResult> for ToolResult {
    fn from(result: CallResult) -> Self {
        result.into_tool_result()
    }
}

/// A value that goes out as `structuredContent`, and as text for clients that know only that. The tool advertises the
/// schema of its type.
///
/// Behind other content in a tuple it leaves the text to that: `("7 %", Json(load))`. A value whose type has no schema
/// goes out by [`CallResult::structured`].
///
/// ```
/// use mcpeer::server::{Json, Server};
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Load {
///     percent: u8,
/// }
///
/// let server = Server::builder("load", "1.0.0").tool("load", async || Json(Load { percent: 7 })).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// An error of the protocol: the request fails, and the model does not see why.
///
/// ```
/// use mcpeer::{
///     rpc,
///     server::{ProtocolError, Server},
/// };
///
/// let server = Server::builder("vault", "1.0.0")
///     .tool("open", async || -> Result<String, ProtocolError> {
///         Err(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the vault is sealed").into())
///     })
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
// It cannot be displayed: what can be is shown to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolError(pub rpc::Error);

impl From<rpc::Error> for ProtocolError {
    fn from(error: rpc::Error) -> Self {
        Self(error)
    }
}

/// What the error of a handler becomes: every error that can be displayed is one for the model.
pub trait IntoToolError {
    /// Makes the result of the call.
    #[doc(hidden)]
    fn into_tool_error(self) -> ToolResult;
}

impl<E: Display> IntoToolError for E {
    fn into_tool_error(self) -> ToolResult {
        ToolResult::error(self)
    }
}

impl IntoToolError for ProtocolError {
    fn into_tool_error(self) -> ToolResult {
        ToolResult::protocol_error(self.0)
    }
}

impl IntoToolResult for ToolResult {
    fn into_tool_result(self) -> ToolResult {
        self
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::text(self)
    }
}

impl IntoToolResult for &str {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::text(self)
    }
}

impl IntoToolResult for Cow<'_, str> {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::text(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> ToolResult {
        ToolResult(Reply::Complete(plain(Raw::trusted(r#"{"content":[]}"#))))
    }
}

impl IntoToolResult for CallResult {
    fn into_tool_result(self) -> ToolResult {
        let is_plain = self.is_plain();
        match Raw::from_value(&self) {
            Ok(raw) => ToolResult(Reply::Complete(Payload { is_plain, ..raw.into() })),
            Err(error) => ToolResult::unwritable(&error),
        }
    }
}

/// The call asks the client for input, by hand: the handler runs anew with the answers, which
/// [`Context::input_responses`](crate::handler::Context::input_responses) gives.
impl IntoToolResult for InputRequired {
    fn into_tool_result(self) -> ToolResult {
        match Raw::from_value(&self) {
            Ok(raw) => ToolResult(Reply::InputRequired(raw)),
            Err(error) => ToolResult::unwritable(&error),
        }
    }
}

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> ToolResult {
        let json = match serde_json::to_string(&self.0) {
            Ok(json) => json,
            Err(error) => return ToolResult::unwritable(&error),
        };
        let mut out = Vec::with_capacity(2 * json.len() + 80);
        out.extend_from_slice(br#"{"content":[{"type":"text","text":"#);
        rpc::raw::write_string(&json, &mut out);
        out.extend_from_slice(br#"}],"structuredContent":"#);
        out.extend_from_slice(json.as_bytes());
        out.push(b'}');
        let text = String::from_utf8(out).expect("only text was written");
        ToolResult(Reply::Complete(Raw::trusted(text).into()))
    }

    fn output_schema() -> Option<Schema> {
        let schema = schema::output::<T>();
        // What fits anything tells nothing.
        let says_something = schema.as_object().is_none_or(|keywords| !keywords.is_empty());
        says_something.then_some(schema)
    }
}

/// Implements the trait for what is one piece of content.
macro_rules! contents {
    ($($content:ty),*) => {
        $(impl IntoToolResult for $content {
            fn into_tool_result(self) -> ToolResult {
                CallResult::new([Content::from(self)]).into_tool_result()
            }
        })*
    };
}

contents!(Content, Text, Image, Audio, ResourceLink, EmbeddedResource);

impl<T: Into<Content>> IntoToolResult for Vec<T> {
    fn into_tool_result(self) -> ToolResult {
        CallResult::new(self.into_iter().map(Into::into).collect::<Vec<Content>>()).into_tool_result()
    }
}

impl<T: Into<Content>, const N: usize> IntoToolResult for [T; N] {
    fn into_tool_result(self) -> ToolResult {
        CallResult::new(self.into_iter().map(Into::into).collect::<Vec<Content>>()).into_tool_result()
    }
}

/// Implements the trait for tuples: contents, and contents with a value for programs behind them.
macro_rules! tuples {
    ($($content:ident)+) => {
        #[allow(non_snake_case, reason = "the macro takes the names of types for values")]
        impl<$($content: Into<Content>),+> IntoToolResult for ($($content,)+) {
            fn into_tool_result(self) -> ToolResult {
                let ($($content,)+) = self;
                CallResult::new([$($content.into()),+]).into_tool_result()
            }
        }

        #[allow(non_snake_case, reason = "the macro takes the names of types for values")]
        impl<$($content: Into<Content>,)+ Value: Serialize + JsonSchema> IntoToolResult for ($($content,)+ Json<Value>) {
            fn into_tool_result(self) -> ToolResult {
                let ($($content,)+ Json(value)) = self;
                match RawJson::from_value(&value) {
                    Ok(raw) => CallResult::new([$($content.into()),+]).structured_content(raw).into_tool_result(),
                    Err(error) => ToolResult::unwritable(&error),
                }
            }

            fn output_schema() -> Option<Schema> {
                Json::<Value>::output_schema()
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);

impl<T: IntoToolResult, E: IntoToolError> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> ToolResult {
        match self {
            Ok(value) => value.into_tool_result(),
            Err(error) => error.into_tool_error(),
        }
    }

    fn output_schema() -> Option<Schema> {
        T::output_schema()
    }
}

/// A result that every revision writes as it is.
fn plain(raw: Raw) -> Payload {
    Payload { is_plain: true, ..raw.into() }
}
