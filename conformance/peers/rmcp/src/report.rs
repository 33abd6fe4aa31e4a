//! How a program tells what it saw: one JSON line per step on stdout. The first expectation that fails ends it.

use std::{error::Error, fmt::Debug, sync::Mutex};

use rmcp::service::ServiceError;
use serde_json::{Value, json};

pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

static CURRENT: Mutex<String> = Mutex::new(String::new());

pub fn step(name: &str) {
    *CURRENT.lock().expect("nothing panics") = name.to_owned();
}

pub fn current() -> String {
    CURRENT.lock().expect("nothing panics").clone()
}

pub fn say(mut fields: Value) {
    fields["step"] = current().into();
    println!("{fields}");
}

/// Does a step and says what came of it: a value, or the error.
pub async fn tell(name: &str, act: impl Future<Output = Outcome<Value>>) -> Outcome {
    step(name);
    match act.await {
        Ok(value) => say(json!({"value": value})),
        Err(error) => say(json!({"error": error_of(error)?})),
    }
    Ok(())
}

/// Gives the server's error, where it is one.
pub fn error_of(error: Box<dyn Error>) -> Outcome<Value> {
    match error.downcast::<ServiceError>().map(|error| *error) {
        Ok(ServiceError::McpError(error)) => {
            Ok(json!({"code": error.code, "message": error.message, "data": error.data}))
        }
        Ok(other) => Err(other.into()),
        Err(other) => Err(other),
    }
}

pub fn text_of(result: &Value) -> Outcome<&str> {
    result["content"][0]["text"].as_str().ok_or_else(|| format!("no text: {result}").into())
}

pub fn equal<A: PartialEq<B> + Debug, B: Debug>(actual: A, expected: B, what: &str) -> Outcome {
    match actual == expected {
        true => Ok(()),
        false => Err(format!("{what} should be {expected:?}, but is {actual:?}").into()),
    }
}
