use std::sync::Arc;

use super::{
    super::{Connector, client},
    channel::Channel,
};

/// Reaches a server by HTTP+SSE, the transport of revision 2024-11-05, at the address of its stream.
///
/// It has the stateful era alone. Messages are sent to the address that the server names first, which must be of the same
/// origin. The end of the stream is the end of the connection.
///
/// ```
/// # #[cfg(feature = "http-server")]
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
/// # #[cfg(not(feature = "http-server"))]
/// # fn main() {}
/// ```
///
/// An address that is none, or a header that cannot be, is told when it connects.
pub fn sse_client(url: &str) -> Connector {
    let mut connector = client(url);
    connector.other = Some(|| Arc::new(Channel::new(true)));
    connector
}

impl Connector {
    /// Goes on by HTTP+SSE, the transport of revision 2024-11-05, where the server refuses `initialize` with a status
    /// such as 404 or 405 and offers a stream of that transport at the same address.
    ///
    /// ```
    /// use mcpeer::transport::http;
    ///
    /// let connector = http::client("http://localhost:8080/sse").or_sse();
    /// # drop(connector);
    /// ```
    #[must_use]
    pub fn or_sse(mut self) -> Self {
        self.other = Some(|| Arc::new(Channel::new(false)));
        self
    }
}
