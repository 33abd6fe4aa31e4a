use std::fmt::Display;

use super::ProtocolError;
use crate::rpc;

/// What the error of a handler of resources, prompts or completions becomes.
///
/// An error that can be displayed is written to the log, and the client is told only that there was one: what it says
/// may be no business of the client's. What the client is to see is a [`ProtocolError`].
pub trait IntoHandlerError {
    /// Makes the error of the request.
    #[doc(hidden)]
    fn into_handler_error(self) -> rpc::Error;
}

impl<E: Display> IntoHandlerError for E {
    fn into_handler_error(self) -> rpc::Error {
        tracing::error!(error = %self, "a handler failed");
        rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the server failed to answer; its log says why")
    }
}

impl IntoHandlerError for ProtocolError {
    fn into_handler_error(self) -> rpc::Error {
        self.0
    }
}

impl ProtocolError {
    /// Says that there is no such resource, with the code that the revision has for it.
    ///
    /// ```
    /// use mcpeer::server::ProtocolError;
    ///
    /// let error = ProtocolError::resource_not_found("file:///none");
    /// assert_eq!(error.0.data.unwrap().as_str(), r#"{"uri":"file:///none"}"#);
    /// ```
    pub fn resource_not_found(uri: &str) -> Self {
        let data = rpc::Raw::from_value(&serde_json::json!({"uri": uri})).expect("text can always be written");
        let message = format!("resource not found: {uri}");
        Self(rpc::Error::new(crate::model::legacy::RESOURCE_NOT_FOUND, message).with_data(data))
    }

    /// Says that the params of the request will not do, and why.
    ///
    /// ```
    /// use mcpeer::server::ProtocolError;
    ///
    /// assert_eq!(ProtocolError::invalid_params("there is no such month").0.code, -32602);
    /// ```
    pub fn invalid_params(reason: impl Into<String>) -> Self {
        Self(rpc::Error::new(rpc::Error::INVALID_PARAMS, reason.into()))
    }
}
