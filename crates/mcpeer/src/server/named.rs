use std::{array, borrow::Cow};

use schemars::JsonSchema;
use serde::{
    Deserialize,
    de::{DeserializeOwned, Visitor, value::Error as Absent},
};

use super::{
    ToolCall, ToolResult,
    arguments::Arguments,
    family::{Family, FromRequest, Function, Tools},
    strings,
};
use crate::{
    handler::{Context, Needed},
    rpc::{self, RawRef},
};

/// Gives the parameters of a handler names, so that each is an argument of its own: no type with all of them is needed.
///
/// There is a name for each parameter, in their order. Of a tool or a prompt it is the argument of this name, of a
/// resource the template's variable, of a completion what was typed for this argument. A parameter that is made from the
/// request ([`Context`], [`State`], any [`FromCall`] of a tool) stays what it is, and its name says nothing. An argument
/// that may be left out is an `Option`. What [`#[mcpeer::server]`](macro@crate::server) writes is this.
///
/// [`FromCall`]: super::FromCall
/// [`State`]: super::State
///
/// ```
/// use mcpeer::server::{Completes, Parameter, ResourceTemplate, Server, Tool, named};
///
/// let add = named(["a", "b"], async |a: f64, b: f64| (a + b).to_string());
/// let greet = named(
///     [Parameter::new("name").description("Who is greeted"), Parameter::new("times")],
///     async |name: String, times: Option<u8>| format!("Hello, {name}! ").repeat(times.unwrap_or(1).into()),
/// );
/// let server = Server::builder("both", "1.0.0")
///     .tool(Tool::new("add").description("Adds two numbers"), add)
///     .tool(Tool::new("greet").description("Says hello"), greet)
///     .resource_template(
///         ResourceTemplate::new("docs://{section}{?page}", "docs"),
///         named(["section", "page"], |section: String, page: Option<u32>| format!("{section} {page:?}")),
///     )
///     .completion(
///         Completes::template("docs://{section}{?page}", "page"),
///         named(["section"], |section: Option<String>| if section.as_deref() == Some("log") { vec!["1"] } else { vec![] }),
///     )
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

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Gives what is said about it.
    pub(super) fn text(&self) -> Option<&str> {
        self.description.as_deref()
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

/// What can be a parameter that has a name: an argument, which is `Deserialize` and, of a tool, `JsonSchema`, or what is
/// made from the request, such as [`Context`]. The compiler finds out which of the two, and that is `Way`; `K` is the
/// [family](super::family) of the handler.
///
/// ```
/// use mcpeer::{
///     handler::Context,
///     server::{ByCall, ByName, FromNamed, family::Tools},
/// };
///
/// fn is_argument<T: FromNamed<Tools, ByName>>() {}
/// fn is_made_from_the_call<T: FromNamed<Tools, ByCall>>() {}
/// is_argument::<f64>();
/// is_made_from_the_call::<Context>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a handler",
    label = "neither an argument nor made from the request",
    note = "an argument is `serde::Deserialize` and, of a tool, `schemars::JsonSchema`",
    note = "`Context`, `State<S>`, `Principal`, `Claims<T>` and `Progress` are made from every request",
    note = "so is a type of your own that implements `FromContext`, and of a tool `Args<T>` and what implements `FromCall`"
)]
pub trait FromNamed<K: Naming, Way>: Sized + Send + 'static {
    /// Makes the parameter.
    #[doc(hidden)]
    fn from_named(
        parameter: &Parameter,
        given: Option<K::Given<'_>>,
        asked: &K::Asked<'_>,
        cx: &Context,
    ) -> Result<Self, K::Refusal>;

    /// Tells what the parameter reads.
    #[doc(hidden)]
    fn tell(parameter: &Parameter, told: &mut K::Told);

    /// Gives the state that the parameter is made of.
    #[doc(hidden)]
    fn needed_state() -> Option<Needed> {
        None
    }
}

/// Says of a parameter that it is made from the request.
#[derive(Clone, Copy, Debug)]
pub enum ByCall {}

/// Says of a parameter that it is the argument of its name.
#[derive(Clone, Copy, Debug)]
pub enum ByName {}

/// A family whose handlers are given something by name.
#[doc(hidden)]
pub trait Naming: Family {
    /// What is given.
    type Given<'a>;

    /// Finds what is given by each name.
    fn find<'a, const N: usize>(
        asked: &'a Self::Asked<'_>,
        parameters: &[Parameter; N],
    ) -> [Option<Self::Given<'a>>; N];
}

/// A family whose handlers are given texts.
#[doc(hidden)]
pub trait Texts: Naming + for<'a> Naming<Given<'a> = &'a str> {
    /// Refuses a text that is not as it should be.
    fn misfit(asked: &Self::Asked<'_>, reason: &str) -> Self::Refusal;

    /// Takes down what a parameter reads.
    fn take_down(parameter: &Parameter, is_required: bool, told: &mut Self::Told);
}

#[diagnostic::do_not_recommend]
impl<K: Naming, T: FromRequest<K>> FromNamed<K, ByCall> for T {
    #[inline]
    fn from_named(
        _: &Parameter,
        _: Option<K::Given<'_>>,
        asked: &K::Asked<'_>,
        cx: &Context,
    ) -> Result<Self, K::Refusal> {
        T::from_request(asked, cx)
    }

    fn tell(_: &Parameter, told: &mut K::Told) {
        T::tell(told);
    }

    fn needed_state() -> Option<Needed> {
        T::needed_state()
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> FromNamed<Tools, ByName> for T {
    #[inline]
    fn from_named(
        parameter: &Parameter,
        argument: Option<RawRef<'_>>,
        call: &ToolCall<'_>,
        _: &Context,
    ) -> Result<Self, ToolResult> {
        parameter.decode(call.name(), argument)
    }

    fn tell(parameter: &Parameter, arguments: &mut Arguments) {
        arguments.add::<T>(parameter, absent::<T>().is_none());
    }
}

impl<K: Texts, T: DeserializeOwned + Send + 'static> FromNamed<K, ByName> for T {
    fn from_named(
        parameter: &Parameter,
        text: Option<&str>,
        asked: &K::Asked<'_>,
        _: &Context,
    ) -> Result<Self, K::Refusal> {
        let value = match text {
            Some(text) => strings::decode_one(&parameter.name, text),
            None => absent().ok_or_else(|| format!("`{}` is missing", parameter.name)),
        };
        value.map_err(|reason| K::misfit(asked, &reason))
    }

    fn tell(parameter: &Parameter, told: &mut K::Told) {
        K::take_down(parameter, absent::<T>().is_none(), told);
    }
}

impl Naming for Tools {
    type Given<'a> = RawRef<'a>;

    /// In one walk. Of two with one name the first counts.
    #[inline]
    fn find<'a, const N: usize>(call: &'a ToolCall<'_>, parameters: &[Parameter; N]) -> [Option<RawRef<'a>>; N] {
        let mut found = array::from_fn(|_| None);
        for (name, value) in call.arguments().into_iter().flat_map(RawRef::members) {
            let place = parameters.iter().position(|parameter| parameter.name == name);
            if let Some(place) = place.map(|place| &mut found[place]) {
                place.get_or_insert(value);
            }
        }
        found
    }
}

/// The signature of a function whose parameters have names.
#[doc(hidden)]
#[derive(Debug)]
pub struct Names<T>(T);

/// The names that a handler asks for and that must be there.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct AskedFor(Vec<Cow<'static, str>>);

impl AskedFor {
    pub(super) fn add(&mut self, parameter: &Parameter) {
        self.0.push(parameter.name.clone());
    }

    /// Gives the first name that is not known.
    pub(super) fn unknown(&self, is_known: impl Fn(&str) -> bool) -> Option<&str> {
        self.0.iter().map(|name| &**name).find(|name| !is_known(name))
    }
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

/// Implements the trait for functions of some number of parameters.
macro_rules! named {
    ($count:literal: $($parameter:ident $way:ident)*) => {
        impl<Kind: Naming, F, Returned, $($parameter, $way),*> Function<Kind, Names<($(($parameter, $way),)*)>>
            for Named<F, $count>
        where
            F: Fn($($parameter),*) -> Returned + Send + Sync + 'static,
            $($parameter: FromNamed<Kind, $way>,)*
        {
            type Parameters = ($($parameter,)*);
            type Returned = Returned;

            #[inline]
            #[allow(unused_variables, non_snake_case, clippy::unused_unit, reason = "there may be no parameter")]
            fn parameters(&self, asked: &Kind::Asked<'_>, cx: &Context) -> Result<Self::Parameters, Kind::Refusal> {
                let [$($parameter),*] = &self.parameters;
                let [$($way),*] = Kind::find(asked, &self.parameters);
                Ok(($($parameter::from_named($parameter, $way, asked, cx)?,)*))
            }

            #[inline]
            #[allow(non_snake_case, reason = "the macro takes the names of types for values")]
            fn apply(&self, ($($parameter,)*): Self::Parameters) -> Returned {
                (self.handler)($($parameter),*)
            }

            #[allow(unused_variables, non_snake_case, reason = "there may be no parameter")]
            fn tell(&self, told: &mut Kind::Told) {
                let [$($parameter),*] = &self.parameters;
                $($parameter::tell($parameter, told);)*
            }

            fn needed_states(&self) -> Vec<Needed> {
                let needed: Vec<Option<Needed>> = vec![$($parameter::needed_state()),*];
                needed.into_iter().flatten().collect()
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
