use super::{
    BuildError, Item, Tool, ToolCall, ToolHandler,
    family::{Handle, erase},
    registry::{self, Registry},
    schema,
    visible::Visible,
    wrap::{Subject, wrap},
};
use crate::{
    handler::{Context, Needed, Run, States},
    model::{RawObject, tools},
    proto::io::Reply,
    rpc::{self, Raw, RawRef},
    version::Era,
    wire::headers::ParamHeaders,
};

/// A tool and its handler, as the builder was given them.
pub(super) struct Declared {
    pub(super) tool: Tool,
    /// The schema of what the handler's parameters read.
    pub(super) arguments: Option<schemars::Schema>,
    /// The states that the handler's parameters are made of.
    pub(super) needed: Vec<Needed>,
    pub(super) handler: Box<dyn Handle>,
}

impl Declared {
    pub(super) fn new<Signature: 'static>(mut tool: Tool, handler: impl ToolHandler<Signature>) -> Self {
        let (described, handler) = erase(handler);
        tool.advertise(described.output);
        Self { tool, arguments: described.told.finish(), needed: described.needed, handler }
    }
}

/// A tool of a server.
pub(super) struct Entry {
    /// As it is listed.
    model: tools::Tool,
    written: String,
    /// That it holds nothing that some revision leaves out.
    is_plain: bool,
    handle: Box<dyn Handle>,
    /// That revisions which know only objects get the structured content inside one.
    wraps_output: bool,
    /// The arguments that headers repeat, on HTTP.
    mirrored: ParamHeaders,
}

impl Entry {
    pub(super) fn new(declared: Declared, states: &States) -> Result<Self, BuildError> {
        let Declared { tool, arguments, needed, handler } = declared;
        warn_of_odd_name(&tool.model.name);
        BuildError::check(states, &needed, "tool", &tool.model.name)?;
        let is_plain = is_plain_tool(&tool);
        let wraps_output = wraps_output(&tool);
        let subject = Subject { tool: &tool, arguments: arguments.as_ref(), states, wraps_output };
        let handle = match wrap(&subject, handler) {
            Ok(handle) => handle,
            Err(reason) => return Err(BuildError::UnusableTool { tool: tool.model.name, reason }),
        };
        let model = with_schema(tool, arguments)?;
        let mirrored = match ParamHeaders::read(RawRef::trusted(model.input_schema.as_str())) {
            Ok(mirrored) => mirrored,
            Err(reason) => return Err(BuildError::UnusableTool { tool: model.name, reason }),
        };
        let written = serde_json::to_string(&model).expect("what a tool consists of can always be written");
        Ok(Self { model, written, is_plain, handle, wraps_output, mirrored })
    }

    /// Compares the headers that repeat arguments with these, where a request has headers.
    fn check_headers(&self, call: &ToolCall<'_>, cx: &Context) -> Result<(), rpc::Error> {
        match cx.headers() {
            Some(headers) if cx.era() == Era::Modern => self.mirrored.check(headers, call.arguments()),
            _ => Ok(()),
        }
    }
}

impl registry::Entry for Entry {
    const MEMBER: &'static str = "tools";

    fn key(&self) -> &str {
        &self.model.name
    }

    fn written(&self) -> &str {
        &self.written
    }

    fn is_plain(&self) -> bool {
        self.is_plain
    }

    fn item(&self) -> Item<'_> {
        Item::Tool(&self.model)
    }
}

/// Answers `tools/call`.
pub(super) fn call(
    tools: &Registry<Entry>,
    visible: Option<&Visible>,
    params: Option<RawRef<'_>>,
    cx: &Context,
) -> Run {
    let call = match ToolCall::read(params) {
        Ok(call) => call,
        Err(error) => return Run::Ready(Reply::Error(error)),
    };
    let snapshot = tools.snapshot();
    let found = snapshot.find(call.name());
    match found.filter(|entry| visible.is_none_or(|visible| visible(&Item::Tool(&entry.model), cx))) {
        Some(entry) if !entry.mirrored.is_empty() => match entry.check_headers(&call, cx) {
            Ok(()) => entry.handle.run(&call, cx, entry.wraps_output),
            Err(error) => Run::Ready(Reply::Error(error)),
        },
        Some(entry) => entry.handle.run(&call, cx, entry.wraps_output),
        None => {
            let message = format!("unknown tool `{}`: `tools/list` names the tools", call.name());
            Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::INVALID_PARAMS, message)))
        }
    }
}

/// Gives a tool as it stands in the list.
fn with_schema(tool: Tool, arguments: Option<schemars::Schema>) -> Result<tools::Tool, BuildError> {
    let mut model = tool.model;
    let schema = match (tool.input, arguments) {
        (Some(given), _) => schema::as_given(given),
        (None, Some(schema)) => schema::of_arguments(schema),
        (None, None) => Ok(Raw::trusted(schema::NO_ARGUMENTS)),
    };
    let schema = schema.map_err(|found| BuildError::Arguments { tool: model.name.clone(), found })?;
    let schema = schema.as_str().to_owned();
    model.input_schema = RawObject::parse(schema).expect("a schema of arguments is an object");
    Ok(model)
}

fn is_plain_tool(tool: &Tool) -> bool {
    let model = &tool.model;
    model.title.is_none()
        && model.icons.is_none()
        && model.annotations.is_none()
        && model.output_schema.is_none()
        && model.meta.is_none()
        && model.extra.is_empty()
        && tool.input.is_none()
}

/// Whether there is an output schema whose root is not said to be an object.
fn wraps_output(tool: &Tool) -> bool {
    let Some(schema) = &tool.model.output_schema else { return false };
    let schema: serde_json::Value = schema.decode().unwrap_or_default();
    schema.get("type").is_none_or(|name| name != "object")
}

/// Warns of a name that some hosts refuse.
fn warn_of_odd_name(name: &str) {
    let is_usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !(1..=128).contains(&name.chars().count()) || !name.chars().all(is_usual) {
        tracing::warn!(
            tool = name,
            "some hosts refuse this name of a tool: use 1 to 128 of the letters a to z, A to Z, digits, `_`, `-`, `.`"
        );
    }
}
