//! What tools want repeated in headers, as far as lists of them told.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use tracing::warn;

use crate::{
    rpc::{Limits, Message, RawRef},
    wire::headers::ParamHeaders,
};

/// How many tools are remembered; servers that have more of them with headers get calls without.
const TOOLS: usize = 10_000;

/// The headers of tools, by their names. A tool that has none is not in here.
#[derive(Debug, Default)]
pub(super) struct Tools(HashMap<String, Arc<ParamHeaders>>);

impl Tools {
    /// Gives the headers for a call: names and values.
    ///
    /// # Errors
    ///
    /// An argument cannot be repeated.
    pub(super) fn repeated(&self, params: Option<RawRef<'_>>) -> Result<Vec<(String, String)>, String> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let name = params.and_then(|params| params.member("name")).and_then(RawRef::as_string);
        match name.and_then(|name| self.0.get(&*name)) {
            Some(headers) => headers.write(params.and_then(|params| params.member("arguments"))),
            None => Ok(Vec::new()),
        }
    }

    /// Learns from the result of a `tools/list`. Gives the positions of tools that want what is not allowed, so that
    /// they must not be called.
    pub(super) fn learn(&mut self, result: RawRef<'_>) -> BTreeSet<usize> {
        let mut refused = BTreeSet::new();
        let Some(list) = result.member("tools").filter(|list| list.as_str().starts_with('[')) else { return refused };
        for (position, tool) in list.elements().enumerate() {
            let Some(name) = tool.member("name").and_then(RawRef::as_string) else { continue };
            match tool.member("inputSchema").map_or_else(|| Ok(ParamHeaders::default()), ParamHeaders::read) {
                Ok(headers) if headers.is_empty() => drop(self.0.remove(&*name)),
                Ok(headers) => {
                    if self.0.len() < TOOLS || self.0.contains_key(&*name) {
                        self.0.insert(name.into_owned(), Arc::new(headers));
                    }
                }
                Err(reason) => {
                    warn!(tool = &*name, reason, "a tool is left out of the list");
                    self.0.remove(&*name);
                    refused.insert(position);
                }
            }
        }
        refused
    }

    /// Learns from the answer to a `tools/list`, and gives it without the tools that must not be called, if there are
    /// any.
    pub(super) fn learn_answer(&mut self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let Ok(Message::Response { result: Some(result), .. }) = Message::parse(text.as_bytes(), &Limits::default())
        else {
            return None;
        };
        let refused = self.learn(result);
        let list = result.member("tools").filter(|_| !refused.is_empty())?.as_str();
        let at = list.as_ptr() as usize - text.as_ptr() as usize;
        let tools = result.member("tools")?.elements().enumerate();
        let kept: Vec<&str> =
            tools.filter(|(position, _)| !refused.contains(position)).map(|(_, tool)| tool.as_str()).collect();
        Some(format!("{}[{}]{}", &text[..at], kept.join(","), &text[at + list.len()..]).into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_want_what_is_not_allowed_are_left_out_of_lists() {
        let tool = |name: &str, header: &str| {
            let property = format!(r#"{{"type":"string","x-mcp-header":"{header}"}}"#);
            format!(r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{{"a":{property}}}}}}}"#)
        };
        let (good, bad) = (tool("good", "A"), tool("bad", "a b"));
        let text = |tools: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"ttlMs":1.50,"tools":[{tools}]}}}}"#);
        let mut tools = Tools::default();
        for list in [format!("{bad} , {good}"), format!("{good},{bad}"), format!("{bad},{good},{bad}")] {
            let learned = tools.learn_answer(text(&list).as_bytes()).unwrap();
            assert_eq!(String::from_utf8(learned).unwrap(), text(&good));
        }
        assert_eq!(tools.learn_answer(text(&good).as_bytes()), None);
        assert_eq!(tools.learn_answer(text("1,{},[]").as_bytes()), None);
        assert_eq!(tools.learn_answer(br#"{"jsonrpc":"2.0","id":1,"result":{"tools":7}}"#), None);
        assert_eq!(tools.0.keys().collect::<Vec<_>>(), ["good"]);
    }
}
