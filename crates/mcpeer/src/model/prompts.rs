//! Texts that a person may have a server write for the model.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts>

use super::{
    Content, EmptyParams, Entries, Icon, Items, Meta, ResultType,
    caching::{Scope, Ttl},
    content::Role,
    input::InputResponses,
};

pub use super::pagination::ListParams;

object! {
    /// A prompt, as it is listed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt>
    pub struct Prompt
    example Prompt::new("review").arguments([Argument::new("code")])
        => r#"{"name":"review","arguments":[{"name":"code"}]}"#;
    required {
        /// Its name, for programs.
        name: String as "name";
    }
    optional {
        /// Its name, for people. Since 2025-06-18.
        lenient title: String as "title" => "Review";
        /// What it is for.
        lenient description: String as "description" => "Has code reviewed";
        /// Its arguments.
        lenient arguments: Vec<Argument> as "arguments" => [Argument::new("code")];
        /// Its icons. Since 2025-11-25.
        lenient icons: Vec<Icon> as "icons" => [Icon::new("https://example.com/review.png")];
        /// What is carried beside the prompt proper. Since 2025-06-18.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// An argument of a prompt.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument>
    pub struct Argument
    example Argument::new("code").required(true) => r#"{"name":"code","required":true}"#;
    required {
        /// Its name, for programs.
        name: String as "name";
    }
    optional {
        /// Its name, for people. Since 2025-06-18.
        lenient title: String as "title" => "Code";
        /// What it is.
        lenient description: String as "description" => "The code to review";
        /// Whether it must be given.
        lenient required: bool as "required" => true;
    }
}

object! {
    /// A page of the list of prompts.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts>
    pub struct ListResult
    example ListResult::new([Prompt::new("review")]) => r#"{"prompts":[{"name":"review"}]}"#;
    required {
        /// The prompts.
        prompts: Items<Prompt> as "prompts";
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
    /// Which prompt to write, with what.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt>
    pub struct GetParams
    example GetParams::new("review").arguments([("code", "fn main() {}")])
        => r#"{"name":"review","arguments":{"code":"fn main() {}"}}"#;
    required {
        /// The prompt's name.
        name: String as "name";
    }
    optional {
        /// The arguments: texts, by their names.
        strict arguments: Entries<String> as "arguments" => [("code", "fn main() {}")];
        /// Answers to what the server asked before, see [`input`](super::input).
        lenient input_responses: InputResponses as "inputResponses" => input::InputResponses::new();
        /// What the server wants back with them, unread and unchanged.
        lenient request_state: String as "requestState" => "c2VhbGVk";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What a prompt comes to: messages for the model.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt>
    pub struct GetResult
    example GetResult::new([Message::user("Review this")])
        => r#"{"messages":[{"role":"user","content":{"type":"text","text":"Review this"}}]}"#;
    required {
        /// The messages.
        messages: Vec<Message> as "messages";
    }
    optional {
        /// What the prompt is for.
        lenient description: String as "description" => "Has code reviewed";
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A message for the model.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#promptmessage>
    pub struct Message
    example Message::new(content::Role::User, "Hello")
        => r#"{"role":"user","content":{"type":"text","text":"Hello"}}"#;
    required {
        /// Who says it.
        role: Role as "role";
        /// What is said: one piece. Something else in its place is [`Content::Unknown`].
        content: Content as "content";
    }
    optional {}
}

impl Message {
    /// Makes a message that the person says.
    ///
    /// ```
    /// # use mcpeer::model::{content::Role, prompts::Message};
    /// assert_eq!(Message::user("Hello").role, Role::User);
    /// ```
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content)
    }

    /// Makes a message that the model says.
    ///
    /// ```
    /// # use mcpeer::model::{content::Role, prompts::Message};
    /// assert_eq!(Message::assistant("Hello").role, Role::Assistant);
    /// ```
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

request! {
    /// Asks for a page of the list of prompts.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts>
    pub enum List: "prompts/list" (ListParams) -> ListResult;
}

request! {
    /// Has a prompt written.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt>
    pub enum Get: "prompts/get" (GetParams) -> GetResult;
}

notification! {
    /// Tells that the list of prompts has changed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#list-changed-notification>
    pub enum ListChanged: "notifications/prompts/list_changed" (EmptyParams);
}
