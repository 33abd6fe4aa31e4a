use std::{fmt, sync::Arc};

use schemars::{JsonSchema, Schema};

use super::{schema, wrap::Wrap};
use crate::model::{
    Icon, Meta, RawObject,
    tools::{self, Annotations},
};

/// What a tool tells about itself. A name alone will do: `builder.tool("add", …)`.
///
/// ```
/// use mcpeer::server::{Server, Tool};
///
/// let server = Server::builder("clock", "1.0.0")
///     .tool(Tool::new("now").title("Clock").description("Tells the time").read_only(), async || "12:00")
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone)]
pub struct Tool {
    pub(super) model: tools::Tool,
    /// The schema of the arguments, where the handler's is not taken.
    pub(super) input: Option<Schema>,
    /// What checks arguments and results, next to the handler.
    pub(super) check: Option<Arc<dyn Wrap>>,
    /// What is around that, the outermost first.
    pub(super) layers: Vec<Arc<dyn Wrap>>,
}

impl Tool {
    /// Names a tool. Hosts take names of 1 to 128 letters, digits, `_`, `-` and `.`; any other is warned of.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("add");
    /// # let _ = tool;
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self { model: tools::Tool::new(name, RawObject::default()), input: None, check: None, layers: Vec::new() }
    }

    /// Sets the name that people see.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("add").title("Calculator");
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.model = self.model.title(title);
        self
    }

    /// Tells the model what the tool does and when to use it.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("add").description("Adds two numbers");
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.model = self.model.description(description);
        self
    }

    /// Adds an icon.
    ///
    /// ```
    /// use mcpeer::{model::Icon, server::Tool};
    ///
    /// let tool = Tool::new("add").icon(Icon::new("https://example.com/add.png"));
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.model.icons.get_or_insert_default().push(icon);
        self
    }

    /// Says all at once how the tool behaves, in place of what was said before.
    ///
    /// ```
    /// use mcpeer::{model::tools::Annotations, server::Tool};
    ///
    /// let tool = Tool::new("add").annotations(Annotations::new().read_only_hint(true));
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.model.annotations = Some(annotations);
        self
    }

    /// Says that the tool changes nothing.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("add").read_only();
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn read_only(self) -> Self {
        self.annotate(|annotations| annotations.read_only_hint = Some(true))
    }

    /// Says whether the tool may destroy something. Unless said, clients take it that it may.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("append").destructive(false);
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn destructive(self, is_destructive: bool) -> Self {
        self.annotate(|annotations| annotations.destructive_hint = Some(is_destructive))
    }

    /// Says that a second call with the same arguments changes nothing more.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("write").idempotent();
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.annotate(|annotations| annotations.idempotent_hint = Some(true))
    }

    /// Says whether the tool deals with the world outside. Unless said, clients take it that it does.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("add").open_world(false);
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn open_world(self, is_open: bool) -> Self {
        self.annotate(|annotations| annotations.open_world_hint = Some(is_open))
    }

    /// Sets the tool's `_meta`.
    ///
    /// ```
    /// use mcpeer::{model::Meta, server::Tool};
    ///
    /// let mut meta = Meta::new();
    /// meta.insert("example.com/team", serde_json::json!("sums"));
    /// let tool = Tool::new("add").meta(meta);
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn meta(mut self, meta: Meta) -> Self {
        self.model.meta = Some(meta);
        self
    }

    /// Sets the schema of the arguments as it is, in place of the one that the handler's types make. Nothing checks
    /// that the two agree.
    ///
    /// ```
    /// use mcpeer::server::{Args, Server, Tool};
    /// use serde_json::{Map, Value, json};
    ///
    /// let schema = schemars::json_schema!({"type": "object", "properties": {"n": {"type": "integer"}}});
    /// let server = Server::builder("raw", "1.0.0")
    ///     .tool(Tool::new("any").input_schema(schema), async |Args(any): Args<Map<String, Value>>| any.len().to_string())
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn input_schema(mut self, schema: Schema) -> Self {
        self.input = Some(schema);
        self
    }

    /// Advertises the schema of a type for the structured content. What the handler returns as
    /// [`Json<T>`](super::Json) advertises it by itself; this is for handlers whose type does not tell.
    ///
    /// ```
    /// use mcpeer::{
    ///     model::tools::CallResult,
    ///     server::{Server, Tool},
    /// };
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Load {
    ///     percent: u8,
    /// }
    ///
    /// let server = Server::builder("load", "1.0.0")
    ///     .tool(Tool::new("load").output::<Load>(), async || CallResult::structured(&Load { percent: 7 }))
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn output<T: JsonSchema>(self) -> Self {
        self.output_schema(schema::output::<T>())
    }

    /// Sets the schema of the structured content as it is.
    ///
    /// ```
    /// # use mcpeer::server::Tool;
    /// let tool = Tool::new("load").output_schema(schemars::json_schema!({"type": "object"}));
    /// # let _ = tool;
    /// ```
    #[must_use]
    pub fn output_schema(mut self, schema: Schema) -> Self {
        self.model = self.model.output_schema(schema.to_value());
        self
    }

    /// Advertises the schema of what the handler returns, unless another was given.
    pub(super) fn advertise(&mut self, output: Option<Schema>) {
        if let Some(schema) = output
            && self.model.output_schema.is_none()
        {
            self.model.output_schema = Some(schema.to_value().into());
        }
    }

    fn annotate(mut self, change: impl FnOnce(&mut Annotations)) -> Self {
        change(self.model.annotations.get_or_insert_with(Annotations::new));
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("model", &self.model).field("input", &self.input).finish_non_exhaustive()
    }
}

impl From<&str> for Tool {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Tool {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// A tool that is not served, and why.
///
/// ```
/// use mcpeer::server::Server;
///
/// let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
/// assert!(server.disabled_tools().is_empty());
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DisabledTool {
    /// Its name.
    pub name: String,
    /// Why it is not served.
    pub reason: String,
}
