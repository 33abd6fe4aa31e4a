use std::sync::Arc;

use schemars::Schema;
use serde_json::{Map, Value};

use super::{
    Tool, ToolCall, ToolResult,
    family::Handle,
    wrap::{Subject, Wrap},
};
use crate::{
    handler::{Context, Reply, Run},
    proto::io::Payload,
    rpc::{self, RawRef},
    schema::Validator,
};

impl Tool {
    /// Names a tool whose arguments a JSON Schema describes that was written by hand: the schema is advertised as it
    /// is, and arguments are checked against it before the handler sees them.
    ///
    /// Arguments that do not fit become a result with `isError` that names the path. A result that does not fit the
    /// [output schema](Self::output_schema), where there is one, fails the call with −32603, and the reason is logged.
    /// A schema that cannot be used disables this tool alone: see
    /// [`Server::disabled_tools`](super::Server::disabled_tools).
    ///
    /// ```
    /// use mcpeer::server::{Args, Server, Tool};
    /// use schemars::json_schema;
    /// use serde_json::Value;
    ///
    /// let schema = json_schema!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    /// let server = Server::builder("raw", "1.0.0")
    ///     .tool(Tool::raw("double", schema), async |Args(any): Args<Value>| (2 * any["n"].as_i64().unwrap()).to_string())
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    pub fn raw(name: impl Into<String>, input_schema: Schema) -> Self {
        Self::new(name).input_schema(input_schema).validated()
    }

    /// Lets arguments and results be checked against the schemas that the tool advertises, as [`raw`](Self::raw) does.
    ///
    /// ```
    /// use mcpeer::server::{Args, Json, Server, Tool};
    ///
    /// #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
    /// struct Percent {
    ///     #[schemars(range(max = 100))]
    ///     percent: u8,
    /// }
    ///
    /// let server = Server::builder("half", "1.0.0")
    ///     .tool(Tool::new("half").validated(), async |Args(whole): Args<Percent>| {
    ///         Json(Percent { percent: whole.percent / 2 })
    ///     })
    ///     .build()?;
    /// # Ok::<(), mcpeer::server::BuildError>(())
    /// ```
    #[must_use]
    pub fn validated(mut self) -> Self {
        self.check = Some(Arc::new(Validate));
        self
    }
}

/// Compiles the schemas of a tool.
struct Validate;

impl Wrap for Validate {
    fn wrap(&self, subject: &Subject<'_>, inner: Box<dyn Handle>) -> Result<Box<dyn Handle>, String> {
        let input = match subject.tool.input.as_ref().or(subject.arguments) {
            Some(schema) => Some(of_arguments(schema).map_err(|reason| format!("its input schema: {reason}"))?),
            None => None,
        };
        let output = match &subject.tool.model.output_schema {
            Some(schema) => {
                let schema = schema.decode::<Value>().map_err(|error| format!("its output schema: {error}"))?;
                let validator = Validator::new(&schema).map_err(|error| format!("its output schema: {error}"))?;
                Some(Arc::new(validator))
            }
            None => None,
        };
        Ok(Box::new(Validated { inner, input, output }))
    }
}

fn of_arguments(schema: &Schema) -> Result<Validator, String> {
    let is_of_objects = match schema.get("type") {
        None => schema.as_object().is_some(),
        Some(name) => name == "object",
    };
    if !is_of_objects {
        return Err("the type at its root is not `object`".to_owned());
    }
    Validator::new(schema.as_value()).map_err(|error| error.to_string())
}

/// A handler whose arguments and results are checked.
struct Validated {
    inner: Box<dyn Handle>,
    input: Option<Validator>,
    output: Option<Arc<Validator>>,
}

impl Handle for Validated {
    fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
        if let Some(input) = &self.input
            && let Err(reason) = check(input, call.arguments(), "arguments")
        {
            let reason = format!("the arguments do not fit the tool `{}`: {reason}", call.name());
            return Run::Ready(ToolResult::error(reason).into_reply(wraps_output));
        }
        let run = self.inner.run(call, cx, wraps_output);
        let Some(output) = self.output.clone() else { return run };
        let name = call.name().to_owned();
        match run {
            Run::Ready(reply) => Run::Ready(checked(&output, &name, reply)),
            Run::Pending(running) => Run::Pending(Box::pin(async move { checked(&output, &name, running.await) })),
        }
    }
}

/// Gives the reply, or what stands for one that does not fit.
fn checked(output: &Validator, tool: &str, reply: Reply) -> Reply {
    match &reply {
        Reply::Complete(payload) => match misfit(output, payload) {
            None => reply,
            Some(reason) => {
                tracing::error!(tool, reason, "the result of a tool does not fit its output schema");
                let message = "the tool's result does not fit its output schema";
                Reply::Error(rpc::Error::new(rpc::Error::INTERNAL_ERROR, message))
            }
        },
        _ => reply,
    }
}

/// Gives why a result does not fit. One that tells of a failure, or that is none yet, need not.
fn misfit(output: &Validator, payload: &Payload) -> Option<String> {
    let raw = payload.raw.borrow();
    let is_failed = raw.member("isError").is_some_and(|is_error| is_error.as_str() == "true");
    let is_complete = raw.member("resultType").is_none_or(|kind| kind.as_string().as_deref() == Some("complete"));
    if is_failed || !is_complete {
        return None;
    }
    match raw.member("structuredContent") {
        Some(structured) => check(output, Some(structured), "structuredContent").err(),
        None => Some("`structuredContent` is missing".to_owned()),
    }
}

fn check(validator: &Validator, value: Option<RawRef<'_>>, name: &str) -> Result<(), String> {
    let value = match value {
        Some(raw) => raw.decode::<Value>().map_err(|error| format!("`{name}`: {error}"))?,
        None => Value::Object(Map::new()),
    };
    validator.check(&value).map_err(|mismatch| mismatch.explain(name))
}
