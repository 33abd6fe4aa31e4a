use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};

/// A JSON value as text, so that no digit and no unknown part of it is lost.
///
/// Two values are equal where their texts are.
///
/// ```
/// use mcpeer::model::RawJson;
///
/// let raw: RawJson = serde_json::from_str(r#"{"big":123456789012345678901234567890}"#)?;
/// assert_eq!(raw.as_str(), r#"{"big":123456789012345678901234567890}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Checks that `text` is one JSON value, and keeps it.
    ///
    /// Line breaks, which can only stand between the tokens of JSON, become blanks: a message may be a line.
    ///
    /// # Errors
    ///
    /// The text is not JSON.
    ///
    /// ```
    /// # use mcpeer::model::RawJson;
    /// assert_eq!(RawJson::parse("[1,\n2]").unwrap().as_str(), "[1, 2]");
    /// assert!(RawJson::parse("[1, 2").is_err());
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self::on_one_line)
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    ///
    /// The value's own `Serialize` failed, or it has a map whose keys are no strings.
    ///
    /// ```
    /// # use mcpeer::model::RawJson;
    /// assert_eq!(RawJson::from_value(&[1, 2]).unwrap().as_str(), "[1,2]");
    /// ```
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self::on_one_line)
    }

    /// Gives the text.
    ///
    /// ```
    /// # use mcpeer::model::RawJson;
    /// assert_eq!(RawJson::parse("null").unwrap().as_str(), "null");
    /// ```
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Whether the value is `null`.
    ///
    /// ```
    /// # use mcpeer::model::RawJson;
    /// assert!(RawJson::from(serde_json::Value::Null).is_null());
    /// ```
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }

    /// Whether the value is an object.
    ///
    /// ```
    /// # use mcpeer::model::RawJson;
    /// assert!(RawJson::parse("{}").unwrap().is_object());
    /// ```
    pub fn is_object(&self) -> bool {
        self.as_str().starts_with('{')
    }

    /// Decodes the value into a type.
    ///
    /// # Errors
    ///
    /// The value does not fit the type.
    ///
    /// ```
    /// # use mcpeer::model::RawJson;
    /// let pair: (u8, u8) = RawJson::parse("[1,2]").unwrap().decode().unwrap();
    /// assert_eq!(pair, (1, 2));
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    fn on_one_line(raw: Box<RawValue>) -> Self {
        let text = raw.get();
        if text.as_bytes().contains(&b'\n') || text.as_bytes().contains(&b'\r') {
            let text = text.replace(['\n', '\r'], " ");
            return Self(RawValue::from_string(text).expect("a blank for a line break leaves JSON what it was"));
        }
        Self(raw)
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RawJson {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        Self::parse(text)
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self::from_value(&value).expect("a `Value` can always be written")
    }
}

impl From<RawObject> for RawJson {
    fn from(object: RawObject) -> Self {
        object.0
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::on_one_line)
    }
}

/// A JSON object as text: a [`RawJson`] that is known to be an object.
///
/// ```
/// use mcpeer::model::RawObject;
/// use serde_json::json;
///
/// let schema = RawObject::from([("type", json!("object")), ("properties", json!({}))]);
/// assert_eq!(schema.decode::<serde_json::Value>()?, json!({"type": "object", "properties": {}}));
/// assert!(RawObject::parse("[]").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RawObject(RawJson);

impl RawObject {
    /// Checks that `text` is one JSON object, and keeps it. Line breaks become blanks.
    ///
    /// # Errors
    ///
    /// The text is not JSON, or not an object.
    ///
    /// ```
    /// # use mcpeer::model::RawObject;
    /// assert_eq!(RawObject::parse(r#"{"b":1,"a":2}"#).unwrap().as_str(), r#"{"b":1,"a":2}"#);
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        Self::check(RawJson::parse(text)?)
    }

    /// Writes a value as a JSON object.
    ///
    /// # Errors
    ///
    /// The value's own `Serialize` failed, or what it wrote is no object.
    ///
    /// ```
    /// # use mcpeer::model::RawObject;
    /// assert!(RawObject::from_value(&serde_json::json!({"a": 1})).is_ok());
    /// assert!(RawObject::from_value(&1).is_err());
    /// ```
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        Self::check(RawJson::from_value(value)?)
    }

    /// Gives the text.
    ///
    /// ```
    /// # use mcpeer::model::RawObject;
    /// assert_eq!(RawObject::default().as_str(), "{}");
    /// ```
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Decodes the object into a type.
    ///
    /// # Errors
    ///
    /// The object does not fit the type.
    ///
    /// ```
    /// # use mcpeer::model::RawObject;
    /// let map: std::collections::HashMap<String, u8> = RawObject::from([("a", 1)]).decode().unwrap();
    /// assert_eq!(map["a"], 1);
    /// ```
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        self.0.decode()
    }

    fn check<E: de::Error>(raw: RawJson) -> Result<Self, E> {
        if raw.is_object() { Ok(Self(raw)) } else { Err(E::custom("this is no JSON object; give one")) }
    }
}

/// The empty object.
impl Default for RawObject {
    fn default() -> Self {
        Self::from(Map::new())
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for RawObject {
    type Err = serde_json::Error;

    fn from_str(text: &str) -> Result<Self, serde_json::Error> {
        Self::parse(text)
    }
}

impl TryFrom<Value> for RawObject {
    type Error = serde_json::Error;

    fn try_from(value: Value) -> Result<Self, serde_json::Error> {
        Self::from_value(&value)
    }
}

impl From<Map<String, Value>> for RawObject {
    fn from(map: Map<String, Value>) -> Self {
        Self(RawJson::from(Value::Object(map)))
    }
}

impl<K: Into<String>, V: Into<Value>, const N: usize> From<[(K, V); N]> for RawObject {
    fn from(members: [(K, V); N]) -> Self {
        Self::from(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect::<Map<_, _>>())
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::check(RawJson::deserialize(deserializer)?)
    }
}
