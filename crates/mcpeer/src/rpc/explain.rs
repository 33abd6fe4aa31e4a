use std::{borrow::Cow, fmt::Write as _};

use super::scan;

/// Says in the words of JSON what does not fit, and where: `` `arguments.a[2]`: expected a number, found string "x" ``.
///
/// `text` is what was decoded, checked JSON; `root` is the name that the path starts with.
pub(crate) fn explain(root: &str, text: &str, error: &serde_json::Error) -> String {
    let mut place = String::from(root);
    locate(text, offset(text, error), &mut place);
    let mut message = error.to_string();
    if let Some(end) = message.rfind(" at line ") {
        message.truncate(end);
    }
    if let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        push_name(field, &mut place);
        return format!("`{place}` is missing");
    }
    let mismatch = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = mismatch.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("`{place}`: expected {}, found {}", expectation(expected), finding(found));
    }
    format!("`{place}`: {message}")
}

/// How many bytes had been read when the error was met.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    match error.line() {
        0 => 0,
        line => text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>() + error.column(),
    }
}

/// Appends the path to the innermost value that holds the offset. An error of a value as a whole stands at its end.
fn locate(text: &str, offset: usize, place: &mut String) {
    let mut at = scan::skip_blank(text.as_bytes(), 0);
    while let Some(start) = descend(text, at, offset, place) {
        at = start;
    }
}

/// Finds the child that holds the offset, appends its step, and gives where it starts.
fn descend(text: &str, parent: usize, offset: usize, place: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_object = match bytes.get(parent)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let mut at = scan::skip_blank(bytes, parent + 1);
    let mut index = 0;
    while !matches!(bytes.get(at)?, b'}' | b']') {
        let name = at;
        let name_end = if is_object { scan::skip_value(bytes, at) } else { at };
        let start = if is_object { scan::skip_blank(bytes, scan::skip_blank(bytes, name_end) + 1) } else { at };
        let end = scan::skip_value(bytes, start);
        if (start..=end).contains(&offset) {
            if is_object {
                push_name(&serde_json::from_str::<String>(&text[name..name_end]).ok()?, place);
            } else {
                let _ = write!(place, "[{index}]");
            }
            return Some(start);
        }
        at = scan::skip_blank(bytes, end);
        if bytes.get(at) == Some(&b',') {
            at = scan::skip_blank(bytes, at + 1);
        }
        index += 1;
    }
    None
}

/// Appends a member's name to a path.
fn push_name(name: &str, place: &mut String) {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    if name.is_empty() || !name.chars().all(is_plain) {
        let _ = write!(place, "[{name:?}]");
    } else {
        if !place.is_empty() {
            place.push('.');
        }
        place.push_str(name);
    }
}

/// Puts the name of a Rust type in the words of JSON.
fn expectation(rust: &str) -> Cow<'_, str> {
    let range = match rust {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX.into()),
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        "f32" | "f64" => return "a number".into(),
        "i128" | "u128" => return "an integer".into(),
        "unit" => return "null".into(),
        "a sequence" => return "an array".into(),
        "a map" | "map" => return "an object".into(),
        _ if rust.starts_with("struct ") || rust.starts_with("internally tagged enum ") => return "an object".into(),
        _ => return rust.into(),
    };
    format!("an integer from {} to {}", range.0, range.1).into()
}

/// Puts what serde found in the words of JSON.
fn finding(serde: &str) -> Cow<'_, str> {
    match serde {
        "map" => "an object".into(),
        "sequence" => "an array".into(),
        "null" => "null".into(),
        _ => match serde.strip_prefix("floating point ") {
            Some(number) => format!("number {number}").into(),
            None => serde.into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::explain;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoding matters")]
    struct Order {
        count: u8,
        price: Option<f64>,
        lines: Vec<Line>,
        #[serde(default)]
        tags: HashMap<String, String>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoding matters")]
    struct Line {
        kind: Kind,
        text: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Plain,
        Loud,
    }

    #[test]
    fn an_error_names_the_path_what_was_expected_and_what_was_found() {
        let table = [
            (r#"{"count":"x","lines":[]}"#, r#"`in.count`: expected an integer from 0 to 255, found string "x""#),
            (r#"{"count":300,"lines":[]}"#, "`in.count`: expected an integer from 0 to 255, found integer `300`"),
            (r#"{"count":1.5,"lines":[]}"#, "`in.count`: expected an integer from 0 to 255, found number `1.5`"),
            (r#"{"count":1,"price":[],"lines":[]}"#, "`in.price`: expected a number, found an array"),
            (r#"{"count":1,"lines":{}}"#, "`in.lines`: expected an array, found an object"),
            (r#"{"count":1,"lines":null}"#, "`in.lines`: expected an array, found null"),
            (r#"{"count":1}"#, "`in.lines` is missing"),
            (r#"{"lines":[]}"#, "`in.count` is missing"),
            (r#"{"count":1,"lines":[{"kind":"plain","text":"a"},{"kind":"loud"}]}"#, "`in.lines[1].text` is missing"),
            (
                "{\n  \"count\": 1,\n  \"lines\": [ { \"text\": \"a\", \"kind\": \"odd\" } ]\n}",
                "`in.lines[0].kind`: unknown variant `odd`, expected `plain` or `loud`",
            ),
            (r#"{"count":1,"lines":[],"tags":{"a b":7}}"#, r#"`in.tags["a b"]`: expected a string, found integer `7`"#),
            (r#"[1,[2],3]"#, "`in[1]`: expected a number, found an array"),
            (r#""text""#, "`in`: expected an object, found string \"text\""),
        ];
        for (text, expected) in table {
            let error = serde_json::from_str::<Order>(text).unwrap_err();
            let found = explain("in", text, &error);
            assert_eq!(found, expected, "{text}");
        }
    }
}
