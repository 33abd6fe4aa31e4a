use super::{
    FromContext, IntoHandlerError, Parameter,
    family::{Completions, Family, FromRequest, Handler, IntoOutcome},
    named::{AskedFor, Naming, Texts},
    resource_result::write,
    strings,
};
use crate::{
    handler::{Context, Needed, Reply},
    model::completion::{CompleteResult, Completion},
    rpc,
};

/// What somebody types for an argument, and what they have typed for others.
///
/// ```
/// use mcpeer::server::{Completes, ResourceTemplate, Server, Typed, Uri};
///
/// let server = Server::builder("repositories", "1.0.0")
///     .resource_template(ResourceTemplate::new("repo://{owner}/{name}", "repositories"), async |Uri(uri): Uri| uri)
///     .completion(Completes::template("repo://{owner}/{name}", "name"), async |typed: Typed| {
///         let all = if typed.other("owner") == Some("rust-lang") { &["rust", "cargo"][..] } else { &[] };
///         typed.among(all.iter().copied())
///     })
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Typed {
    /// The argument that is completed.
    pub argument: String,
    /// What was typed for it so far.
    pub value: String,
    /// The other arguments, by their names. Clients tell them since 2025-06-18.
    pub others: Vec<(String, String)>,
}

impl Typed {
    pub(super) fn new(argument: String, value: String, others: Vec<(String, String)>) -> Self {
        Self { argument, value, others }
    }

    /// Gives another argument, where the client told it.
    ///
    /// ```
    /// # use mcpeer::server::Typed;
    /// fn owner(typed: &Typed) -> &str {
    ///     typed.other("owner").unwrap_or("rust-lang")
    /// }
    /// ```
    pub fn other(&self, name: &str) -> Option<&str> {
        strings::find(&self.others, name)
    }

    /// Gives those of some values that begin with what was typed; letters count as the same in both cases.
    ///
    /// ```
    /// # use mcpeer::server::Typed;
    /// fn languages(typed: &Typed) -> Vec<String> {
    ///     typed.among(["python", "ruby", "rust"])
    /// }
    /// ```
    pub fn among<T: Into<String>>(&self, values: impl IntoIterator<Item = T>) -> Vec<String> {
        let typed = self.value.to_lowercase();
        values.into_iter().map(Into::into).filter(|value| value.to_lowercase().starts_with(&typed)).collect()
    }
}

/// What a handler of a completion can ask for: [`Typed`], everything that is [`FromContext`], or a type of your own.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     rpc,
///     server::{FromTyped, Typed},
/// };
///
/// struct Length(usize);
///
/// impl FromTyped for Length {
///     fn from_typed(typed: &Typed, _: &Context) -> Result<Self, rpc::Error> {
///         Ok(Self(typed.value.len()))
///     }
/// }
/// # let _ = Length(1).0;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a completion's handler",
    note = "parameters are `Typed`, `Context`, `State<S>`, `Principal`, `Claims<T>`, `Progress`, or types of your own that implement `FromTyped` or `FromContext`"
)]
pub trait FromTyped: Sized + Send + 'static {
    /// Makes the parameter out of a request.
    ///
    /// # Errors
    ///
    /// It cannot be made; this is the answer to the request then.
    fn from_typed(typed: &Typed, cx: &Context) -> Result<Self, rpc::Error>;

    /// Gives the state that this parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
    }
}

impl FromTyped for Typed {
    fn from_typed(typed: &Typed, _: &Context) -> Result<Self, rpc::Error> {
        Ok(typed.clone())
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> FromTyped for T {
    fn from_typed(_: &Typed, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_context(cx)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromContext>::needed_state()
    }
}

/// What can complete an argument: a closure or function of up to six [parameters](FromTyped), async or not, whose result
/// is [`IntoCompletion`]. One that is not async is short, or [`blocking`](super::blocking).
///
/// ```
/// use mcpeer::server::Typed;
///
/// async fn languages(typed: Typed) -> Vec<String> {
///     typed.among(["python", "ruby", "rust"])
/// }
/// # let _ = languages;
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot complete an argument",
    label = "not a function of up to six `FromTyped` parameters that returns `IntoCompletion`",
    note = "parameters are `Typed`, `Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress`, each given with its type",
    note = "the result is a list of texts, a `Completion`, or a `Result` of one of these"
)]
pub trait CompletionHandler<Signature>: Handler<Completions, Signature> {}

#[diagnostic::do_not_recommend]
impl<Signature, H: Handler<Completions, Signature>> CompletionHandler<Signature> for H {}

impl Family for Completions {
    type Asked<'a> = Typed;
    type Refusal = rpc::Error;
    type Outcome = CompletionResult;
    type Ending = ();
    type Told = AskedFor;

    fn reply(outcome: CompletionResult, (): ()) -> Reply {
        outcome.into_reply()
    }
}

impl Naming for Completions {
    type Given<'a> = &'a str;

    fn find<'a, const N: usize>(typed: &'a Typed, parameters: &[Parameter; N]) -> [Option<&'a str>; N] {
        parameters.each_ref().map(|parameter| match parameter.name() {
            name if name == typed.argument => Some(&*typed.value),
            name => typed.other(name),
        })
    }
}

impl Texts for Completions {
    fn misfit(_: &Typed, reason: &str) -> rpc::Error {
        rpc::Error::new(rpc::Error::INVALID_PARAMS, format!("what was typed does not fit: {reason}"))
    }

    fn take_down(parameter: &Parameter, _: bool, arguments: &mut AskedFor) {
        arguments.add(parameter);
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromTyped> FromRequest<Completions> for T {
    fn from_request(typed: &Typed, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_typed(typed, cx)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromTyped>::needed_state()
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoCompletion> IntoOutcome<Completions> for T {
    fn into_outcome(self) -> CompletionResult {
        self.into_completion()
    }
}

/// What a handler of a completion may return: texts, the likeliest first, of which the first 100 go out and the number
/// of all; a whole [`Completion`]; or a `Result` of these.
///
/// ```
/// use mcpeer::server::{CompletionResult, IntoCompletion};
///
/// struct Months;
///
/// impl IntoCompletion for Months {
///     fn into_completion(self) -> CompletionResult {
///         ["January", "February"].into_completion()
///     }
/// }
/// # let _ = Months.into_completion();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a completion",
    note = "return a list of texts, a `Completion`, or a `Result` of one of these"
)]
pub trait IntoCompletion {
    /// Makes the result.
    fn into_completion(self) -> CompletionResult;
}

/// What a completion came to, ready to be sent.
///
/// ```
/// use mcpeer::{model::completion::Completion, server::CompletionResult};
///
/// let result = CompletionResult::from(Completion::first_of(["rust", "ruby"]));
/// # let _ = result;
/// ```
#[derive(Debug)]
pub struct CompletionResult(Result<Completion, rpc::Error>);

impl CompletionResult {
    pub(super) fn into_reply(self) -> Reply {
        match self.0 {
            Ok(completion) => write(&CompleteResult::new(within(completion))),
            Err(error) => Reply::Error(error),
        }
    }
}

/// Cuts what is more than a completion may have.
fn within(mut completion: Completion) -> Completion {
    if completion.values.len() > Completion::MAX {
        completion.total = completion.total.or(Some(completion.values.len() as u64));
        completion.has_more = Some(true);
        completion.values.truncate(Completion::MAX);
    }
    completion
}

impl From<Completion> for CompletionResult {
    fn from(completion: Completion) -> Self {
        Self(Ok(completion))
    }
}

impl From<rpc::Error> for CompletionResult {
    fn from(error: rpc::Error) -> Self {
        Self(Err(error))
    }
}

impl IntoCompletion for CompletionResult {
    fn into_completion(self) -> CompletionResult {
        self
    }
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> CompletionResult {
        self.into()
    }
}

impl<T: Into<String>> IntoCompletion for Vec<T> {
    fn into_completion(self) -> CompletionResult {
        Completion::first_of(self).into()
    }
}

impl<T: Into<String>, const N: usize> IntoCompletion for [T; N] {
    fn into_completion(self) -> CompletionResult {
        Completion::first_of(self).into()
    }
}

impl<T: IntoCompletion, E: IntoHandlerError> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> CompletionResult {
        match self {
            Ok(value) => value.into_completion(),
            Err(error) => error.into_handler_error().into(),
        }
    }
}
