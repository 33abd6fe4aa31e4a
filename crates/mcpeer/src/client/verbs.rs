use std::borrow::{Borrow, Cow};

use serde::Serialize;

use super::{CallTool, Client, List};
use crate::{
    error::{Error, Result},
    model::{
        Notification, Request,
        completion::{CompleteParams, CompleteResult},
        discover::DiscoverResult,
        logging::Level,
        prompts::{GetResult, Prompt},
        resources::{ReadResult, Resource, ResourceTemplate},
        tools::Tool,
    },
    peer::Call,
    rpc::Raw,
    version::Era,
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
    pub fn tools(&self) -> List<Tool> {
        List::new(self.clone())
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

    /// Gives the list of the server's resources, to be asked for.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// for resource in client.resources().all().await? {
    ///     println!("{}", resource.uri);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn resources(&self) -> List<Resource> {
        List::new(self.clone())
    }

    /// Gives the list of the server's resource templates, to be asked for.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// for template in client.resource_templates().all().await? {
    ///     println!("{}", template.uri_template);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn resource_templates(&self) -> List<ResourceTemplate> {
        List::new(self.clone())
    }

    /// Begins to read a resource, by its URI.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let read = client.read("file:///main.rs").await?;
    /// println!("{} contents", read.contents.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn read(&self, uri: impl AsRef<str>) -> Call<ReadResult> {
        self.asking().request_raw("resources/read", Some(of_uri(uri.as_ref()))).decoded()
    }

    /// Asks to be told when a resource changes. Stateful era; in the stateless one
    /// [`subscriptions/listen`](crate::model::subscriptions) does it.
    ///
    /// # Errors
    ///
    /// The revision does not have it ([misuse](Error::is_misuse)); the server refused or did not answer.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.subscribe("file:///main.rs").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn subscribe(&self, uri: impl AsRef<str>) -> Result<()> {
        self.peer().request_raw("resources/subscribe", Some(of_uri(uri.as_ref()))).await.map(drop)
    }

    /// Asks to be told no longer when a resource changes. Stateful era.
    ///
    /// # Errors
    ///
    /// As [`subscribe`](Self::subscribe).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.unsubscribe("file:///main.rs").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn unsubscribe(&self, uri: impl AsRef<str>) -> Result<()> {
        self.peer().request_raw("resources/unsubscribe", Some(of_uri(uri.as_ref()))).await.map(drop)
    }

    /// Gives the list of the server's prompts, to be asked for.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// for prompt in client.prompts().all().await? {
    ///     println!("{}", prompt.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn prompts(&self) -> List<Prompt> {
        List::new(self.clone())
    }

    /// Begins to get a prompt, by its name and its arguments: an object of texts, or `&()` for none.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let review = client.prompt("review", &serde_json::json!({"code": "fn main() {}"})).await?;
    /// println!("{} messages", review.messages.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn prompt(&self, name: impl AsRef<str>, arguments: &(impl Serialize + ?Sized)) -> Call<GetResult> {
        self.peer().request_encoded("prompts/get", prompt_params(name.as_ref(), arguments)).decoded()
    }

    /// Begins to ask for what an argument of a prompt or of a resource template may be.
    ///
    /// ```
    /// use mcpeer::model::completion::{Argument, CompleteParams, PromptReference};
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let params = CompleteParams::new(PromptReference::new("review"), Argument::new("language", "ru"));
    /// for value in client.complete(&params).await?.completion.values {
    ///     println!("{value}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete(&self, params: impl Borrow<CompleteParams>) -> Call<CompleteResult> {
        self.peer().request::<crate::model::completion::Complete>(params)
    }

    /// Tells the server that the [roots](super::Builder::on_roots) are others now. In the stateless era there is
    /// nothing to tell: a server asks when it needs them.
    ///
    /// # Errors
    ///
    /// The connection has ended.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// client.roots_changed().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn roots_changed(&self) -> Result<()> {
        match self.era() {
            Era::Legacy => self.peer().notify_raw("notifications/roots/list_changed", None).await,
            Era::Modern => Ok(()),
        }
    }

    /// Begins any request by its method and the JSON of its params, an object. Its outcome is the JSON of the result.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let raw = client.request_raw("resources/templates/list", None).await?;
    /// println!("{}", raw.as_str());
    /// # Ok(())
    /// # }
    /// ```
    pub fn request_raw(&self, method: impl Into<Cow<'static, str>>, params: Option<Raw>) -> Call<Raw> {
        self.asking().request_raw(method, params)
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
        self.asking().request::<R>(params)
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
        let raw = self.asking().request_raw("server/discover", None).refresh().await?;
        raw.decode().map_err(|source| Error::decode("result", "server/discover", raw, &source))
    }
}

fn of_uri(uri: &str) -> Raw {
    Raw::from_value(&serde_json::json!({"uri": uri})).expect("text can always be written")
}

/// Writes the params of a prompt; arguments that are nothing are left out.
fn prompt_params(name: &str, arguments: &(impl Serialize + ?Sized)) -> Result<Option<Raw>> {
    let arguments = Raw::from_value(arguments)
        .map_err(|source| Error::misuse("the arguments cannot be written as JSON").with_source(source))?;
    let name = Raw::from_value(name).expect("text can always be written");
    if arguments.borrow().is_null() {
        return Ok(Some(Raw::trusted(format!("{{\"name\":{}}}", name.as_str()))));
    }
    if !arguments.borrow().is_object() {
        return Err(Error::misuse("the arguments of a prompt are a JSON object: give a struct or a map"));
    }
    Ok(Some(Raw::trusted(format!("{{\"name\":{},\"arguments\":{}}}", name.as_str(), arguments.as_str()))))
}
