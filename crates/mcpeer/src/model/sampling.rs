//! A model asked by the client for the server.
//!
//! Deprecated since 2026-07-28, which still has it.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling>

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Items, Meta, Number, RawJson, RawObject,
    content::{Audio, Image, Role, Text},
    tasks::TaskMetadata,
    tools::Tool,
};

object! {
    /// What to ask a model.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#creating-messages>
    pub struct CreateParams
    example CreateParams::new([Message::user("Hello")], 100)
        => r#"{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}],"maxTokens":100}"#;
    required {
        /// The conversation so far.
        messages: Vec<Message> as "messages";
        /// The most tokens that the answer may have.
        max_tokens: i64 as "maxTokens";
    }
    optional {
        /// What the model should be like.
        lenient model_preferences: ModelPreferences as "modelPreferences" => ModelPreferences::new();
        /// What the model is told before the conversation.
        lenient system_prompt: String as "systemPrompt" => "You are brief";
        /// Whose context the client should add.
        lenient include_context: IncludeContext as "includeContext" => "none";
        /// How freely the model answers.
        lenient temperature: Number as "temperature" => 0.2;
        /// Where the answer ends.
        lenient stop_sequences: Vec<String> as "stopSequences" => ["END".to_owned()];
        /// What is for the model's provider.
        lenient metadata: RawObject as "metadata" => RawObject::default();
        /// Tools that the model may use. Since 2025-11-25.
        lenient tools: Items<Tool> as "tools" => [tools::Tool::new("add", [("type", "object")])];
        /// How it may use them. Since 2025-11-25.
        lenient tool_choice: ToolChoice as "toolChoice" => ToolChoice::new();
        /// That the answer shall be a task. 2025-11-25 only.
        lenient task: TaskMetadata as "task" => tasks::TaskMetadata::new();
        /// What is carried beside the message proper. In the stateful era only.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl CreateParams {
    /// Checks that each use of a tool is followed by its results, and by nothing else: a model's provider refuses any
    /// other conversation.
    ///
    /// # Errors
    ///
    /// It is another conversation; the text says where.
    ///
    /// ```
    /// use mcpeer::model::sampling::{CreateParams, Message, ToolResult, ToolUse};
    ///
    /// let used = Message::assistant(ToolUse::new("1", "add", [("a", 1)]));
    /// let result = Message::user(ToolResult::new("1", [mcpeer::model::Content::text("3")]));
    /// assert!(CreateParams::new([used.clone(), result], 100).check_tool_results().is_ok());
    /// let error = CreateParams::new([used, Message::user("Well?")], 100).check_tool_results().unwrap_err();
    /// assert_eq!(error, "`messages[1]` must be the results of the tools that `messages[0]` uses");
    /// ```
    pub fn check_tool_results(&self) -> Result<(), String> {
        let mut used: Vec<&str> = Vec::new();
        for (at, message) in self.messages.iter().enumerate() {
            let blocks = message.content.as_slice();
            let results: Vec<&str> = blocks.iter().filter_map(Content::result_of).collect();
            if !results.is_empty() && (results.len() < blocks.len() || message.role != Role::User) {
                return Err(format!("`messages[{at}]` has results of tools, so a user says these and nothing else"));
            }
            let is_answered = used.iter().all(|id| results.contains(id));
            if !is_answered || results.iter().any(|id| !used.contains(id)) {
                return Err(match at.checked_sub(1) {
                    Some(before) if !used.is_empty() => {
                        format!("`messages[{at}]` must be the results of the tools that `messages[{before}]` uses")
                    }
                    _ => format!("`messages[{at}]` has results of tools that the message before does not use"),
                });
            }
            used = blocks.iter().filter_map(Content::use_of).collect();
        }
        match self.messages.len() {
            last if !used.is_empty() => {
                Err(format!("the results of the tools that `messages[{}]` uses are missing", last - 1))
            }
            _ => Ok(()),
        }
    }
}

object! {
    /// What a model answered.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#creating-messages>
    pub struct CreateResult
    example CreateResult::new(content::Role::Assistant, "Hello", "small-1")
        => r#"{"role":"assistant","content":{"type":"text","text":"Hello"},"model":"small-1"}"#;
    required {
        /// Who says it.
        role: Role as "role";
        /// What is said.
        content: Contents as "content";
        /// Which model said it.
        model: String as "model";
    }
    optional {
        /// Why it stopped.
        lenient stop_reason: StopReason as "stopReason" => "endTurn";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// A message of a conversation with a model.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#data-types>
    pub struct Message
    example Message::new(content::Role::User, "Hello")
        => r#"{"role":"user","content":{"type":"text","text":"Hello"}}"#;
    required {
        /// Who says it.
        role: Role as "role";
        /// What is said.
        content: Contents as "content";
    }
    optional {
        /// What is carried beside the message proper. Since 2025-11-25.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl Message {
    /// Makes a message that the person says.
    ///
    /// ```
    /// # use mcpeer::model::{content::Role, sampling::Message};
    /// assert_eq!(Message::user("Hello").role, Role::User);
    /// ```
    pub fn user(content: impl Into<Contents>) -> Self {
        Self::new(Role::User, content)
    }

    /// Makes a message that the model says.
    ///
    /// ```
    /// # use mcpeer::model::{content::Role, sampling::Message};
    /// assert_eq!(Message::assistant("Hello").role, Role::Assistant);
    /// ```
    pub fn assistant(content: impl Into<Contents>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

/// One piece of content, or a list of them: before 2025-11-25 there is only the one. Each keeps its shape.
///
/// ```
/// use mcpeer::model::sampling::Contents;
///
/// let one: Contents = serde_json::from_str(r#"{"type":"text","text":"a"}"#)?;
/// let list: Contents = serde_json::from_str(r#"[{"type":"text","text":"a"}]"#)?;
/// assert_eq!(one.as_slice(), list.as_slice());
/// assert_ne!(one, list);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// One piece.
    One(Content),
    /// A list.
    List(Vec<Content>),
}

impl Contents {
    /// Gives the pieces, however many.
    ///
    /// ```
    /// # use mcpeer::model::sampling::Contents;
    /// assert_eq!(Contents::from("a").as_slice().len(), 1);
    /// ```
    pub fn as_slice(&self) -> &[Content] {
        match self {
            Self::One(content) => std::slice::from_ref(content),
            Self::List(list) => list,
        }
    }
}

impl<T: Into<Content>> From<T> for Contents {
    fn from(content: T) -> Self {
        Self::One(content.into())
    }
}

impl From<Vec<Content>> for Contents {
    fn from(list: Vec<Content>) -> Self {
        Self::List(list)
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(content) => content.serialize(serializer),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Contents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let decoded =
            if raw.as_str().starts_with('[') { raw.decode().map(Self::List) } else { raw.decode().map(Self::One) };
        decoded.map_err(serde::de::Error::custom)
    }
}

union! {
    /// One piece of content of a conversation with a model.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingmessagecontentblock>
    ///
    /// ```
    /// use mcpeer::model::sampling::{Content, ToolUse};
    ///
    /// let content: Content = ToolUse::new("1", "add", [("a", 1)]).into();
    /// assert!(matches!(content, Content::ToolUse(_)));
    /// ```
    pub enum Content by "type" {
        /// Text.
        Text(Text) = Some("text"),
        /// An image.
        Image(Image) = Some("image"),
        /// A recording. Since 2025-03-26.
        Audio(Audio) = Some("audio"),
        /// That the model uses a tool. Since 2025-11-25.
        ToolUse(ToolUse) = Some("tool_use"),
        /// What the tool said. Since 2025-11-25.
        ToolResult(ToolResult) = Some("tool_result"),
    }
}

impl Content {
    /// Gives the text, where it is text.
    ///
    /// ```
    /// # use mcpeer::model::sampling::{Content, ToolUse};
    /// assert_eq!(Content::from("hello").as_text(), Some("hello"));
    /// assert_eq!(Content::from(ToolUse::new("1", "add", [("a", 1)])).as_text(), None);
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// Gives the use that this is the result of.
    fn result_of(&self) -> Option<&str> {
        match self {
            Self::ToolResult(result) => Some(&result.tool_use_id),
            _ => None,
        }
    }

    /// Gives the id of the use that this is.
    fn use_of(&self) -> Option<&str> {
        match self {
            Self::ToolUse(used) => Some(&used.id),
            _ => None,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(Text::new(text))
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(Text::new(text))
    }
}

object! {
    /// That the model uses a tool. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#toolusecontent>
    pub struct ToolUse("type" = "tool_use")
    example ToolUse::new("1", "add", [("a", 1)]) => r#"{"type":"tool_use","id":"1","name":"add","input":{"a":1}}"#;
    required {
        /// What the result of this use refers to.
        id: String as "id";
        /// The tool's name.
        name: String as "name";
        /// The arguments.
        input: RawObject as "input";
    }
    optional {
        /// What is carried beside the content proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What a tool said that the model used. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#toolresultcontent>
    pub struct ToolResult("type" = "tool_result")
    example ToolResult::new("1", [mcpeer::model::Content::text("3")])
        => r#"{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"3"}]}"#;
    required {
        /// Which use it is the result of.
        tool_use_id: String as "toolUseId";
    }
    defaulted {
        /// What it says, for a model.
        content: Vec<super::Content> as "content";
    }
    optional {
        /// What it says, for a program; `null` is a value. An object at 2025-11-25.
        raw structured_content: RawJson as "structuredContent" => serde_json::json!({"sum": 3});
        /// Whether it failed.
        lenient is_error: bool as "isError" => true;
        /// What is carried beside the content proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What the model should be like; the client decides.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#model-preferences>
    pub struct ModelPreferences
    example ModelPreferences::new().cost_priority(0.3) => r#"{"costPriority":0.3}"#;
    required {}
    optional {
        /// Names of models, the best first.
        lenient hints: Vec<ModelHint> as "hints" => [ModelHint::new().name("small")];
        /// How much cost matters: 0 not at all, 1 most.
        lenient cost_priority: Number as "costPriority" => 0.3;
        /// How much speed matters: 0 not at all, 1 most.
        lenient speed_priority: Number as "speedPriority" => 0.8;
        /// How much intelligence matters: 0 not at all, 1 most.
        lenient intelligence_priority: Number as "intelligencePriority" => 0.5;
    }
}

object! {
    /// The name of a model, or a part of it.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#model-preferences>
    pub struct ModelHint
    example ModelHint::new().name("small") => r#"{"name":"small"}"#;
    required {}
    optional {
        /// The name, or a part of it.
        lenient name: String as "name" => "small";
    }
}

object! {
    /// How the model may use tools. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#toolchoice>
    pub struct ToolChoice
    example ToolChoice::new().mode("required") => r#"{"mode":"required"}"#;
    required {}
    optional {
        /// Whether it may, must or must not; absent, it may.
        lenient mode: ToolChoiceMode as "mode" => "auto";
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

nothing_by_default!(ModelPreferences ModelHint ToolChoice);

words! {
    /// Whether a model may, must or must not use tools.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#toolchoice>
    pub enum ToolChoiceMode {
        /// It may.
        Auto = "auto",
        /// It must.
        Required = "required",
        /// It must not.
        None = "none",
    }
}

words! {
    /// Whose context the client should add to a conversation.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessagerequestparams>
    pub enum IncludeContext {
        /// Nobody's.
        None = "none",
        /// This server's.
        ThisServer = "thisServer",
        /// Every server's.
        AllServers = "allServers",
    }
}

words! {
    /// Why a model stopped.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageresult>
    pub enum StopReason {
        /// It had said everything.
        EndTurn = "endTurn",
        /// It came to where it was told to stop.
        StopSequence = "stopSequence",
        /// It had no tokens left.
        MaxTokens = "maxTokens",
        /// It wants to use a tool. Since 2025-11-25.
        ToolUse = "toolUse",
    }
}

request! {
    /// Has a client ask a model. In the stateless era only inside
    /// [`InputRequests`](super::input::InputRequests).
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#creating-messages>
    pub enum Create: "sampling/createMessage" (CreateParams) -> CreateResult;
}
