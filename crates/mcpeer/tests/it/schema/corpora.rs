//! The published examples, and the messages that stand in the pages of the specification.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use serde_json::{Value, json};

use super::{Schema, VERSIONS, faults, read, table};
use crate::spec;

#[test]
fn published_examples_survive() {
    let Some(folder) = spec::part("published_examples_survive", "schema/2026-07-28/examples") else { return };
    let schema = Schema::read(folder.parent().unwrap().parent().unwrap(), "2026-07-28");
    assert!(pass_folders(&folder, &schema) >= 100);
}

#[test]
fn messages_of_2025_11_25_survive() {
    let Some(folder) = spec::part("messages_of_2025_11_25_survive", "corpus/messages/2025-11-25") else { return };
    let Some(schemas) = spec::part("messages_of_2025_11_25_survive", "schema") else { return };
    assert!(pass_folders(&folder, &Schema::read(&schemas, "2025-11-25")) >= 40);
}

/// Passes each file of each folder, which is named after a definition, through the definition's type.
fn pass_folders(folder: &Path, schema: &Schema) -> usize {
    let mut passed = 0;
    for folder in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let validator = schema.validator(name);
        for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let example = read(&file);
            let place = file.display();
            let encoded =
                table::pass(name, schema.version, &example).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(encoded.encoded, example, "{place}");
            let message = with_envelope(encoded.encoded, schema.definition(name));
            assert!(validator.is_valid(&message), "{place}: {}", faults(&validator, &message));
            passed += 1;
        }
    }
    passed
}

/// Adds what a file leaves out that holds only the method and the params of a message.
fn with_envelope(mut message: Value, definition: &Value) -> Value {
    for (name, value) in [("jsonrpc", json!("2.0")), ("id", json!(1))] {
        let is_missing = message.get("method").is_some() && message.get(name).is_none();
        if is_missing && definition["properties"].get(name).is_some() {
            message[name] = value;
        }
    }
    message
}

#[test]
fn messages_of_the_specifications_pages_survive() {
    let test = "messages_of_the_specifications_pages_survive";
    let Some(folder) = spec::part(test, "corpus/spec-documents") else { return };
    let Some(schemas) = spec::part(test, "schema") else { return };
    let mut counts = HashMap::new();
    let mut faulty = Vec::new();
    for version in VERSIONS {
        let schema = Schema::read(&schemas, version);
        let blocks = read(&folder.join(version).with_extension("json"));
        for (block, definition) in typed(blocks.as_array().unwrap(), &schema) {
            let (file, n) = (block["file"].as_str().unwrap(), block["n"].as_u64().unwrap());
            let fault = match table::pass(&definition.name, version, definition.value) {
                Ok(passed) if passed.encoded == *definition.value => {
                    *counts.entry(version).or_insert(0) += 1;
                    continue;
                }
                Ok(passed) => format!("became {}", passed.encoded),
                Err(error) => error,
            };
            faulty.push(format!("{file} {n}: {}: {fault}", definition.name));
        }
    }
    assert!(faulty.is_empty(), "{} messages:\n{}", faulty.len(), faulty.join("\n"));
    assert!(VERSIONS.iter().all(|version| counts[version] > 30), "few messages were found: {counts:?}");
}

/// A value, and what it is an instance of.
struct Typed<'a> {
    name: String,
    value: &'a Value,
}

/// Finds what each message is: a request or a notification by its method, a result by the request before it.
fn typed<'a>(blocks: &'a [Value], schema: &Schema) -> Vec<(&'a Value, Typed<'a>)> {
    let methods: HashMap<String, String> = schema
        .names()
        .filter(|name| {
            matches!(table::row(name, schema.version), Some(table::Row { stand: table::Stand::Type(_), .. }))
        })
        .filter_map(|name| Some((schema.definition(name)["properties"]["method"]["const"].as_str()?.to_owned(), name)))
        .map(|(method, name)| (method, name.to_owned()))
        .collect();
    let mut asked: HashMap<(&str, String), &str> = HashMap::new();
    let mut found = Vec::new();
    for block in blocks {
        let (file, message) = (block["file"].as_str().unwrap(), &block["json"]);
        if let Some(method) = message["method"].as_str() {
            asked.insert((file, message["id"].to_string()), method);
            if let Some(name) = methods.get(method) {
                found.push((block, Typed { name: name.clone(), value: message }));
            }
        } else if block["kind"] == "jsonrpc" && message["result"].is_object() {
            let method = asked.get(&(file, message["id"].to_string()));
            let name = table::RESULTS.iter().find(|(of, _)| Some(of) == method).map(|(_, name)| *name);
            let name = match message["result"]["resultType"].as_str() {
                Some("input_required") => Some("InputRequiredResult"),
                _ if message["result"].get("task").is_some() => Some("CreateTaskResult"),
                _ => name,
            };
            let value = &message["result"];
            found.extend(name.map(|name| (block, Typed { name: name.to_owned(), value })));
        }
    }
    found
}

#[test]
fn every_method_has_a_result() {
    let Some(folder) = spec::part("every_method_has_a_result", "schema") else { return };
    let known: HashSet<_> = table::RESULTS.iter().map(|(method, _)| *method).collect();
    for version in VERSIONS {
        let schema = Schema::read(&folder, version);
        for name in schema.names().filter(|name| name.ends_with("Request")) {
            if let Some(method) = schema.definition(name)["properties"]["method"]["const"].as_str() {
                assert!(known.contains(method), "{version}: {method}");
            }
        }
    }
}
