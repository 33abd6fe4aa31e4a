use serde::de::DeserializeOwned;

use super::{IntoResourceResult, ResourceResult, functions::functions, strings};
use crate::{driver::BoxFuture, handler::Context, model::prompts::Argument, rpc};

/// A request for a resource, as it arrived.
///
/// ```
/// use mcpeer::server::ResourceRead;
///
/// fn is_local(read: &ResourceRead) -> bool {
///     read.uri().starts_with("file://")
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ResourceRead {
    pub(super) uri: String,
    pub(super) variables: Vec<(String, String)>,
}

impl ResourceRead {
    /// Gives the address, as the client wrote it.
    ///
    /// ```
    /// # use mcpeer::server::ResourceRead;
    /// fn is_local(read: &ResourceRead) -> bool {
    ///     read.uri().starts_with("file://")
    /// }
    /// ```
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Gives the values of the template's variables, percent-decoded.
    ///
    /// ```
    /// # use mcpeer::server::ResourceRead;
    /// fn section(read: &ResourceRead) -> Option<&str> {
    ///     read.variables().find(|(name, _)| *name == "section").map(|(_, value)| value)
    /// }
    /// ```
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (&**name, &**value))
    }
}

/// What a handler of a resource can ask for: [`Uri`], [`Variables`], [`Context`], or a type of your own.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     rpc,
///     server::{FromRead, ResourceRead},
/// };
///
/// struct Length(usize);
///
/// impl FromRead for Length {
///     fn from_read(read: &ResourceRead, _: &Context) -> Result<Self, rpc::Error> {
///         Ok(Self(read.uri().len()))
///     }
/// }
/// # let _ = Length(1).0;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a resource's handler",
    note = "parameters are `Uri`, `Variables<T>`, `Context`, or types of your own that implement `FromRead`"
)]
pub trait FromRead: Sized + Send + 'static {
    /// Makes the parameter out of a request.
    ///
    /// # Errors
    ///
    /// It cannot be made; this is the answer to the request then.
    fn from_read(read: &ResourceRead, cx: &Context) -> Result<Self, rpc::Error>;

    #[doc(hidden)]
    fn arguments() -> Vec<Argument> {
        Vec::new()
    }
}

/// The address that was asked for, as the client wrote it.
///
/// ```
/// use mcpeer::server::{Resource, Server, Uri};
///
/// let server = Server::builder("echo", "1.0.0")
///     .resource(Resource::new("echo://a", "a"), async |Uri(uri): Uri| uri)
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri(pub String);

impl FromRead for Uri {
    fn from_read(read: &ResourceRead, _: &Context) -> Result<Self, rpc::Error> {
        Ok(Self(read.uri.clone()))
    }
}

/// The values of a template's variables, percent-decoded, as a type whose members are texts, or numbers, booleans
/// and words that are read out of text. What may be absent is an `Option`.
///
/// ```
/// use mcpeer::server::{ResourceTemplate, Server, Variables};
///
/// #[derive(serde::Deserialize)]
/// struct Page {
///     section: String,
///     page: Option<u32>,
/// }
///
/// let server = Server::builder("docs", "1.0.0")
///     .resource_template(
///         ResourceTemplate::new("docs://{section}{?page}", "docs"),
///         async |Variables(page): Variables<Page>| format!("{} {}", page.section, page.page.unwrap_or(1)),
///     )
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variables<T>(pub T);

impl<T: DeserializeOwned + Send + 'static> FromRead for Variables<T> {
    fn from_read(read: &ResourceRead, _: &Context) -> Result<Self, rpc::Error> {
        strings::decode(&read.variables).map(Self).map_err(|reason| {
            let message = format!("{:?} does not fit its template: {reason}", read.uri);
            rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
        })
    }
}

impl FromRead for Context {
    fn from_read(_: &ResourceRead, cx: &Context) -> Result<Self, rpc::Error> {
        Ok(cx.clone())
    }
}

/// What can read a resource: an async closure or function of up to six [parameters](FromRead), whose result is
/// [`IntoResourceResult`].
///
/// ```
/// use mcpeer::server::{Resource, Server, Uri};
///
/// async fn read(Uri(uri): Uri) -> Option<String> {
///     uri.strip_prefix("echo://").map(str::to_owned)
/// }
///
/// let server = Server::builder("echo", "1.0.0").resource(Resource::new("echo://a", "a"), read).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot read a resource",
    label = "not an async function of up to six `FromRead` parameters that returns `IntoResourceResult`",
    note = "parameters are `Uri`, `Variables<T>` and `Context`, each given with its type",
    note = "the result is text, bytes, `Json<T>`, contents, an `Option` or a `Result` of one of these"
)]
pub trait ResourceHandler<Signature>: Send + Sync + 'static {
    #[doc(hidden)]
    fn arguments(&self) -> Vec<Argument>;

    /// Reads the resource.
    #[doc(hidden)]
    fn run(&self, read: &ResourceRead, cx: &Context) -> BoxFuture<ResourceResult>;
}

functions!(ResourceHandler, ResourceRead, FromRead::from_read, IntoResourceResult::into_resource_result -> ResourceResult);
