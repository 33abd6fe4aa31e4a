//! Checks what a user filled in against the form that the server asked for.

use serde_json::{Map, Value};

use crate::model::{
    RawObject,
    elicitation::{FieldSchema, Format, NumberKind, NumberSchema, RequestedSchema, StringSchema},
};

/// Gives what was filled in, with the defaults of fields that were not, or says what is wrong with it. Defaults that are
/// lists are left out where the revision has no lists as answers; servers show such fields all the same.
pub(super) fn fill(
    schema: &RequestedSchema,
    content: Option<&RawObject>,
    has_lists: bool,
) -> Result<RawObject, String> {
    let mut content: Map<String, Value> = match content {
        Some(content) => content.decode().map_err(|error| error.to_string())?,
        None => Map::new(),
    };
    let required = schema.required.as_deref().unwrap_or_default();
    for (name, field) in schema.properties.iter() {
        match content.get(name) {
            Some(value) => check(field, value).map_err(|reason| format!("`{name}` {reason}"))?,
            None => {
                // A default that the form itself does not allow is none.
                let is_usable = |default: &Value| (has_lists || !default.is_array()) && check(field, default).is_ok();
                if let Some(default) = default(field).filter(is_usable) {
                    content.insert(name.to_owned(), default);
                }
            }
        }
    }
    match required.iter().find(|name| !content.contains_key(*name)) {
        Some(name) => Err(format!("`{name}` is missing")),
        None => Ok(content.into()),
    }
}

fn default(field: &FieldSchema) -> Option<Value> {
    match field {
        FieldSchema::String(schema) => schema.default.clone().map(Value::from),
        FieldSchema::Number(schema) => schema.default.as_ref().and_then(|default| serde_json::to_value(default).ok()),
        FieldSchema::Boolean(schema) => schema.default.map(Value::from),
        FieldSchema::Select(schema) => schema.default.clone().map(Value::from),
        FieldSchema::TitledSelect(schema) => schema.default.clone().map(Value::from),
        FieldSchema::NamedSelect(schema) => schema.default.clone().map(Value::from),
        FieldSchema::MultiSelect(schema) => schema.default.clone().map(Value::from),
        FieldSchema::TitledMultiSelect(schema) => schema.default.clone().map(Value::from),
        FieldSchema::Unknown(_) => None,
    }
}

fn check(field: &FieldSchema, value: &Value) -> Result<(), String> {
    match field {
        FieldSchema::String(schema) => check_string(schema, value),
        FieldSchema::Number(schema) => check_number(schema, value),
        FieldSchema::Boolean(_) => value.is_boolean().then_some(()).ok_or_else(|| "is not true or false".to_owned()),
        FieldSchema::Select(schema) => check_word(&words(&schema.values), value),
        FieldSchema::NamedSelect(schema) => check_word(&words(&schema.values), value),
        FieldSchema::TitledSelect(schema) => {
            check_word(&schema.choices.iter().map(|choice| &*choice.value).collect::<Vec<_>>(), value)
        }
        FieldSchema::MultiSelect(schema) => {
            check_words(&words(&schema.items.values), schema.min_items, schema.max_items, value)
        }
        FieldSchema::TitledMultiSelect(schema) => {
            let words: Vec<_> = schema.items.choices.iter().map(|choice| &*choice.value).collect();
            check_words(&words, schema.min_items, schema.max_items, value)
        }
        FieldSchema::Unknown(_) => Ok(()),
    }
}

fn check_string(schema: &StringSchema, value: &Value) -> Result<(), String> {
    let text = value.as_str().ok_or("is not a text")?;
    let length = text.chars().count() as u64;
    if let Some(least) = schema.min_length.filter(|least| length < *least) {
        return Err(format!("has fewer than {least} characters"));
    }
    if let Some(most) = schema.max_length.filter(|most| length > *most) {
        return Err(format!("has more than {most} characters"));
    }
    let (is_well_formed, what) = match &schema.format {
        Some(Format::Email) => (is_email(text), "e-mail address"),
        Some(Format::Uri) => (is_uri(text), "URI"),
        Some(Format::Date) => (is_date(text), "date"),
        Some(Format::DateTime) => (is_date_time(text), "date with a time"),
        _ => return Ok(()),
    };
    is_well_formed.then_some(()).ok_or_else(|| format!("is no {what}"))
}

fn check_number(schema: &NumberSchema, value: &Value) -> Result<(), String> {
    let number = value.as_f64().ok_or("is not a number")?;
    if schema.kind == NumberKind::Integer && number.fract() != 0.0 {
        return Err("is not a whole number".into());
    }
    if let Some(least) = schema.minimum.as_ref().map(|least| least.as_f64()).filter(|least| number < *least) {
        return Err(format!("is less than {least}"));
    }
    match schema.maximum.as_ref().map(|most| most.as_f64()).filter(|most| number > *most) {
        Some(most) => Err(format!("is more than {most}")),
        None => Ok(()),
    }
}

fn words(values: &[String]) -> Vec<&str> {
    values.iter().map(String::as_str).collect()
}

fn check_word(words: &[&str], value: &Value) -> Result<(), String> {
    match value.as_str() {
        Some(word) if words.contains(&word) => Ok(()),
        _ => Err(format!("is none of {}", words.join(", "))),
    }
}

fn check_words(words: &[&str], least: Option<u64>, most: Option<u64>, value: &Value) -> Result<(), String> {
    let chosen = value.as_array().ok_or("is not a list")?;
    let count = chosen.len() as u64;
    if let Some(least) = least.filter(|least| count < *least) {
        return Err(format!("has fewer than {least} entries"));
    }
    if let Some(most) = most.filter(|most| count > *most) {
        return Err(format!("has more than {most} entries"));
    }
    chosen.iter().try_for_each(|word| check_word(words, word)).map_err(|reason| format!("has an entry that {reason}"))
}

fn is_email(text: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == '@');
    text.rsplit_once('@').is_some_and(|(name, host)| is_plain(name) && is_plain(host))
}

fn is_uri(text: &str) -> bool {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_of_scheme)
    }) && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn is_date(text: &str) -> bool {
    let [Some(year), Some(month), Some(day)] = numbers(text, '-', [4, 2, 2]) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let Some(at) = time.find(['Z', 'z', '+', '-']) else { return false };
    let (time, zone) = time.split_at(at);
    let is_zone = zone.eq_ignore_ascii_case("z")
        || matches!(numbers(&zone[1..], ':', [2, 2]), [Some(hours), Some(minutes)] if hours < 24 && minutes < 60);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = matches!(
        numbers(time, ':', [2, 2, 2]),
        [Some(hours), Some(minutes), Some(seconds)] if hours < 24 && minutes < 60 && seconds <= 60
    );
    is_date(date) && is_time && is_fraction && is_zone
}

/// Reads numbers of so many digits each, with a sign between.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> [Option<u32>; N] {
    let parts: Vec<_> = text.split(between).collect();
    let mut found = [None; N];
    if parts.len() == N {
        for (at, (part, digits)) in parts.iter().zip(digits).enumerate() {
            let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            found[at] = is_number.then(|| part.parse().ok()).flatten();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(properties: Value, content: Value) -> Result<Value, String> {
        let schema = json!({"type": "object", "properties": properties, "required": ["must"]});
        let schema: RequestedSchema = serde_json::from_value(schema).unwrap();
        let content = RawObject::from_value(&content).unwrap();
        fill(&schema, Some(&content), true).map(|filled| filled.decode().unwrap())
    }

    #[test]
    fn defaults_fill_what_was_left_out() {
        let properties = json!({
            "must": {"type": "string", "default": "a"},
            "count": {"type": "integer", "default": 3},
            "sure": {"type": "boolean", "default": false},
            "one": {"type": "string", "enum": ["a", "b"], "default": "b"},
            "titled": {"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "a"},
            "named": {"type": "string", "enum": ["a"], "enumNames": ["A"], "default": "a"},
            "some": {"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": ["a"]},
            "titles": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "default": ["a"]},
            "none": {"type": "string"},
        });
        let expected = json!({"must": "z", "count": 3, "sure": false, "one": "b", "titled": "a", "named": "a",
            "some": ["a"], "titles": ["a"]});
        assert_eq!(filled(properties, json!({"must": "z"})), Ok(expected));
    }

    #[test]
    fn what_must_be_filled_in_is_asked_for() {
        let must = json!({"must": {"type": "string"}});
        assert_eq!(filled(must.clone(), json!({})), Err("`must` is missing".into()));
        assert_eq!(filled(must, json!({"must": "", "more": 1})), Ok(json!({"must": "", "more": 1})));
        let schema: RequestedSchema = serde_json::from_value(json!({"type": "object", "properties": {}})).unwrap();
        assert_eq!(fill(&schema, None, true).unwrap().as_str(), "{}");
    }

    #[test]
    fn each_kind_of_field_is_checked() {
        let words = json!({"type": "string", "enum": ["a", "b"]});
        let titled = json!([{"const": "a", "title": "A"}]);
        let some = json!({"type": "array", "items": words, "minItems": 1, "maxItems": 2});
        let cases = [
            (json!({"type": "string", "minLength": 2, "maxLength": 3}), json!(["äö", "abc"]), json!(["a", "abcd", 1])),
            (json!({"type": "string", "format": "email"}), json!(["a@b.c"]), json!(["a", "@b", "a b@c", "a@"])),
            (json!({"type": "string", "format": "uri"}), json!(["https://a/b", "urn:a"]), json!(["a", "1:b", "a: b"])),
            (
                json!({"type": "string", "format": "date"}),
                json!(["2024-02-29", "2000-02-29"]),
                json!(["2023-02-29", "1900-02-29", "2024-13-01", "2024-04-31", "2024-1-01", "24-01-01", "2024-01-00"]),
            ),
            (
                json!({"type": "string", "format": "date-time"}),
                json!(["2024-02-29T23:59:60Z", "2024-01-01t00:00:00.5+05:30"]),
                json!([
                    "2024-01-01",
                    "2024-01-01T24:00:00Z",
                    "2024-01-01T00:00:00",
                    "2024-01-01T00:00:00.Z",
                    "T00:00:00Z"
                ]),
            ),
            (
                json!({"type": "number", "minimum": 0.5, "maximum": 2}),
                json!([0.5, 2, 1.25]),
                json!([0, 2.5, "1", null]),
            ),
            (json!({"type": "integer"}), json!([1, -3, 2.0]), json!([1.5, true])),
            (json!({"type": "boolean"}), json!([true, false]), json!(["true", 1])),
            (words.clone(), json!(["a", "b"]), json!(["c", 1])),
            (json!({"type": "string", "oneOf": titled}), json!(["a"]), json!(["A"])),
            (json!({"type": "string", "enum": ["a"], "enumNames": ["A"]}), json!(["a"]), json!(["A"])),
            (some, json!([["a"], ["a", "b"]]), json!([[], ["c"], ["a", "b", "a"], "a"])),
            (json!({"type": "array", "items": {"anyOf": titled}}), json!([["a"], []]), json!([["A"], 1])),
        ];
        for (schema, good, bad) in cases {
            for (values, is_good) in [(good, true), (bad, false)] {
                for value in values.as_array().unwrap() {
                    let outcome = filled(json!({"must": schema}), json!({"must": value}));
                    assert_eq!(outcome.is_ok(), is_good, "{schema} {value} {outcome:?}");
                }
            }
        }
    }
}
