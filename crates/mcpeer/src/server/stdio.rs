use super::Server;
use crate::{
    error::{Error, Result},
    transport,
};

impl Server {
    /// Serves the client at standard input and output, as a host starts it, to the end of the input.
    ///
    /// Nothing else may be written to standard output meanwhile; standard error is free.
    ///
    /// # Errors
    ///
    /// Standard input or output cannot be used, or broke.
    ///
    /// ```no_run
    /// use mcpeer::server::Server;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// server.serve_stdio().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn serve_stdio(&self) -> Result<()> {
        let stdio =
            transport::stdio().map_err(|source| Error::connect("standard input and output cannot be used", source))?;
        self.serve(stdio).await
    }
}
