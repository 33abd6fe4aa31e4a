//! Instances made from a schema: one with every member, one with the least, and one for each further choice.

use serde_json::{Map, Value, json};

use super::Schema;

/// Makes instances of a definition.
pub(crate) fn samples(schema: &Schema, definition: &str) -> Vec<Value> {
    [true, false]
        .into_iter()
        .flat_map(|full| Maker { schema, full, within: definition.to_owned() }.make(schema.definition(definition), 0))
        .collect()
}

struct Maker<'a> {
    schema: &'a Schema,
    full: bool,
    /// The definition that is being made.
    within: String,
}

/// The one definition that contains itself, and how often it does here.
const ITSELF: &str = "JSONValue";
const DEEPEST: usize = 2;

impl Maker<'_> {
    fn make(&self, schema: &Value, depth: usize) -> Vec<Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            let depth = depth + usize::from(name == ITSELF);
            if depth > DEEPEST {
                return vec![json!("deep")];
            }
            let inner = Maker { within: name.to_owned(), ..*self };
            return inner.make(self.schema.definition(name), depth);
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return choices.iter().flat_map(|choice| self.make(choice, depth)).collect();
        }
        if let Some(parts) = schema["allOf"].as_array() {
            return vec![self.merge(parts, depth)];
        }
        if let Some(value) = schema.get("const") {
            return vec![value.clone()];
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.clone();
        }
        match &schema["type"] {
            Value::Array(types) => types.iter().flat_map(|kind| self.make(&json!({"type": kind}), depth)).collect(),
            Value::String(kind) => self.make_typed(kind, schema, depth),
            _ if schema.get("properties").is_some() => self.make_typed("object", schema, depth),
            _ => vec![json!({"any": [1, null, "text"]}), json!(null), json!([18_446_744_073_709_551_615_u64])],
        }
    }

    fn make_typed(&self, kind: &str, schema: &Value, depth: usize) -> Vec<Value> {
        match kind {
            "object" => self.make_object(schema, depth),
            "array" => vec![Value::Array(self.make(&schema["items"], depth))],
            "string" if self.within == "ResultType" => vec![json!("complete")],
            "string" => vec![json!(match schema["format"].as_str() {
                Some("uri") => "https://example.com/a",
                Some("uri-template") => "file:///{path}",
                Some("byte") => "AA==",
                _ => "text",
            })],
            "integer" => vec![json!(1)],
            "number" => vec![json!(0.5)],
            "boolean" => vec![json!(true)],
            "null" => vec![json!(null)],
            other => panic!("a schema has the type {other}"),
        }
    }

    fn make_object(&self, schema: &Value, depth: usize) -> Vec<Value> {
        let Some(properties) = schema["properties"].as_object() else {
            return vec![self.make_map(schema, depth)];
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut base = Map::new();
        let mut further = Vec::new();
        for (name, property) in properties {
            if !self.full && !required.contains(&json!(name)) {
                continue;
            }
            let mut values = self.word(name).map_or_else(|| self.make(property, depth), |word| vec![word]).into_iter();
            base.extend(values.next().map(|value| (name.clone(), value)));
            further.extend(values.map(|value| (name.clone(), value)));
        }
        let mut made = vec![Value::Object(base.clone())];
        for (name, value) in further {
            let mut other = base.clone();
            other.insert(name, value);
            made.push(Value::Object(other));
        }
        made
    }

    fn make_map(&self, schema: &Value, depth: usize) -> Value {
        match &schema["additionalProperties"] {
            Value::Object(of) if self.full => {
                let values = self.make(&Value::Object(of.clone()), depth).into_iter();
                values.enumerate().map(|(at, value)| (format!("key{at}"), value)).collect::<Map<_, _>>().into()
            }
            _ => json!({}),
        }
    }

    fn merge(&self, parts: &[Value], depth: usize) -> Value {
        let mut merged = Map::new();
        for part in parts {
            if let Some(Value::Object(made)) = self.make(part, depth).into_iter().next() {
                for (name, value) in made {
                    // A narrower part that says nothing of a member's inside must not empty it.
                    if value != json!({}) || !merged.contains_key(&name) {
                        merged.insert(name, value);
                    }
                }
            }
        }
        merged.into()
    }

    /// The words of members that the schema leaves open.
    fn word(&self, name: &str) -> Option<Value> {
        match name {
            "resultType" if self.within == "InputRequiredResult" => Some(json!("input_required")),
            "resultType" => Some(json!("complete")),
            "stopReason" => Some(json!("endTurn")),
            _ => None,
        }
    }
}
