use schemars::Schema;

use super::{FromCall, IntoToolResult, ToolCall, ToolResult, state::Needed};
use crate::handler::{Context, Run};

/// What can handle the calls of a tool: an async closure or function of up to six [parameters](FromCall), whose result
/// is [`IntoToolResult`].
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
/// let server = Server::builder("waiter", "1.0.0").tool("wait", wait).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
///
/// A closure that uses something of its surroundings gives each call a copy: `move |Args(add): Args<Add>| { let log =
/// log.clone(); async move { … } }`.
#[diagnostic::on_unimplemented(
    message = "this cannot handle the calls of a tool",
    label = "not an async function of up to six `FromCall` parameters that returns `IntoToolResult`",
    note = "parameters are `Args<T>` (where `T` is `Deserialize + JsonSchema`), `Context`, `State<S>`, `Principal` and `Progress`, each given with its type",
    note = "the result is text, `()`, `Json<T>` (where `T` is `Serialize + JsonSchema`), `model::Content` or one of its kinds, a `Vec` or tuple of these, `tools::CallResult`, or a `Result` of one of these",
    note = "a closure that is not async goes to `sync_tool`"
)]
pub trait ToolHandler<Signature>: Send + Sync + 'static {
    /// Gives the schema of the arguments, where a parameter reads them.
    #[doc(hidden)]
    fn input_schema(&self) -> Option<Schema>;

    /// Gives the schema of the structured content, where what it returns has one.
    #[doc(hidden)]
    fn output_schema(&self) -> Option<Schema>;

    /// Gives the states that its parameters are made of.
    #[doc(hidden)]
    fn needed_states(&self) -> Vec<Needed>;

    /// Runs a call. `wraps_output` is what the tool's output schema says about its results.
    #[doc(hidden)]
    fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run;
}

/// What can handle the calls of a tool without waiting: as [`ToolHandler`], but not async.
///
/// It runs on the task of the connection, which serves nothing else meanwhile: it must be short and must not block.
///
/// ```
/// use mcpeer::server::{Args, Server};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Add {
///     a: f64,
///     b: f64,
/// }
///
/// let server = Server::builder("adder", "1.0.0")
///     .sync_tool("add", |Args(add): Args<Add>| (add.a + add.b).to_string())
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot handle the calls of a tool",
    label = "not a function of up to six `FromCall` parameters that returns `IntoToolResult`",
    note = "parameters are `Args<T>` (where `T` is `Deserialize + JsonSchema`), `Context`, `State<S>`, `Principal` and `Progress`, each given with its type",
    note = "the result is text, `()`, `Json<T>` (where `T` is `Serialize + JsonSchema`), `model::Content` or one of its kinds, a `Vec` or tuple of these, `tools::CallResult`, or a `Result` of one of these",
    note = "an async closure goes to `tool`"
)]
pub trait SyncToolHandler<Signature>: Send + Sync + 'static {
    /// Gives the schema of the arguments, where a parameter reads them.
    #[doc(hidden)]
    fn input_schema(&self) -> Option<Schema>;

    /// Gives the schema of the structured content, where what it returns has one.
    #[doc(hidden)]
    fn output_schema(&self) -> Option<Schema>;

    /// Gives the states that its parameters are made of.
    #[doc(hidden)]
    fn needed_states(&self) -> Vec<Needed>;

    /// Runs a call.
    #[doc(hidden)]
    fn run(&self, call: &ToolCall<'_>, cx: &Context) -> ToolResult;
}

/// Implements both traits for functions of some number of parameters.
macro_rules! handlers {
    ($($parameter:ident)*) => {
        impl<F, Running, Returned, $($parameter),*> ToolHandler<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Running + Send + Sync + 'static,
            Running: Future<Output = Returned> + Send + 'static,
            Returned: IntoToolResult,
            $($parameter: FromCall,)*
        {
            fn input_schema(&self) -> Option<Schema> {
                None$(.or_else($parameter::input_schema))*
            }

            fn output_schema(&self) -> Option<Schema> {
                Returned::output_schema()
            }

            fn needed_states(&self) -> Vec<Needed> {
                let needed: Vec<Option<Needed>> = vec![$($parameter::needed_state()),*];
                needed.into_iter().flatten().collect()
            }

            #[allow(unused_variables, non_snake_case, reason = "the macro takes the names of types for values")]
            fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
                $(
                    let $parameter = match $parameter::from_call(call, cx) {
                        Ok(parameter) => parameter,
                        Err(refusal) => return Run::Ready(refusal.into_reply(wraps_output)),
                    };
                )*
                let running = self($($parameter),*);
                Run::Pending(Box::pin(async move { running.await.into_tool_result().into_reply(wraps_output) }))
            }
        }

        impl<F, Returned, $($parameter),*> SyncToolHandler<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Returned + Send + Sync + 'static,
            Returned: IntoToolResult,
            $($parameter: FromCall,)*
        {
            fn input_schema(&self) -> Option<Schema> {
                None$(.or_else($parameter::input_schema))*
            }

            fn output_schema(&self) -> Option<Schema> {
                Returned::output_schema()
            }

            fn needed_states(&self) -> Vec<Needed> {
                let needed: Vec<Option<Needed>> = vec![$($parameter::needed_state()),*];
                needed.into_iter().flatten().collect()
            }

            #[allow(unused_variables, non_snake_case, reason = "the macro takes the names of types for values")]
            fn run(&self, call: &ToolCall<'_>, cx: &Context) -> ToolResult {
                $(
                    let $parameter = match $parameter::from_call(call, cx) {
                        Ok(parameter) => parameter,
                        Err(refusal) => return refusal,
                    };
                )*
                self($($parameter),*).into_tool_result()
            }
        }
    };
}

handlers!();
handlers!(A);
handlers!(A B);
handlers!(A B C);
handlers!(A B C D);
handlers!(A B C D E);
handlers!(A B C D E G);

/// A handler without its type.
pub(super) trait Handle: Send + Sync {
    fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run;
}

/// Hides the signature of an async handler.
pub(super) struct Waiting<H, Signature>(pub(super) H, pub(super) std::marker::PhantomData<fn(Signature)>);

impl<Signature, H: ToolHandler<Signature>> Handle for Waiting<H, Signature> {
    fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
        self.0.run(call, cx, wraps_output)
    }
}

/// Hides the signature of a handler that does not wait.
pub(super) struct Immediate<H, Signature>(pub(super) H, pub(super) std::marker::PhantomData<fn(Signature)>);

impl<Signature, H: SyncToolHandler<Signature>> Handle for Immediate<H, Signature> {
    fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
        Run::Ready(self.0.run(call, cx).into_reply(wraps_output))
    }
}
