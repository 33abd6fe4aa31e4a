use serde::de::DeserializeOwned;

use super::{
    FromContext, IntoResourceResult, Parameter, ResourceResult,
    family::{Family, FromRequest, Handler, IntoOutcome, Resources},
    named::{AskedFor, Naming, Texts},
    strings,
};
use crate::{
    handler::{Context, Needed, Reply},
    rpc,
};

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

/// What a handler of a resource can ask for: [`Uri`], [`Variables`], everything that is [`FromContext`], or a type of
/// your own.
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
    note = "parameters are `Uri`, `Variables<T>`, `Context`, `State<S>`, `Principal`, `Claims<T>`, `Progress`, or types of your own that implement `FromRead` or `FromContext`"
)]
pub trait FromRead: Sized + Send + 'static {
    /// Makes the parameter out of a request.
    ///
    /// # Errors
    ///
    /// It cannot be made; this is the answer to the request then.
    fn from_read(read: &ResourceRead, cx: &Context) -> Result<Self, rpc::Error>;

    /// Gives the state that this parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
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
        strings::decode(&read.variables).map(Self).map_err(|reason| Resources::misfit(read, &reason))
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> FromRead for T {
    fn from_read(_: &ResourceRead, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_context(cx)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromContext>::needed_state()
    }
}

/// What can read a resource: a closure or function of up to six [parameters](FromRead), async or not, whose result is
/// [`IntoResourceResult`]. One that is not async is short, or [`blocking`](super::blocking).
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
    label = "not a function of up to six `FromRead` parameters that returns `IntoResourceResult`",
    note = "parameters are `Uri`, `Variables<T>`, `Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress`, each given with its type",
    note = "the result is text, bytes, `Json<T>`, contents, an `Option` or a `Result` of one of these"
)]
pub trait ResourceHandler<Signature>: Handler<Resources, Signature> {}

#[diagnostic::do_not_recommend]
impl<Signature, H: Handler<Resources, Signature>> ResourceHandler<Signature> for H {}

/// What a reply tells that the handler need not tell.
#[doc(hidden)]
#[derive(Debug)]
pub struct Declared {
    pub(super) uri: String,
    pub(super) mime_type: Option<String>,
}

impl Family for Resources {
    type Asked<'a> = ResourceRead;
    type Refusal = rpc::Error;
    type Outcome = ResourceResult;
    type Ending = Declared;
    type Told = AskedFor;

    fn reply(outcome: ResourceResult, declared: Declared) -> Reply {
        outcome.into_reply(&declared.uri, declared.mime_type.as_deref())
    }
}

impl Naming for Resources {
    type Given<'a> = &'a str;

    fn find<'a, const N: usize>(read: &'a ResourceRead, parameters: &[Parameter; N]) -> [Option<&'a str>; N] {
        parameters.each_ref().map(|parameter| strings::find(&read.variables, parameter.name()))
    }
}

impl Texts for Resources {
    fn misfit(read: &ResourceRead, reason: &str) -> rpc::Error {
        let message = format!("{:?} does not fit its template: {reason}", read.uri);
        rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
    }

    fn take_down(parameter: &Parameter, _: bool, variables: &mut AskedFor) {
        variables.add(parameter);
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromRead> FromRequest<Resources> for T {
    fn from_request(read: &ResourceRead, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_read(read, cx)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromRead>::needed_state()
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoResourceResult> IntoOutcome<Resources> for T {
    fn into_outcome(self) -> ResourceResult {
        self.into_resource_result()
    }
}
