use std::collections::{BTreeMap, btree_map::Entry};

use super::{BuildError, Tool, ToolCall, call, cursor, handler::Handle, schema};
use crate::{
    handler::{Context, Run},
    model::RawObject,
    proto::io::{Payload, Reply},
    rpc::{self, Raw, RawRef},
};

/// A tool and its handler, as the builder was given them.
pub(super) struct Declared {
    pub(super) tool: Tool,
    /// The schema of what the handler's parameters read.
    pub(super) arguments: Option<schemars::Schema>,
    pub(super) handler: Box<dyn Handle>,
}

/// The tools of a server: found by name, and listed.
pub(super) struct Tools {
    handlers: BTreeMap<Box<str>, Handler>,
    /// The results of `tools/list`, written once: one for each page.
    pages: Vec<Raw>,
    /// That they hold nothing that some revision leaves out.
    is_plain: bool,
    page_size: usize,
    fingerprint: u64,
}

struct Handler {
    handle: Box<dyn Handle>,
    /// That revisions which know only objects get the structured content inside one.
    wraps_output: bool,
}

impl Tools {
    /// Takes the tools in the order in which they will be listed.
    pub(super) fn new(declared: Vec<Declared>, page_size: usize) -> Result<Self, BuildError> {
        let mut handlers = BTreeMap::new();
        let mut written = Vec::with_capacity(declared.len());
        let mut is_plain = true;
        for Declared { tool, arguments, handler } in declared {
            warn_of_odd_name(&tool.model.name);
            is_plain &= is_plain_tool(&tool);
            written.push(write(&tool, arguments)?);
            let handler = Handler { handle: handler, wraps_output: wraps_output(&tool) };
            match handlers.entry(tool.model.name.into_boxed_str()) {
                Entry::Vacant(free) => drop(free.insert(handler)),
                Entry::Occupied(taken) => return Err(BuildError::DuplicateTool { name: taken.key().to_string() }),
            }
        }
        let fingerprint = cursor::fingerprint(written.iter().map(String::as_str));
        let pages = pages(&written, page_size, fingerprint);
        Ok(Self { handlers, pages, is_plain, page_size, fingerprint })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.handlers.is_empty()
    }

    /// Answers `tools/call`.
    pub(super) fn call(&self, params: Option<RawRef<'_>>, cx: &Context) -> Run {
        let call = match ToolCall::read(params) {
            Ok(call) => call,
            Err(error) => return Run::Ready(Reply::Error(error)),
        };
        match self.handlers.get(call.name()) {
            Some(handler) => handler.handle.run(&call, cx, handler.wraps_output),
            None => {
                let message = format!("unknown tool `{}`: `tools/list` names the tools", call.name());
                Run::Ready(Reply::Error(rpc::Error::new(rpc::Error::INVALID_PARAMS, message)))
            }
        }
    }

    /// Answers `tools/list`.
    pub(super) fn list(&self, params: Option<RawRef<'_>>) -> Reply {
        match self.page(params) {
            Ok(page) => Reply::Complete(Payload { is_plain: self.is_plain, ..page.clone().into() }),
            Err(error) => Reply::Error(error),
        }
    }

    fn page(&self, params: Option<RawRef<'_>>) -> Result<&Raw, rpc::Error> {
        let cursor = call::object(params)?.find(|(name, _)| name == "cursor").filter(|(_, cursor)| !cursor.is_null());
        let start = match cursor {
            Some((_, cursor)) => cursor::read(&call::string("params.cursor", cursor)?, self.fingerprint)?,
            None => 0,
        };
        Ok(&self.pages[start / self.page_size])
    }
}

/// Writes a tool as it stands in the list.
fn write(tool: &Tool, arguments: Option<schemars::Schema>) -> Result<String, BuildError> {
    let name = &tool.model.name;
    let schema = match tool.input.clone().or(arguments) {
        Some(schema) => schema::of_arguments(schema)
            .map_err(|found| BuildError::Arguments { tool: name.clone(), found })?
            .as_str()
            .to_owned(),
        None => schema::NO_ARGUMENTS.to_owned(),
    };
    let mut model = tool.model.clone();
    model.input_schema = RawObject::parse(schema).expect("a schema of arguments is an object");
    Ok(serde_json::to_string(&model).expect("what a tool consists of can always be written"))
}

/// Writes the pages of a list: at least one.
fn pages(written: &[String], size: usize, fingerprint: u64) -> Vec<Raw> {
    let mut pages = Vec::new();
    for start in (0..written.len().max(1)).step_by(size) {
        let end = written.len().min(start.saturating_add(size));
        let mut page = format!(r#"{{"tools":[{}]"#, written[start..end].join(","));
        if end < written.len() {
            page.push_str(&format!(r#","nextCursor":"{}""#, cursor::write(end, fingerprint)));
        }
        page.push('}');
        pages.push(Raw::trusted(page));
    }
    pages
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
