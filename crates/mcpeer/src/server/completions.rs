use std::{
    collections::{BTreeMap, btree_map},
    fmt,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use super::{
    BuildError, CompletionHandler, CompletionResult, Item, Typed, call,
    family::{self, Handle, erase},
    named::AskedFor,
    prompts,
    registry::{Entry as _, Registry},
    resources::Resources,
    router::Router,
    visible::Visible,
};
use crate::{
    handler::{Context, Needed, Run},
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

/// A completion: what it is for, and its handler.
pub(super) struct Entry {
    completes: Completes,
    names: AskedFor,
    needed: Vec<Needed>,
    handler: Box<dyn Handle<family::Completions>>,
}

impl Entry {
    pub(super) fn new<Signature: 'static>(completes: Completes, handler: impl CompletionHandler<Signature>) -> Self {
        let (described, handler) = erase(handler);
        Self { completes, names: described.told, needed: described.needed, handler }
    }

    /// Checks that everything is there that is completed, and that the handler asks for.
    pub(super) fn check(&self, router: &Router) -> Result<(), BuildError> {
        let (prompts, templates) = (router.prompts.snapshot(), router.resources.templates.snapshot());
        let has = |argument: &str| match &self.completes.of {
            Of::Prompt(name) => prompts.find(name).is_some_and(|prompt| prompt.has(argument)),
            Of::Template(template) => templates.find(template).is_some_and(|found| found.has(argument)),
        };
        if !has(&self.completes.argument) {
            return Err(BuildError::NothingToComplete { completes: self.completes.clone() });
        }
        let (kind, name) = match &self.completes.of {
            Of::Prompt(name) => ("completion of the prompt", name),
            Of::Template(template) => ("completion of the resource template", template),
        };
        BuildError::check(&router.states, &self.needed, kind, name)?;
        BuildError::check_names(&self.names, has, kind, name)
    }
}

/// The completions that a server has right now.
#[derive(Default)]
pub(super) struct Completions(RwLock<BTreeMap<Completes, Arc<Entry>>>);

impl Completions {
    pub(super) fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    pub(super) fn add(&self, entry: Entry) -> Result<(), BuildError> {
        match self.write().entry(entry.completes.clone()) {
            btree_map::Entry::Vacant(free) => drop(free.insert(Arc::new(entry))),
            btree_map::Entry::Occupied(_) => {
                return Err(BuildError::DuplicateCompletion { completes: entry.completes });
            }
        }
        Ok(())
    }

    /// Puts an entry in the place of the one that is for the same argument.
    pub(super) fn replace(&self, entry: Entry) -> Result<(), BuildError> {
        match self.write().get_mut(&entry.completes) {
            Some(known) => *known = Arc::new(entry),
            None => return Err(BuildError::MissingCompletion { completes: entry.completes }),
        }
        Ok(())
    }

    /// Takes an entry away; `false` where there is none.
    pub(super) fn remove(&self, completes: &Completes) -> bool {
        self.write().remove(completes).is_some()
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
        let entry = self.read().get(&completes).cloned();
        let Some(entry) = entry else {
            let nothing = Completion::first_of(Vec::<String>::new());
            return Run::Ready(CompletionResult::from(nothing).into_reply());
        };
        let others = params.context.and_then(|context| context.arguments).into_iter();
        let others = others.flat_map(|others| {
            others.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>()
        });
        let typed = Typed::new(completes.argument, params.argument.value, others.collect());
        entry.handler.run(&typed, cx, ())
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<Completes, Arc<Entry>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<Completes, Arc<Entry>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
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
