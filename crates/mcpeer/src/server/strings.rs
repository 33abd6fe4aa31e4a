//! Reads a type out of texts by their names: the arguments of prompts and the variables of addresses are texts.

use std::fmt;

use serde::{
    Deserializer,
    de::{self, DeserializeOwned, IntoDeserializer, Visitor, value::MapDeserializer},
    forward_to_deserialize_any,
};

/// Reads a type whose members are texts, or numbers and booleans written as text.
///
/// # Errors
///
/// What does not fit.
pub(super) fn decode<T: DeserializeOwned>(pairs: &[(String, String)]) -> Result<T, String> {
    let pairs = pairs.iter().map(|(name, value)| (&**name, Text { name, value }));
    T::deserialize(MapDeserializer::new(pairs)).map_err(|Mismatch(reason)| reason)
}

/// Finds the text of a name; of two the first.
pub(super) fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(found, _)| found == name).map(|(_, value)| &**value)
}

/// Reads a type out of one text.
///
/// # Errors
///
/// What does not fit.
pub(super) fn decode_one<T: DeserializeOwned>(name: &str, value: &str) -> Result<T, String> {
    let text = Text { name, value };
    T::deserialize(text).map_err(|error| text.explain(error).0)
}

/// A text that is read as what the type asks for.
#[derive(Clone, Copy)]
struct Text<'a> {
    name: &'a str,
    value: &'a str,
}

impl<'de> IntoDeserializer<'de, Mismatch> for Text<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Implements the methods that read what is written as text.
macro_rules! parsed {
    ($($method:ident: $visit:ident, $expected:literal;)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
                match self.value.parse() {
                    Ok(value) => visitor.$visit(value).map_err(|error| self.explain(error)),
                    Err(_) => Err(Mismatch(format!(
                        "`{}`: expected {}, found {:?}", self.name, $expected, self.value
                    ))),
                }
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Text<'_> {
    type Error = Mismatch;

    parsed! {
        deserialize_bool: visit_bool, "`true` or `false`";
        deserialize_i8: visit_i64, "an integer";
        deserialize_i16: visit_i64, "an integer";
        deserialize_i32: visit_i64, "an integer";
        deserialize_i64: visit_i64, "an integer";
        deserialize_i128: visit_i128, "an integer";
        deserialize_u8: visit_u64, "an integer of at least 0";
        deserialize_u16: visit_u64, "an integer of at least 0";
        deserialize_u32: visit_u64, "an integer of at least 0";
        deserialize_u64: visit_u64, "an integer of at least 0";
        deserialize_u128: visit_u128, "an integer of at least 0";
        deserialize_f32: visit_f64, "a number";
        deserialize_f64: visit_f64, "a number";
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_str(self.value).map_err(|error| self.explain(error))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(self.value.into_deserializer()).map_err(|error: Mismatch| self.explain(error))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl Text<'_> {
    fn explain(self, Mismatch(reason): Mismatch) -> Mismatch {
        if reason.starts_with('`') { Mismatch(reason) } else { Mismatch(format!("`{}`: {reason}", self.name)) }
    }
}

#[derive(Debug)]
struct Mismatch(String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Style {
        Short,
        Long,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Id(u64);

    #[derive(Debug, Deserialize, PartialEq)]
    struct Everything {
        text: String,
        count: i32,
        share: f64,
        is_new: bool,
        style: Style,
        id: Id,
        maybe: Option<u8>,
        absent: Option<String>,
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn members_are_read_out_of_texts() {
        let given = pairs(&[
            ("text", "12"),
            ("count", "-3"),
            ("share", "0.5"),
            ("is_new", "true"),
            ("style", "long"),
            ("id", "7"),
            ("maybe", "8"),
            ("unknown", "?"),
        ]);
        let expected = Everything {
            text: "12".into(),
            count: -3,
            share: 0.5,
            is_new: true,
            style: Style::Long,
            id: Id(7),
            maybe: Some(8),
            absent: None,
        };
        assert_eq!(decode::<Everything>(&given), Ok(expected));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let wrong = |name: &str, value: &str| decode::<Everything>(&pairs(&[(name, value)])).unwrap_err();
        assert_eq!(wrong("count", "many"), "`count`: expected an integer, found \"many\"");
        assert_eq!(wrong("is_new", "1"), "`is_new`: expected `true` or `false`, found \"1\"");
        assert!(wrong("maybe", "300").starts_with("`maybe`: invalid value"), "{}", wrong("maybe", "300"));
        assert!(wrong("style", "wide").starts_with("`style`: unknown variant"), "{}", wrong("style", "wide"));
        assert_eq!(wrong("unknown", ""), "missing field `text`");
    }
}
