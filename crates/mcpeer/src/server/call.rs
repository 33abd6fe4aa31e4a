use std::borrow::Cow;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, de::DeserializeOwned};

use super::{FromContext, ToolResult, schema};
use crate::{
    handler::{Context, Needed},
    rpc::{self, RawRef},
};

/// A call of a tool as it arrived: the tool's name and the arguments, still text.
///
/// ```
/// use mcpeer::{rpc::Raw, server::ToolCall};
///
/// let params = Raw::parse(r#"{"name":"add","arguments":{"a":1,"b":2}}"#)?;
/// let call = ToolCall::read(Some(params.borrow())).unwrap();
/// assert_eq!(call.name(), "add");
/// assert_eq!(call.arguments().unwrap().as_str(), r#"{"a":1,"b":2}"#);
/// # Ok::<(), mcpeer::rpc::Unreadable>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall<'a> {
    name: Cow<'a, str>,
    arguments: Option<RawRef<'a>>,
}

impl<'a> ToolCall<'a> {
    /// Finds the name and the arguments in the params of a `tools/call`. Arguments that are `null` count as absent.
    ///
    /// # Errors
    ///
    /// The params do not fit the method: −32602 that names the member.
    ///
    /// ```
    /// use mcpeer::{rpc::Raw, server::ToolCall};
    ///
    /// let params = Raw::parse(r#"{"name":"add","arguments":[1]}"#)?;
    /// let error = ToolCall::read(Some(params.borrow())).unwrap_err();
    /// assert_eq!(error.message, "`params.arguments`: expected an object, found an array");
    /// # Ok::<(), mcpeer::rpc::Unreadable>(())
    /// ```
    pub fn read(params: Option<RawRef<'a>>) -> Result<Self, rpc::Error> {
        let mut name = None;
        let mut arguments = None;
        for (member, value) in object(params)? {
            match &*member {
                "name" if name.is_none() => name = Some(string("params.name", value)?),
                "arguments" if arguments.is_none() => arguments = Some(value),
                _ => {}
            }
        }
        let Some(name) = name else { return Err(invalid("`params.name` is missing")) };
        match arguments.filter(|arguments| !arguments.is_null()) {
            Some(other) if !other.is_object() => Err(mismatch("params.arguments", "an object", other)),
            arguments => Ok(Self { name, arguments }),
        }
    }

    /// Gives the name of the tool.
    ///
    /// ```
    /// use mcpeer::{rpc::Raw, server::ToolCall};
    ///
    /// let params = Raw::parse(r#"{"name":"add"}"#)?;
    /// assert_eq!(ToolCall::read(Some(params.borrow())).unwrap().name(), "add");
    /// # Ok::<(), mcpeer::rpc::Unreadable>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives the arguments, an object; `None` where the call has none.
    ///
    /// ```
    /// use mcpeer::{rpc::Raw, server::ToolCall};
    ///
    /// let params = Raw::parse(r#"{"name":"add"}"#)?;
    /// assert!(ToolCall::read(Some(params.borrow())).unwrap().arguments().is_none());
    /// # Ok::<(), mcpeer::rpc::Unreadable>(())
    /// ```
    pub fn arguments(&self) -> Option<RawRef<'a>> {
        self.arguments
    }

    /// Decodes the arguments into a type; absent ones as an empty object.
    ///
    /// # Errors
    ///
    /// The arguments do not fit the type: a result that tells the model so, with the path to the member, what was
    /// expected there and what was found.
    ///
    /// ```
    /// use mcpeer::{rpc::Raw, server::ToolCall};
    ///
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Add {
    ///     a: f64,
    ///     b: f64,
    /// }
    ///
    /// let params = Raw::parse(r#"{"name":"add","arguments":{"a":1,"b":2}}"#)?;
    /// let add: Add = ToolCall::read(Some(params.borrow())).unwrap().decode().unwrap();
    /// assert_eq!(add.a + add.b, 3.0);
    /// # Ok::<(), mcpeer::rpc::Unreadable>(())
    /// ```
    pub fn decode<T: Deserialize<'a>>(&self) -> Result<T, ToolResult> {
        let text = self.arguments.map_or("{}", RawRef::as_str);
        serde_json::from_str(text).map_err(|error| {
            let reason = rpc::explain::explain("arguments", text, &error);
            ToolResult::error(format_args!("the arguments do not fit the tool `{}`: {reason}", self.name))
        })
    }
}

/// What a handler of a tool can ask for: a parameter of the handler, made out of the call.
///
/// [`Args`] gives the arguments; everything that is [`FromContext`] can be a parameter, too. Parameters may stand in any
/// order.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     server::{FromCall, ToolCall, ToolResult},
/// };
///
/// /// The name that the tool was called by.
/// struct Name(String);
///
/// impl FromCall for Name {
///     fn from_call(call: &ToolCall<'_>, _: &Context) -> Result<Self, ToolResult> {
///         Ok(Self(call.name().to_owned()))
///     }
/// }
///
/// mcpeer::server::Server::builder("names", "1.0.0")
///     .tool("who", async |Name(name): Name| name)
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool's handler",
    note = "parameters are `Args<T>`, `Context`, `State<S>`, `Principal`, `Claims<T>`, `Progress`, or types of your own that implement `FromCall` or `FromContext`"
)]
pub trait FromCall: Sized + Send + 'static {
    /// Makes the parameter out of a call.
    ///
    /// # Errors
    ///
    /// It cannot be made; this is the result of the call then.
    fn from_call(call: &ToolCall<'_>, cx: &Context) -> Result<Self, ToolResult>;

    /// Gives the schema of the arguments, where this parameter is what reads them.
    fn input_schema() -> Option<Schema> {
        None
    }

    /// Gives the state that this parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
    }
}

/// The arguments of a call, decoded into a type. The type's schema is what the tool advertises.
///
/// ```
/// use mcpeer::server::{Args, Server};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Greet {
///     /// Who is greeted.
///     name: String,
/// }
///
/// let server = Server::builder("greeter", "1.0.0")
///     .tool("greet", async |Args(greet): Args<Greet>| format!("Hello, {}!", greet.name))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Args<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> FromCall for Args<T> {
    fn from_call(call: &ToolCall<'_>, _: &Context) -> Result<Self, ToolResult> {
        let decoded = call.decode();
        // To JSON Schema `1.0` is an integer, to serde it is not.
        if decoded.is_err()
            && let Some(arguments) = call.arguments
            && let Some(text) = rpc::numbers::without_zero_fractions(arguments.as_str())
        {
            let name = Cow::Borrowed(&*call.name);
            let call = ToolCall { name, arguments: Some(RawRef::trusted(&text)) };
            return call.decode().map(Self);
        }
        decoded.map(Self)
    }

    fn input_schema() -> Option<Schema> {
        Some(schema::input::<T>())
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> FromCall for T {
    #[inline]
    fn from_call(_: &ToolCall<'_>, cx: &Context) -> Result<Self, ToolResult> {
        T::from_context(cx).map_err(ToolResult::protocol_error)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromContext>::needed_state()
    }
}

/// Gives the members of params; absent and `null` params have none.
pub(super) fn object(params: Option<RawRef<'_>>) -> Result<rpc::Members<'_>, rpc::Error> {
    match params {
        None => Ok(RawRef::trusted("{}").members()),
        Some(params) if params.is_object() || params.is_null() => Ok(params.members()),
        Some(other) => Err(mismatch("params", "an object", other)),
    }
}

/// Reads a string out of params.
pub(super) fn string<'a>(place: &str, value: RawRef<'a>) -> Result<Cow<'a, str>, rpc::Error> {
    value.as_string().ok_or_else(|| mismatch(place, "a string", value))
}

fn mismatch(place: &str, expected: &str, found: RawRef<'_>) -> rpc::Error {
    let found = match found.as_str().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    };
    invalid(format!("`{place}`: expected {expected}, found {found}"))
}

fn invalid(message: impl Into<Cow<'static, str>>) -> rpc::Error {
    rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
}
