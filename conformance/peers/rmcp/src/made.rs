//! What a server makes: results of one text, schemas of arguments.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::json::of;

/// A result, which the SDK strips of its type where the revision has none.
pub fn result<T: DeserializeOwned>(mut members: Value) -> T {
    members["resultType"] = "complete".into();
    of(members)
}

/// A result of a tool: one text.
pub fn said<T: DeserializeOwned>(text: impl Into<String>) -> T {
    result(json!({"content": [{"type": "text", "text": text.into()}]}))
}

/// The schema of an object with these properties, all of which are required.
pub fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().expect("an object").keys().collect();
    json!({"type": "object", "properties": properties, "required": required})
}
