use super::Http;
use crate::transport::http::server::http_sse;

impl Http {
    /// Serves HTTP+SSE, too, the transport of revision 2024-11-05 that Streamable HTTP has replaced: for clients that
    /// know nothing newer. They open a stream by GET at one path, and are told on it to send their messages to the other.
    ///
    /// All settings hold there as well. It has the stateful era alone, at each of its revisions that the server speaks;
    /// a session ends with its stream. A [bound](Self::bind) server is found at both paths; a mounted service has to be
    /// mounted at both of them, without the router cutting anything off.
    ///
    /// ```
    /// # #[cfg(feature = "http-client")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcpeer::{Client, Server, transport::http};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// let bound = server.http().sse("/sse", "/messages").bind("127.0.0.1:0").await?;
    /// let url = format!("http://{}/sse", bound.local_addr());
    /// tokio::spawn(bound.serve());
    ///
    /// let client = Client::builder("me", "1.0.0").connect(http::sse_client(&url)).await?;
    /// assert_eq!(client.call("now").await?.as_text(), "12:00");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "http-client"))]
    /// # fn main() {}
    /// ```
    pub fn sse(mut self, stream: impl Into<String>, messages: impl Into<String>) -> Self {
        self.beside = Some(http_sse(stream.into(), messages.into()));
        self
    }
}
