//! Headers that repeat arguments of a tool: `x-mcp-header`.

use serde_json::{Map, Value};

use super::{Field, Headers, PARAM_PREFIX, mirror, sentinel};
use crate::rpc::{Error, RawRef};

/// The keyword by which a schema wants a property repeated in a header.
const KEYWORD: &str = "x-mcp-header";

/// The greatest integer that every recipient reads exactly.
const GREATEST: i64 = (1 << 53) - 1;

/// The arguments of a tool that headers repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParamHeaders(Vec<ParamHeader>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ParamHeader {
    /// As the schema has it, with the prefix.
    name: String,
    lower: String,
    path: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    String,
    Integer,
    Boolean,
}

impl ParamHeaders {
    /// Reads which arguments a tool's input schema wants in headers.
    ///
    /// # Errors
    ///
    /// The keyword stands where it may not, or with a value that it may not have; the text says which and why. A client
    /// leaves such a tool out.
    pub fn read(schema: RawRef<'_>) -> Result<Self, String> {
        if !schema.as_str().contains(KEYWORD) && !schema.as_str().contains("\\u") {
            return Ok(Self::default());
        }
        let schema: Value = schema.decode().map_err(|error| format!("the input schema cannot be read: {error}"))?;
        let mut found = Self::default();
        found.walk(&schema, &mut Vec::new(), true)?;
        Ok(found)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives the headers for a call with these arguments: names and values.
    ///
    /// # Errors
    ///
    /// An integer is too great for every recipient to read it exactly.
    pub fn write(&self, arguments: Option<RawRef<'_>>) -> Result<Vec<(String, String)>, String> {
        let mut headers = Vec::new();
        for header in &self.0 {
            if let Some(value) = header.said(arguments).and_then(|value| header.text_of(value)) {
                if header.kind == Kind::Integer && value.parse::<i64>().is_ok_and(|number| number.abs() > GREATEST) {
                    return Err(format!(
                        "`{}` is beyond ±(2^53−1), which {} cannot hold",
                        header.path.join("."),
                        header.name
                    ));
                }
                headers.push((header.name.clone(), sentinel::encode(&value).into_owned()));
            }
        }
        Ok(headers)
    }

    /// Compares the headers of a call with its arguments.
    ///
    /// # Errors
    ///
    /// A header is missing, or not to be there, or says something else.
    pub fn check(&self, headers: &dyn Headers, arguments: Option<RawRef<'_>>) -> Result<(), Error> {
        self.0.iter().try_for_each(|header| header.check(headers, arguments))
    }

    fn walk(&mut self, schema: &Value, path: &mut Vec<String>, is_reachable: bool) -> Result<(), String> {
        match schema {
            Value::Object(members) => {
                if let Some(name) = members.get(KEYWORD) {
                    self.add(name, members, path, is_reachable)?;
                }
                for (keyword, value) in members {
                    match (keyword.as_str(), value) {
                        (KEYWORD, _) => {}
                        ("properties", Value::Object(properties)) => {
                            for (name, property) in properties {
                                path.push(name.clone());
                                self.walk(property, path, is_reachable)?;
                                path.pop();
                            }
                        }
                        // What stands there is data and no schema.
                        ("const" | "default" | "enum" | "examples", _) => {}
                        (_, value) => self.walk(value, path, false)?,
                    }
                }
                Ok(())
            }
            Value::Array(elements) => elements.iter().try_for_each(|element| self.walk(element, path, false)),
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        name: &Value,
        property: &Map<String, Value>,
        path: &[String],
        is_reachable: bool,
    ) -> Result<(), String> {
        let place = path.join(".");
        if !is_reachable || path.is_empty() {
            return Err(format!("`{KEYWORD}` may only stand on properties, not within {place:?}"));
        }
        let Some(name) = name.as_str().filter(|name| is_token(name)) else {
            return Err(format!("`{KEYWORD}` of `{place}` must be the name of a header, not {name}"));
        };
        let kind = match property.get("type").and_then(Value::as_str) {
            Some("string") => Kind::String,
            Some("integer") => Kind::Integer,
            Some("boolean") => Kind::Boolean,
            _ => return Err(format!("`{place}` has an `{KEYWORD}` and must be a string, an integer or a boolean")),
        };
        let lower = format!("{PARAM_PREFIX}{}", name.to_ascii_lowercase());
        if self.0.iter().any(|known| known.lower == lower) {
            return Err(format!("two properties have the `{KEYWORD}` {name:?}"));
        }
        self.0.push(ParamHeader { name: format!("Mcp-Param-{name}"), lower, path: path.to_vec(), kind });
        Ok(())
    }
}

impl ParamHeader {
    /// The argument; absent and null are the same.
    fn said<'a>(&self, arguments: Option<RawRef<'a>>) -> Option<RawRef<'a>> {
        let mut value = arguments?;
        for name in &self.path {
            value = value.member(name)?;
        }
        Some(value).filter(|value| !value.is_null())
    }

    /// The text of an argument in a header; `None` where the argument is of another type.
    fn text_of<'a>(&self, value: RawRef<'a>) -> Option<std::borrow::Cow<'a, str>> {
        match self.kind {
            Kind::String => value.as_string(),
            Kind::Integer => integer(value.as_str()).map(|number| number.to_string().into()),
            Kind::Boolean => matches!(value.as_str(), "true" | "false").then(|| value.as_str().into()),
        }
    }

    fn check(&self, headers: &dyn Headers, arguments: Option<RawRef<'_>>) -> Result<(), Error> {
        let (name, place) = (&self.name, self.path.join("."));
        let said = self.said(arguments);
        let value = match (headers.field(&self.lower), said) {
            (Field::Absent, None) => return Ok(()),
            (Field::Absent, Some(_)) => {
                return Err(mirror::mismatch(format!("the {name} header is missing; repeat the argument `{place}`")));
            }
            (Field::Unusable, _) => return Err(mirror::unusable(name)),
            (Field::Value(value), _) => value,
        };
        let Some(value) = sentinel::decode(value) else {
            return Err(mirror::mismatch(format!("the {name} header holds base64 that cannot be read")));
        };
        let agrees = said.is_some_and(|said| match (self.kind, self.text_of(said)) {
            (Kind::Integer, Some(said)) => integer(&value).is_some_and(|number| number.to_string() == said),
            (_, Some(said)) => said == value,
            // An argument of another type is the tool's to refuse.
            (_, None) => true,
        });
        if agrees {
            return Ok(());
        }
        Err(mirror::mismatch(format!("the {name} header says {value:?}, and the argument `{place}` says otherwise")))
    }
}

/// Reads an integer, also where it is written as a decimal.
fn integer(text: &str) -> Option<i128> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    let number = text.parse::<f64>().ok()?;
    // Beyond, not every integer is a number of this type.
    (number.fract() == 0.0 && number.abs() <= GREATEST as f64).then_some(number as i128)
}

/// Whether this may be the name of a header.
fn is_token(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_allowed)
}
