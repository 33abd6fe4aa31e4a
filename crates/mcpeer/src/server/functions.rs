use std::fmt::Display;

use super::ProtocolError;
use crate::{driver::BoxFuture, handler::Context, rpc};

/// A handler without its type: what it is asked, and what comes of it.
pub(super) type Handler<Asked, Outcome> = Box<dyn Fn(&Asked, &Context) -> BoxFuture<Outcome> + Send + Sync>;

/// Implements a trait of handlers for async functions of up to six parameters.
macro_rules! functions {
    ($handler:ident, $asked:ty, $from:ident :: $make:ident, $into:ident :: $convert:ident -> $outcome:ty) => {
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome;);
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome; A);
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome; A B);
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome; A B C);
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome; A B C D);
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome; A B C D E);
        functions!(@one $handler, $asked, $from::$make, $into::$convert -> $outcome; A B C D E G);
    };
    (@one $handler:ident, $asked:ty, $from:ident :: $make:ident, $into:ident :: $convert:ident -> $outcome:ty;
        $($parameter:ident)*) => {
        impl<F, Running, Returned, $($parameter),*> $handler<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Running + Send + Sync + 'static,
            Running: Future<Output = Returned> + Send + 'static,
            Returned: $into,
            $($parameter: $from,)*
        {
            fn arguments(&self) -> Vec<crate::model::prompts::Argument> {
                #[allow(unused_mut, reason = "there may be no parameter")]
                let mut arguments = Vec::new();
                $(arguments.extend($parameter::arguments());)*
                arguments
            }

            #[allow(unused_variables, non_snake_case, reason = "the macro takes the names of types for values")]
            fn run(&self, asked: &$asked, cx: &crate::handler::Context) -> crate::driver::BoxFuture<$outcome> {
                $(
                    let $parameter = match $parameter::$make(asked, cx) {
                        Ok(parameter) => parameter,
                        Err(error) => return Box::pin(std::future::ready(error.into())),
                    };
                )*
                let running = self($($parameter),*);
                Box::pin(async move { running.await.$convert() })
            }
        }
    };
}
pub(super) use functions;

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
