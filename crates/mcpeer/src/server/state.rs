use std::{
    any::type_name,
    ops::{Deref, DerefMut},
};

use super::FromContext;
use crate::{
    handler::{Context, Needed},
    rpc,
};

/// What the handlers of a server share, given to [`Builder::state`](super::Builder::state): one value of each type.
/// Each request gets a clone, so what is large or changes goes into an [`Arc`](std::sync::Arc).
///
/// A handler that asks for a type that the builder was not given makes [`build`](super::Builder::build) fail.
///
/// ```
/// use std::sync::{
///     Arc,
///     atomic::{AtomicU64, Ordering},
/// };
///
/// use mcpeer::server::{Server, State};
///
/// async fn count(State(counter): State<Arc<AtomicU64>>) -> String {
///     counter.fetch_add(1, Ordering::Relaxed).to_string()
/// }
///
/// let server = Server::builder("counter", "1.0.0").state(Arc::new(AtomicU64::new(1))).tool("count", count).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State<S>(pub S);

impl<S> Deref for State<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> DerefMut for State<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.0
    }
}

impl<S: Clone + Send + Sync + 'static> FromContext for State<S> {
    fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
        cx.state().map(Self).ok_or_else(|| {
            tracing::error!(state = type_name::<S>(), "the server was not given this state");
            rpc::Error::new(rpc::Error::INTERNAL_ERROR, "internal error")
        })
    }

    fn needed_state() -> Option<Needed> {
        Some(Needed::of::<S>())
    }
}
