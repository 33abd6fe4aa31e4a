//! Putting JSON texts together from slices of others, without parsing or allocating for each member.

use std::{borrow::Cow, ops::Range};

use crate::rpc::{Raw, RawRef};

/// Slices that make up an object, collected first so that one allocation of the right size suffices.
pub(super) struct Parts<'a> {
    parts: [&'a str; 16],
    count: usize,
    /// Whether the object that is being written has no member yet.
    is_empty: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new() -> Self {
        Self { parts: [""; 16], count: 0, is_empty: true }
    }

    /// Opens an object.
    pub(super) fn open(&mut self) {
        self.push("{");
        self.is_empty = true;
    }

    /// Adds whole members of an object, with the comma before them.
    pub(super) fn members(&mut self, text: &'a str) {
        let text = if self.is_empty { text.trim_start_matches(SEPARATORS) } else { text };
        if !text.is_empty() {
            self.push(text);
            self.is_empty = false;
        }
    }

    /// Adds the members up to the end of an object, and its end.
    pub(super) fn rest(&mut self, text: &'a str) {
        let text = if self.is_empty { text.trim_start_matches(SEPARATORS) } else { text };
        self.push(text);
        self.is_empty = false;
    }

    /// Puts it all together.
    pub(super) fn concat(&self) -> String {
        self.parts[..self.count].concat()
    }

    fn push(&mut self, text: &'a str) {
        self.parts[self.count] = text;
        self.count += 1;
    }
}

/// A member of an object, and where it stands in the object's text.
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) value: RawRef<'a>,
    /// Where the member before it ends, in bytes from the start of the object.
    pub(super) start: usize,
    /// Where the member ends.
    pub(super) end: usize,
    object: &'a str,
}

impl<'a> Member<'a> {
    /// Gives name and value, as they stand there.
    pub(super) fn text(&self) -> &'a str {
        self.object[self.start..self.end].trim_start_matches(SEPARATORS)
    }

    /// Gives what stands before the value: name and colon, as they stand there.
    pub(super) fn label(&self) -> &'a str {
        let text = self.text();
        &text[..text.len() - self.value.as_str().len()]
    }
}

/// Walks over the members of an object with their places in its text.
pub(super) fn members<'a>(object: RawRef<'a>) -> impl Iterator<Item = Member<'a>> {
    let object_text = object.as_str();
    let mut start = 1;
    object.members().map(move |(name, value)| {
        let end = value.as_str().as_ptr().addr() - object_text.as_ptr().addr() + value.as_str().len();
        Member { name, value, start: std::mem::replace(&mut start, end), end, object: object_text }
    })
}

/// Writes a member without the comma before it.
pub(super) fn member(name: &str, value: RawRef<'_>, out: &mut Vec<u8>) {
    string(name, out);
    out.push(b':');
    out.extend_from_slice(value.as_str().as_bytes());
}

/// Writes the members of an object but for those that `skips`, each after a comma.
pub(super) fn other_members(object: RawRef<'_>, mut skips: impl FnMut(&str) -> bool, out: &mut Vec<u8>) {
    for member in members(object).filter(|member| !skips(&member.name)) {
        out.push(b',');
        out.extend_from_slice(member.text().as_bytes());
    }
}

/// Writes all members of an object after others, and the end of the object.
pub(super) fn rest(object: RawRef<'_>, out: &mut Vec<u8>) {
    let rest = object.as_str().get(1..).unwrap_or("}").trim_start_matches(BLANKS);
    if !rest.starts_with('}') {
        out.push(b',');
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Writes a string as JSON.
pub(super) fn string(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, text).expect("a string can always be written to memory");
}

/// Takes text that was put together here.
pub(super) fn into_raw(out: Vec<u8>) -> Raw {
    Raw::trusted(String::from_utf8(out).expect("pieces of text make a text"))
}

/// Writes an object without the members that `skips`.
pub(super) fn filtered(object: RawRef<'_>, mut skips: impl FnMut(&str) -> bool, out: &mut Vec<u8>) {
    out.push(b'{');
    let mut is_first = true;
    for member in members(object).filter(|member| !skips(&member.name)) {
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        out.extend_from_slice(member.text().as_bytes());
    }
    out.push(b'}');
}

/// Writes an array with each element written by `write`, which says whether it wrote anything.
pub(super) fn mapped(array: RawRef<'_>, out: &mut Vec<u8>, mut write: impl FnMut(RawRef<'_>, &mut Vec<u8>) -> bool) {
    out.push(b'[');
    let mut is_first = true;
    for element in array.elements() {
        let before = out.len();
        if !is_first {
            out.push(b',');
        }
        if write(element, out) {
            is_first = false;
        } else {
            out.truncate(before);
        }
    }
    out.push(b']');
}

/// Takes the first member of this name out of an object: its value, and the object without it.
pub(super) fn take<'a>(object: RawRef<'a>, name: &str) -> Option<(RawRef<'a>, Raw)> {
    let found = members(object).find(|member| member.name == name)?;
    Some((found.value, without(object, found.start..found.end)))
}

/// Writes an object without the member that stands there, from where the one before it ends.
pub(super) fn without(object: RawRef<'_>, member: Range<usize>) -> Raw {
    let (before, after) = (&object.as_str()[..member.start], &object.as_str()[member.end..]);
    // With the first member goes the comma behind it.
    let after = if before.len() == 1 { after.trim_start_matches(SEPARATORS) } else { after };
    Raw::trusted([before, after].concat())
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];
const SEPARATORS: [char; 5] = [',', ' ', '\t', '\n', '\r'];
