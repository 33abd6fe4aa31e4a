//! What an argument may be, while somebody types it.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>

use super::{Entries, Meta, ResultType};

object! {
    /// What is being typed, and into what.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>
    pub struct CompleteParams
    example CompleteParams::new(PromptReference::new("review"), Argument::new("language", "ru"))
        => r#"{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"ru"}}"#;
    required {
        /// What the argument belongs to.
        reference: Reference as "ref";
        /// The argument.
        argument: Argument as "argument";
    }
    optional {
        /// What is known already. Since 2025-06-18.
        lenient context: Context as "context" => Context::new();
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

union! {
    /// What an argument belongs to.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion#reference-types>
    ///
    /// ```
    /// use mcpeer::model::completion::{PromptReference, Reference};
    ///
    /// let reference: Reference = PromptReference::new("review").into();
    /// assert_eq!(serde_json::to_string(&reference)?, r#"{"type":"ref/prompt","name":"review"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub enum Reference by "type" {
        /// A prompt.
        Prompt(PromptReference) = Some("ref/prompt"),
        /// A resource or a resource template.
        Resource(ResourceReference) = Some("ref/resource"),
    }
}

object! {
    /// A prompt, by its name.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#promptreference>
    pub struct PromptReference("type" = "ref/prompt")
    example PromptReference::new("review") => r#"{"type":"ref/prompt","name":"review"}"#;
    required {
        /// Its name, for programs.
        name: String as "name";
    }
    optional {
        /// Its name, for people. Since 2025-06-18.
        lenient title: String as "title" => "Review";
    }
}

object! {
    /// A resource or a resource template, by its address or pattern.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcetemplatereference>
    pub struct ResourceReference("type" = "ref/resource")
    example ResourceReference::new("file:///{path}") => r#"{"type":"ref/resource","uri":"file:///{path}"}"#;
    required {
        /// Its address or pattern.
        uri: String as "uri";
    }
    optional {}
}

object! {
    /// An argument that is being typed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>
    pub struct Argument
    example Argument::new("language", "ru") => r#"{"name":"language","value":"ru"}"#;
    required {
        /// Its name.
        name: String as "name";
        /// What is there so far.
        value: String as "value";
    }
    optional {}
}

object! {
    /// What is known already while an argument is being typed.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>
    pub struct Context
    example Context::new().arguments([("owner", "rust-lang")]) => r#"{"arguments":{"owner":"rust-lang"}}"#;
    required {}
    optional {
        /// The other arguments, by their names.
        lenient arguments: Entries<String> as "arguments" => [("owner", "rust-lang")];
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

object! {
    /// What an argument may be.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>
    pub struct CompleteResult
    example CompleteResult::new(Completion::new(["rust".to_owned()])) => r#"{"completion":{"values":["rust"]}}"#;
    required {
        /// What it may be.
        completion: Completion as "completion";
    }
    optional {
        /// What kind of result this is; absent, it is complete.
        lenient result_type: ResultType as "resultType" => "complete";
        /// What is carried beside the message proper.
        lenient meta: Meta as "_meta" => Meta::new();
    }
}

object! {
    /// What an argument may be: the likeliest first, 100 at most.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>
    pub struct Completion
    example Completion::new(["rust".to_owned(), "ruby".to_owned()]).has_more(false)
        => r#"{"values":["rust","ruby"],"hasMore":false}"#;
    required {
        /// The values, 100 at most.
        values: Vec<String> as "values";
    }
    optional {
        /// How many there are in all.
        number total: u64 as "total" => 200;
        /// Whether there are more than these.
        lenient has_more: bool as "hasMore" => true;
    }
}

impl Completion {
    /// The most values that a completion may have.
    pub const MAX: usize = 100;

    /// Makes one of the first values, as many as it may have, and says how many there are in all.
    ///
    /// ```
    /// # use mcpeer::model::completion::Completion;
    /// let completion = Completion::first_of((0..200).map(|number| number.to_string()));
    /// assert_eq!((completion.values.len(), completion.total, completion.has_more), (100, Some(200), Some(true)));
    /// ```
    pub fn first_of<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        let mut all = values.into_iter();
        let values: Vec<String> = all.by_ref().take(Self::MAX).map(Into::into).collect();
        let rest = all.count();
        let total = (values.len() + rest) as u64;
        Self::new(values).total(total).has_more(rest > 0)
    }
}

request! {
    /// Asks what an argument may be.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion>
    pub enum Complete: "completion/complete" (CompleteParams) -> CompleteResult;
}
