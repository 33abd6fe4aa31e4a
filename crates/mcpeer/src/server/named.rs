use std::{array, borrow::Cow};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserialize,
    de::{DeserializeOwned, Visitor, value::Error as Absent},
};
use serde_json::{Map, Value, json};

use super::{FromCall, IntoToolResult, SyncToolHandler, ToolCall, ToolHandler, ToolResult, schema, state::Needed};
use crate::{
    handler::{Context, Run},
    rpc::{self, RawRef},
};

/// Gives the parameters of a handler names, so that each is an argument of its own: no type with all of them is needed.
///
/// There is a name for each parameter, in their order. A parameter that is made from the call ([`Context`], [`Args`],
/// any [`FromCall`]) stays what it is, and its name says nothing. An argument that may be left out is an `Option`.
/// What [`#[mcpeer::server]`](macro@crate::server) writes is this.
///
/// [`Args`]: super::Args
///
/// ```
/// use mcpeer::server::{Parameter, Server, Tool, named};
///
/// let add = named(["a", "b"], async |a: f64, b: f64| (a + b).to_string());
/// let greet = named(
///     [Parameter::new("name").description("Who is greeted"), Parameter::new("times")],
///     async |name: String, times: Option<u8>| format!("Hello, {name}! ").repeat(times.unwrap_or(1).into()),
/// );
/// let server = Server::builder("both", "1.0.0")
///     .tool(Tool::new("add").description("Adds two numbers"), add)
///     .tool(Tool::new("greet").description("Says hello"), greet)
///     .build()?;
/// # Ok::<(), mcpeer::server::BuildError>(())
/// ```
pub fn named<F, P: Into<Parameter>, const N: usize>(parameters: [P; N], handler: F) -> Named<F, N> {
    Named { parameters: parameters.map(Into::into), handler }
}

/// A handler whose parameters have names. [`named`] makes one.
///
/// ```
/// use mcpeer::server::{Named, named};
///
/// fn double(number: f64) -> String {
///     (number * 2.0).to_string()
/// }
///
/// let handler: Named<fn(f64) -> String, 1> = named(["number"], double);
/// # let _ = handler;
/// ```
#[derive(Clone, Debug)]
pub struct Named<F, const N: usize> {
    parameters: [Parameter; N],
    handler: F,
}

/// The name of a handler's parameter, and what is said about it.
///
/// ```
/// use mcpeer::server::Parameter;
///
/// let parameter = Parameter::new("city").description("Where the weather is looked up");
/// # let _ = parameter;
/// ```
#[derive(Clone, Debug)]
pub struct Parameter {
    name: Cow<'static, str>,
    description: Option<Cow<'static, str>>,
}

impl Parameter {
    /// Names a parameter.
    ///
    /// ```
    /// # use mcpeer::server::Parameter;
    /// let parameter = Parameter::new("city");
    /// # let _ = parameter;
    /// ```
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), description: None }
    }

    /// Tells the model what the argument is for.
    ///
    /// ```
    /// # use mcpeer::server::Parameter;
    /// let parameter = Parameter::new("city").description("Where the weather is looked up");
    /// # let _ = parameter;
    /// ```
    #[must_use]
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    fn decode<T: DeserializeOwned>(&self, tool: &str, argument: Option<RawRef<'_>>) -> Result<T, ToolResult> {
        let refusal =
            |reason: &str| Err(ToolResult::error(format_args!("the arguments do not fit the tool `{tool}`: {reason}")));
        let Some(argument) = argument else {
            return absent().map_or_else(|| refusal(&format!("`arguments.{}` is missing", self.name)), Ok);
        };
        let error = match argument.decode() {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        // To JSON Schema `1.0` is an integer, to serde it is not.
        if let Some(text) = rpc::numbers::without_zero_fractions(argument.as_str())
            && let Ok(value) = serde_json::from_str(&text)
        {
            return Ok(value);
        }
        refusal(&rpc::explain::explain(&format!("arguments.{}", self.name), argument.as_str(), &error))
    }
}

impl<N: Into<Cow<'static, str>>> From<N> for Parameter {
    fn from(name: N) -> Self {
        Self::new(name)
    }
}

/// What can be a parameter that has a name: an argument, which is `Deserialize + JsonSchema`, or what is made from the
/// call, which is [`FromCall`]. The compiler finds out which of the two, and that is `Way`.
///
/// ```
/// use mcpeer::{handler::Context, server::{FromNamed, ByCall, ByName}};
///
/// fn is_argument<T: FromNamed<ByName>>() {}
/// fn is_made_from_the_call<T: FromNamed<ByCall>>() {}
/// is_argument::<f64>();
/// is_made_from_the_call::<Context>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a handler",
    label = "neither an argument nor made from the call",
    note = "an argument is `serde::Deserialize` and `schemars::JsonSchema`",
    note = "anything else is `Context`, `Args<T>`, or a type of your own that implements `FromCall`"
)]
pub trait FromNamed<Way>: Sized + Send + 'static {
    /// Makes the parameter.
    #[doc(hidden)]
    fn from_named(
        parameter: &Parameter,
        argument: Option<RawRef<'_>>,
        call: &ToolCall<'_>,
        cx: &Context,
    ) -> Result<Self, ToolResult>;

    /// Adds what the parameter reads to the schema of the arguments.
    #[doc(hidden)]
    fn describe(parameter: &Parameter, arguments: &mut Arguments);

    /// Gives the state that the parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
    }
}

/// Says of a parameter that it is made from the call.
#[derive(Clone, Copy, Debug)]
pub enum ByCall {}

/// Says of a parameter that it is the argument of its name.
#[derive(Clone, Copy, Debug)]
pub enum ByName {}

#[diagnostic::do_not_recommend]
impl<T: FromCall> FromNamed<ByCall> for T {
    fn from_named(_: &Parameter, _: Option<RawRef<'_>>, call: &ToolCall<'_>, cx: &Context) -> Result<Self, ToolResult> {
        T::from_call(call, cx)
    }

    fn describe(_: &Parameter, arguments: &mut Arguments) {
        if let Some(schema) = T::input_schema() {
            arguments.add_all(schema);
        }
    }

    fn needed_state() -> Option<Needed> {
        T::needed_state()
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> FromNamed<ByName> for T {
    fn from_named(
        parameter: &Parameter,
        argument: Option<RawRef<'_>>,
        call: &ToolCall<'_>,
        _: &Context,
    ) -> Result<Self, ToolResult> {
        parameter.decode(call.name(), argument)
    }

    fn describe(parameter: &Parameter, arguments: &mut Arguments) {
        arguments.add::<T>(parameter, absent::<T>().is_none());
    }
}

/// The schema of the arguments, while it is put together out of parameters.
#[doc(hidden)]
#[derive(Debug)]
pub struct Arguments {
    generator: SchemaGenerator,
    object: Map<String, Value>,
}

impl Arguments {
    fn new() -> Self {
        Self { generator: schema::settings().into_generator(), object: Map::new() }
    }

    fn add<T: JsonSchema>(&mut self, parameter: &Parameter, is_required: bool) {
        let mut schema = self.generator.subschema_for::<T>();
        if let Some(description) = &parameter.description {
            schema.insert("description".to_owned(), json!(description));
        }
        let mut object = Map::new();
        object.insert("properties".to_owned(), json!({ parameter.name.as_ref(): schema }));
        if is_required {
            object.insert("required".to_owned(), json!([parameter.name]));
        }
        self.merge(object);
    }

    fn add_all(&mut self, schema: Schema) {
        if let Value::Object(object) = schema.into() {
            self.merge(object);
        }
    }

    fn merge(&mut self, object: Map<String, Value>) {
        for (keyword, value) in object {
            match (self.object.get_mut(&keyword), value) {
                (Some(Value::Object(known)), Value::Object(more)) => known.extend(more),
                (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
                (_, value) => drop(self.object.insert(keyword, value)),
            }
        }
    }

    fn finish(mut self) -> Option<Schema> {
        if self.object.is_empty() {
            return None;
        }
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            self.merge(Map::from_iter([("$defs".to_owned(), Value::Object(definitions))]));
        }
        self.object.entry("type").or_insert_with(|| json!("object"));
        let mut ordered = Map::new();
        for keyword in ["type", "properties", "required"] {
            ordered.extend(self.object.remove_entry(keyword));
        }
        ordered.extend(self.object);
        Some(schema::simple(Value::Object(ordered)))
    }
}

/// The signature of a handler whose parameters have names.
#[doc(hidden)]
#[derive(Debug)]
pub struct Names<T>(T);

/// Finds the argument of each name in one walk. Of two with one name the first counts.
fn find<'a, const N: usize>(call: &ToolCall<'a>, parameters: &[Parameter; N]) -> [Option<RawRef<'a>>; N] {
    let mut found = array::from_fn(|_| None);
    for (name, value) in call.arguments().into_iter().flat_map(RawRef::members) {
        let place = parameters.iter().position(|parameter| parameter.name == name);
        if let Some(place) = place.map(|place| &mut found[place]) {
            place.get_or_insert(value);
        }
    }
    found
}

/// Makes the value of an argument that was left out, where its type has one.
fn absent<T: for<'de> Deserialize<'de>>() -> Option<T> {
    /// As serde does for members that are missing: only what is optional can be read out of it.
    struct Nothing;

    impl<'de> serde::Deserializer<'de> for Nothing {
        type Error = Absent;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Absent> {
            Err(serde::de::Error::custom("missing"))
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Absent> {
            visitor.visit_none()
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
            newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }

    T::deserialize(Nothing).ok()
}

/// Implements both traits for functions of some number of parameters.
macro_rules! named {
    ($count:literal: $($parameter:ident $way:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<F, Running, Returned, $($parameter, $way),*> ToolHandler<Names<($(($parameter, $way),)*)>>
            for Named<F, $count>
        where
            F: Fn($($parameter),*) -> Running + Send + Sync + 'static,
            Running: Future<Output = Returned> + Send + 'static,
            Returned: IntoToolResult,
            $($parameter: FromNamed<$way>,)*
        {
            #[allow(non_snake_case, unused_mut, reason = "the macro takes the names of types for values")]
            fn input_schema(&self) -> Option<Schema> {
                let [$($parameter),*] = &self.parameters;
                let mut arguments = Arguments::new();
                $($parameter::describe($parameter, &mut arguments);)*
                arguments.finish()
            }

            fn output_schema(&self) -> Option<Schema> {
                Returned::output_schema()
            }

            fn needed_states(&self) -> Vec<Needed> {
                let needed: Vec<Option<Needed>> = vec![$($parameter::needed_state()),*];
                needed.into_iter().flatten().collect()
            }

            #[allow(unused_variables, non_snake_case, reason = "the macro takes the names of types for values")]
            fn run(&self, call: &ToolCall<'_>, cx: &Context, wraps_output: bool) -> Run {
                let [$($parameter),*] = &self.parameters;
                let [$($way),*] = find(call, &self.parameters);
                $(
                    let $parameter = match $parameter::from_named($parameter, $way, call, cx) {
                        Ok(parameter) => parameter,
                        Err(refusal) => return Run::Ready(refusal.into_reply(wraps_output)),
                    };
                )*
                let running = (self.handler)($($parameter),*);
                Run::Pending(Box::pin(async move { running.await.into_tool_result().into_reply(wraps_output) }))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F, Returned, $($parameter, $way),*> SyncToolHandler<Names<($(($parameter, $way),)*)>>
            for Named<F, $count>
        where
            F: Fn($($parameter),*) -> Returned + Send + Sync + 'static,
            Returned: IntoToolResult,
            $($parameter: FromNamed<$way>,)*
        {
            #[allow(non_snake_case, unused_mut, reason = "the macro takes the names of types for values")]
            fn input_schema(&self) -> Option<Schema> {
                let [$($parameter),*] = &self.parameters;
                let mut arguments = Arguments::new();
                $($parameter::describe($parameter, &mut arguments);)*
                arguments.finish()
            }

            fn output_schema(&self) -> Option<Schema> {
                Returned::output_schema()
            }

            fn needed_states(&self) -> Vec<Needed> {
                let needed: Vec<Option<Needed>> = vec![$($parameter::needed_state()),*];
                needed.into_iter().flatten().collect()
            }

            #[allow(unused_variables, non_snake_case, reason = "the macro takes the names of types for values")]
            fn run(&self, call: &ToolCall<'_>, cx: &Context) -> ToolResult {
                let [$($parameter),*] = &self.parameters;
                let [$($way),*] = find(call, &self.parameters);
                $(
                    let $parameter = match $parameter::from_named($parameter, $way, call, cx) {
                        Ok(parameter) => parameter,
                        Err(refusal) => return refusal,
                    };
                )*
                (self.handler)($($parameter),*).into_tool_result()
            }
        }
    };
}

named!(0:);
named!(1: A A1);
named!(2: A A1 B B1);
named!(3: A A1 B B1 C C1);
named!(4: A A1 B B1 C C1 D D1);
named!(5: A A1 B B1 C C1 D D1 E E1);
named!(6: A A1 B B1 C C1 D D1 E E1 G G1);
named!(7: A A1 B B1 C C1 D D1 E E1 G G1 H H1);
named!(8: A A1 B B1 C C1 D D1 E E1 G G1 H H1 I I1);
named!(9: A A1 B B1 C C1 D D1 E E1 G G1 H H1 I I1 J J1);
named!(10: A A1 B B1 C C1 D D1 E E1 G G1 H H1 I I1 J J1 K K1);
named!(11: A A1 B B1 C C1 D D1 E E1 G G1 H H1 I I1 J J1 K K1 L L1);
named!(12: A A1 B B1 C C1 D D1 E E1 G G1 H H1 I I1 J J1 K K1 L L1 M M1);
