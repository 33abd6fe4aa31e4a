use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{Parameter, schema};

/// The schema of the arguments of a tool, while it is put together out of parameters.
#[doc(hidden)]
#[derive(Debug)]
pub struct Arguments {
    generator: SchemaGenerator,
    /// What one parameter reads alone.
    whole: Option<Schema>,
    /// What several read together.
    object: Map<String, Value>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { generator: schema::settings().into_generator(), whole: None, object: Map::new() }
    }
}

impl Arguments {
    /// Adds an argument of its own.
    pub(super) fn add<T: JsonSchema>(&mut self, parameter: &Parameter, is_required: bool) {
        let mut schema = self.generator.subschema_for::<T>();
        if let Some(description) = parameter.text() {
            schema.insert("description".to_owned(), json!(description));
        }
        let mut object = Map::new();
        object.insert("properties".to_owned(), json!({ parameter.name(): schema }));
        if is_required {
            object.insert("required".to_owned(), json!([parameter.name()]));
        }
        self.take_apart();
        self.merge(object);
    }

    /// Adds all the members of an object.
    pub(super) fn add_all(&mut self, schema: Schema) {
        if self.whole.is_none() && self.object.is_empty() {
            self.whole = Some(schema);
            return;
        }
        self.take_apart();
        if let Value::Object(object) = schema.into() {
            self.merge(object);
        }
    }

    /// Gives the schema; `None` where nothing is read.
    pub(super) fn finish(mut self) -> Option<Schema> {
        if self.whole.is_some() || self.object.is_empty() {
            return self.whole;
        }
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            self.merge(Map::from_iter([("$defs".to_owned(), Value::Object(definitions))]));
        }
        self.object.entry("type").or_insert_with(|| json!("object"));
        let mut ordered = Map::new();
        for keyword in ["type", "properties", "required"] {
            ordered.extend(self.object.shift_remove_entry(keyword));
        }
        ordered.extend(self.object);
        Some(schema::simple(Value::Object(ordered)))
    }

    fn take_apart(&mut self) {
        if let Some(Value::Object(object)) = self.whole.take().map(Value::from) {
            self.merge(object);
        }
    }

    fn merge(&mut self, object: Map<String, Value>) {
        for (keyword, value) in object {
            match (self.object.get_mut(&keyword), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                (_, value) => drop(self.object.insert(keyword, value)),
            }
        }
    }
}
