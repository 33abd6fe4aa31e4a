use super::{
    BuildError, Item, PromptGet, PromptHandler, call,
    family::{Handle, Prompts, erase},
    registry::{self, Registry},
    resources::text,
    visible::Visible,
};
use crate::{
    handler::{Context, Needed, Run, States},
    model::prompts::Prompt,
    proto::io::Reply,
    rpc::{self, RawRef},
};

/// A prompt of a server.
pub(super) struct Entry {
    model: Prompt,
    written: String,
    needed: Vec<Needed>,
    handler: Box<dyn Handle<Prompts>>,
}

impl Entry {
    /// Takes the arguments from the handler where the prompt names none.
    pub(super) fn new<Signature: 'static>(mut model: Prompt, handler: impl PromptHandler<Signature>) -> Self {
        let (described, handler) = erase(handler);
        if model.arguments.is_none() {
            model.arguments = Some(described.told).filter(|arguments| !arguments.is_empty());
        }
        let written = serde_json::to_string(&model).expect("what a prompt consists of can always be written");
        Self { model, written, needed: described.needed, handler }
    }

    /// Checks that everything is there that the handler asks for.
    pub(super) fn check(&self, states: &States) -> Result<(), BuildError> {
        BuildError::check(states, &self.needed, "prompt", &self.model.name)
    }

    /// Whether it has such an argument.
    pub(super) fn has(&self, argument: &str) -> bool {
        self.model.arguments.iter().flatten().any(|known| known.name == argument)
    }
}

impl registry::Entry for Entry {
    const MEMBER: &'static str = "prompts";

    fn key(&self) -> &str {
        &self.model.name
    }

    fn written(&self) -> &str {
        &self.written
    }

    fn is_plain(&self) -> bool {
        false
    }

    fn item(&self) -> Item<'_> {
        Item::Prompt(&self.model)
    }
}

/// Answers `prompts/get`.
pub(super) fn get(
    prompts: &Registry<Entry>,
    visible: Option<&Visible>,
    params: Option<RawRef<'_>>,
    cx: &Context,
) -> Run {
    let (name, arguments) = match text(params, "name").and_then(|name| Ok((name, arguments(params)?))) {
        Ok(read) => read,
        Err(error) => return Run::Ready(Reply::Error(error)),
    };
    let invalid = |message| Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::INVALID_PARAMS, message)));
    let snapshot = prompts.snapshot();
    let found = snapshot.find(&name);
    let visible = |entry: &Entry| visible.is_none_or(|visible| visible(&Item::Prompt(&entry.model), cx));
    let Some(entry) = found.filter(|entry| visible(entry)) else {
        return invalid(format!("unknown prompt `{name}`: `prompts/list` names the prompts"));
    };
    let required = entry.model.arguments.iter().flatten().filter(|argument| argument.required == Some(true));
    for argument in required {
        if !arguments.iter().any(|(found, _)| *found == argument.name) {
            return invalid(format!("the prompt `{name}` needs the argument `{}`", argument.name));
        }
    }
    entry.handler.run(&PromptGet { name, arguments }, cx, ())
}

/// Reads the arguments: texts by their names. One that is `null` counts as absent.
fn arguments(params: Option<RawRef<'_>>) -> Result<Vec<(String, String)>, rpc::Error> {
    let found = call::object(params)?.find(|(name, _)| name == "arguments").map(|(_, value)| value);
    let Some(found) = found.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if !found.is_object() {
        return Err(rpc::Error::new(rpc::Error::INVALID_PARAMS, "`params.arguments` must be an object"));
    }
    let given = found.members().filter(|(_, value)| !value.is_null());
    given
        .map(|(name, value)| {
            let value = call::string(&format!("params.arguments.{name}"), value)?.into_owned();
            Ok((name.into_owned(), value))
        })
        .collect()
}
