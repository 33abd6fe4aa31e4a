use serde_json::Value;

/// How many levels a schema or a value may have.
const DEPTH: usize = 64;

/// How many values a schema may consist of.
const SCHEMA_SIZE: usize = 50_000;

/// How many values a checked value may consist of.
const VALUE_SIZE: usize = 1_000_000;

/// Finds out what makes a schema too much to work with.
pub(super) fn of_schema(schema: &Value) -> Result<(), String> {
    within(schema, SCHEMA_SIZE)
}

/// Finds out what makes a value too much to check.
pub(super) fn of_value(value: &Value) -> Result<(), String> {
    within(value, VALUE_SIZE)
}

fn within(value: &Value, size: usize) -> Result<(), String> {
    let mut left = vec![(value, 1)];
    let mut count = 0_usize;
    while let Some((value, depth)) = left.pop() {
        count += 1;
        if count > size {
            return Err(format!("it consists of more than {size} values"));
        }
        if depth > DEPTH {
            return Err(format!("it is nested deeper than {DEPTH} levels"));
        }
        match value {
            Value::Array(elements) => left.extend(elements.iter().map(|inner| (inner, depth + 1))),
            Value::Object(members) => left.extend(members.values().map(|inner| (inner, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}
