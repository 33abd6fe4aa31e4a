use serde::de::DeserializeOwned;

use crate::{
    handler::{Context, Needed},
    rpc,
};

/// What every handler can ask for, whatever it serves: a parameter of handlers of tools, resources, prompts, completions
/// and methods of one's own, made out of the circumstances of the request.
///
/// [`Context`] is all of them, [`State`](super::State) what handlers share, [`Principal`] who asks, [`Claims`] what
/// authorization says about them, [`Progress`] the way to tell how far the work is.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     rpc,
///     server::{FromContext, ProtocolError, Resource, Server},
/// };
///
/// /// Somebody who may do everything.
/// struct Admin;
///
/// impl FromContext for Admin {
///     fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
///         match cx.principal() {
///             Some("admin") => Ok(Self),
///             _ => Err(ProtocolError::invalid_params("only the administrator may do that").0),
///         }
///     }
/// }
///
/// let server = Server::builder("vault", "1.0.0")
///     .tool("open", |_: Admin| "it is open")
///     .resource(Resource::new("vault://gold", "gold"), async |_: Admin| "much of it")
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from every request",
    note = "`Context`, `State<S>`, `Principal`, `Claims<T>`, `Progress` and types of your own that implement `FromContext` are"
)]
pub trait FromContext: Sized + Send + 'static {
    /// Makes the parameter.
    ///
    /// # Errors
    ///
    /// It cannot be made; this is the answer to the request then.
    fn from_context(cx: &Context) -> Result<Self, rpc::Error>;

    /// Gives the state that the parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
    }
}

impl FromContext for Context {
    #[inline]
    fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
        Ok(cx.clone())
    }
}

/// Who asks: the name that authorization gave, where the transport authenticated the caller.
///
/// ```
/// use mcpeer::server::{Principal, Server};
///
/// let server = Server::builder("who", "1.0.0")
///     .tool("who", async |Principal(name): Principal| name.unwrap_or_else(|| "somebody".to_owned()))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Principal(pub Option<String>);

impl FromContext for Principal {
    fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
        Ok(Self(cx.principal().map(str::to_owned)))
    }
}

/// What authorization says about who asks, read as a type; `None` where the transport knows nothing or it does not fit,
/// as [`Context::claims`].
///
/// ```
/// use mcpeer::server::{Claims, Server};
///
/// #[derive(serde::Deserialize)]
/// struct Token {
///     scope: String,
/// }
///
/// let server = Server::builder("who", "1.0.0")
///     .tool("scope", |Claims(token): Claims<Token>| token.map_or("none".to_owned(), |token| token.scope))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims<T>(pub Option<T>);

impl<T: DeserializeOwned + Send + 'static> FromContext for Claims<T> {
    fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
        Ok(Self(cx.claims()))
    }
}

/// The way to tell the caller how far the work is: [`Context::progress`] alone, for handlers that need no more.
///
/// ```
/// use mcpeer::server::{Progress, Server};
///
/// async fn copy(progress: Progress) -> &'static str {
///     for step in 1..=3 {
///         progress.tell(f64::from(step), Some(3.0), Some("copying")).await;
///     }
///     "copied"
/// }
///
/// let server = Server::builder("copier", "1.0.0").tool("copy", copy).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Progress(Context);

impl Progress {
    /// Tells how far the work is, as [`Context::progress`] does.
    ///
    /// ```
    /// # use mcpeer::server::Progress;
    /// async fn half(progress: Progress) {
    ///     progress.tell(1.0, Some(2.0), None).await;
    /// }
    /// ```
    pub async fn tell(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.0.progress(progress, total, message).await;
    }

    /// Whether the caller asked to hear of progress and still waits.
    ///
    /// ```
    /// # use mcpeer::server::Progress;
    /// async fn half(progress: Progress) {
    ///     if progress.is_wanted() {
    ///         progress.tell(1.0, Some(2.0), Some(&"=".repeat(10))).await;
    ///     }
    /// }
    /// ```
    pub fn is_wanted(&self) -> bool {
        self.0.wants_progress()
    }
}

impl FromContext for Progress {
    fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
        Ok(Self(cx.clone()))
    }
}
