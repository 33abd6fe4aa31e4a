use schemars::Schema;

use super::{
    FromCall, IntoToolResult, ToolCall, ToolResult,
    arguments::Arguments,
    family::{Family, FromRequest, Handler, IntoOutcome, Tools},
};
use crate::handler::{Context, Needed, Reply};

/// What can handle the calls of a tool: a closure or function of up to six [parameters](FromCall), async or not, whose
/// result is [`IntoToolResult`].
///
/// One that is not async is done at once, on the task of the connection, which serves nothing else meanwhile: it must be
/// short and must not block. What takes longer is async, or [`blocking`](super::blocking).
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     server::{Args, Server},
/// };
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Wait {
///     steps: u32,
/// }
///
/// async fn wait(cx: Context, Args(wait): Args<Wait>) -> String {
///     for step in 0..wait.steps {
///         cx.progress(step.into(), Some(wait.steps.into()), None).await;
///     }
///     format!("{} steps", wait.steps)
/// }
///
/// let server = Server::builder("waiter", "1.0.0")
///     .tool("wait", wait)
///     .tool("none", |Args(wait): Args<Wait>| (wait.steps == 0).to_string())
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
///
/// An async closure that uses something of its surroundings gives each call a copy: `move |Args(add): Args<Add>| { let
/// log = log.clone(); async move { … } }`.
#[diagnostic::on_unimplemented(
    message = "this cannot handle the calls of a tool",
    label = "not a function of up to six `FromCall` parameters that returns `IntoToolResult`",
    note = "parameters are `Args<T>` (where `T` is `Deserialize + JsonSchema`), `Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress`, each given with its type",
    note = "the result is text, `()`, `Json<T>` (where `T` is `Serialize + JsonSchema`), `model::Content` or one of its kinds, a `Vec` or tuple of these, `tools::CallResult`, or a `Result` of one of these"
)]
pub trait ToolHandler<Signature>: Handler<Tools, Signature> {}

#[diagnostic::do_not_recommend]
impl<Signature, H: Handler<Tools, Signature>> ToolHandler<Signature> for H {}

impl Family for Tools {
    type Asked<'a> = ToolCall<'a>;
    type Refusal = ToolResult;
    type Outcome = ToolResult;
    /// That revisions which know only objects get the structured content inside one.
    type Ending = bool;
    type Told = Arguments;

    #[inline]
    fn reply(outcome: ToolResult, wraps_output: bool) -> Reply {
        outcome.into_reply(wraps_output)
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromCall> FromRequest<Tools> for T {
    #[inline]
    fn from_request(call: &ToolCall<'_>, cx: &Context) -> Result<Self, ToolResult> {
        T::from_call(call, cx)
    }

    fn tell(arguments: &mut Arguments) {
        if let Some(schema) = T::input_schema() {
            arguments.add_all(schema);
        }
    }

    fn needed_state() -> Option<Needed> {
        <T as FromCall>::needed_state()
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoToolResult> IntoOutcome<Tools> for T {
    #[inline]
    fn into_outcome(self) -> ToolResult {
        self.into_tool_result()
    }

    fn output_schema() -> Option<Schema> {
        <T as IntoToolResult>::output_schema()
    }
}
