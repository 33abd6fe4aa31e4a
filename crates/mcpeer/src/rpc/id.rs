use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The id of a request: a string or an integer, kept apart and echoed as it came.
///
/// `1` and `"1"` are two ids. Fractions, integers outside `i64`, booleans, `null` and objects are no ids.
///
/// ```
/// use mcpeer::rpc::RequestId;
///
/// let number: RequestId = serde_json::from_str("1").unwrap();
/// let text: RequestId = serde_json::from_str("\"1\"").unwrap();
/// assert_ne!(number, text);
/// assert_eq!(text.to_string(), "\"1\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// An integer; every value of `i64` is legal, `0` and negative ones included.
    Integer(i64),
    /// A string; the empty one is legal.
    String(Box<str>),
}

impl From<i64> for RequestId {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for RequestId {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

/// Writes the id as JSON: a string keeps its quotes.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::String(value) => f.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::String(value) => serializer.serialize_str(value),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visitor)
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = RequestId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer of 64 bits")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<RequestId, E> {
        Ok(RequestId::Integer(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<RequestId, E> {
        let value = i64::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))?;
        Ok(RequestId::Integer(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<RequestId, E> {
        Ok(RequestId::String(value.into()))
    }
}
