use std::borrow::Cow;

use super::{IntoHandlerError, resource_result::write};
use crate::{
    model::{
        Content,
        input::InputRequired,
        prompts::{GetResult, Message},
    },
    proto::io::Reply,
    rpc::{self, Raw},
};

/// What a handler of a prompt may return.
///
/// Text or other [`Content`], which the person says; messages; a whole [`GetResult`]; or a `Result` of these, whose error is logged and
/// hidden unless it is a [`ProtocolError`](super::ProtocolError).
///
/// ```
/// use mcpeer::server::{IntoPromptResult, PromptResult};
///
/// struct Question(&'static str);
///
/// impl IntoPromptResult for Question {
///     fn into_prompt_result(self) -> PromptResult {
///         format!("{}?", self.0).into_prompt_result()
///     }
/// }
/// # let _ = Question("why").into_prompt_result();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a prompt",
    note = "return text, `Content`, `Message`, `Vec<Message>`, `[Message; N]`, `GetResult`, or a `Result` of one of these"
)]
pub trait IntoPromptResult {
    /// Makes the result.
    fn into_prompt_result(self) -> PromptResult;
}

/// What a prompt came to, ready to be sent.
///
/// ```
/// use mcpeer::{model::prompts::{GetResult, Message}, server::PromptResult};
///
/// let result = PromptResult::from(GetResult::new([Message::user("Hello")]));
/// # let _ = result;
/// ```
#[derive(Debug)]
pub struct PromptResult(Outcome);

#[derive(Debug)]
enum Outcome {
    Whole(GetResult),
    InputRequired(Raw),
    Error(rpc::Error),
}

impl PromptResult {
    pub(super) fn into_reply(self) -> Reply {
        match self.0 {
            Outcome::Whole(result) => write(&result),
            Outcome::InputRequired(raw) => Reply::InputRequired(raw),
            Outcome::Error(error) => Reply::Error(error),
        }
    }
}

impl From<GetResult> for PromptResult {
    fn from(result: GetResult) -> Self {
        Self(Outcome::Whole(result))
    }
}

impl From<rpc::Error> for PromptResult {
    fn from(error: rpc::Error) -> Self {
        Self(Outcome::Error(error))
    }
}

impl IntoPromptResult for PromptResult {
    fn into_prompt_result(self) -> PromptResult {
        self
    }
}

/// The prompt asks the client for input, by hand: the handler runs anew with the answers, which
/// [`Context::input_responses`](crate::handler::Context::input_responses) gives.
impl IntoPromptResult for InputRequired {
    fn into_prompt_result(self) -> PromptResult {
        match Raw::from_value(&self) {
            Ok(raw) => PromptResult(Outcome::InputRequired(raw)),
            Err(error) => PromptResult(Outcome::Error(error.into_handler_error())),
        }
    }
}

impl IntoPromptResult for GetResult {
    fn into_prompt_result(self) -> PromptResult {
        self.into()
    }
}

impl IntoPromptResult for Vec<Message> {
    fn into_prompt_result(self) -> PromptResult {
        GetResult::new(self).into()
    }
}

impl<const N: usize> IntoPromptResult for [Message; N] {
    fn into_prompt_result(self) -> PromptResult {
        GetResult::new(self).into()
    }
}

impl IntoPromptResult for Message {
    fn into_prompt_result(self) -> PromptResult {
        [self].into_prompt_result()
    }
}

impl IntoPromptResult for String {
    fn into_prompt_result(self) -> PromptResult {
        Message::user(self).into_prompt_result()
    }
}

impl IntoPromptResult for &str {
    fn into_prompt_result(self) -> PromptResult {
        Message::user(self).into_prompt_result()
    }
}

impl IntoPromptResult for Cow<'_, str> {
    fn into_prompt_result(self) -> PromptResult {
        self.into_owned().into_prompt_result()
    }
}

/// What the person says, of whatever kind.
impl IntoPromptResult for Content {
    fn into_prompt_result(self) -> PromptResult {
        Message::user(self).into_prompt_result()
    }
}

impl<T: IntoPromptResult, E: IntoHandlerError> IntoPromptResult for Result<T, E> {
    fn into_prompt_result(self) -> PromptResult {
        match self {
            Ok(value) => value.into_prompt_result(),
            Err(error) => error.into_handler_error().into(),
        }
    }
}
