//! What tools said that their results would be, and whether they are.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use serde_json::Value;

use crate::{
    error::{Error, Result},
    rpc::{Raw, RawRef},
    schema::Validator,
    version::Revision,
};

/// The output schemas of a server's tools, as far as it has listed them.
pub(super) struct Outputs {
    is_on: bool,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    tools: HashMap<Box<str>, Arc<Advertised>>,
    bytes: usize,
    /// Which answers were taken in, so that one that is kept is not taken in whenever it is served.
    learned: HashSet<u64>,
}

struct Advertised {
    tool: Box<str>,
    schema: Raw,
    /// `None` within where the schema cannot be used.
    validator: OnceLock<Option<Validator>>,
}

/// The output schema of a tool when it was called.
pub(super) struct Expected(Arc<Advertised>);

/// How many tools are remembered, and how many bytes their schemas have in all. What goes beyond is not checked.
const TOOLS: usize = 10_000;
const BYTES: usize = 16 << 20;
/// How many answers are told apart.
const ANSWERS: usize = 1_000;

impl Outputs {
    pub(super) fn new(is_on: bool) -> Self {
        Self { is_on, table: Mutex::default() }
    }

    /// Takes in a page of the list of tools that was asked for then.
    pub(super) fn learn(&self, method: &str, result: &Raw, asked: u64, revision: Revision) {
        if !self.is_on || method != "tools/list" || !revision.has_structured_content() {
            return;
        }
        let mut table = self.lock();
        if table.learned.len() >= ANSWERS {
            table.learned.clear();
        }
        if !table.learned.insert(asked) {
            return;
        }
        let Some(tools) = result.borrow().member("tools").filter(|tools| tools.as_str().starts_with('[')) else {
            return;
        };
        for tool in tools.elements().filter(|tool| tool.is_object()) {
            let (mut name, mut schema) = (None, None);
            for (member, value) in tool.members() {
                match &*member {
                    "name" => name = value.as_string(),
                    "outputSchema" => schema = Some(value).filter(|schema| !schema.is_null()),
                    _ => {}
                }
            }
            if let Some(name) = name {
                table.set(&name, schema);
            }
        }
    }

    /// Forgets all: the tools have changed.
    pub(super) fn forget(&self) {
        if self.is_on {
            *self.lock() = Table::default();
        }
    }

    /// Gives what the result of a tool is to be, where the tool has said so.
    pub(super) fn expected(&self, tool: &str) -> Option<Expected> {
        if !self.is_on {
            return None;
        }
        self.lock().tools.get(tool).cloned().map(Expected)
    }

    /// Checks a result. Where the tool has changed since it was called there is nothing to check it against.
    pub(super) fn check(&self, Expected(advertised): &Expected, result: &Raw) -> Result<()> {
        let is_current = self.lock().tools.get(&advertised.tool).is_some_and(|now| Arc::ptr_eq(now, advertised));
        if !is_current {
            return Ok(());
        }
        let mut structured = None;
        for (name, value) in result.borrow().members() {
            match &*name {
                "isError" if value.as_str() == "true" => return Ok(()),
                "structuredContent" => structured = Some(value),
                _ => {}
            }
        }
        let Some(validator) = advertised.validator() else { return Ok(()) };
        misfit(validator, structured)
            .map_or(Ok(()), |reason| Err(Error::output(&advertised.tool, reason, result.clone())))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn set(&mut self, tool: &str, schema: Option<RawRef<'_>>) {
        if let Some(known) = self.tools.get(tool) {
            if schema.is_some_and(|schema| schema.as_str() == known.schema.as_str()) {
                return;
            }
            self.bytes -= known.size();
            self.tools.remove(tool);
        }
        let Some(schema) = schema else { return };
        let advertised = Advertised { tool: tool.into(), schema: schema.to_owned(), validator: OnceLock::new() };
        if self.tools.len() >= TOOLS || self.bytes + advertised.size() > BYTES {
            tracing::warn!(tool, "the server has more output schemas than are remembered: results are not checked");
            return;
        }
        self.bytes += advertised.size();
        self.tools.insert(tool.into(), Arc::new(advertised));
    }
}

impl Advertised {
    fn size(&self) -> usize {
        self.tool.len() + self.schema.as_str().len()
    }

    /// Gives what checks results, made when the first one comes.
    fn validator(&self) -> Option<&Validator> {
        let made = self.validator.get_or_init(|| {
            let schema = self.schema.decode::<Value>().map_err(|error| error.to_string());
            let made = schema.and_then(|schema| Validator::new(&schema).map_err(|error| error.to_string()));
            made.inspect_err(|reason| {
                let tool = &*self.tool;
                tracing::warn!(tool, reason, "the output schema of a tool cannot be used: its results are not checked");
            })
            .ok()
        });
        made.as_ref()
    }
}

/// Says what is wrong with structured content.
fn misfit(validator: &Validator, structured: Option<RawRef<'_>>) -> Option<String> {
    let Some(structured) = structured else { return Some("`structuredContent` is missing".to_owned()) };
    match structured.decode::<Value>() {
        Ok(value) => validator.check(&value).err().map(|mismatch| mismatch.explain("structuredContent")),
        Err(error) => Some(format!("`structuredContent`: {error}")),
    }
}
