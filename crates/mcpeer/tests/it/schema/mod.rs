//! The types against the published schemas and examples of every revision.

mod built;
mod corpora;
mod samples;
mod table;

use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::spec;
pub(crate) use built::built;

const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The published schema of one revision.
pub(crate) struct Schema {
    pub(crate) version: &'static str,
    root: Value,
    /// Where the definitions are: newer drafts have another place for them.
    key: &'static str,
}

impl Schema {
    fn read(folder: &Path, version: &'static str) -> Self {
        let root = read(&folder.join(version).join("schema.json"));
        let key = if root.get("$defs").is_some() { "$defs" } else { "definitions" };
        Self { version, root, key }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.root[self.key].as_object().unwrap().keys().map(String::as_str)
    }

    pub(crate) fn definition(&self, name: &str) -> &Value {
        self.root[self.key].get(name).unwrap_or_else(|| panic!("{} has no {name}", self.version))
    }

    fn has(&self, name: &str) -> bool {
        self.root[self.key].get(name).is_some()
    }

    fn validator(&self, name: &str) -> Validator {
        let mut schema = self.root.clone();
        schema["$ref"] = json!(format!("#/{}/{name}", self.key));
        jsonschema::validator_for(&schema).unwrap()
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

fn schemas(test: &str) -> Option<Vec<Schema>> {
    let folder = spec::part(test, "schema")?;
    Some(VERSIONS.into_iter().map(|version| Schema::read(&folder, version)).collect())
}

fn faults(validator: &Validator, value: &Value) -> String {
    let faults = validator.iter_errors(value).map(|fault| format!("{fault} at {}", fault.instance_path()));
    faults.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_definition_has_a_type_or_a_reason() {
    let Some(schemas) = schemas("every_definition_has_a_type_or_a_reason") else { return };
    for schema in &schemas {
        let missing: Vec<_> = schema.names().filter(|name| table::row(name, schema.version).is_none()).collect();
        assert!(missing.is_empty(), "{} defines what no row of the table names: {missing:?}", schema.version);
    }
}

#[test]
fn every_member_of_every_definition_is_known_and_survives() {
    let Some(schemas) = schemas("every_member_of_every_definition_is_known_and_survives") else { return };
    let mut faulty = Vec::new();
    for schema in &schemas {
        for name in schema.names() {
            let Some(table::Row { stand: table::Stand::Type(pass), .. }) = table::row(name, schema.version) else {
                continue;
            };
            let validator = schema.validator(name);
            for sample in samples::samples(schema, name) {
                assert!(
                    validator.is_valid(&sample),
                    "a bad sample of {name}: {sample}: {}",
                    faults(&validator, &sample)
                );
                let fault = match pass(&sample) {
                    Err(error) => error,
                    Ok(passed) if passed.encoded != sample => format!("became {}", passed.encoded),
                    Ok(passed) if is_strange(&passed.debug) => format!("is not known as a whole: {}", passed.debug),
                    Ok(_) => continue,
                };
                faulty.push(format!("{} {name}: {sample} {fault}", schema.version));
            }
        }
    }
    assert!(faulty.is_empty(), "{} samples:\n{}", faulty.len(), faulty.join("\n"));
}

/// Whether something in a value was kept without being understood.
fn is_strange(debug: &str) -> bool {
    ["extra: {\"", "Unknown(", "Other(", "Skipped {"].iter().any(|sign| debug.contains(sign))
}

#[test]
fn what_the_constructors_make_is_valid_in_every_revision() {
    let Some(schemas) = schemas("what_the_constructors_make_is_valid_in_every_revision") else { return };
    let built = built();
    let mut faulty = Vec::new();
    for schema in &schemas {
        for name in schema.names() {
            let Some(table::Row { stand: table::Stand::Type(_), .. }) = table::row(name, schema.version) else {
                continue;
            };
            let validator = schema.validator(name);
            let mut made = 0;
            for (_, value) in built.iter().filter(|(definition, _)| *definition == name) {
                made += 1;
                if !validator.is_valid(value) {
                    faulty.push(format!("{} {name}: {value}: {}", schema.version, faults(&validator, value)));
                }
            }
            if made == 0 {
                faulty.push(format!("{} {name}: nothing is made of it", schema.version));
            }
        }
    }
    assert!(faulty.is_empty(), "{} faults:\n{}", faulty.len(), faulty.join("\n"));
    let names: Vec<_> = built.iter().map(|(name, _)| *name).collect();
    let unused: Vec<_> = names.iter().filter(|name| !schemas.iter().any(|schema| schema.has(name))).collect();
    assert!(unused.is_empty(), "no revision defines {unused:?}");
}

/// Passes a value through the type that stands for a definition of a revision, where one does.
pub(crate) fn pass(definition: &str, version: &str, value: &Value) -> Option<Result<Value, String>> {
    match &table::row(definition, version)?.stand {
        table::Stand::Type(pass) => Some(pass(value).map(|passed| passed.encoded)),
        table::Stand::Nothing(_) => None,
    }
}
