//! What tools and prompts say: text, images, audio, resources.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result>

use super::{Icon, Meta, Number, resources::Contents};

union! {
    /// One piece of content.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock>
    ///
    /// ```
    /// use mcpeer::model::Content;
    ///
    /// let content: Vec<Content> = serde_json::from_str(r#"[{"type":"text","text":"a"},{"type":"video","data":"AA"}]"#)?;
    /// assert_eq!(content[0].as_text(), Some("a"));
    /// assert!(matches!(content[1], Content::Unknown(_)));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub enum Content by "type" {
        /// Text.
        Text(Text) = Some("text"),
        /// An image.
        Image(Image) = Some("image"),
        /// A recording. Since 2025-03-26.
        Audio(Audio) = Some("audio"),
        /// A resource that can be read. Since 2025-06-18.
        ResourceLink(ResourceLink) = Some("resource_link"),
        /// A resource, contents and all.
        Resource(EmbeddedResource) = Some("resource"),
    }
}

impl Content {
    /// Makes text.
    ///
    /// ```
    /// # use mcpeer::model::Content;
    /// assert_eq!(Content::text("hello").as_text(), Some("hello"));
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text::new(text))
    }

    /// Makes an image, from its bytes in base64 and its media type.
    ///
    /// ```
    /// # use mcpeer::model::Content;
    /// assert!(matches!(Content::image("iVBORw0KGgo=", "image/png"), Content::Image(_)));
    /// ```
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(Image::new(data, mime_type))
    }

    /// Gives the text, where it is text.
    ///
    /// ```
    /// # use mcpeer::model::Content;
    /// assert_eq!(Content::image("", "image/png").as_text(), None);
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(&text.text) } else { None }
    }

    /// Whether every revision has what is in it: text or an image, with nothing beside it.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Self::Text(text) => text.annotations.is_none() && text.meta.is_none() && text.extra.is_empty(),
            Self::Image(image) => image.annotations.is_none() && image.meta.is_none() && image.extra.is_empty(),
            _ => false,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

object! {
    /// Text.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#text-content>
    pub struct Text("type" = "text")
    example Text::new("hello") => r#"{"type":"text","text":"hello"}"#;
    required {
        /// The text.
        text: String as "text";
    }
    optional {
        /// For whom it is, and how much it matters.
        lenient annotations: Annotations as "annotations" => Annotations::new();
        /// What is carried beside the content proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// An image.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#image-content>
    pub struct Image("type" = "image")
    example Image::new("iVBORw0KGgo=", "image/png")
        => r#"{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}"#;
    required {
        /// The bytes, in base64.
        data: String as "data";
        /// The media type.
        mime_type: String as "mimeType";
    }
    optional {
        /// For whom it is, and how much it matters.
        lenient annotations: Annotations as "annotations" => Annotations::new();
        /// What is carried beside the content proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A recording. Since 2025-03-26.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#audio-content>
    pub struct Audio("type" = "audio")
    example Audio::new("UklGRg==", "audio/wav") => r#"{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}"#;
    required {
        /// The bytes, in base64.
        data: String as "data";
        /// The media type.
        mime_type: String as "mimeType";
    }
    optional {
        /// For whom it is, and how much it matters.
        lenient annotations: Annotations as "annotations" => Annotations::new();
        /// What is carried beside the content proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A resource that can be read; the server need not list it. Since 2025-06-18.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#resource-links>
    pub struct ResourceLink("type" = "resource_link")
    example ResourceLink::new("file:///main.rs", "main.rs")
        => r#"{"type":"resource_link","uri":"file:///main.rs","name":"main.rs"}"#;
    required {
        /// Its address.
        uri: String as "uri";
        /// Its name, for programs.
        name: String as "name";
    }
    optional {
        /// Its name, for people.
        lenient title: String as "title" => "The main file";
        /// What it is.
        lenient description: String as "description" => "Where the program starts";
        /// Its media type.
        lenient mime_type: String as "mimeType" => "text/x-rust";
        /// How many bytes it has.
        number size: u64 as "size" => 1024;
        /// Its icons. Since 2025-11-25.
        lenient icons: Vec<Icon> as "icons" => [Icon::new("https://example.com/rust.png")];
        /// For whom it is, and how much it matters.
        lenient annotations: Annotations as "annotations" => Annotations::new();
        /// What is carried beside the content proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A resource, contents and all.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#embedded-resources>
    pub struct EmbeddedResource("type" = "resource")
    example EmbeddedResource::new(resources::TextContents::new("file:///main.rs", "fn main() {}"))
        => r#"{"type":"resource","resource":{"uri":"file:///main.rs","text":"fn main() {}"}}"#;
    required {
        /// The contents.
        resource: Contents as "resource";
    }
    optional {
        /// For whom it is, and how much it matters.
        lenient annotations: Annotations as "annotations" => Annotations::new();
        /// What is carried beside the content proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl EmbeddedResource {
    /// Gives for whom it is and how much it matters, wherever the peer says so: where the schema has it, or within the
    /// contents, as the specification's pages show it.
    ///
    /// ```
    /// use mcpeer::model::content::EmbeddedResource;
    ///
    /// let text = r#"{"type":"resource","resource":{"uri":"x://a","text":"A","annotations":{"priority":0.5}}}"#;
    /// let resource: EmbeddedResource = serde_json::from_str(text)?;
    /// assert!(resource.any_annotations().unwrap().priority.is_some());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn any_annotations(&self) -> Option<Annotations> {
        let extra = match &self.resource {
            Contents::Text(contents) => &contents.extra,
            Contents::Blob(contents) => &contents.extra,
            Contents::Unknown(_) => return self.annotations.clone(),
        };
        self.annotations.clone().or_else(|| extra.decode("annotations"))
    }
}

object! {
    /// For whom something is, how much it matters, and how old it is.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#annotations>
    pub struct Annotations
    example Annotations::new().priority(0.5) => r#"{"priority":0.5}"#;
    required {}
    optional {
        /// For whom it is.
        lenient audience: Vec<Role> as "audience" => [Role::User];
        /// How much it matters: 0 not at all, 1 must be used.
        lenient priority: Number as "priority" => 1;
        /// When it was last changed, in ISO 8601. Since 2025-06-18.
        lenient last_modified: String as "lastModified" => "2026-07-28T12:00:00Z";
    }
}

impl Default for Annotations {
    fn default() -> Self {
        Self::new()
    }
}

words! {
    /// Who says something, or for whom it is.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#role>
    pub enum Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
