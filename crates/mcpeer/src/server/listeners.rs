use std::{borrow::Borrow, fmt, sync::Arc};

use super::{Server, connections::Connections};
use crate::{
    error::{Error, Result},
    model::Notification,
    proto::io::{Change, Principal},
    rpc::Raw,
};

/// Those who listen on a server for changes that an [extension](crate::extension) defines, on all its connections.
/// Cheap to clone. [`Builder::listeners`](super::Builder::listeners) and [`Server::listeners`] give it.
///
/// ```
/// use mcpeer::{
///     extension::Extension,
///     model::{EmptyParams, Notification},
///     server::Server,
/// };
///
/// enum Closed {}
///
/// impl Notification for Closed {
///     const METHOD: &'static str = "notifications/com.example/tickets/closed";
///     type Params = EmptyParams;
/// }
///
/// let server = Server::builder("desk", "1.0.0")
///     .extension(Extension::new("com.example/tickets").filter("com.example/ticketIds", Closed::METHOD))
///     .build()?;
/// // Told to every stream whose filter says `"com.example/ticketIds":["7"]`.
/// server.listeners().tell::<Closed>("7", EmptyParams::new())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Listeners {
    connections: Arc<Connections>,
    only: Option<Principal>,
}

impl Listeners {
    pub(super) fn new(connections: Arc<Connections>) -> Self {
        Self { connections, only: None }
    }

    /// Gives those of one principal alone.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// # let server = Server::builder("desk", "1.0.0").build()?;
    /// let own = server.listeners().of("alice");
    /// # let _ = own;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn of(&self, principal: &str) -> Self {
        Self { only: Some(Principal(principal.into())), ..self.clone() }
    }

    /// Tells of a change all whose [filter](crate::extension::Extension::filter) for this notification names the key.
    /// Where one reads slowly, what it was not told yet of the same key is replaced: a notification tells a state.
    ///
    /// # Errors
    ///
    /// The params cannot be written as JSON.
    ///
    /// ```
    /// use mcpeer::model::extensions::tasks::{Changed, Task};
    /// # use mcpeer::server::Listeners;
    ///
    /// fn tell(listeners: &Listeners, task: &Task) -> mcpeer::error::Result<()> {
    ///     listeners.tell::<Changed>(&task.task_id, task)
    /// }
    /// ```
    pub fn tell<N: Notification>(&self, key: impl Into<String>, params: impl Borrow<N::Params>) -> Result<()> {
        let params = Raw::from_value(params.borrow()).map_err(|source| {
            Error::misuse(format!("the params of `{}` cannot be written as JSON", N::METHOD)).with_source(source)
        })?;
        let change = Change::Extension { method: N::METHOD.into(), key: key.into(), params, only: self.only.clone() };
        self.connections.publish(&change);
        Ok(())
    }

    /// Tells every client that wants to hear it that the list of resources has changed, as
    /// [`Server::resources_changed`] does: [`of`](Self::of) makes no difference.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("desk", "1.0.0");
    /// builder.listeners().resources_changed();
    /// ```
    pub fn resources_changed(&self) {
        self.connections.publish(&Change::Resources);
    }

    /// Tells every client that follows this resource and may see it that it has changed, as
    /// [`Server::resource_updated`] does: [`of`](Self::of) makes no difference.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("desk", "1.0.0");
    /// builder.listeners().resource_updated("desk://open");
    /// ```
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.connections.publish(&Change::Resource { uri: uri.into() });
    }
}

impl Server {
    /// Gives the way to tell those who listen of changes that an [extension](crate::extension) defines.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("desk", "1.0.0").build()?;
    /// let listeners = server.listeners();
    /// # let _ = listeners;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn listeners(&self) -> Listeners {
        Listeners::new(self.router.connections.clone())
    }
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners").field("only", &self.only).finish_non_exhaustive()
    }
}
