use std::{
    any::{Any, TypeId, type_name},
    fmt,
    sync::Arc,
};

use super::{Context, ask::Rounds};

/// What a server has at hand for each of its requests.
pub(crate) struct Application {
    pub(crate) rounds: Arc<Rounds>,
    pub(crate) states: States,
}

impl Application {
    /// Gives what the server of a request has at hand, if it is one.
    pub(super) fn of(cx: &Context) -> Option<&Self> {
        cx.0.remote().options().application.as_deref()?.downcast_ref()
    }
}

impl Context {
    /// Gives what the handlers of the server share: a clone of the value of this type that its
    /// [builder](crate::server::Builder::state) was given. A handler asks for it as
    /// [`State`](crate::server::State); this is for parameters of one's own.
    ///
    /// ```
    /// # use mcpeer::handler::Context;
    /// fn greeting(cx: &Context) -> String {
    ///     cx.state::<String>().unwrap_or_else(|| "Hello".to_owned())
    /// }
    /// ```
    pub fn state<S: Clone + Send + Sync + 'static>(&self) -> Option<S> {
        Application::of(self)?.states.get()
    }
}

/// A type of state that a parameter of a handler needs.
#[doc(hidden)]
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

    pub(crate) fn name(self) -> &'static str {
        self.name
    }
}

/// The state of a server: one value of each type.
#[derive(Clone, Default)]
pub(crate) struct States(Vec<(TypeId, Arc<dyn Any + Send + Sync>)>);

impl States {
    /// Takes a value in place of an earlier one of its type.
    pub(crate) fn insert<S: Send + Sync + 'static>(&mut self, state: S) {
        let id = TypeId::of::<S>();
        self.0.retain(|(other, _)| *other != id);
        self.0.push((id, Arc::new(state)));
    }

    /// Gives the first type that is needed and not there.
    pub(crate) fn missing(&self, needed: &[Needed]) -> Option<Needed> {
        needed.iter().copied().find(|needed| self.0.iter().all(|(id, _)| *id != needed.id))
    }

    /// Gives a clone of the value of this type.
    pub(crate) fn get<S: Clone + 'static>(&self) -> Option<S> {
        let id = TypeId::of::<S>();
        let (_, state) = self.0.iter().find(|(other, _)| *other == id)?;
        state.downcast_ref::<S>().cloned()
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "States({})", self.0.len())
    }
}
