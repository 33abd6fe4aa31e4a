use super::Server;
use crate::proto::io::Change;

impl Server {
    /// Tells every client that wants to hear it that the list of tools has changed.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.tools_changed();
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn tools_changed(&self) {
        self.publish(&Change::Tools);
    }

    /// Tells every client that wants to hear it that the list of prompts has changed.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").build()?;
    /// server.prompts_changed();
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn prompts_changed(&self) {
        self.publish(&Change::Prompts);
    }

    /// Tells every client that wants to hear it that the list of resources, or of their templates, has changed.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").build()?;
    /// server.resources_changed();
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn resources_changed(&self) {
        self.publish(&Change::Resources);
    }

    /// Tells every client that follows this resource, or one that it lies under, that it has changed.
    ///
    /// ```
    /// # use mcpeer::server::Server;
    /// let server = Server::builder("clock", "1.0.0").build()?;
    /// server.resource_updated("clock://now");
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.publish(&Change::Resource { uri: uri.into() });
    }
}
