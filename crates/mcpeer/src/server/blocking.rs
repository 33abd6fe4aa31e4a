use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use tokio::sync::oneshot;

use crate::{
    handler::{Context, Reply},
    rpc,
};

/// Lets a function that blocks or computes for long be a handler, of whatever kind: it runs on a thread for such work, by
/// [`Spawn::spawn_blocking`](crate::driver::Spawn::spawn_blocking), and the connection goes on meanwhile.
///
/// A panic fails its request alone. Nothing can stop the function from outside: one that runs for long asks
/// [`Context::is_cancelled`] now and then.
///
/// ```
/// use mcpeer::server::{Args, Resource, Server, blocking};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Read {
///     path: String,
/// }
///
/// let server = Server::builder("files", "1.0.0")
///     .tool("read", blocking(|Args(read): Args<Read>| std::fs::read_to_string(read.path)))
///     .resource(Resource::new("file:///notes.txt", "notes"), blocking(|| std::fs::read("/notes.txt")))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
pub fn blocking<F>(handler: F) -> Blocking<F> {
    Blocking(Arc::new(handler))
}

/// A handler that runs on threads for blocking work; [`blocking`] makes it.
#[derive(Debug)]
pub struct Blocking<F>(pub(super) Arc<F>);

/// Runs work on a thread for such, and panics here where it panics there.
pub(super) async fn elsewhere(cx: Context, work: impl FnOnce() -> Reply + Send + 'static) -> Reply {
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
