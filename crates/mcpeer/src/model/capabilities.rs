//! What a client and a server can do. Neither is a closed set: what is unknown stays in `extra`.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>

use super::{RawMap, RawObject, tasks};

object! {
    /// What a client can do.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities>
    pub struct ClientCapabilities
    example ClientCapabilities::new().roots(Roots::new()) => r#"{"roots":{}}"#;
    required {}
    optional {
        /// It answers `roots/list`.
        lenient roots: Roots as "roots" => Roots::new();
        /// It answers `sampling/createMessage`.
        lenient sampling: Sampling as "sampling" => Sampling::new();
        /// It answers `elicitation/create`.
        lenient elicitation: Elicitation as "elicitation" => Elicitation::new();
        /// It makes tasks of requests. 2025-11-25 only.
        lenient tasks: tasks::Capability as "tasks" => tasks::Capability::new();
        /// Extensions that it speaks, by their identifier.
        lenient extensions: RawMap as "extensions" => [("com.example/tidy", RawObject::default())];
        /// What is not standard.
        lenient experimental: RawMap as "experimental" => [("fast", RawObject::default())];
    }
}

object! {
    /// That a client has roots.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/roots>
    pub struct Roots
    example Roots::new() => "{}";
    required {}
    optional {
        /// Whether it tells when they change. In the stateful era only.
        lenient list_changed: bool as "listChanged" => true;
    }
}

object! {
    /// That a client asks a model for the server.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling>
    pub struct Sampling
    example Sampling::new().tools(RawObject::default()) => r#"{"tools":{}}"#;
    required {}
    optional {
        /// It lets the server include context of other servers.
        lenient context: RawObject as "context" => RawObject::default();
        /// It lets the model use the server's tools.
        lenient tools: RawObject as "tools" => RawObject::default();
    }
}

object! {
    /// That a client asks the user for the server.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation>
    pub struct Elicitation
    example Elicitation::new().url(RawObject::default()) => r#"{"url":{}}"#;
    required {}
    optional {
        /// By a form.
        lenient form: RawObject as "form" => RawObject::default();
        /// By an address that the user opens.
        lenient url: RawObject as "url" => RawObject::default();
    }
}

impl Elicitation {
    /// Whether forms may be asked for: where neither mode is declared, they may.
    ///
    /// ```
    /// # use mcpeer::model::{RawObject, capabilities::Elicitation};
    /// assert!(Elicitation::new().has_form());
    /// assert!(!Elicitation::new().url(RawObject::default()).has_form());
    /// ```
    pub fn has_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether the user may be sent to an address.
    ///
    /// ```
    /// # use mcpeer::model::capabilities::Elicitation;
    /// assert!(!Elicitation::new().has_url());
    /// ```
    pub fn has_url(&self) -> bool {
        self.url.is_some()
    }
}

object! {
    /// What a server can do.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities>
    pub struct ServerCapabilities
    example ServerCapabilities::new().tools(ListChanged::new().list_changed(true))
        => r#"{"tools":{"listChanged":true}}"#;
    required {}
    optional {
        /// It has tools.
        lenient tools: ListChanged as "tools" => ListChanged::new();
        /// It has resources.
        lenient resources: Resources as "resources" => Resources::new();
        /// It has prompts.
        lenient prompts: ListChanged as "prompts" => ListChanged::new();
        /// It completes arguments.
        lenient completions: RawObject as "completions" => RawObject::default();
        /// It sends log messages.
        lenient logging: RawObject as "logging" => RawObject::default();
        /// It makes tasks of requests. 2025-11-25 only.
        lenient tasks: tasks::Capability as "tasks" => tasks::Capability::new();
        /// Extensions that it speaks, by their identifier.
        lenient extensions: RawMap as "extensions" => [("com.example/tidy", RawObject::default())];
        /// What is not standard.
        lenient experimental: RawMap as "experimental" => [("fast", RawObject::default())];
    }
}

object! {
    /// That a server has tools, or prompts, and whether it tells when their list changes.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities>
    pub struct ListChanged
    example ListChanged::new().list_changed(true) => r#"{"listChanged":true}"#;
    required {}
    optional {
        /// Whether it tells when the list changes.
        lenient list_changed: bool as "listChanged" => true;
    }
}

object! {
    /// That a server has resources, and which of their changes it tells.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/resources#capabilities>
    pub struct Resources
    example Resources::new().subscribe(true) => r#"{"subscribe":true}"#;
    required {}
    optional {
        /// Whether it tells when a single resource changes.
        lenient subscribe: bool as "subscribe" => true;
        /// Whether it tells when the list changes.
        lenient list_changed: bool as "listChanged" => true;
    }
}

macro_rules! nothing_by_default {
    ($($name:ident)*) => {
        $(impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        })*
    };
}

nothing_by_default!(ClientCapabilities Roots Sampling Elicitation ServerCapabilities ListChanged Resources);
