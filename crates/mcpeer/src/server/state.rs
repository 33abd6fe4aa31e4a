use std::{
    any::{Any, TypeId, type_name},
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use super::{FromCall, ToolCall, ToolResult};
use crate::{handler::Context, rpc};

/// What the handlers of a server share, given to [`Builder::state`](super::Builder::state): one value of each type.
/// Each call gets a clone, so what is large or changes goes into an [`Arc`].
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

impl<S: Clone + Send + Sync + 'static> FromCall for State<S> {
    fn from_call(call: &ToolCall<'_>, _: &Context) -> Result<Self, ToolResult> {
        match call.states().get::<S>() {
            Some(state) => Ok(Self(state)),
            None => {
                tracing::error!(state = type_name::<S>(), "the server was not given this state");
                Err(ToolResult::protocol_error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "internal error")))
            }
        }
    }

    fn needed_state() -> Option<Needed> {
        Some(Needed::of::<S>())
    }
}

/// A type of state that a parameter of a handler needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needed {
    id: TypeId,
    name: &'static str,
}

impl Needed {
    /// Names a type.
    #[doc(hidden)]
    pub fn of<S: 'static>() -> Self {
        Self { id: TypeId::of::<S>(), name: type_name::<S>() }
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }
}

/// The state of a server: one value of each type.
#[derive(Clone, Default)]
pub(super) struct States(Vec<(TypeId, Arc<dyn Any + Send + Sync>)>);

impl States {
    /// Takes a value in place of an earlier one of its type.
    pub(super) fn insert<S: Send + Sync + 'static>(&mut self, state: S) {
        let id = TypeId::of::<S>();
        self.0.retain(|(other, _)| *other != id);
        self.0.push((id, Arc::new(state)));
    }

    pub(super) fn get<S: Clone + 'static>(&self) -> Option<S> {
        let id = TypeId::of::<S>();
        let (_, state) = self.0.iter().find(|(other, _)| *other == id)?;
        state.downcast_ref::<S>().cloned()
    }

    /// Gives the first type that is needed and not there.
    pub(super) fn missing(&self, needed: &[Needed]) -> Option<Needed> {
        needed.iter().copied().find(|needed| self.0.iter().all(|(id, _)| *id != needed.id))
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "States({})", self.0.len())
    }
}

/// What is there where nothing was given.
pub(super) static NO_STATES: States = States(Vec::new());
