//! Icons of implementations, tools, prompts and resources.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#icons>

object! {
    /// An icon, in one file.
    ///
    /// Only `https:` and `data:` addresses are safe to load, and only from where the peer itself is.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#icons>
    pub struct Icon
    example Icon::new("https://example.com/add.png") => r#"{"src":"https://example.com/add.png"}"#;
    required {
        /// Where the file is: an `https:` or a `data:` address.
        src: String as "src";
    }
    optional {
        /// The media type, where the server of the file may say another or none.
        lenient mime_type: String as "mimeType" => "image/png";
        /// The sizes that it is made for, each `WxH` in pixels or `any`.
        lenient sizes: Vec<String> as "sizes" => ["48x48".to_owned()];
        /// The background that it is made for.
        lenient theme: Theme as "theme" => "dark";
    }
}

words! {
    /// The background that an icon is made for.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic#icons>
    pub enum Theme {
        /// A light background.
        Light = "light",
        /// A dark background.
        Dark = "dark",
    }
}
