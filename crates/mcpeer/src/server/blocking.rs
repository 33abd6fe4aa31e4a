use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use schemars::Schema;
use tokio::sync::oneshot;

use super::{FromCall, IntoToolResult, ToolCall, ToolHandler, state::Needed};
use crate::{
    handler::{Context, Reply, Run},
    rpc,
};

/// Lets a function that blocks or computes for long handle the calls of a tool: each call runs on a thread for such
/// work, by [`Spawn::spawn_blocking`](crate::driver::Spawn::spawn_blocking), and the connection goes on meanwhile.
///
/// A panic fails its call alone. Nothing can stop the function from outside: one that runs for long asks
/// [`Context::is_cancelled`] now and then.
///
/// ```
/// use mcpeer::server::{Args, Server, blocking};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Read {
///     path: String,
/// }
///
/// let server = Server::builder("files", "1.0.0")
///     .tool("read", blocking(|Args(read): Args<Read>| std::fs::read_to_string(read.path)))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
pub fn blocking<F>(handler: F) -> Blocking<F> {
    Blocking(Arc::new(handler))
}

/// A handler whose calls run on threads for blocking work; [`blocking`] makes it.
#[derive(Debug)]
pub struct Blocking<F>(Arc<F>);

/// Implements the trait for functions of some number of parameters.
macro_rules! blocking_handlers {
    ($($parameter:ident)*) => {
        impl<F, Returned, $($parameter),*> ToolHandler<($($parameter,)*)> for Blocking<F>
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
            fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
                $(
                    let $parameter = match $parameter::from_call(call, cx) {
                        Ok(parameter) => parameter,
                        Err(refusal) => return Run::Ready(refusal.into_reply(wraps_output)),
                    };
                )*
                let handler = self.0.clone();
                let work = move || handler($($parameter),*).into_tool_result().into_reply(wraps_output);
                Run::Pending(Box::pin(elsewhere(cx.clone(), work)))
            }
        }
    };
}

blocking_handlers!();
blocking_handlers!(A);
blocking_handlers!(A B);
blocking_handlers!(A B C);
blocking_handlers!(A B C D);
blocking_handlers!(A B C D E);
blocking_handlers!(A B C D E G);

/// Runs work on a thread for such, and panics here where it panics there.
async fn elsewhere(cx: Context, work: impl FnOnce() -> Reply + Send + 'static) -> Reply {
    let (sender, receiver) = oneshot::channel();
    cx.runtime().spawn.spawn_blocking(Box::new(move || {
        // Nobody may wait any more.
        drop(sender.send(catch_unwind(AssertUnwindSafe(work))));
    }));
    match receiver.await {
        Ok(Ok(reply)) => reply,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the server is too busy; try again later")),
    }
}
