use std::borrow::Cow;

use crate::{
    handler::{self, Context, Reply},
    rpc::{self, Raw, RawRef},
    server::ToolResult,
};

/// A request on its way to its handler.
///
/// ```
/// use mcpeer::server::layer::Request;
///
/// fn is_dangerous(request: &Request) -> bool {
///     request.tool().is_some_and(|name| name.starts_with("delete"))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    params: Option<Raw>,
    cx: Context,
}

impl Request {
    pub(super) fn new(params: Option<Raw>, cx: Context) -> Self {
        Self { params, cx }
    }

    /// Gives the method.
    ///
    /// ```
    /// # use mcpeer::server::layer::Request;
    /// fn is_call(request: &Request) -> bool {
    ///     request.method() == "tools/call"
    /// }
    /// ```
    pub fn method(&self) -> &str {
        self.cx.method()
    }

    /// Gives the params, without what belongs to the protocol.
    ///
    /// ```
    /// # use mcpeer::server::layer::Request;
    /// fn length(request: &Request) -> usize {
    ///     request.params().map_or(0, |params| params.as_str().len())
    /// }
    /// ```
    pub fn params(&self) -> Option<&Raw> {
        self.params.as_ref()
    }

    /// Replaces the params.
    ///
    /// ```
    /// use mcpeer::{rpc::Raw, server::layer::Request};
    ///
    /// fn to_echo(request: Request) -> Request {
    ///     request.with_params(Raw::parse(r#"{"name":"echo"}"#).unwrap())
    /// }
    /// ```
    #[must_use]
    pub fn with_params(mut self, params: Raw) -> Self {
        self.params = Some(params);
        self
    }

    /// Gives the name of the tool that is called, where one is.
    ///
    /// ```
    /// # use mcpeer::server::layer::Request;
    /// fn is_echo(request: &Request) -> bool {
    ///     request.tool().as_deref() == Some("echo")
    /// }
    /// ```
    pub fn tool(&self) -> Option<Cow<'_, str>> {
        self.call_member("name")?.as_string()
    }

    /// Gives the arguments of the tool that is called.
    ///
    /// ```
    /// # use mcpeer::server::layer::Request;
    /// fn has_arguments(request: &Request) -> bool {
    ///     request.arguments().is_some()
    /// }
    /// ```
    pub fn arguments(&self) -> Option<RawRef<'_>> {
        self.call_member("arguments")
    }

    /// Gives the circumstances: who asks, whether they still wait.
    ///
    /// ```
    /// # use mcpeer::server::layer::Request;
    /// fn is_known(request: &Request) -> bool {
    ///     request.context().principal().is_some()
    /// }
    /// ```
    pub fn context(&self) -> &Context {
        &self.cx
    }

    /// Makes the reply that refuses the request: for a tool a result with `isError`, which the model sees, and
    /// otherwise −32603.
    ///
    /// ```
    /// use mcpeer::{handler::Reply, server::layer::Request};
    ///
    /// fn refuse_at_night(request: &Request) -> Reply {
    ///     request.refuse("the library is closed; come back in the morning")
    /// }
    /// ```
    pub fn refuse(&self, reason: impl Into<String>) -> Reply {
        if self.method() == "tools/call" {
            ToolResult::error(reason.into()).into_reply(false)
        } else {
            Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, reason.into()))
        }
    }

    pub(super) fn into_parts(self) -> (handler::Request, Context) {
        (handler::Request { method: self.cx.method().to_owned().into(), params: self.params }, self.cx)
    }

    fn call_member(&self, name: &str) -> Option<RawRef<'_>> {
        let params = self.params.as_ref().filter(|_| self.method() == "tools/call")?;
        params.borrow().member(name)
    }
}
