use std::{borrow::Cow, fmt};

use serde::{Serialize, de::DeserializeOwned};

use super::{Limits, scan};

/// One JSON value as text, checked once and then passed on untouched.
///
/// ```
/// use mcpeer::rpc::Raw;
///
/// let raw = Raw::parse(r#"{"big":123456789012345678901234567890}"#)?;
/// assert_eq!(raw.as_str(), r#"{"big":123456789012345678901234567890}"#);
/// # Ok::<(), mcpeer::rpc::Unreadable>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Raw(Box<str>);

impl Raw {
    /// Checks that `text` is one JSON value, nested no deeper than the default limit, and keeps it; not the blanks
    /// around it.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// assert!(Raw::parse("[1, 2").is_err());
    /// assert_eq!(Raw::parse(" [1, 2]\n").unwrap().as_str(), "[1, 2]");
    /// ```
    pub fn parse(text: impl Into<Box<str>>) -> Result<Self, super::Unreadable> {
        let text = text.into();
        scan::value(&text, &Limits::default())?;
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
        Ok(Self(if trimmed.len() == text.len() { text } else { trimmed.into() }))
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    ///
    /// The value's own `Serialize` failed, or it has a map whose keys are no strings.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// assert_eq!(Raw::from_value(&[1, 2]).unwrap().as_str(), "[1,2]");
    /// ```
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    /// Takes text that this crate wrote or checked already.
    pub(crate) fn trusted(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Gives the text.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// assert_eq!(Raw::parse("null").unwrap().as_str(), "null");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Borrows the value.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse(r#"{"a":1}"#).unwrap();
    /// assert!(raw.borrow().is_object());
    /// ```
    pub fn borrow(&self) -> RawRef<'_> {
        RawRef(&self.0)
    }

    /// Decodes the value into a type.
    ///
    /// # Errors
    ///
    /// The value does not fit the type.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let pair: (u8, u8) = Raw::parse("[1,2]").unwrap().decode().unwrap();
    /// assert_eq!(pair, (1, 2));
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A borrowed JSON value: a slice of a message that was checked as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawRef<'a>(&'a str);

impl<'a> RawRef<'a> {
    /// Takes a slice of text that was checked already.
    pub(crate) fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    /// Gives the text.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// assert_eq!(Raw::parse("null").unwrap().borrow().as_str(), "null");
    /// ```
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// Copies the value.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse("true").unwrap();
    /// assert_eq!(raw.borrow().to_owned(), raw);
    /// ```
    pub fn to_owned(self) -> Raw {
        Raw(self.0.into())
    }

    /// Whether the value is an object.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// assert!(!Raw::parse("[]").unwrap().borrow().is_object());
    /// ```
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// Whether the value is `null`.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// assert!(Raw::parse("null").unwrap().borrow().is_null());
    /// ```
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// Gives the text of a string value, unescaped; `None` where the value is no string.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse(r#""a\nb""#).unwrap();
    /// assert_eq!(raw.borrow().as_string().unwrap(), "a\nb");
    /// ```
    pub fn as_string(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        if inner.as_bytes().contains(&b'\\') {
            serde_json::from_str(self.0).ok().map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(inner))
        }
    }

    /// Gives the name of a member out of its string. One with half a surrogate pair is no text; it stays as it was
    /// written.
    pub(super) fn as_name(self) -> Cow<'a, str> {
        self.as_string().unwrap_or_else(|| Cow::Borrowed(self.0.trim_matches('"')))
    }

    /// Walks over the members of an object, in order; nothing where the value is no object.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse(r#"{"a":[1],"b":2}"#).unwrap();
    /// let names: Vec<_> = raw.borrow().members().map(|(name, _)| name.into_owned()).collect();
    /// assert_eq!(names, ["a", "b"]);
    /// ```
    pub fn members(self) -> Members<'a> {
        Members::new(self.0)
    }

    /// Walks over the elements of an array, in order; nothing where the value is no array.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse(r#"[1, {"a":2}]"#).unwrap();
    /// let texts: Vec<_> = raw.borrow().elements().map(|element| element.as_str()).collect();
    /// assert_eq!(texts, ["1", r#"{"a":2}"#]);
    /// ```
    pub fn elements(self) -> Elements<'a> {
        Elements::new(self.0)
    }

    /// Gives the member of an object that has this name: the first, where there are several.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse(r#"{"a":[1],"b":2}"#).unwrap();
    /// assert_eq!(raw.borrow().member("b").unwrap().as_str(), "2");
    /// ```
    pub fn member(self, name: &str) -> Option<RawRef<'a>> {
        self.members().find(|(found, _)| found == name).map(|(_, value)| value)
    }

    /// Decodes the value into a type, which may borrow from it.
    ///
    /// # Errors
    ///
    /// The value does not fit the type.
    ///
    /// ```
    /// # use mcpeer::rpc::Raw;
    /// let raw = Raw::parse("[1,2]").unwrap();
    /// let pair: (u8, u8) = raw.borrow().decode().unwrap();
    /// assert_eq!(pair, (1, 2));
    /// ```
    pub fn decode<T: serde::Deserialize<'a>>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0)
    }
}

impl fmt::Debug for RawRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The members of a JSON object, as name and value, in the order of the text. See [`RawRef::members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Members<'a> {
    fn new(text: &'a str) -> Self {
        // Past the brace; anything but an object has no members.
        let at = if text.starts_with('{') { 1 } else { text.len() };
        Self { text, at }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, RawRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let mut at = scan::skip_blank(bytes, self.at);
        if bytes.get(at) == Some(&b',') {
            at = scan::skip_blank(bytes, at + 1);
        }
        if bytes.get(at) != Some(&b'"') {
            self.at = bytes.len();
            return None;
        }
        let plain_end = scan::plain_run(bytes, at + 1);
        let (name, name_end) = if bytes.get(plain_end) == Some(&b'"') {
            (Cow::Borrowed(&self.text[at + 1..plain_end]), plain_end + 1)
        } else {
            let end = scan::skip_value(bytes, at);
            (RawRef(&self.text[at..end]).as_name(), end)
        };
        let colon = scan::skip_blank(bytes, name_end);
        let start = scan::skip_blank(bytes, colon + 1);
        self.at = scan::skip_value(bytes, start);
        Some((name, RawRef(&self.text[start..self.at])))
    }
}

/// The elements of a JSON array, in the order of the text. See [`RawRef::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Elements<'a> {
    fn new(text: &'a str) -> Self {
        // Past the bracket; anything but an array has no elements.
        let at = if text.starts_with('[') { 1 } else { text.len() };
        Self { text, at }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = RawRef<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let mut at = scan::skip_blank(bytes, self.at);
        if bytes.get(at) == Some(&b',') {
            at = scan::skip_blank(bytes, at + 1);
        }
        if matches!(bytes.get(at), None | Some(b']')) {
            self.at = bytes.len();
            return None;
        }
        let end = scan::skip_value(bytes, at);
        self.at = end;
        Some(RawRef(&self.text[at..end]))
    }
}

/// Writes a string as JSON.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escaped(text, |piece| out.extend_from_slice(piece.as_bytes()));
    out.push(b'"');
}

/// Writes a string as JSON, after other text.
#[allow(dead_code, reason = "only a server writes results as text, and servers are a feature")]
pub(crate) fn push_string(text: &str, out: &mut String) {
    out.push('"');
    escaped(text, |piece| out.push_str(piece));
    out.push('"');
}

/// Gives the pieces of a string as it stands in JSON. What needs no escape, which is nearly all text, is one.
fn escaped(text: &str, mut put: impl FnMut(&str)) {
    let mut from = 0;
    loop {
        let at = scan::plain_run(text.as_bytes(), from);
        put(&text[from..at]);
        let Some(byte) = text.as_bytes().get(at) else { return };
        match byte {
            b'"' => put("\\\""),
            b'\\' => put("\\\\"),
            b'\n' => put("\\n"),
            b'\r' => put("\\r"),
            b'\t' => put("\\t"),
            0x08 => put("\\b"),
            0x0c => put("\\f"),
            _ => put(&format!("\\u{byte:04x}")),
        }
        from = at + 1;
    }
}
