//! Data that a server has to read.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources>

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    EmptyParams, Icon, Items, Meta, RawJson, ResultType,
    caching::{Scope, Ttl},
    content::Annotations,
    input::InputResponses,
    macros::peek,
};

pub use super::pagination::ListParams;

object! {
    /// A resource, as it is listed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource>
    pub struct Resource
    example Resource::new("file:///main.rs", "main.rs") => r#"{"uri":"file:///main.rs","name":"main.rs"}"#;
    required {
        /// Its address.
        uri: String as "uri";
        /// Its name, for programs.
        name: String as "name";
    }
    optional {
        /// Its name, for people. Since 2025-06-18.
        lenient title: String as "title" => "The main file";
        /// What it is, for a model.
        lenient description: String as "description" => "Where the program starts";
        /// Its media type.
        lenient mime_type: String as "mimeType" => "text/x-rust";
        /// How many bytes it has, before any encoding.
        number size: u64 as "size" => 1024;
        /// Its icons. Since 2025-11-25.
        lenient icons: Vec<Icon> as "icons" => [Icon::new("https://example.com/rust.png")];
        /// For whom it is, and how much it matters.
        lenient annotations: Annotations as "annotations" => content::Annotations::new();
        /// What is carried beside the resource proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Many resources at once, by the pattern of their addresses.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates>
    pub struct ResourceTemplate
    example ResourceTemplate::new("file:///{path}", "files") => r#"{"uriTemplate":"file:///{path}","name":"files"}"#;
    required {
        /// The pattern, after RFC 6570.
        uri_template: String as "uriTemplate";
        /// Their name, for programs.
        name: String as "name";
    }
    optional {
        /// Their name, for people. Since 2025-06-18.
        lenient title: String as "title" => "The project's files";
        /// What they are, for a model.
        lenient description: String as "description" => "Every file of the project";
        /// Their media type, where all have the same.
        lenient mime_type: String as "mimeType" => "text/plain";
        /// Their icons. Since 2025-11-25.
        lenient icons: Vec<Icon> as "icons" => [Icon::new("https://example.com/file.png")];
        /// For whom they are, and how much they matter.
        lenient annotations: Annotations as "annotations" => content::Annotations::new();
        /// What is carried beside the template proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A page of the list of resources.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources>
    pub struct ListResult
    example ListResult::new([Resource::new("file:///main.rs", "main.rs")])
        => r#"{"resources":[{"uri":"file:///main.rs","name":"main.rs"}]}"#;
    required {
        /// The resources.
        resources: Items<Resource> as "resources";
    }
    optional {
        /// Where the next page starts; absent on the last one. The empty string is a cursor.
        lenient next_cursor: String as "nextCursor" => "eyJwYWdlIjogMn0=";
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A page of the list of resource templates.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates>
    pub struct ListTemplatesResult
    example ListTemplatesResult::new([ResourceTemplate::new("file:///{path}", "files")])
        => r#"{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"files"}]}"#;
    required {
        /// The templates.
        resource_templates: Items<ResourceTemplate> as "resourceTemplates";
    }
    optional {
        /// Where the next page starts; absent on the last one. The empty string is a cursor.
        lenient next_cursor: String as "nextCursor" => "eyJwYWdlIjogMn0=";
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which resource to read.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources>
    pub struct ReadParams
    example ReadParams::new("file:///main.rs") => r#"{"uri":"file:///main.rs"}"#;
    required {
        /// Its address, as the server or a template gave it.
        uri: String as "uri";
    }
    optional {
        /// Answers to what the server asked before, see [`input`](super::input).
        lenient input_responses: InputResponses as "inputResponses" => input::InputResponses::new();
        /// What the server wants back with them, unread and unchanged.
        lenient request_state: String as "requestState" => "c2VhbGVk";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What was read: one resource, or several where the address names a group.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources>
    pub struct ReadResult
    example ReadResult::new([TextContents::new("file:///main.rs", "fn main() {}").into()])
        => r#"{"contents":[{"uri":"file:///main.rs","text":"fn main() {}"}]}"#;
    required {
        /// The contents.
        contents: Vec<Contents> as "contents";
    }
    optional {
        /// For how long this is fresh.
        lenient ttl_ms: Ttl as "ttlMs" => caching::Ttl::from_millis(60_000);
        /// Who may be served a kept copy.
        lenient cache_scope: Scope as "cacheScope" => "public";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

/// The contents of a resource: text or bytes.
///
/// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-contents>
///
/// ```
/// use mcpeer::model::resources::{BlobContents, Contents};
///
/// let contents: Contents = serde_json::from_str(r#"{"uri":"file:///a","blob":"AA=="}"#)?;
/// assert_eq!(contents, BlobContents::new("file:///a", "AA==").into());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contents {
    /// Text.
    Text(TextContents),
    /// Bytes.
    Blob(BlobContents),
    /// Neither, kept as it came.
    Unknown(RawJson),
}

impl From<TextContents> for Contents {
    fn from(contents: TextContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobContents> for Contents {
    fn from(contents: BlobContents) -> Self {
        Self::Blob(contents)
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.serialize(serializer),
            Self::Blob(contents) => contents.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Contents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let known = if peek(raw.as_str(), "text").is_some() {
            raw.decode().map(Self::Text).ok()
        } else {
            raw.decode().map(Self::Blob).ok()
        };
        Ok(known.unwrap_or(Self::Unknown(raw)))
    }
}

object! {
    /// The contents of a resource that is text.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#text-content>
    pub struct TextContents
    example TextContents::new("file:///main.rs", "fn main() {}") => r#"{"uri":"file:///main.rs","text":"fn main() {}"}"#;
    required {
        /// Its address.
        uri: String as "uri";
        /// The text.
        text: String as "text";
    }
    optional {
        /// Its media type.
        lenient mime_type: String as "mimeType" => "text/x-rust";
        /// What is carried beside the contents proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// The contents of a resource that is bytes.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#binary-content>
    pub struct BlobContents
    example BlobContents::new("file:///a.png", "iVBORw0KGgo=") => r#"{"uri":"file:///a.png","blob":"iVBORw0KGgo="}"#;
    required {
        /// Its address.
        uri: String as "uri";
        /// The bytes, in base64.
        blob: String as "blob";
    }
    optional {
        /// Its media type.
        lenient mime_type: String as "mimeType" => "image/png";
        /// What is carried beside the contents proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// Which resource has changed: one that was asked for, or a part of it.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions>
    pub struct UpdatedParams
    example UpdatedParams::new("file:///main.rs") => r#"{"uri":"file:///main.rs"}"#;
    required {
        /// Its address.
        uri: String as "uri";
    }
    optional {
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

request! {
    /// Asks for a page of the list of resources.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources>
    pub enum List: "resources/list" (ListParams) -> ListResult;
}

request! {
    /// Asks for a page of the list of resource templates.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates>
    pub enum ListTemplates: "resources/templates/list" (ListParams) -> ListTemplatesResult;
}

request! {
    /// Reads a resource.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources>
    pub enum Read: "resources/read" (ReadParams) -> ReadResult;
}

notification! {
    /// Tells that the list of resources has changed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#list-changed-notification>
    pub enum ListChanged: "notifications/resources/list_changed" (EmptyParams);
}

notification! {
    /// Tells that a resource has changed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions>
    pub enum Updated: "notifications/resources/updated" (UpdatedParams);
}
