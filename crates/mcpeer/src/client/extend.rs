use super::{Builder, Client};
use crate::{extension::Extension, model::RawObject};

/// What can be added to a client as one: an [extension](crate::extension) and what goes with it.
///
/// ```
/// use mcpeer::{client::{Builder, Client, Extend}, extension::Extension};
///
/// struct Tickets;
///
/// impl Extend for Tickets {
///     fn extend(self, builder: Builder) -> Builder {
///         builder.extension(Extension::new("com.example/tickets").result_type("com.example/ticket", &["tools/call"]))
///     }
/// }
///
/// let builder = Client::builder("me", "1.0.0").extension(Tickets);
/// # let _ = builder;
/// ```
pub trait Extend {
    /// Adds to a client what the extension is and does.
    fn extend(self, builder: Builder) -> Builder;
}

impl Extend for Extension {
    fn extend(self, mut builder: Builder) -> Builder {
        builder.extensions.push(self);
        builder
    }
}

impl Builder {
    /// Adds an [extension](crate::extension): the client declares it, with every request of the stateless era and once
    /// at the start of the stateful one.
    ///
    /// ```
    /// use mcpeer::{client::Client, extension::Extension};
    ///
    /// let builder = Client::builder("me", "1.0.0").extension(Extension::new("com.example/tickets"));
    /// # let _ = builder;
    /// ```
    pub fn extension(self, extension: impl Extend) -> Self {
        extension.extend(self)
    }
}

impl Client {
    /// Gives the settings under which the server declares an [extension](crate::extension); `None` where it does not.
    ///
    /// ```
    /// use mcpeer::{client::Client, extension::Extension, server::Server, transport::memory};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let server = Server::builder("desk", "1.0.0").extension(Extension::new("com.example/tickets")).build()?;
    /// # let (ours, theirs) = memory::pair();
    /// # tokio::spawn(async move { server.serve(theirs).await });
    /// # let client = Client::builder("me", "1.0.0").connect_with(ours).await?;
    /// assert_eq!(client.server_extension("com.example/tickets").unwrap().as_str(), "{}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn server_extension(&self, extension: &str) -> Option<RawObject> {
        let connected = self.connected();
        let declared = connected.capabilities.borrow().member("extensions")?.member(extension)?;
        RawObject::parse(declared.as_str()).ok()
    }
}
