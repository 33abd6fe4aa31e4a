use std::{collections::BTreeMap, fmt};

use super::{
    BuildError, CompletionResult, Item, Typed, call,
    functions::Handler,
    prompts,
    registry::{Entry as _, Registry},
    resources::Resources,
    visible::Visible,
};
use crate::{
    handler::{Context, Run},
    model::completion::{CompleteParams, Completion, Reference},
    proto::io::Reply,
    rpc::{self, RawRef},
};

/// The argument that a completion is for.
///
/// ```
/// use mcpeer::server::{Args, Completes, Prompt, Server, Typed};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Review {
///     language: String,
/// }
///
/// let server = Server::builder("reviewer", "1.0.0")
///     .prompt(Prompt::new("review"), async |Args(review): Args<Review>| format!("Review this {}", review.language))
///     .completion(Completes::prompt("review", "language"), async |typed: Typed| typed.among(["ruby", "rust"]))
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completes {
    of: Of,
    argument: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Prompt(String),
    Template(String),
}

impl Completes {
    /// Means an argument of a prompt.
    ///
    /// ```
    /// # use mcpeer::server::Completes;
    /// assert_eq!(Completes::prompt("review", "language").to_string(), "`language` of the prompt `review`");
    /// ```
    pub fn prompt(name: impl Into<String>, argument: impl Into<String>) -> Self {
        Self { of: Of::Prompt(name.into()), argument: argument.into() }
    }

    /// Means a variable of a template of resources.
    ///
    /// ```
    /// # use mcpeer::server::Completes;
    /// assert_eq!(Completes::template("a://{b}", "b").to_string(), "`b` of the template `a://{b}`");
    /// ```
    pub fn template(uri_template: impl Into<String>, variable: impl Into<String>) -> Self {
        Self { of: Of::Template(uri_template.into()), argument: variable.into() }
    }
}

impl fmt::Display for Completes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.of {
            Of::Prompt(name) => write!(f, "`{}` of the prompt `{name}`", self.argument),
            Of::Template(template) => write!(f, "`{}` of the template `{template}`", self.argument),
        }
    }
}

/// The completions of a server.
#[derive(Default)]
pub(super) struct Completions(BTreeMap<Completes, Handler<Typed, CompletionResult>>);

impl Completions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(
        &mut self,
        completes: Completes,
        handler: Handler<Typed, CompletionResult>,
    ) -> Result<(), BuildError> {
        if self.0.contains_key(&completes) {
            return Err(BuildError::DuplicateCompletion { completes });
        }
        self.0.insert(completes, handler);
        Ok(())
    }

    /// Checks that everything that is completed is there.
    pub(super) fn check(&self, prompts: &Registry<prompts::Entry>, resources: &Resources) -> Result<(), BuildError> {
        let (prompts, templates) = (prompts.snapshot(), resources.templates.snapshot());
        let is_there = |completes: &Completes| match &completes.of {
            Of::Prompt(name) => prompts.find(name).is_some_and(|prompt| prompt.has(&completes.argument)),
            Of::Template(template) => templates.find(template).is_some_and(|found| found.has(&completes.argument)),
        };
        match self.0.keys().find(|completes| !is_there(completes)) {
            Some(completes) => Err(BuildError::NothingToComplete { completes: completes.clone() }),
            None => Ok(()),
        }
    }

    /// Answers `completion/complete`. An argument that nobody completes may be anything.
    pub(super) fn complete(
        &self,
        prompts: &Registry<prompts::Entry>,
        resources: &Resources,
        visible: Option<&Visible>,
        params: Option<RawRef<'_>>,
        cx: &Context,
    ) -> Run {
        let params = match read(params) {
            Ok(params) => params,
            Err(error) => return Run::Ready(Reply::Error(error)),
        };
        let is_visible = |item: Item<'_>| visible.is_none_or(|visible| visible(&item, cx));
        let (of, is_known) = match params.reference {
            Reference::Prompt(prompt) => {
                let found = prompts.snapshot().find(&prompt.name).is_some_and(|entry| is_visible(entry.item()));
                (Of::Prompt(prompt.name), found)
            }
            Reference::Resource(resource) => {
                let template = resources.templates.snapshot();
                let template = template.find(&resource.uri).is_some_and(|entry| is_visible(entry.item()));
                let fixed = || resources.fixed.snapshot().find(&resource.uri).is_some_and(|it| is_visible(it.item()));
                let found = template || fixed();
                (Of::Template(resource.uri), found)
            }
            _ => return refuse("`params.ref.type` must be `ref/prompt` or `ref/resource`"),
        };
        if !is_known {
            return match of {
                Of::Prompt(name) => refuse(format!("unknown prompt `{name}`: `prompts/list` names the prompts")),
                Of::Template(uri) => {
                    refuse(format!("unknown template {uri:?}: `resources/templates/list` names the templates"))
                }
            };
        }
        let completes = Completes { of, argument: params.argument.name };
        let Some(handler) = self.0.get(&completes) else {
            let nothing = Completion::first_of(Vec::<String>::new());
            return Run::Ready(CompletionResult::from(nothing).into_reply());
        };
        let others = params.context.and_then(|context| context.arguments).into_iter();
        let others = others.flat_map(|others| {
            others.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
        });
        let running = handler(&Typed::new(params.argument.value, others.collect()), cx);
        Run::Pending(Box::pin(async move { running.await.into_reply() }))
    }
}

fn read(params: Option<RawRef<'_>>) -> Result<CompleteParams, rpc::Error> {
    call::object(params)?;
    let text = params.map_or("{}", RawRef::as_str);
    serde_json::from_str(text)
        .map_err(|error| rpc::Error::new(rpc::Error::INVALID_PARAMS, rpc::explain::explain("params", text, &error)))
}

fn refuse(message: impl Into<String>) -> Run {
    Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::INVALID_PARAMS, message.into())))
}
