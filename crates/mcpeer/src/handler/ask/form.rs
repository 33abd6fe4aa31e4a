//! Forms made of types.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    error::{Error, Result},
    model::{
        Entries,
        elicitation::{FieldSchema, RequestedSchema},
    },
};

/// Makes the form of a type: its fields, as flat as forms are.
pub(super) fn of<T: JsonSchema>() -> Result<RequestedSchema> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let refuse = |reason: &str| Error::misuse(format!("`{}` makes no form: {reason}", T::schema_name()));
    let fields = match &schema["properties"] {
        Value::Object(fields) if schema["type"] == "object" => fields,
        _ => return Err(refuse("give a struct with named fields")),
    };
    let mut form = Entries::<FieldSchema>::new();
    for (name, field) in fields {
        let Some(flat) = flat(field) else {
            let reason = format!(
                "the field `{name}` is no text, number, yes-or-no, choice (an enum without data) or list of choices"
            );
            return Err(refuse(&reason));
        };
        let flat: FieldSchema = serde_json::from_value(flat).map_err(|error| refuse(&error.to_string()))?;
        form.insert(name.as_str(), flat);
    }
    let mut form = RequestedSchema::new(form);
    let required: Vec<String> = serde_json::from_value(schema["required"].clone()).unwrap_or_default();
    if !required.is_empty() {
        form.required = Some(required);
    }
    Ok(form)
}

/// Writes a field with nothing but what forms know; `None` where it is no field of a form.
fn flat(field: &Value) -> Option<Value> {
    let field = without_null(field.as_object()?);
    let kind = field.get("type").and_then(Value::as_str);
    let choices = choices(&field);
    let mut flat = Map::new();
    let kept: &[&str] = match (kind, &choices) {
        (Some("string") | None, Some(Choices { words, titles })) => {
            flat.insert("type".to_owned(), json!("string"));
            if field.contains_key("enumNames") || titles.is_none() {
                flat.insert("enum".to_owned(), json!(words));
            } else if let Some(titles) = titles {
                flat.insert("oneOf".to_owned(), titled(words, titles));
            }
            &["enumNames", "default"]
        }
        (Some("array"), _) => {
            let items = without_null(field.get("items")?.as_object()?);
            let Choices { words, titles } = self::choices(&items)?;
            let items = match titles {
                Some(titles) => json!({"anyOf": titled(&words, &titles)}),
                None => json!({"type": "string", "enum": words}),
            };
            flat.insert("type".to_owned(), json!("array"));
            flat.insert("items".to_owned(), items);
            &["minItems", "maxItems", "default"]
        }
        (Some(kind @ "string"), None) => {
            flat.insert("type".to_owned(), json!(kind));
            &["minLength", "maxLength", "format", "default"]
        }
        (Some(kind @ ("number" | "integer")), _) => {
            flat.insert("type".to_owned(), json!(kind));
            &["minimum", "maximum", "default"]
        }
        (Some(kind @ "boolean"), _) => {
            flat.insert("type".to_owned(), json!(kind));
            &["default"]
        }
        _ => return None,
    };
    for keyword in ["title", "description"].iter().chain(kept) {
        match field.get(*keyword) {
            Some(value) if *keyword == "default" && value.is_null() => {}
            Some(value) if *keyword == "format" && !value.as_str().is_some_and(|name| FORMATS.contains(&name)) => {}
            Some(value) => drop(flat.insert((*keyword).to_owned(), value.clone())),
            None => {}
        }
    }
    Some(Value::Object(flat))
}

/// The words of an enum without data.
struct Choices {
    words: Vec<String>,
    /// Their titles, where one of them has any.
    titles: Option<Vec<String>>,
}

/// Reads the words of an enum: a list of them, or one schema for each, which has a title or a description.
fn choices(field: &Map<String, Value>) -> Option<Choices> {
    if let Some(words) = field.get("enum") {
        return Some(Choices { words: words_of(words)?, titles: None });
    }
    if let Some(word) = field.get("const") {
        return Some(Choices { words: vec![word.as_str()?.to_owned()], titles: None });
    }
    let (mut words, mut titles, mut has_title) = (Vec::new(), Vec::new(), false);
    for one in field.get("oneOf").or_else(|| field.get("anyOf"))?.as_array()? {
        let title = one.get("title").or_else(|| one.get("description")).and_then(Value::as_str);
        has_title |= title.is_some();
        let some = match one.get("const") {
            Some(word) => vec![word.as_str()?.to_owned()],
            None => words_of(one.get("enum")?)?,
        };
        titles.extend(some.iter().map(|word| title.unwrap_or(word).to_owned()));
        words.extend(some);
    }
    Some(Choices { words, titles: has_title.then_some(titles) })
}

fn words_of(words: &Value) -> Option<Vec<String>> {
    words.as_array()?.iter().filter(|word| !word.is_null()).map(|word| word.as_str().map(str::to_owned)).collect()
}

fn titled(words: &[String], titles: &[String]) -> Value {
    words.iter().zip(titles).map(|(word, title)| json!({"const": word, "title": title})).collect()
}

/// Takes out that a field may be `null`: it may be left out instead.
fn without_null(field: &Map<String, Value>) -> Map<String, Value> {
    let mut field = field.clone();
    if let Some(Value::Array(kinds)) = field.get("type")
        && let [only] = kinds.iter().filter(|kind| *kind != "null").collect::<Vec<_>>().as_slice()
    {
        let only = (*only).clone();
        field.insert("type".to_owned(), only);
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(schemas)) = field.get(keyword) else { continue };
        let rest: Vec<_> = schemas.iter().filter(|schema| schema["type"] != "null").collect();
        if rest.len() < schemas.len()
            && let [Value::Object(only)] = rest.as_slice()
        {
            let only = only.clone();
            field.remove(keyword);
            for (name, value) in only {
                field.entry(name).or_insert(value);
            }
        }
    }
    field
}

/// The kinds of text that forms know.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];
