//! The SDK's types by the JSON that stands for them.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Makes a value of the SDK's.
pub fn of<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// Gives the JSON of one.
pub fn json_of(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("the SDK's types are JSON")
}
