//! The order in which a type has its fields: schemas sort them.

use serde::{
    Deserializer,
    de::{DeserializeOwned, Error, Visitor, value},
    forward_to_deserialize_any,
};

/// Gives the names of the fields of a struct, as serde reads them and in their order; none where the type is not read as
/// a struct.
pub(super) fn of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // It always fails: all that is wanted is what is asked for first.
    drop(T::deserialize(Probe(&mut fields)));
    fields
}

struct Probe<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(value::Error::custom("there is nothing to read"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only the names of the fields matter")]
    struct Unsorted {
        zebra: u8,
        #[serde(rename = "ape")]
        renamed: Option<String>,
        lion: bool,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only what is inside matters")]
    struct Around(Unsorted);

    #[test]
    fn fields_stand_in_the_order_of_the_type() {
        assert_eq!(of::<Unsorted>(), ["zebra", "ape", "lion"]);
        assert_eq!(of::<Around>(), ["zebra", "ape", "lion"]);
    }

    #[test]
    fn what_is_no_struct_has_no_fields() {
        assert!(of::<HashMap<String, u8>>().is_empty() && of::<Option<u8>>().is_empty());
    }
}
