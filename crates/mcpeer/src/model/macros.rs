//! What writes the types of this module: objects, open sets of words, unions by a tag, methods.
//!
//! serde's derive is not used, because it cannot keep raw text beside unknown members and would fail a whole
//! message for one optional member of the wrong type.

/// Writes an object type: `new` with the required members, one setter for each optional one, `Serialize` and
/// `Deserialize`. A defaulted member is required of us and may be left out by a peer.
///
/// How an optional member is read is the word before it: `lenient`, one that does not fit is kept among the unknown
/// ones; `strict`, it fails the object; `raw`, `null` is a value; `number`, lenient, and the setter takes the very
/// type, because a literal would not convert.
macro_rules! object {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident $(($tag:literal = $word:literal))?
        example $example:expr => $json:literal;
        required { $($(#[$required_doc:meta])* $required:ident: $required_type:ty as $required_name:literal;)* }
        $(defaulted { $(#[$default_doc:meta])* $default:ident: $default_type:ty as $default_name:literal; })?
        optional { $($(#[$optional_doc:meta])* $kind:ident $optional:ident: $optional_type:ty as $optional_name:literal => $value:expr;)* }
    ) => {
        $(#[$attribute])*
        ///
        /// ```
        #[doc = object!(@use)]
        #[doc = concat!("let value = ", stringify!($example), ";")]
        #[doc = concat!("assert_eq!(serde_json::to_string(&value)?, ", stringify!($json), ");")]
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$required_doc])* pub $required: $required_type,)*
            $($(#[$default_doc])* pub $default: $default_type,)?
            $($(#[$optional_doc])* pub $optional: Option<$optional_type>,)*
            /// The members that this type does not know, and optional ones that did not fit, in the order of the text.
            pub extra: $crate::model::RawMap,
        }

        impl $name {
            /// Makes one from what it must have.
            ///
            /// ```
            #[doc = object!(@use)]
            #[doc = concat!("let value = ", stringify!($example), ";")]
            #[doc = concat!("assert_eq!(serde_json::to_string(&value)?, ", stringify!($json), ");")]
            /// # Ok::<(), serde_json::Error>(())
            /// ```
            #[allow(clippy::new_without_default, reason = "only some of these types have nothing that they must have")]
            pub fn new($($required: impl Into<$required_type>,)* $($default: impl Into<$default_type>)?) -> Self {
                Self {
                    $($required: $required.into(),)*
                    $($default: $default.into(),)?
                    $($optional: None,)*
                    extra: $crate::model::RawMap::new(),
                }
            }

            $(
                #[doc = concat!("Sets [`", stringify!($optional), "`](Self#structfield.", stringify!($optional), ").")]
                ///
                /// ```
                #[doc = object!(@use)]
                #[doc = concat!("let value = ", stringify!($example), ".", stringify!($optional), "(", stringify!($value), ");")]
                #[doc = concat!("assert!(value.", stringify!($optional), ".is_some());")]
                /// ```
                #[must_use]
                pub fn $optional(mut self, $optional: object!(@setter $kind $optional_type)) -> Self {
                    self.$optional = Some($optional.into());
                    self
                }
            )*
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                $(map.serialize_entry($tag, $word)?;)?
                $(map.serialize_entry($required_name, &self.$required)?;)*
                $(map.serialize_entry($default_name, &self.$default)?;)?
                $(self.extra.write_optional($optional_name, &self.$optional, &mut map)?;)*
                if !self.extra.is_empty() {
                    self.extra.write_others(&[$($tag,)? $($required_name,)* $($default_name,)? $($optional_name),*], &mut map)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;

                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    #[allow(unused_mut, reason = "an object with no required member has nothing to remember for it")]
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        $(let mut $required: Option<$required_type> = None;)*
                        $(let mut $default: Option<$default_type> = None;)?
                        $(let mut $optional: Option<$optional_type> = None;)*
                        let mut extra = $crate::model::RawMap::new();
                        while let Some(name) = map.next_key::<$crate::model::entries::Name<'de>>()? {
                            match name.as_str() {
                                $($tag => $crate::model::macros::expect_word(map.next_value()?, $word)?,)?
                                $($required_name => $crate::model::macros::set(&mut $required, $required_name, Some(map.next_value()?))?,)*
                                $($default_name => $crate::model::macros::set(&mut $default, $default_name, map.next_value()?)?,)?
                                $($optional_name => object!(@read $kind $optional, $optional_name, extra, map),)*
                                _ => extra.push(name.into_owned(), map.next_value()?),
                            }
                        }
                        Ok($name {
                            $($required: $required.ok_or_else(|| serde::de::Error::missing_field($required_name))?,)*
                            $($default: $default.unwrap_or_default(),)?
                            $($optional,)*
                            extra,
                        })
                    }
                }

                deserializer.deserialize_map(Visitor)
            }
        }
    };
    (@use) => { concat!("# use mcpeer::model::*; use ", module_path!(), "::*;") };
    (@setter number $type:ty) => { $type };
    (@setter $kind:ident $type:ty) => { impl Into<$type> };
    (@read strict $slot:ident, $name:literal, $extra:ident, $map:ident) => {
        $crate::model::macros::set(&mut $slot, $name, $map.next_value()?)?
    };
    (@read raw $slot:ident, $name:literal, $extra:ident, $map:ident) => {
        $crate::model::macros::set(&mut $slot, $name, Some($map.next_value()?))?
    };
    (@read $kind:ident $slot:ident, $name:literal, $extra:ident, $map:ident) => {
        $extra.read_optional(&mut $slot, $name, &mut $map)?
    };
}

/// Sets a member that may stand there only once: who checks a message may have looked at another one than who serves it.
pub(super) fn set<T, E: serde::de::Error>(slot: &mut Option<T>, name: &'static str, value: Option<T>) -> Result<(), E> {
    if slot.is_some() {
        return Err(E::duplicate_field(name));
    }
    *slot = value;
    Ok(())
}

/// Checks the member that tells a type from its siblings.
pub(super) fn expect_word<E: serde::de::Error>(
    found: super::entries::Name<'_>,
    expected: &'static str,
) -> Result<(), E> {
    if found.as_str() == expected {
        return Ok(());
    }
    Err(E::invalid_value(serde::de::Unexpected::Str(found.as_str()), &expected))
}

/// Writes a set of words that a later revision, or a peer of its own, may extend.
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$attribute])*
        ///
        /// ```
        #[doc = object!(@use)]
        #[doc = concat!("let known: ", stringify!($name), " = ", words!(@first $($word),*), ".into();")]
        #[doc = concat!("assert_eq!(known.as_str(), ", words!(@first $($word),*), ");")]
        #[doc = concat!("assert_eq!(", stringify!($name), "::from(\"new\").as_str(), \"new\");")]
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A word that this version of the crate does not know, kept as it came.
            Other(Box<str>),
        }

        impl $name {
            /// Gives the word that stands on the wire.
            ///
            /// ```
            #[doc = object!(@use)]
            #[doc = concat!("assert_eq!(", stringify!($name), "::", words!(@first_name $($variant),*), ".as_str(), ", words!(@first $($word),*), ");")]
            /// ```
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)*
                    _ => Self::Other(word.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::model::entries::Name::deserialize(deserializer).map(|word| word.as_str().into())
            }
        }
    };
    (@first $word:literal $(, $others:literal)*) => { stringify!($word) };
    (@first_name $variant:ident $(, $others:ident)*) => { stringify!($variant) };
}

/// Writes a union whose members are told apart by one member of the object; what fits none is kept as it came.
macro_rules! union {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident by $tag:literal { $($(#[$doc:meta])* $variant:ident($type:ty) = $word:pat,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant($type),)*
            /// Something that this version of the crate does not know, or that lacks what it must have.
            Unknown($crate::model::RawJson),
        }

        $(impl From<$type> for $name {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })*

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => value.serialize(serializer),)*
                    Self::Unknown(raw) => raw.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = $crate::model::RawJson::deserialize(deserializer)?;
                let known = match $crate::model::macros::peek(raw.as_str(), $tag).as_deref() {
                    $($word => raw.decode().map(Self::$variant).ok(),)*
                    #[allow(unreachable_patterns, reason = "a union may give the missing tag to one of its members")]
                    _ => None,
                };
                Ok(known.unwrap_or(Self::Unknown(raw)))
            }
        }
    };
}

/// Reads one member of an object that is a string, and no further than to it.
pub(super) fn peek(text: &str, name: &'static str) -> Option<String> {
    use serde::de::{self, Deserializer as _};

    struct Visitor<'a> {
        name: &'static str,
        found: &'a mut Option<String>,
    }

    impl<'de> de::Visitor<'de> for Visitor<'_> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(name) = map.next_key::<super::entries::Name<'de>>()? {
                if name.as_str() == self.name {
                    *self.found = Some(map.next_value()?);
                    break;
                }
                map.next_value::<de::IgnoredAny>()?;
            }
            Ok(())
        }
    }

    let mut found = None;
    // That the rest is not read is an error to serde_json, and of no interest here.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(Visitor { name, found: &mut found });
    found
}

/// Writes the type that stands for a request: its method, params and result.
macro_rules! request {
    ($(#[$attribute:meta])* pub enum $name:ident: $method:literal ($params:ty) -> $result:ty;) => {
        $(#[$attribute])*
        ///
        /// ```
        #[doc = object!(@use)]
        #[doc = concat!("assert_eq!(<", module_path!(), "::", stringify!($name), " as Request>::METHOD, \"", $method, "\");")]
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl $crate::model::Request for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
            type Result = $result;
        }
    };
}

/// Writes the type that stands for a notification: its method and params.
macro_rules! notification {
    ($(#[$attribute:meta])* pub enum $name:ident: $method:literal ($params:ty);) => {
        $(#[$attribute])*
        ///
        /// ```
        #[doc = object!(@use)]
        #[doc = concat!("assert_eq!(<", module_path!(), "::", stringify!($name), " as Notification>::METHOD, \"", $method, "\");")]
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl $crate::model::Notification for $name {
            const METHOD: &'static str = $method;
            type Params = $params;
        }
    };
}
