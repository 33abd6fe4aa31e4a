//! Finds the place in JSON that a decoder stumbled over. Runs on failures only, so that decoding itself carries
//! nothing along for it.

use std::{error, fmt};

/// What a decoder said, without the line and column that the path stands for.
#[derive(Debug)]
pub(super) struct Reason(String);

impl From<serde_json::Error> for Reason {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        let end = text.rfind(" at line ").unwrap_or(text.len());
        Self(text[..end].to_owned())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl error::Error for Reason {}

/// Gives the path to the value that `error` is about, as in `tools[3].name`; empty for the whole text.
pub(super) fn of(text: &str, error: &serde_json::Error) -> String {
    let frames = open_at(text.as_bytes(), offset(text, error));
    // A missing member is the fault of the object that lacks it, whose end is where the decoder stands.
    let is_about_container = error.to_string().starts_with("missing field");
    let depth = if is_about_container { frames.len().saturating_sub(1) } else { frames.len() };
    let mut path = String::new();
    for frame in &frames[..depth] {
        frame.write_to(&mut path);
    }
    path
}

/// How many bytes the decoder had read.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    if error.line() == 0 {
        return 0;
    }
    let line_start: usize = text.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
    (line_start + error.column()).min(text.len())
}

/// An array or object that has begun and not ended, and where in it the reader stands.
enum Frame<'a> {
    Array { index: usize },
    Object { key: Option<&'a str>, is_key_next: bool },
}

impl Frame<'_> {
    fn write_to(&self, path: &mut String) {
        match self {
            Self::Array { index } => {
                path.push('[');
                path.push_str(&index.to_string());
                path.push(']');
            }
            Self::Object { key: None, .. } => {}
            Self::Object { key: Some(key), .. } => {
                let is_word = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
                if is_word && !key.is_empty() {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                } else {
                    path.push_str("[\"");
                    path.push_str(key);
                    path.push_str("\"]");
                }
            }
        }
    }
}

/// Walks `text`, which is JSON, up to `end`, and gives what is open there.
fn open_at(text: &[u8], end: usize) -> Vec<Frame<'_>> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < end {
        match text[at] {
            b'{' => frames.push(Frame::Object { key: None, is_key_next: true }),
            b'[' => frames.push(Frame::Array { index: 0 }),
            b'}' | b']' => drop(frames.pop()),
            b',' => match frames.last_mut() {
                Some(Frame::Array { index }) => *index += 1,
                Some(Frame::Object { is_key_next, .. }) => *is_key_next = true,
                None => {}
            },
            b'"' => {
                let start = at + 1;
                at = string_end(text, start);
                if let Some(Frame::Object { key, is_key_next: is_key_next @ true }) = frames.last_mut() {
                    *key = std::str::from_utf8(&text[start..at]).ok();
                    *is_key_next = false;
                }
            }
            _ => {}
        }
        at += 1;
    }
    frames
}

/// Gives where the quote stands that ends the string.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at.min(text.len())
}
