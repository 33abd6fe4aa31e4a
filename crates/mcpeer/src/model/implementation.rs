//! What a client or a server says of itself.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation>

use super::Icon;

object! {
    /// The name and version of a client or a server. It says so itself: decide nothing of weight by it.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation>
    pub struct Implementation
    example Implementation::new("hello", "1.0.0") => r#"{"name":"hello","version":"1.0.0"}"#;
    required {
        /// The name, for programs.
        name: String as "name";
        /// The version.
        version: String as "version";
    }
    optional {
        /// The name, for people.
        lenient title: String as "title" => "Hello";
        /// What it is, for people.
        lenient description: String as "description" => "Says hello";
        /// The address of its site.
        lenient website_url: String as "websiteUrl" => "https://example.com";
        /// Its icons.
        lenient icons: Vec<Icon> as "icons" => [Icon::new("https://example.com/hello.png")];
    }
}
