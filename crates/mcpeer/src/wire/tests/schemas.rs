use serde_json::{Value, json};

use super::{json as read, raw};
use crate::wire::schema::{has_object_root, write_object, write_wrapped};

fn wrapped(schema: &Value) -> Value {
    let mut out = Vec::new();
    write_wrapped(raw(&schema.to_string()).borrow(), &mut out);
    read(std::str::from_utf8(&out).unwrap())
}

fn at_result(schema: Value) -> Value {
    json!({"type": "object", "properties": {"result": schema}, "required": ["result"]})
}

#[test]
fn only_the_type_object_at_the_root_makes_an_object() {
    for (schema, expected) in [
        (r#"{"type":"object"}"#, true),
        (r#"{"properties":{},"type":"object"}"#, true),
        (r#"{"type":["object","null"]}"#, false),
        (r#"{"properties":{}}"#, false),
        (r#"{"anyOf":[{"type":"object"}]}"#, false),
        ("true", false),
        ("{}", false),
    ] {
        assert_eq!(has_object_root(raw(schema).borrow()), expected, "{schema}");
    }
}

#[test]
fn references_within_a_wrapped_schema_lead_where_they_led() {
    let cases = [
        ("#", "#/properties/result"),
        ("#/", "#/properties/result/"),
        ("#/$defs/a%20b~1", "#/properties/result/$defs/a%20b~1"),
        ("#anchor", "#anchor"),
        ("other.json#/a", "other.json#/a"),
        ("https://example.com/s", "https://example.com/s"),
        ("", ""),
    ];
    for (before, after) in cases {
        for key in ["$ref", "$dynamicRef"] {
            assert_eq!(wrapped(&json!({ key: before })), at_result(json!({ key: after })));
        }
        assert_eq!(wrapped(&json!({"$recursiveRef": before})), at_result(json!({"$ref": after})));
    }
}

#[test]
fn references_are_found_wherever_a_schema_stands() {
    let (old, new) = (json!({"$ref": "#/$defs/a"}), json!({"$ref": "#/properties/result/$defs/a"}));
    for key in [
        "items",
        "additionalItems",
        "contains",
        "not",
        "if",
        "then",
        "else",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    ] {
        assert_eq!(wrapped(&json!({ key: old })), at_result(json!({ key: new })), "{key}");
    }
    for key in ["allOf", "anyOf", "oneOf", "prefixItems", "items"] {
        assert_eq!(
            wrapped(&json!({ key: [true, old, {"not": old}] })),
            at_result(json!({ key: [true, new, {"not": new}] }))
        );
    }
    for key in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"] {
        let before = json!({ key: {"const": old, "$ref": old, "enum": true, "list": ["x"]} });
        let after = json!({ key: {"const": new, "$ref": new, "enum": true, "list": ["x"]} });
        assert_eq!(wrapped(&before), at_result(after), "{key}");
    }
}

#[test]
fn data_within_a_schema_stays_as_it_is() {
    let data = json!({"$ref": "#/a"});
    for key in ["const", "default", "enum", "examples", "x-acme", "title"] {
        assert_eq!(wrapped(&json!({ key: data })), at_result(json!({ key: data })), "{key}");
    }
    assert_eq!(wrapped(&json!({"$ref": 7})), at_result(json!({"$ref": 7})));
}

#[test]
fn a_schema_with_a_name_of_its_own_keeps_its_references() {
    let named = json!({"$id": "https://example.com/s", "items": {"$ref": "#/$defs/a"}});
    assert_eq!(wrapped(&named), at_result(named.clone()));
    assert_eq!(wrapped(&json!({"items": named})), at_result(json!({"items": named})));
}

#[test]
fn the_dialect_stands_at_the_root() {
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    let mut expected = at_result(json!({"type": "array"}));
    expected["$schema"] = json!(dialect);
    assert_eq!(wrapped(&json!({"$schema": dialect, "type": "array"})), expected);
    let mut expected = at_result(json!({"$id": "a:b"}));
    expected["$schema"] = json!(dialect);
    assert_eq!(wrapped(&json!({"$id": "a:b", "$schema": dialect})), expected);
}

#[test]
fn schemas_that_are_true_or_false_become_objects() {
    assert_eq!(wrapped(&json!(true)), at_result(json!({})));
    assert_eq!(wrapped(&json!(false)), at_result(json!({"not": {}})));
}

#[test]
fn a_schema_without_booleans_is_copied() {
    for schema in [r#"{ "type":"object" }"#, r#"{"properties":{"a":{"$ref":"x"}},"x":1.0}"#, "true", "7"] {
        let mut out = Vec::new();
        write_object(raw(schema).borrow(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), schema);
    }
}

#[test]
fn a_wrapped_schema_admits_what_the_schema_admitted() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/list",
        "$defs": {"list": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}}},
    });
    let plain = jsonschema::validator_for(&schema).unwrap();
    let wrapped = jsonschema::validator_for(&wrapped(&schema)).unwrap();
    for value in [json!([]), json!([1, [2, [3]]]), json!(["a"]), json!([[1, "a"]]), json!({}), json!(null)] {
        assert_eq!(wrapped.is_valid(&json!({ "result": value })), plain.is_valid(&value), "{value}");
        assert!(!wrapped.is_valid(&value));
    }
}
