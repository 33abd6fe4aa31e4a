use std::borrow::Borrow;

use super::{CallTool, Client, ListTools};
use crate::{
    error::{Error, Result},
    model::{Notification, Request, discover::DiscoverResult, logging::Level},
    peer::Call,
    rpc::Raw,
};

/// What a client asks of a server.
impl Client {
    /// Gives the list of the server's tools, to be asked for.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// for tool in client.tools().all().await? {
    ///     println!("{}", tool.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn tools(&self) -> ListTools {
        ListTools::new(self.clone())
    }

    /// Begins a call of a tool, by its name.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let result = client.call("add").arguments(&serde_json::json!({"a": 1, "b": 2})).await?;
    /// if result.is_failed() {
    ///     println!("the tool says that it failed: {}", result.as_text());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn call(&self, name: impl Into<String>) -> CallTool {
        CallTool::new(self.clone(), name.into())
    }

    /// Begins any request, by its type: what no verb of the client covers, and methods of your own.
    ///
    /// ```
    /// use mcpeer::model::tools::{List, ListParams};
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let page = client.request::<List>(ListParams::new()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<R: Request>(&self, params: impl Borrow<R::Params>) -> Call<R::Result> {
        self.peer().request::<R>(params)
    }

    /// Sends any notification, by its type.
    ///
    /// # Errors
    ///
    /// The revision does not have it ([misuse](Error::is_misuse)); the connection has ended.
    ///
    /// ```
    /// use mcpeer::model::{EmptyParams, legacy::RootsListChanged};
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.notify::<RootsListChanged>(EmptyParams::new()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn notify<N: Notification>(
        &self,
        params: impl Borrow<N::Params>,
    ) -> impl Future<Output = Result<()>> + Send + '_ {
        self.peer().notify::<N>(params)
    }

    /// Asks the server whether it is there.
    ///
    /// # Errors
    ///
    /// The revision has no such question, as none of the stateless era has ([misuse](Error::is_misuse)); no answer
    /// came.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.ping().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn ping(&self) -> Result<()> {
        self.peer().request_raw("ping", None).await.map(drop)
    }

    /// Asks for log messages from a level upwards. In the stateful era the server is told; in the stateless one each
    /// call says so from now on.
    ///
    /// # Errors
    ///
    /// The server has no log messages, or did not answer.
    ///
    /// ```
    /// use mcpeer::model::logging::Level;
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.set_log_level(Level::Warning).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn set_log_level(&self, level: Level) -> Result<()> {
        if self.revision().has_log_level_by_request() {
            self.keep_log_level(level);
            return Ok(());
        }
        let params =
            Raw::from_value(&serde_json::json!({"level": level.as_str()})).expect("text can always be written");
        self.peer().request_raw("logging/setLevel", Some(params)).await.map(drop)
    }

    /// Asks the server anew what it is and what it can do.
    ///
    /// # Errors
    ///
    /// The revision has no such question, as none of the stateful era has ([misuse](Error::is_misuse)); no answer came.
    ///
    /// ```
    /// # use mcpeer::{client::Client, server::Server, transport::memory};
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// let found = client.discover().await?;
    /// assert!(found.supported_versions.iter().any(|version| version == "2026-07-28"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn discover(&self) -> Result<DiscoverResult> {
        let raw = self.peer().request_raw("server/discover", None).await?;
        raw.decode().map_err(|source| Error::decode("result", "server/discover", raw, &source))
    }
}
