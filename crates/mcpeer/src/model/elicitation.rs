//! The user asked by the client for the server. Since 2025-06-18.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation>

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Entries, Meta, Number, RawJson, RawObject, macros::peek, tasks::TaskMetadata};

union! {
    /// What to ask the user: a form, or that he open an address. Where it does not say which, it is a form.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#elicitation-requests>
    ///
    /// ```
    /// use mcpeer::model::elicitation::{CreateParams, UrlParams};
    ///
    /// let params: CreateParams = UrlParams::new("Sign in", "https://example.com/login").into();
    /// assert!(matches!(params, CreateParams::Url(_)));
    /// ```
    pub enum CreateParams by "mode" {
        /// A form.
        Form(FormParams) = None | Some("form"),
        /// An address. Since 2025-11-25.
        Url(UrlParams) = Some("url"),
    }
}

object! {
    /// A form for the user to fill in. Not for secrets.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#form-mode-elicitation-requests>
    pub struct FormParams
    example FormParams::new("Who are you?", RequestedSchema::new([("name", StringSchema::new())]))
        => r#"{"message":"Who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}"#;
    required {
        /// What the user is told.
        message: String as "message";
        /// The fields of the form.
        requested_schema: RequestedSchema as "requestedSchema";
    }
    optional {
        /// That it is a form; absent, it is one too. Since 2025-11-25.
        lenient mode: Mode as "mode" => "form";
        /// That the answer shall be a task. 2025-11-25 only.
        lenient task: TaskMetadata as "task" => tasks::TaskMetadata::new();
        /// What is carried beside the message proper. In the stateful era only.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// An address for the user to open. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests>
    pub struct UrlParams("mode" = "url")
    example UrlParams::new("Sign in", "https://example.com/login")
        => r#"{"mode":"url","message":"Sign in","url":"https://example.com/login"}"#;
    required {
        /// What the user is told.
        message: String as "message";
        /// The address.
        url: String as "url";
    }
    optional {
        /// What the notification of its end refers to. 2025-11-25 only, and required there.
        lenient elicitation_id: String as "elicitationId" => "login-1";
        /// That the answer shall be a task. 2025-11-25 only.
        lenient task: TaskMetadata as "task" => tasks::TaskMetadata::new();
        /// What is carried beside the message proper. In the stateful era only.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl UrlParams {
    /// Whether the address is one: a scheme, and something behind it, without blanks.
    ///
    /// ```
    /// # use mcpeer::model::elicitation::UrlParams;
    /// assert!(UrlParams::new("Sign in", "https://example.com/login").has_address());
    /// assert!(!UrlParams::new("Sign in", "the login page").has_address());
    /// ```
    pub fn has_address(&self) -> bool {
        super::uri::is_uri(&self.url)
    }
}

words! {
    /// How the user is asked.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#elicitation-requests>
    pub enum Mode {
        /// By a form.
        Form = "form",
        /// By an address that he opens.
        Url = "url",
    }
}

object! {
    /// What the user did.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#response-actions>
    pub struct CreateResult
    example CreateResult::new(Action::Accept).content([("name", "Ada")])
        => r#"{"action":"accept","content":{"name":"Ada"}}"#;
    required {
        /// What the user did.
        action: Action as "action";
    }
    optional {
        /// What he filled in; only where he accepted a form.
        lenient content: RawObject as "content" => [("name", "Ada")];
        /// What is carried beside the message proper. In the stateful era only.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

impl CreateResult {
    /// Makes the result of a form that was filled in.
    ///
    /// ```
    /// # use mcpeer::model::elicitation::{Action, CreateResult};
    /// assert_eq!(CreateResult::accept([("name", "Ada")]).action, Action::Accept);
    /// ```
    pub fn accept(content: impl Into<RawObject>) -> Self {
        Self::new(Action::Accept).content(content)
    }

    /// Makes the result of a user who said no.
    ///
    /// ```
    /// # use mcpeer::model::elicitation::{Action, CreateResult};
    /// assert_eq!(CreateResult::decline().action, Action::Decline);
    /// ```
    pub fn decline() -> Self {
        Self::new(Action::Decline)
    }

    /// Makes the result of a user who said neither yes nor no.
    ///
    /// ```
    /// # use mcpeer::model::elicitation::{Action, CreateResult};
    /// assert_eq!(CreateResult::cancel().action, Action::Cancel);
    /// ```
    pub fn cancel() -> Self {
        Self::new(Action::Cancel)
    }
}

words! {
    /// What a user did who was asked.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#response-actions>
    pub enum Action {
        /// He filled in the form, or agreed to open the address.
        Accept = "accept",
        /// He said no.
        Decline = "decline",
        /// He said neither.
        Cancel = "cancel",
    }
}

object! {
    /// The fields of a form: a flat object.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema>
    pub struct RequestedSchema("type" = "object")
    example RequestedSchema::new([("name", StringSchema::new())]).required(["name".to_owned()])
        => r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
    required {
        /// The fields, in the order of the form.
        properties: Entries<FieldSchema> as "properties";
    }
    optional {
        /// The names of the fields that must be filled in.
        lenient required: Vec<String> as "required" => ["name".to_owned()];
        /// The dialect of JSON Schema. Since 2025-11-25.
        lenient schema: String as "$schema" => "https://json-schema.org/draft/2020-12/schema";
    }
}

/// A field of a form.
///
/// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#primitiveschemadefinition>
///
/// ```
/// use mcpeer::model::elicitation::FieldSchema;
///
/// let field: FieldSchema = serde_json::from_str(r#"{"type":"string","enum":["red","green"]}"#)?;
/// assert!(matches!(field, FieldSchema::Select(_)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FieldSchema {
    /// A text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several words.
    Select(SelectSchema),
    /// One of several words, each with a title. Since 2025-11-25.
    TitledSelect(TitledSelectSchema),
    /// One of several words, each with a title, as they were written before 2025-11-25.
    NamedSelect(NamedSelectSchema),
    /// Some of several words. Since 2025-11-25.
    MultiSelect(MultiSelectSchema),
    /// Some of several words, each with a title. Since 2025-11-25.
    TitledMultiSelect(TitledMultiSelectSchema),
    /// Something else, kept as it came.
    Unknown(RawJson),
}

impl Serialize for FieldSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(schema) => schema.serialize(serializer),
            Self::Number(schema) => schema.serialize(serializer),
            Self::Boolean(schema) => schema.serialize(serializer),
            Self::Select(schema) => schema.serialize(serializer),
            Self::TitledSelect(schema) => schema.serialize(serializer),
            Self::NamedSelect(schema) => schema.serialize(serializer),
            Self::MultiSelect(schema) => schema.serialize(serializer),
            Self::TitledMultiSelect(schema) => schema.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for FieldSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        // Within one type the richer shapes come first: each of them has a member that the next one lacks.
        let known = match peek(raw.as_str(), "type").as_deref() {
            Some("string") => (raw.decode().map(Self::TitledSelect))
                .or_else(|_| raw.decode().map(Self::NamedSelect))
                .or_else(|_| raw.decode().map(Self::Select))
                .or_else(|_| raw.decode().map(Self::String))
                .ok(),
            Some("number" | "integer") => raw.decode().map(Self::Number).ok(),
            Some("boolean") => raw.decode().map(Self::Boolean).ok(),
            Some("array") => {
                (raw.decode().map(Self::TitledMultiSelect)).or_else(|_| raw.decode().map(Self::MultiSelect)).ok()
            }
            _ => None,
        };
        Ok(known.unwrap_or(Self::Unknown(raw)))
    }
}

macro_rules! into_field {
    ($($variant:ident($type:ty))*) => {
        $(impl From<$type> for FieldSchema {
            fn from(schema: $type) -> Self {
                Self::$variant(schema)
            }
        })*
    };
}

into_field! {
    String(StringSchema) Number(NumberSchema) Boolean(BooleanSchema) Select(SelectSchema)
    TitledSelect(TitledSelectSchema) NamedSelect(NamedSelectSchema) MultiSelect(MultiSelectSchema)
    TitledMultiSelect(TitledMultiSelectSchema)
}

object! {
    /// A text in a form.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#stringschema>
    pub struct StringSchema("type" = "string")
    example StringSchema::new().format("email") => r#"{"type":"string","format":"email"}"#;
    required {}
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "E-mail";
        /// What it is.
        lenient description: String as "description" => "Where we can reach you";
        /// The least number of characters.
        number min_length: u64 as "minLength" => 3;
        /// The most characters.
        number max_length: u64 as "maxLength" => 80;
        /// What kind of text it is.
        lenient format: Format as "format" => "email";
        /// What stands there at first. Since 2025-11-25.
        lenient default: String as "default" => "ada@example.com";
    }
}

words! {
    /// What kind of text a field takes.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#stringschema>
    pub enum Format {
        /// An e-mail address.
        Email = "email",
        /// An address of a page or a file.
        Uri = "uri",
        /// A day.
        Date = "date",
        /// A day and a time.
        DateTime = "date-time",
    }
}

object! {
    /// A number in a form.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#numberschema>
    pub struct NumberSchema
    example NumberSchema::new("integer").minimum(0) => r#"{"type":"integer","minimum":0}"#;
    required {
        /// Whether it may have a fraction.
        kind: NumberKind as "type";
    }
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Age";
        /// What it is.
        lenient description: String as "description" => "In years";
        /// The least.
        lenient minimum: Number as "minimum" => 0;
        /// The most.
        lenient maximum: Number as "maximum" => 150;
        /// What stands there at first. Since 2025-11-25.
        lenient default: Number as "default" => 30;
    }
}

words! {
    /// Whether a number may have a fraction.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#numberschema>
    pub enum NumberKind {
        /// It may.
        Number = "number",
        /// It may not.
        Integer = "integer",
    }
}

object! {
    /// Yes or no in a form.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#booleanschema>
    pub struct BooleanSchema("type" = "boolean")
    example BooleanSchema::new().default(true) => r#"{"type":"boolean","default":true}"#;
    required {}
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Subscribe";
        /// What it is.
        lenient description: String as "description" => "Whether we may write to you";
        /// What stands there at first.
        lenient default: bool as "default" => false;
    }
}

object! {
    /// One of several words in a form.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#untitledsingleselectenumschema>
    pub struct SelectSchema("type" = "string")
    example SelectSchema::new(["red".to_owned(), "green".to_owned()]) => r#"{"type":"string","enum":["red","green"]}"#;
    required {
        /// The words.
        values: Vec<String> as "enum";
    }
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Colour";
        /// What it is.
        lenient description: String as "description" => "Your favourite colour";
        /// What stands there at first. Since 2025-11-25.
        lenient default: String as "default" => "red";
    }
}

object! {
    /// One of several words in a form, each with a title. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#titledsingleselectenumschema>
    pub struct TitledSelectSchema("type" = "string")
    example TitledSelectSchema::new([Choice::new("#f00", "Red")])
        => r##"{"type":"string","oneOf":[{"const":"#f00","title":"Red"}]}"##;
    required {
        /// The words and their titles.
        choices: Vec<Choice> as "oneOf";
    }
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Colour";
        /// What it is.
        lenient description: String as "description" => "Your favourite colour";
        /// What stands there at first.
        lenient default: String as "default" => "#f00";
    }
}

object! {
    /// A word and its title.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#titledsingleselectenumschema>
    pub struct Choice
    example Choice::new("#f00", "Red") => r##"{"const":"#f00","title":"Red"}"##;
    required {
        /// The word.
        value: String as "const";
        /// Its title, for people.
        title: String as "title";
    }
    optional {}
}

object! {
    /// One of several words in a form, each with a title, as they were written before 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#legacytitledenumschema>
    pub struct NamedSelectSchema("type" = "string")
    example NamedSelectSchema::new(["#f00".to_owned()], ["Red".to_owned()])
        => r##"{"type":"string","enum":["#f00"],"enumNames":["Red"]}"##;
    required {
        /// The words.
        values: Vec<String> as "enum";
        /// Their titles, in the same order.
        names: Vec<String> as "enumNames";
    }
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Colour";
        /// What it is.
        lenient description: String as "description" => "Your favourite colour";
        /// What stands there at first. Since 2025-11-25.
        lenient default: String as "default" => "#f00";
    }
}

object! {
    /// Some of several words in a form. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#untitledmultiselectenumschema>
    pub struct MultiSelectSchema("type" = "array")
    example MultiSelectSchema::new(Words::new(["red".to_owned(), "green".to_owned()]))
        => r#"{"type":"array","items":{"type":"string","enum":["red","green"]}}"#;
    required {
        /// The words.
        items: Words as "items";
    }
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Colours";
        /// What it is.
        lenient description: String as "description" => "Your favourite colours";
        /// The least number of words.
        number min_items: u64 as "minItems" => 1;
        /// The most words.
        number max_items: u64 as "maxItems" => 2;
        /// What stands there at first.
        lenient default: Vec<String> as "default" => ["red".to_owned()];
    }
}

object! {
    /// The words of a [`MultiSelectSchema`].
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#untitledmultiselectenumschema>
    pub struct Words("type" = "string")
    example Words::new(["red".to_owned(), "green".to_owned()]) => r#"{"type":"string","enum":["red","green"]}"#;
    required {
        /// The words.
        values: Vec<String> as "enum";
    }
    optional {}
}

object! {
    /// Some of several words in a form, each with a title. Since 2025-11-25.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#titledmultiselectenumschema>
    pub struct TitledMultiSelectSchema("type" = "array")
    example TitledMultiSelectSchema::new(Choices::new([Choice::new("#f00", "Red")]))
        => r##"{"type":"array","items":{"anyOf":[{"const":"#f00","title":"Red"}]}}"##;
    required {
        /// The words and their titles.
        items: Choices as "items";
    }
    optional {
        /// The field's name, for people.
        lenient title: String as "title" => "Colours";
        /// What it is.
        lenient description: String as "description" => "Your favourite colours";
        /// The least number of words.
        number min_items: u64 as "minItems" => 1;
        /// The most words.
        number max_items: u64 as "maxItems" => 2;
        /// What stands there at first.
        lenient default: Vec<String> as "default" => ["#f00".to_owned()];
    }
}

object! {
    /// The words of a [`TitledMultiSelectSchema`], with their titles.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#titledmultiselectenumschema>
    pub struct Choices
    example Choices::new([Choice::new("#f00", "Red")]) => r##"{"anyOf":[{"const":"#f00","title":"Red"}]}"##;
    required {
        /// The words and their titles.
        choices: Vec<Choice> as "anyOf";
    }
    optional {}
}

request! {
    /// Has a client ask the user. In the stateless era only inside
    /// [`InputRequests`](super::input::InputRequests).
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation>
    pub enum Create: "elicitation/create" (CreateParams) -> CreateResult;
}
