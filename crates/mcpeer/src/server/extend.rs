use super::{BuildError, Builder, Listeners, Tool};
use crate::{
    extension::{self, Extension},
    model::RawMap,
    proto::Config,
};

/// What can be added to a server as one: an [extension](crate::extension) and what serves it.
///
/// ```
/// use mcpeer::{
///     extension::{Extension, Method},
///     handler::Context,
///     model::{EmptyParams, EmptyResult, Request},
///     server::{Builder, Extend, Server},
/// };
///
/// enum Close {}
///
/// impl Request for Close {
///     const METHOD: &'static str = "com.example/tickets/close";
///     type Params = EmptyParams;
///     type Result = EmptyResult;
/// }
///
/// struct Tickets;
///
/// impl Extend for Tickets {
///     fn extend(self, builder: Builder) -> Builder {
///         builder
///             .extension(Extension::new("com.example/tickets").method(Method::request(Close::METHOD)))
///             .method::<Close, _>(async |_: EmptyParams, _: Context| Ok(EmptyResult::new()))
///     }
/// }
///
/// let server = Server::builder("desk", "1.0.0").extension(Tickets).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
pub trait Extend {
    /// Adds to a server what the extension is and does.
    fn extend(self, builder: Builder) -> Builder;
}

impl Extend for Extension {
    fn extend(self, mut builder: Builder) -> Builder {
        builder.extensions.push(self);
        builder
    }
}

impl Builder {
    /// Adds an [extension](crate::extension): the server declares it, and serves what it adds to clients that declare
    /// it, too.
    ///
    /// ```
    /// use mcpeer::{extension::Extension, server::Server};
    ///
    /// let server = Server::builder("desk", "1.0.0").extension(Extension::new("com.example/tickets")).build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn extension(self, extension: impl Extend) -> Self {
        extension.extend(self)
    }

    /// Gives the way to tell those who listen of changes that an [extension](crate::extension) defines; it works once
    /// the server serves.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let builder = Server::builder("desk", "1.0.0");
    /// let listeners = builder.listeners();
    /// # let _ = listeners;
    /// ```
    pub fn listeners(&self) -> Listeners {
        Listeners::new(self.connections.clone())
    }
}

/// Adds extensions to what a connection is told; gives what is declared of them.
pub(super) fn configure(extensions: &[Extension], config: &mut Config) -> Result<Option<RawMap>, BuildError> {
    if extensions.is_empty() {
        return Ok(None);
    }
    extension::check(extensions).map_err(|(identifier, reason)| BuildError::Extension { identifier, reason })?;
    let mut declared = RawMap::new();
    for extension in extensions {
        config.extensions.push(extension.rows());
        config.filters.extend(extension.listen_filters());
        extension.declare(&mut declared);
    }
    Ok(Some(declared))
}

/// Checks that the extensions are there that a tool needs.
pub(super) fn check_tool(tool: &Tool, extensions: &[Extension]) -> Result<(), BuildError> {
    let mut needed = tool.layers.iter().filter_map(|layer| layer.extension());
    let is_missing = |needed: &&str| extensions.iter().all(|known| known.identifier() != *needed);
    match needed.find(is_missing) {
        None => Ok(()),
        Some(identifier) => {
            let reason = format!("the tool `{}` needs it, and the server was not given it", tool.model.name);
            Err(BuildError::Extension { identifier: identifier.to_owned(), reason })
        }
    }
}
