//! Tools that show every kind of content, a tool that fails, and one whose schema was written by hand.

use mcpeer::{
    model::{
        content::{Audio, EmbeddedResource, Image},
        resources::TextContents,
    },
    server::{Args, Builder, Tool},
};
use schemars::{Schema, json_schema};
use serde_json::{Map, Value};

/// A red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A recording without a sound.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// Adds the tools.
pub(crate) fn add(builder: Builder) -> Builder {
    builder
        .tool(
            Tool::new("test_simple_text").description("Gives a text"),
            || "This is a simple text response for testing.",
        )
        .tool(Tool::new("test_image_content").description("Gives an image"), image)
        .tool(Tool::new("test_audio_content").description("Gives a recording"), || Audio::new(WAV, "audio/wav"))
        .tool(Tool::new("test_embedded_resource").description("Gives a resource, contents and all"), || {
            let text = TextContents::new("test://embedded-resource", "This is an embedded resource content.");
            EmbeddedResource::new(text.mime_type("text/plain"))
        })
        .tool(Tool::new("test_multiple_content_types").description("Gives a text, an image and a resource"), || {
            let json = TextContents::new("test://mixed-content-resource", r#"{"test":"data","value":123}"#);
            ("Multiple content types test:", image(), EmbeddedResource::new(json.mime_type("application/json")))
        })
        .tool(Tool::new("test_error_handling").description("Fails, so that the model sees it"), || {
            Err::<&str, _>("This tool intentionally returns an error for testing")
        })
        .tool(
            Tool::raw("json_schema_2020_12_tool", contact()).description("Takes a person who can be reached"),
            |Args(person): Args<Map<String, Value>>| format!("{} fields", person.len()),
        )
}

fn image() -> Image {
    Image::new(PNG, "image/png")
}

/// A schema with words that no type makes. It is advertised as it stands here, and arguments are checked against it.
fn contact() -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
