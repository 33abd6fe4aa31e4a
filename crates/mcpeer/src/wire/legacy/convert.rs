//! What a revision of the stateful era cannot carry is left out or written in another way.

use std::borrow::Cow;

use crate::{
    rpc::{Raw, RawRef},
    version::Revision,
};

use super::{
    super::{Encoding, Refusal, schema, splice},
    declared,
};

/// Writes a result as the revision can carry it, in one walk over its members.
pub(super) fn result(
    encoding: &Encoding<'_>,
    raw: RawRef<'_>,
    wraps_output: bool,
    out: &mut Vec<u8>,
) -> Result<(), Refusal> {
    let Some(row) = encoding.row else {
        out.extend_from_slice(raw.as_str().as_bytes());
        return Ok(());
    };
    if !raw.is_object() {
        return Err(Refusal("a result must be an object".into()));
    }
    let conversion = Conversion { revision: encoding.revision, method: row.method, wraps_output, whole: raw };
    out.push(b'{');
    let start = out.len();
    let mut has_content = row.method != "tools/call";
    for member in splice::members(raw) {
        let before = out.len();
        if before > start {
            out.push(b',');
        }
        has_content |= matches!(&*member.name, "content" | "task");
        if !conversion.member(&member, out)? {
            out.truncate(before);
        }
    }
    if !has_content {
        if out.len() > start {
            out.push(b',');
        }
        out.extend_from_slice(b"\"content\":");
        conversion.content(RawRef::trusted("[]"), out);
    }
    out.push(b'}');
    Ok(())
}

/// Gives the params of a request as the revision can carry them.
pub(super) fn request<'a>(revision: Revision, method: &str, params: &'a Raw) -> Result<Cow<'a, Raw>, String> {
    match method {
        "initialize" if !revision.has_url_elicitation() => Ok(declared::initialize(revision, params)),
        "sampling/createMessage" if !revision.has_sampling_tools() => sampling(revision, params),
        "elicitation/create" if !revision.has_url_elicitation() => {
            let mode = params.borrow().member("mode").and_then(RawRef::as_string);
            if mode.is_some_and(|mode| mode == "url") {
                return Err(format!("protocol version {revision} cannot send the user to a URL"));
            }
            Ok(Cow::Borrowed(params))
        }
        _ => Ok(Cow::Borrowed(params)),
    }
}

/// A result on its way to a revision.
struct Conversion<'a> {
    revision: Revision,
    method: &'static str,
    wraps_output: bool,
    whole: RawRef<'a>,
}

impl Conversion<'_> {
    /// Writes a member of the result; false where it is to be left out.
    fn member(&self, member: &splice::Member<'_>, out: &mut Vec<u8>) -> Result<bool, Refusal> {
        let splice::Member { name, value, .. } = member;
        match (self.method, &**name) {
            (_, "resultType") if value.as_str() != "\"complete\"" => {
                let message = format!("protocol version {} has no resultType {}", self.revision, value.as_str());
                return Err(Refusal(message.into()));
            }
            (_, "resultType" | "ttlMs" | "cacheScope") => return Ok(false),
            ("tools/call" | "tasks/result", "structuredContent") if !self.revision.has_structured_content() => {
                return Ok(false);
            }
            _ => {}
        }
        out.extend_from_slice(member.label().as_bytes());
        match (self.method, &**name) {
            ("tools/call" | "tasks/result", "structuredContent") if self.wraps(*value) => {
                out.extend_from_slice(b"{\"result\":");
                out.extend_from_slice(value.as_str().as_bytes());
                out.push(b'}');
            }
            ("tools/call" | "tasks/result", "content") if is_array(*value) => self.content(*value, out),
            ("tools/list", "tools") if is_array(*value) => self.tools(*value, out),
            ("prompts/get", "messages") if is_array(*value) => self.messages(*value, out),
            ("initialize", "capabilities") if !self.revision.has_core_tasks() && value.is_object() => {
                splice::filtered(*value, |name| name == "tasks", out);
            }
            ("sampling/createMessage", "content") => {
                let content = sampled(self.revision, *value).map_err(|reason| Refusal(reason.into()))?;
                out.extend_from_slice(content.as_bytes());
            }
            ("elicitation/create", "content") => {
                self.check_answers(*value)?;
                out.extend_from_slice(value.as_str().as_bytes());
            }
            _ => out.extend_from_slice(value.as_str().as_bytes()),
        }
        Ok(true)
    }

    fn wraps(&self, structured: RawRef<'_>) -> bool {
        self.wraps_output || !structured.is_object()
    }

    /// Writes the content of a tool's result without what the revision does not know, and with the structured content
    /// as text where the revision changes or omits that and no text stands for it.
    fn content(&self, blocks: RawRef<'_>, out: &mut Vec<u8>) {
        let mut has_text = false;
        splice::mapped(blocks, out, |block, out| {
            let kind = kind(block);
            has_text |= kind.as_deref() == Some("text");
            out.extend_from_slice(block.as_str().as_bytes());
            knows_block(self.revision, kind.as_deref())
        });
        let Some(structured) = self.whole.member("structuredContent") else { return };
        if has_text || (self.revision.has_structured_content() && !self.wraps(structured)) {
            return;
        }
        out.pop();
        if out.last() != Some(&b'[') {
            out.push(b',');
        }
        write_text(structured.as_str(), out);
        out.push(b']');
    }

    fn tools(&self, tools: RawRef<'_>, out: &mut Vec<u8>) {
        splice::mapped(tools, out, |tool, out| {
            if tool.is_object() {
                self.tool(tool, out);
            } else {
                out.extend_from_slice(tool.as_str().as_bytes());
            }
            true
        });
    }

    fn tool(&self, tool: RawRef<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        let start = out.len();
        for member in splice::members(tool) {
            let value = member.value;
            let is_known = match &*member.name {
                "execution" => self.revision.has_core_tasks(),
                "outputSchema" => self.revision.has_structured_content(),
                _ => true,
            };
            if !is_known {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            out.extend_from_slice(member.label().as_bytes());
            match &*member.name {
                "outputSchema" if !schema::has_object_root(value) => schema::write_wrapped(value, out),
                "inputSchema" | "outputSchema" => schema::write_object(value, out),
                _ => out.extend_from_slice(value.as_str().as_bytes()),
            }
        }
        out.push(b'}');
    }

    /// Writes the messages of a prompt; a block that the revision does not know is replaced by a text, because a
    /// message has exactly one.
    fn messages(&self, messages: RawRef<'_>, out: &mut Vec<u8>) {
        splice::mapped(messages, out, |message, out| {
            match message.member("content") {
                Some(block) if !knows_block(self.revision, kind(block).as_deref()) => {
                    with_content(message, out, |out| write_text(&describe(block), out));
                }
                _ => out.extend_from_slice(message.as_str().as_bytes()),
            }
            true
        });
    }

    fn check_answers(&self, content: RawRef<'_>) -> Result<(), Refusal> {
        if !self.revision.has_url_elicitation() && content.members().any(|(_, value)| is_array(value)) {
            return Err(Refusal(format!("protocol version {} has no lists as answers", self.revision).into()));
        }
        Ok(())
    }
}

/// Gives the content that a model answered with, as the revision can carry it.
fn sampled(revision: Revision, content: RawRef<'_>) -> Result<Cow<'_, str>, String> {
    if revision.has_sampling_tools() {
        return Ok(Cow::Borrowed(content.as_str()));
    }
    let blocks: Vec<RawRef<'_>> = if is_array(content) { content.elements().collect() } else { vec![content] };
    for block in &blocks {
        check_sampling_block(revision, *block)?;
    }
    if let [block] = blocks[..] {
        return Ok(Cow::Borrowed(block.as_str()));
    }
    let mut texts = Vec::new();
    for block in &blocks {
        match block.member("text").and_then(RawRef::as_string) {
            Some(text) if kind(*block).as_deref() == Some("text") => texts.push(text),
            _ => return Err(format!("protocol version {revision} cannot carry several blocks of content")),
        }
    }
    if texts.is_empty() {
        return Err(format!("protocol version {revision} needs a block of content"));
    }
    let mut out = Vec::new();
    write_text(&texts.join("\n"), &mut out);
    Ok(Cow::Owned(splice::into_raw(out).as_str().to_owned()))
}

/// Gives the params of a sampling request for a revision in which a message has one block and there are no tools.
fn sampling(revision: Revision, params: &Raw) -> Result<Cow<'_, Raw>, String> {
    for (name, _) in params.borrow().members() {
        if matches!(&*name, "tools" | "toolChoice") {
            return Err(format!("protocol version {revision} has no tools in sampling"));
        }
    }
    let messages = params.borrow().member("messages").filter(|messages| is_array(*messages));
    let Some(messages) = messages else { return Ok(Cow::Borrowed(params)) };
    let mut has_lists = false;
    for content in messages.elements().filter_map(|message| message.member("content")) {
        has_lists |= is_array(content);
        let alone = (!is_array(content)).then_some(content);
        for block in content.elements().chain(alone) {
            check_sampling_block(revision, block)?;
        }
    }
    if !has_lists {
        return Ok(Cow::Borrowed(params));
    }
    let mut out = Vec::with_capacity(params.as_str().len() + 64);
    out.extend_from_slice(b"{\"messages\":");
    splice::mapped(messages, &mut out, write_messages);
    splice::other_members(params.borrow(), |name| name == "messages", &mut out);
    out.push(b'}');
    Ok(Cow::Owned(splice::into_raw(out)))
}

/// Writes a message with several blocks as several with one each.
fn write_messages(message: RawRef<'_>, out: &mut Vec<u8>) -> bool {
    let Some(blocks) = message.member("content").filter(|content| is_array(*content)) else {
        out.extend_from_slice(message.as_str().as_bytes());
        return true;
    };
    for (at, block) in blocks.elements().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        with_content(message, out, |out| out.extend_from_slice(block.as_str().as_bytes()));
    }
    blocks.elements().next().is_some()
}

fn check_sampling_block(revision: Revision, block: RawRef<'_>) -> Result<(), String> {
    let kind = kind(block);
    match kind.as_deref() {
        Some("tool_use" | "tool_result") => {}
        kind if knows_block(revision, kind) => return Ok(()),
        _ => {}
    }
    Err(format!("protocol version {revision} has no {} in sampling", kind.unwrap_or_default()))
}

/// Writes a message with other content.
fn with_content(message: RawRef<'_>, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(b"{\"content\":");
    write(out);
    splice::other_members(message, |name| name == "content", out);
    out.push(b'}');
}

fn knows_block(revision: Revision, kind: Option<&str>) -> bool {
    match kind {
        Some("audio") => revision.has_audio(),
        Some("resource_link") => revision.has_resource_links(),
        _ => true,
    }
}

fn kind(block: RawRef<'_>) -> Option<Cow<'_, str>> {
    block.member("type").and_then(RawRef::as_string)
}

/// Says in words what a block was.
fn describe(block: RawRef<'_>) -> String {
    let text = |name| block.member(name).and_then(RawRef::as_string);
    match (text("name"), text("uri")) {
        (Some(name), Some(uri)) => format!("{name}: {uri}"),
        (None, Some(uri)) => uri.into_owned(),
        _ => format!("[{}]", text("mimeType").unwrap_or_else(|| kind(block).unwrap_or_default())),
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    splice::string(text, out);
    out.push(b'}');
}

fn is_array(value: RawRef<'_>) -> bool {
    value.as_str().starts_with('[')
}
