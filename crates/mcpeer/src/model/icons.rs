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

impl Icon {
    /// Whether it lies where an icon may: at an `https:` address, or in a `data:` one. Whether an `https:` address is
    /// one of the peer itself is for the host to see.
    ///
    /// ```
    /// # use mcpeer::model::Icon;
    /// assert!(Icon::new("https://example.com/add.png").has_safe_source());
    /// assert!(Icon::new("DATA:image/png;base64,AA==").has_safe_source());
    /// assert!(!Icon::new("javascript:alert(1)").has_safe_source());
    /// ```
    pub fn has_safe_source(&self) -> bool {
        let scheme = self.src.split_once(':').map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| ["https", "data"].iter().any(|safe| scheme.eq_ignore_ascii_case(safe)))
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
