use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::rpc::Raw;

/// What a tool without arguments advertises, in the form that every host takes.
pub(super) const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// Makes the schema of what is read into a type, in the plain form that every host takes.
///
/// Optional members are left out of `required` and have no `null`, references are written out where that ends,
/// formats that only Rust knows are dropped, `true` is `{}`, a set of words is an `enum`, and the type's name is no
/// title.
pub(super) fn input<T: JsonSchema>() -> Schema {
    simple(generate::<T>(settings()).to_value())
}

/// Puts a schema of what is read into the form of [`input`].
pub(super) fn simple(mut schema: Value) -> Schema {
    simplify(&mut schema, true);
    Schema::try_from(schema).expect("simplifying makes objects of objects")
}

/// Makes the schema of what a type writes. As plain as [`input`], but `null` stays where the type writes it.
pub(super) fn output<T: JsonSchema>() -> Schema {
    let mut schema = generate::<T>(settings().for_serialize()).to_value();
    simplify(&mut schema, false);
    Schema::try_from(schema).expect("simplifying makes objects of objects")
}

/// Makes the schema that a tool advertises out of the schema of its arguments.
///
/// # Errors
///
/// What the arguments are instead of an object.
pub(super) fn of_arguments(mut schema: Schema) -> Result<Raw, String> {
    let root = root_of_objects(&mut schema)?;
    let has_no_members = root.get("properties").is_none_or(|properties| *properties == json!({}));
    if has_no_members && root.keys().all(|key| matches!(key.as_str(), "type" | "properties" | "description")) {
        return Ok(Raw::trusted(NO_ARGUMENTS));
    }
    Ok(write(&schema))
}

/// Makes the schema that a tool advertises out of one that was written by hand, which stays as it is, but for the type
/// that its root must name.
///
/// # Errors
///
/// What the arguments are instead of an object.
pub(super) fn as_given(mut schema: Schema) -> Result<Raw, String> {
    root_of_objects(&mut schema)?;
    Ok(write(&schema))
}

/// Gives the keywords of a schema whose root says that it is of objects; says it there where nothing does.
fn root_of_objects(schema: &mut Schema) -> Result<&mut Map<String, Value>, String> {
    let Some(root) = schema.as_object_mut() else { return Err("`false`, which nothing fits".to_owned()) };
    match root.get("type") {
        Some(Value::String(name)) if name == "object" => {}
        Some(other) => return Err(format!("of type {other}")),
        None => drop(root.insert("type".to_owned(), json!("object"))),
    }
    Ok(root)
}

/// Writes a schema, its keywords in the order in which a person reads them.
pub(super) fn write(schema: &Schema) -> Raw {
    Raw::from_value(schema).expect("a JSON value can always be written")
}

/// How schemas of what is read are generated.
pub(super) fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    })
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The generator titles the root with the type's name, which says nothing to a model; a title of the type's own
    // is another one.
    if schema.get("title").and_then(Value::as_str) == Some(&T::schema_name()) {
        schema.as_object_mut().and_then(|keywords| keywords.shift_remove("title"));
    }
    schema
}

/// Simplifies a schema and all that is in it.
fn simplify(schema: &mut Value, drop_null: bool) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(keywords) = schema else { return };
    if let Some(format) = keywords.get("format").and_then(Value::as_str)
        && !FORMATS.contains(&format)
    {
        keywords.shift_remove("format");
    }
    for keyword in ONE {
        if let Some(inner) = keywords.get_mut(keyword) {
            simplify(inner, drop_null);
        }
    }
    for keyword in LISTS {
        if let Some(Value::Array(inner)) = keywords.get_mut(keyword) {
            inner.iter_mut().for_each(|inner| simplify(inner, drop_null));
        }
    }
    for keyword in MAPS {
        if let Some(Value::Object(inner)) = keywords.get_mut(keyword) {
            inner.values_mut().for_each(|inner| simplify(inner, drop_null));
        }
    }
    plain_words(keywords);
    if drop_null {
        drop_nulls(keywords);
    }
}

/// Writes the words of a closed set as one `enum`, which more hosts know than `const` and `oneOf`; what is said about
/// each goes into the description.
fn plain_words(keywords: &mut Map<String, Value>) {
    if let Some(value) = keywords.shift_remove("const") {
        keywords.insert("enum".to_owned(), json!([value]));
    }
    let is_of_words = |choice: &Value| {
        let known = |keyword: &String| matches!(keyword.as_str(), "type" | "enum" | "description");
        choice.get("type").is_some_and(|name| name == "string")
            && choice.get("enum").is_some_and(Value::is_array)
            && choice.as_object().is_some_and(|choice| choice.keys().all(known))
    };
    let Some(Value::Array(choices)) = keywords.get("oneOf") else { return };
    if choices.is_empty() || !choices.iter().all(is_of_words) || keywords.contains_key("enum") {
        return;
    }
    let Some(Value::Array(choices)) = keywords.shift_remove("oneOf") else { return };
    let (mut words, mut text) = (Vec::new(), Vec::new());
    text.extend(keywords.get("description").and_then(Value::as_str).map(str::to_owned));
    for choice in choices {
        let of_choice = choice["enum"].as_array().cloned().unwrap_or_default();
        if let Some(description) = choice.get("description").and_then(Value::as_str) {
            let names: Vec<String> =
                of_choice.iter().map(|word| format!("`{}`", word.as_str().unwrap_or_default())).collect();
            text.push(format!("{}: {description}", names.join(", ")));
        }
        words.extend(of_choice);
    }
    keywords.insert("type".to_owned(), json!("string"));
    keywords.insert("enum".to_owned(), Value::Array(words));
    if !text.is_empty() {
        keywords.insert("description".to_owned(), json!(text.join("\n")));
    }
}

/// Takes `null` out of what the members and elements of a schema may be, except of members that must be there: these
/// could not be left out instead.
fn drop_nulls(keywords: &mut Map<String, Value>) {
    let required = keywords.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|other| other == name));
    if let Some(Value::Object(members)) = keywords.get_mut("properties") {
        members.iter_mut().filter(|(name, _)| !is_required(name)).for_each(|(_, member)| without_null(member));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = keywords.get_mut(keyword) {
            without_null(inner);
        }
    }
}

/// Takes `null` out of what a schema allows, where it allows anything else.
fn without_null(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::Array(types)) = keywords.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            keywords.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum")
        && values.len() > 1
    {
        values.retain(|value| !value.is_null());
    }
    if keywords.get("default") == Some(&Value::Null) {
        keywords.shift_remove("default");
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(choices)) = keywords.get_mut(keyword) else { continue };
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            let only = std::mem::take(only);
            keywords.shift_remove(keyword);
            for (name, value) in only {
                keywords.entry(name).or_insert(value);
            }
        }
    }
}

/// The formats that JSON Schema defines.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Keywords whose value is a schema.
const ONE: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// Keywords whose value is a map of schemas.
const MAPS: [&str; 4] = ["properties", "$defs", "patternProperties", "dependentSchemas"];

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};

    use super::*;

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Inner {
        /// How far.
        distance: f32,
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Near,
        Far,
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Node {
        next: Option<Box<Node>>,
    }

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Optional {
        name: Option<String>,
        big: Option<u64>,
        tags: Option<Vec<String>>,
        any: Option<Value>,
        nested: Option<Inner>,
        kind: Option<Kind>,
        map: Option<HashMap<String, Option<u32>>>,
        #[serde(default)]
        id: Option<u8>,
    }

    fn advertised<T: JsonSchema>() -> Value {
        serde_json::from_str(of_arguments(input::<T>()).unwrap().as_str()).unwrap()
    }

    #[test]
    fn optional_members_have_no_null_and_no_format_of_rust() {
        assert_eq!(
            advertised::<Optional>(),
            json!({"type": "object", "properties": {
                "name": {"type": "string"},
                "big": {"type": "integer", "minimum": 0},
                "tags": {"type": "array", "items": {"type": "string"}},
                "any": {},
                "nested": {
                    "type": "object",
                    "properties": {"distance": {"type": "number", "description": "How far."}},
                    "required": ["distance"],
                },
                "kind": {"type": "string", "enum": ["near", "far"]},
                "map": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
                "id": {"type": "integer", "minimum": 0, "maximum": 255},
            }})
        );
    }

    #[test]
    fn types_without_members_advertise_that_they_take_nothing() {
        #[derive(JsonSchema)]
        struct Named {}
        assert_eq!(of_arguments(input::<Named>()).unwrap().as_str(), NO_ARGUMENTS);
    }

    #[test]
    fn arguments_of_any_shape_stay_open() {
        assert_eq!(advertised::<HashMap<String, Value>>(), json!({"type": "object", "additionalProperties": {}}));
    }

    #[test]
    fn only_recursion_is_a_reference() {
        assert_eq!(advertised::<Node>(), json!({"type": "object", "properties": {"next": {"$ref": "#"}}}));
    }

    #[test]
    fn arguments_that_are_no_object_are_refused() {
        assert_eq!(of_arguments(input::<String>()).unwrap_err(), "of type \"string\"");
    }

    #[test]
    fn keywords_stand_in_the_order_in_which_a_person_reads_them() {
        let text = of_arguments(input::<Inner>()).unwrap();
        assert!(text.as_str().starts_with(r#"{"type":"object","properties":{"#), "{text:?}");
    }

    #[test]
    fn outputs_keep_the_null_that_they_write() {
        let schema = output::<Node>().to_value();
        assert_eq!(schema["properties"]["next"], json!({"anyOf": [{"$ref": "#"}, {"type": "null"}]}));
    }
}
