//! What stands at the head of a `SKILL.md`: YAML between two lines of three hyphens.

use serde_json::{Map, Value};
use serde_saphyr::{MergeKeyPolicy, Options};

/// Reads it, as it is written.
///
/// # Errors
///
/// There is none, or it is no YAML, or no object. The text says what to do.
pub(super) fn read(text: &str) -> Result<Map<String, Value>, String> {
    let yaml = split(text)?;
    if yaml.len() > MAX_BYTES {
        return Err(format!("its frontmatter has more than {MAX_BYTES} bytes: move text below it"));
    }
    let mut options = Options::default();
    // Only what YAML 1.2 knows: `yes` is a text, and `<<` is a name.
    options.strict_booleans = true;
    options.merge_keys = MergeKeyPolicy::AsOrdinary;
    options.with_snippet = false;
    match serde_saphyr::from_str_with_options::<Value>(yaml, options) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("its frontmatter is no object: write `name: …` and `description: …` there".to_owned()),
        Err(error) => Err(format!("its frontmatter is no YAML that can be read: {}", on_one_line(&error.to_string()))),
    }
}

/// Gives the first member in which two differ, and how it stands in each.
pub(super) fn difference(a: &Map<String, Value>, b: &Map<String, Value>) -> Option<(String, String, String)> {
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    for name in names {
        let (a, b) = (a.get(name), b.get(name));
        if !matches!((a, b), (Some(a), Some(b)) if is_same(a, b)) {
            return Some((name.clone(), shown(a), shown(b)));
        }
    }
    None
}

/// Whether two values say the same. A number says the same however it is written.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => a.len() == b.len() && difference(a, b).is_none(),
        _ => a == b,
    }
}

fn split(text: &str) -> Result<&str, String> {
    let missing =
        || "it does not begin with frontmatter: write `---`, `name: …`, `description: …`, `---` there".to_owned();
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line)).ok_or_else(missing)?;
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            return Ok(&text[first.len()..end]);
        }
        end += line.len();
    }
    Err("its frontmatter does not end: write `---` on a line below it".to_owned())
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Shows a member in a message, not at any length.
fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

const MAX_BYTES: usize = 64 * 1024;
const MAX_SHOWN: usize = 200;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn every_member_is_read_as_it_is_written() {
        let text = "---\nname: tidy\ndescription: >\n  Tidies\n  up\nmetadata:\n  version: \"1.0\"\n  stars: 3\n  fast: yes\n\
                    tools: [a, b]\n---\n# Tidy\n---\n";
        let expected = json!({
            "name": "tidy",
            "description": "Tidies up\n",
            "metadata": {"version": "1.0", "stars": 3, "fast": "yes"},
            "tools": ["a", "b"],
        });
        assert_eq!(read(text), Ok(members(expected.clone())));
        assert_eq!(read(&text.replace('\n', "\r\n")), Ok(members(expected)));
    }

    #[test]
    fn what_is_no_frontmatter_is_refused_with_what_to_do() {
        for (text, reason) in [
            ("", "it does not begin with frontmatter"),
            ("# Tidy", "it does not begin with frontmatter"),
            ("\n---\nname: a\n---\n", "it does not begin with frontmatter"),
            ("---\nname: a\n", "its frontmatter does not end"),
            ("---", "its frontmatter does not end"),
            ("---\n---\n", "its frontmatter is no object"),
            ("---\n- a\n---\n", "its frontmatter is no object"),
            ("---\nname: [\n---\n", "its frontmatter is no YAML"),
            ("---\nname: a\nname: b\n---\n", "its frontmatter is no YAML"),
            ("---\n[1, 2]: a\n---\n", "its frontmatter is no YAML"),
        ] {
            let found = read(text).unwrap_err();
            assert!(found.starts_with(reason) && !found.contains('\n'), "{text:?}: {found}");
        }
    }

    #[test]
    fn frontmatter_that_grows_when_it_is_read_is_refused() {
        let mut laughs = "---\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{},", level - 1).repeat(10);
            laughs.push_str(&format!("a{level}: &a{level} [{}]\n", below.trim_end_matches(',')));
        }
        assert!(read(&format!("{laughs}---\n")).is_err());
        let nested = format!("---\na: {}{}\n---\n", "[".repeat(30_000), "]".repeat(30_000));
        assert!(read(&nested).is_err());
        assert!(read(&format!("---\na: {}\n---\n", "b".repeat(MAX_BYTES))).unwrap_err().contains("65536 bytes"));
    }

    #[test]
    fn a_difference_is_named_with_both_values() {
        let a = members(json!({"name": "tidy", "n": 1, "list": [1.0, {"a": true}]}));
        assert_eq!(difference(&a, &members(json!({"list": [1, {"a": true}], "n": 1.0, "name": "tidy"}))), None);
        for (other, member, found) in [
            (json!({"name": "tidy", "n": 2, "list": [1, {"a": true}]}), "n", "2"),
            (json!({"name": "tidy", "n": 1, "list": [1, {"a": false}]}), "list", r#"[1,{"a":false}]"#),
            (json!({"name": "tidy", "n": 1}), "list", "nothing"),
            (json!({"name": "tidy", "n": 1, "list": [1, {"a": true}], "more": null}), "more", "null"),
            (json!({"name": "tidy", "n": "1", "list": [1, {"a": true}]}), "n", "\"1\""),
        ] {
            let (name, _, shown) = difference(&a, &members(other)).unwrap();
            assert_eq!((&*name, &*shown), (member, found));
        }
        let long = members(json!({"name": "x".repeat(1000)}));
        assert!(difference(&a, &long).unwrap().2.len() < 300);
    }
}
