use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Args, IntoPromptResult, PromptResult, functions::functions, schema, strings};
use crate::{driver::BoxFuture, handler::Context, model::prompts::Argument, rpc};

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

/// What a handler of a prompt can ask for: [`Args`], [`Context`], or a type of your own.
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
    note = "parameters are `Args<T>`, `Context`, or types of your own that implement `FromGet`"
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
}

/// The members are texts, or numbers, booleans and words that are read out of text.
impl<T: DeserializeOwned + JsonSchema + Send + 'static> FromGet for Args<T> {
    fn from_get(get: &PromptGet, _: &Context) -> Result<Self, rpc::Error> {
        strings::decode(&get.arguments).map(Self).map_err(|reason| {
            let message = format!("the arguments do not fit the prompt `{}`: {reason}", get.name);
            rpc::Error::new(rpc::Error::INVALID_PARAMS, message)
        })
    }

    fn arguments() -> Vec<Argument> {
        of_schema(&schema::input::<T>())
    }
}

impl FromGet for Context {
    fn from_get(_: &PromptGet, cx: &Context) -> Result<Self, rpc::Error> {
        Ok(cx.clone())
    }
}

/// What can write a prompt: an async closure or function of up to six [parameters](FromGet), whose result is
/// [`IntoPromptResult`].
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
    label = "not an async function of up to six `FromGet` parameters that returns `IntoPromptResult`",
    note = "parameters are `Args<T>` (where `T` is `Deserialize + JsonSchema`) and `Context`, each given with its type",
    note = "the result is text, messages, a `GetResult`, or a `Result` of one of these"
)]
pub trait PromptHandler<Signature>: Send + Sync + 'static {
    #[doc(hidden)]
    fn arguments(&self) -> Vec<Argument>;

    /// Writes the prompt.
    #[doc(hidden)]
    fn run(&self, get: &PromptGet, cx: &Context) -> BoxFuture<PromptResult>;
}

functions!(PromptHandler, PromptGet, FromGet::from_get, IntoPromptResult::into_prompt_result -> PromptResult);

/// Gives the members of an object as arguments: first those that are required.
fn of_schema(schema: &Schema) -> Vec<Argument> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|required| required.iter().any(|found| found == name));
    let mut members: Vec<_> = properties.iter().collect();
    members.sort_by_key(|(name, _)| !is_required(name));
    let arguments = members.into_iter().map(|(name, property)| {
        let mut argument = Argument::new(name).required(is_required(name));
        let text = |member: &str| property.get(member).and_then(Value::as_str).map(str::to_owned);
        argument.title = text("title");
        argument.description = text("description");
        argument
    });
    arguments.collect()
}
