use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    Args, FromContext, IntoPromptResult, Parameter, PromptResult,
    family::{Family, FromRequest, Handler, IntoOutcome, Prompts},
    named::{Naming, Texts},
    schema, strings,
};
use crate::{
    handler::{Context, Needed, Reply},
    model::prompts::Argument,
    rpc,
};

/// A request for a prompt, as it arrived.
///
/// ```
/// use mcpeer::server::PromptGet;
///
/// fn language(get: &PromptGet) -> Option<&str> {
///     get.arguments().find(|(name, _)| *name == "language").map(|(_, value)| value)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct PromptGet {
    pub(super) name: String,
    pub(super) arguments: Vec<(String, String)>,
}

impl PromptGet {
    /// Gives the name of the prompt.
    ///
    /// ```
    /// # use mcpeer::server::PromptGet;
    /// fn is_review(get: &PromptGet) -> bool {
    ///     get.name() == "review"
    /// }
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives the arguments, texts by their names.
    ///
    /// ```
    /// # use mcpeer::server::PromptGet;
    /// fn count(get: &PromptGet) -> usize {
    ///     get.arguments().count()
    /// }
    /// ```
    pub fn arguments(&self) -> impl Iterator<Item = (&str, &str)> {
        self.arguments.iter().map(|(name, value)| (&**name, &**value))
    }
}

/// What a handler of a prompt can ask for: [`Args`], everything that is [`FromContext`], or a type of your own.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     rpc,
///     server::{FromGet, PromptGet},
/// };
///
/// struct Name(String);
///
/// impl FromGet for Name {
///     fn from_get(get: &PromptGet, _: &Context) -> Result<Self, rpc::Error> {
///         Ok(Self(get.name().to_owned()))
///     }
/// }
/// # let _ = Name(String::new()).0;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a prompt's handler",
    note = "parameters are `Args<T>`, `Context`, `State<S>`, `Principal`, `Claims<T>`, `Progress`, or types of your own that implement `FromGet` or `FromContext`"
)]
pub trait FromGet: Sized + Send + 'static {
    /// Makes the parameter out of a request.
    ///
    /// # Errors
    ///
    /// It cannot be made; this is the answer to the request then.
    fn from_get(get: &PromptGet, cx: &Context) -> Result<Self, rpc::Error>;

    /// Gives the arguments that this parameter reads, which the prompt lists where it names none itself.
    fn arguments() -> Vec<Argument> {
        Vec::new()
    }

    /// Gives the state that this parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
    }
}

/// The members are texts, or numbers, booleans and words that are read out of text.
impl<T: DeserializeOwned + JsonSchema + Send + 'static> FromGet for Args<T> {
    fn from_get(get: &PromptGet, _: &Context) -> Result<Self, rpc::Error> {
        strings::decode(&get.arguments).map(Self).map_err(|reason| Prompts::misfit(get, &reason))
    }

    fn arguments() -> Vec<Argument> {
        of_schema(&schema::input::<T>())
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> FromGet for T {
    fn from_get(_: &PromptGet, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_context(cx)
    }

    fn needed_state() -> Option<Needed> {
        <T as FromContext>::needed_state()
    }
}

/// What can write a prompt: a closure or function of up to six [parameters](FromGet), async or not, whose result is
/// [`IntoPromptResult`]. One that is not async is short, or [`blocking`](super::blocking).
///
/// ```
/// use mcpeer::server::{Args, Prompt, Server};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Review {
///     /// The code to review.
///     code: String,
/// }
///
/// async fn review(Args(review): Args<Review>) -> String {
///     format!("Review this:\n{}", review.code)
/// }
///
/// let server = Server::builder("reviewer", "1.0.0").prompt(Prompt::new("review"), review).build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this cannot write a prompt",
    label = "not a function of up to six `FromGet` parameters that returns `IntoPromptResult`",
    note = "parameters are `Args<T>` (where `T` is `Deserialize + JsonSchema`), `Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress`, each given with its type",
    note = "the result is text, messages, a `GetResult`, or a `Result` of one of these"
)]
pub trait PromptHandler<Signature>: Handler<Prompts, Signature> {}

#[diagnostic::do_not_recommend]
impl<Signature, H: Handler<Prompts, Signature>> PromptHandler<Signature> for H {}

impl Family for Prompts {
    type Asked<'a> = PromptGet;
    type Refusal = rpc::Error;
    type Outcome = PromptResult;
    type Ending = ();
    type Told = Vec<Argument>;

    fn reply(outcome: PromptResult, (): ()) -> Reply {
        outcome.into_reply()
    }
}

impl Naming for Prompts {
    type Given<'a> = &'a str;

    fn find<'a, const N: usize>(get: &'a PromptGet, parameters: &[Parameter; N]) -> [Option<&'a str>; N] {
        parameters.each_ref().map(|parameter| strings::find(&get.arguments, parameter.name()))
    }
}

impl Texts for Prompts {
    fn misfit(get: &PromptGet, reason: &str) -> rpc::Error {
        let message = format!("the arguments do not fit the prompt `{}`: {reason}", get.name);
        rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
    }

    fn take_down(parameter: &Parameter, is_required: bool, arguments: &mut Vec<Argument>) {
        let mut argument = Argument::new(parameter.name()).required(is_required);
        argument.description = parameter.text().map(str::to_owned);
        arguments.push(argument);
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromGet> FromRequest<Prompts> for T {
    fn from_request(get: &PromptGet, cx: &Context) -> Result<Self, rpc::Error> {
        T::from_get(get, cx)
    }

    fn tell(arguments: &mut Vec<Argument>) {
        arguments.extend(T::arguments());
    }

    fn needed_state() -> Option<Needed> {
        <T as FromGet>::needed_state()
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoPromptResult> IntoOutcome<Prompts> for T {
    fn into_outcome(self) -> PromptResult {
        self.into_prompt_result()
    }
}

/// Gives the members of an object as arguments.
fn of_schema(schema: &Schema) -> Vec<Argument> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|required| required.iter().any(|found| found == name));
    let arguments = properties.iter().map(|(name, property)| {
        let mut argument = Argument::new(name).required(is_required(name));
        let text = |member: &str| property.get(member).and_then(Value::as_str).map(str::to_owned);
        argument.title = text("title");
        argument.description = text("description");
        argument
    });
    arguments.collect()
}
