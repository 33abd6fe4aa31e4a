//! Resources: text, bytes, a template, and one to watch.

use mcpeer::{
    model::resources::BlobContents,
    server::{Builder, Json, Resource, ResourceTemplate, Variables},
};
use serde::{Deserialize, Serialize};

use crate::content::PNG;

const BINARY: &str = "test://static-binary";

/// What a template is filled in with.
#[derive(Deserialize)]
struct Record {
    id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

/// Adds the resources.
pub(crate) fn add(builder: Builder) -> Builder {
    let text = Resource::new("test://static-text", "static-text").description("A text that stays as it is");
    let binary = Resource::new(BINARY, "static-binary").description("An image that stays as it is");
    let watched = Resource::new("test://watched-resource", "watched-resource").description("A text to watch");
    let template =
        ResourceTemplate::new("test://template/{id}/data", "template-data").description("Data by its number");
    builder
        .resource(text.mime_type("text/plain"), || "This is the content of the static text resource.")
        .resource(binary.mime_type("image/png"), || BlobContents::new(BINARY, PNG).mime_type("image/png"))
        .resource(watched.mime_type("text/plain"), || "This is the content of the watched resource.")
        .resource_template(template.mime_type("application/json"), |Variables(record): Variables<Record>| {
            let data = format!("Data for ID: {}", record.id);
            Json(Data { id: record.id, template_test: true, data })
        })
}
