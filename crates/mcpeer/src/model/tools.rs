//! What a server can do for a model.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools>

use std::borrow::Cow;

use serde::Serialize;

use super::{
    Content, EmptyParams, Icon, Items, Meta, RawJson, RawObject, ResultType,
    caching::{Scope, Ttl},
    input::InputResponses,
    tasks::{TaskMetadata, ToolExecution},
};

pub use super::pagination::ListParams;

object! {
    /// A tool, as it is listed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool>
    pub struct Tool
    example Tool::new("add", [("type", "object")]) => r#"{"name":"add","inputSchema":{"type":"object"}}"#;
    required {
        /// Its name, for programs: 1 to 128 of `A-Za-z0-9_.-`.
        name: String as "name";
        /// The JSON Schema of its arguments, whose root has the type `object`.
        input_schema: RawObject as "inputSchema";
    }
    optional {
        /// Its name, for people. Since 2025-06-18.
        lenient title: String as "title" => "Add";
        /// What it does, for a model.
        lenient description: String as "description" => "Adds two numbers";
        /// The JSON Schema of its structured results. Since 2025-06-18; until 2026-07-28 of an object.
        lenient output_schema: RawJson as "outputSchema" => serde_json::json!({"type": "number"});
        /// What it does to the world, as the server has it.
        lenient annotations: Annotations as "annotations" => Annotations::new().read_only_hint(true);
        /// How it is called. 2025-11-25 only.
        lenient execution: ToolExecution as "execution" => tasks::ToolExecution::new();
        /// Its icons. Since 2025-11-25.
        lenient icons: Vec<Icon> as "icons" => [Icon::new("https://example.com/add.png")];
        /// What is carried beside the tool proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl Tool {
    /// Gives the name to show to people: the title, else the annotations' title, else the name.
    ///
    /// ```
    /// # use mcpeer::model::tools::Tool;
    /// let tool = Tool::new("add", [("type", "object")]);
    /// assert_eq!(tool.display_name(), "add");
    /// assert_eq!(tool.title("Add").display_name(), "Add");
    /// ```
    pub fn display_name(&self) -> &str {
        let annotated = self.annotations.as_ref().and_then(|annotations| annotations.title.as_deref());
        self.title.as_deref().or(annotated).unwrap_or(&self.name)
    }
}

object! {
    /// What a tool does to the world, as the server has it: hints, to be trusted as far as the server is.
    /// Since 2025-03-26.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations>
    pub struct Annotations
    example Annotations::new().read_only_hint(true) => r#"{"readOnlyHint":true}"#;
    required {}
    optional {
        /// The tool's name, for people; [`Tool::title`] comes first.
        lenient title: String as "title" => "Add";
        /// Whether it leaves the world as it was; absent, it does not.
        lenient read_only_hint: bool as "readOnlyHint" => true;
        /// Whether it may destroy and not only add; absent, it may.
        lenient destructive_hint: bool as "destructiveHint" => false;
        /// Whether calling it again changes nothing more; absent, it may.
        lenient idempotent_hint: bool as "idempotentHint" => true;
        /// Whether it reaches a world beyond the server; absent, it may.
        lenient open_world_hint: bool as "openWorldHint" => false;
    }
}

impl Default for Annotations {
    fn default() -> Self {
        Self::new()
    }
}

object! {
    /// A page of the list of tools.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools>
    pub struct ListResult
    example ListResult::new([Tool::new("add", [("type", "object")])])
        => r#"{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}"#;
    required {
        /// The tools.
        tools: Items<Tool> as "tools";
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
    /// Which tool to call, with what.
    ///
    /// Reading it copies the arguments as text and looks no further into them.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools>
    pub struct CallParams
    example CallParams::new("add").arguments([("a", 1), ("b", 2)]) => r#"{"name":"add","arguments":{"a":1,"b":2}}"#;
    required {
        /// The tool's name.
        name: String as "name";
    }
    optional {
        /// The arguments.
        strict arguments: RawObject as "arguments" => [("a", 1), ("b", 2)];
        /// That the answer shall be a task. 2025-11-25 only.
        lenient task: TaskMetadata as "task" => tasks::TaskMetadata::new();
        /// Answers to what the server asked before, see [`input`](super::input).
        lenient input_responses: InputResponses as "inputResponses" => input::InputResponses::new();
        /// What the server wants back with them, unread and unchanged.
        lenient request_state: String as "requestState" => "c2VhbGVk";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What a tool has to say.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result>
    pub struct CallResult
    example CallResult::new([Content::text("3")]) => r#"{"content":[{"type":"text","text":"3"}]}"#;
    required {}
    defaulted {
        /// What it says, for a model or a person. A peer that leaves it out says nothing.
        content: Vec<Content> as "content";
    }
    optional {
        /// What it says, for a program; `null` is a value. Since 2025-06-18; until 2026-07-28 an object.
        raw structured_content: RawJson as "structuredContent" => serde_json::json!({"sum": 3});
        /// Whether it failed, so that `content` says why.
        lenient is_error: bool as "isError" => true;
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl CallResult {
    /// Makes a result of one text.
    ///
    /// ```
    /// # use mcpeer::model::tools::CallResult;
    /// let result = CallResult::text("3");
    /// assert_eq!(serde_json::to_string(&result).unwrap(), r#"{"content":[{"type":"text","text":"3"}]}"#);
    /// ```
    pub fn text(text: impl Into<String>) -> Self {
        Self::new([Content::text(text)])
    }

    /// Makes the result of a tool that failed, from why.
    ///
    /// ```
    /// # use mcpeer::model::tools::CallResult;
    /// let result = CallResult::error("there is no such city; give one of Bern, Oslo, Rome");
    /// assert!(result.is_failed());
    /// ```
    pub fn error(reason: impl Into<String>) -> Self {
        Self::text(reason).is_error(true)
    }

    /// Makes a result for programs, and its JSON as text beside it for those who know only text.
    ///
    /// # Errors
    ///
    /// The value's own `Serialize` failed, or it has a map whose keys are no strings.
    ///
    /// ```
    /// # use mcpeer::model::tools::CallResult;
    /// let result = CallResult::structured(&serde_json::json!({"sum": 3})).unwrap();
    /// assert_eq!(
    ///     serde_json::to_string(&result).unwrap(),
    ///     r#"{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}"#,
    /// );
    /// ```
    pub fn structured<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        let raw = RawJson::from_value(value)?;
        Ok(Self::text(raw.as_str()).structured_content(raw))
    }

    /// Adds a piece of content.
    ///
    /// ```
    /// # use mcpeer::model::tools::CallResult;
    /// assert_eq!(CallResult::text("a").with("b").content.len(), 2);
    /// ```
    #[must_use]
    pub fn with(mut self, content: impl Into<Content>) -> Self {
        self.content.push(content.into());
        self
    }

    /// Gives the texts of the content, each on a line of its own.
    ///
    /// ```
    /// # use mcpeer::model::{Content, tools::CallResult};
    /// assert_eq!(CallResult::text("3").as_text(), "3");
    /// assert_eq!(CallResult::text("a").with(Content::text("b")).as_text(), "a\nb");
    /// ```
    pub fn as_text(&self) -> Cow<'_, str> {
        let mut texts = self.content.iter().filter_map(Content::as_text);
        match (texts.next(), texts.next()) {
            (first, None) => first.unwrap_or_default().into(),
            (first, second) => first.into_iter().chain(second).chain(texts).collect::<Vec<_>>().join("\n").into(),
        }
    }

    /// Whether the tool failed.
    ///
    /// ```
    /// # use mcpeer::model::tools::CallResult;
    /// assert!(!CallResult::text("3").is_failed());
    /// ```
    pub fn is_failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// Whether there is nothing in it but text and images, which every revision writes in the same way.
    ///
    /// ```
    /// # use mcpeer::model::tools::CallResult;
    /// assert!(CallResult::text("3").is_plain());
    /// assert!(!CallResult::structured(&3).unwrap().is_plain());
    /// ```
    pub fn is_plain(&self) -> bool {
        self.structured_content.is_none()
            && self.result_type.is_none()
            && self.meta.is_none()
            && self.extra.is_empty()
            && self.content.iter().all(Content::is_plain)
    }
}

request! {
    /// Asks for a page of the list of tools.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools>
    pub enum List: "tools/list" (ListParams) -> ListResult;
}

request! {
    /// Calls a tool.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools>
    pub enum Call: "tools/call" (CallParams) -> CallResult;
}

notification! {
    /// Tells that the list of tools has changed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/tools#list-changed-notification>
    pub enum ListChanged: "notifications/tools/list_changed" (EmptyParams);
}
