//! JSON Schemas of tools, as revisions that know only objects can carry them.

use crate::rpc::RawRef;

use super::splice;

/// Whether a schema says at its root that it describes an object.
pub(super) fn has_object_root(schema: RawRef<'_>) -> bool {
    schema.member("type").is_some_and(|kind| kind.as_str() == "\"object\"")
}

/// Writes a schema of an object; properties that are described by `true` or `false` are described by objects.
pub(super) fn write_object(schema: RawRef<'_>, out: &mut Vec<u8>) {
    let is_boolean = |value: RawRef<'_>| matches!(value.as_str(), "true" | "false");
    let properties = schema.member("properties");
    if !properties.is_some_and(|properties| properties.members().any(|(_, value)| is_boolean(value))) {
        out.extend_from_slice(schema.as_str().as_bytes());
        return;
    }
    write_members(schema, out, |name, value, out| {
        if name == "properties" && value.is_object() {
            write_members(value, out, |_, value, out| write_non_boolean(value, out));
        } else {
            out.extend_from_slice(value.as_str().as_bytes());
        }
    });
}

/// Writes a schema of anything as one of an object that has it at `result`. References within it still lead where
/// they led.
pub(super) fn write_wrapped(schema: RawRef<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    if let Some(dialect) = schema.member("$schema") {
        splice::member("$schema", dialect, out);
        out.push(b',');
    }
    out.extend_from_slice(b"\"type\":\"object\",\"properties\":{\"result\":");
    if !schema.is_object() {
        write_non_boolean(schema, out);
    } else if schema.member("$id").is_some() {
        // A schema with a name of its own is what its references are relative to, wherever it stands.
        splice::filtered(schema, |name| name == "$schema", out);
    } else {
        write_rebased(schema, out);
    }
    out.extend_from_slice(b"},\"required\":[\"result\"]}");
}

fn write_non_boolean(schema: RawRef<'_>, out: &mut Vec<u8>) {
    let text = match schema.as_str() {
        "true" => "{}",
        "false" => "{\"not\":{}}",
        text => text,
    };
    out.extend_from_slice(text.as_bytes());
}

/// Writes a schema that has moved from the root of its document to `result`.
fn write_rebased(schema: RawRef<'_>, out: &mut Vec<u8>) {
    let mut is_first = true;
    out.push(b'{');
    for member in splice::members(schema) {
        let splice::Member { name, value, .. } = &member;
        if name == "$schema" {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        if name == "$recursiveRef" && value.as_string().is_some() {
            out.extend_from_slice(b"\"$ref\":");
        } else {
            out.extend_from_slice(member.label().as_bytes());
        }
        match &**name {
            "$ref" | "$dynamicRef" | "$recursiveRef" => write_reference(*value, out),
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => {
                write_members(*value, out, |_, value, out| write_nested(value, out));
            }
            "allOf"
            | "anyOf"
            | "oneOf"
            | "prefixItems"
            | "items"
            | "additionalItems"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "additionalProperties"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema" => write_nested(*value, out),
            // What else there is holds data, not schemas.
            _ => out.extend_from_slice(value.as_str().as_bytes()),
        }
    }
    out.push(b'}');
}

/// Writes a schema, or an array of schemas, below the one that moved.
fn write_nested(value: RawRef<'_>, out: &mut Vec<u8>) {
    if value.as_str().starts_with('[') {
        splice::mapped(value, out, |element, out| {
            write_nested(element, out);
            true
        });
    } else if value.is_object() && value.member("$id").is_none() {
        write_rebased(value, out);
    } else {
        out.extend_from_slice(value.as_str().as_bytes());
    }
}

fn write_reference(value: RawRef<'_>, out: &mut Vec<u8>) {
    match value.as_string() {
        Some(text) if text == "#" || text.starts_with("#/") => {
            splice::string(&format!("#/properties/result{}", &text[1..]), out);
        }
        _ => out.extend_from_slice(value.as_str().as_bytes()),
    }
}

fn write_members(object: RawRef<'_>, out: &mut Vec<u8>, mut write: impl FnMut(&str, RawRef<'_>, &mut Vec<u8>)) {
    if !object.is_object() {
        out.extend_from_slice(object.as_str().as_bytes());
        return;
    }
    out.push(b'{');
    let mut is_first = true;
    for member in splice::members(object) {
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        out.extend_from_slice(member.label().as_bytes());
        write(&member.name, member.value, out);
    }
    out.push(b'}');
}
