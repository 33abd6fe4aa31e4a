use std::{fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, de::DeserializeOwned, ser::SerializeMap};

use super::RawJson;

/// An object with names of the sender's choice, in the order in which they stand on the wire.
///
/// ```
/// use mcpeer::model::{Entries, RawMap};
/// use serde_json::json;
///
/// let mut map = RawMap::from([("b", json!(1)), ("a", json!(2))]);
/// map.insert("c", json!(null));
/// assert_eq!(serde_json::to_string(&map)?, r#"{"b":1,"a":2,"c":null}"#);
///
/// let numbers: Entries<u8> = serde_json::from_str(r#"{"b":1,"a":2}"#)?;
/// assert_eq!(numbers.get("a"), Some(&2));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Entries<T>(Vec<(Box<str>, T)>);

/// An object whose values are kept as text: `_meta`, extensions, and the members that a type does not know.
pub type RawMap = Entries<RawJson>;

impl<T> Entries<T> {
    /// Makes an empty object.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// assert!(RawMap::new().is_empty());
    /// ```
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there are no entries.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// assert!(!RawMap::from([("a", serde_json::json!(1))]).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives the number of entries.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// assert_eq!(RawMap::from([("a", serde_json::json!(1))]).len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Gives the value of this name: the first, where a peer wrote several.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// let map = RawMap::from([("a", serde_json::json!(1))]);
    /// assert_eq!(map.get("a").unwrap().as_str(), "1");
    /// ```
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(found, _)| **found == *name).map(|(_, value)| value)
    }

    /// Sets the value of this name, in its place or at the end.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// let mut map = RawMap::new();
    /// map.insert("a", serde_json::json!(1));
    /// map.insert("a", serde_json::json!(2));
    /// assert_eq!(map, RawMap::from([("a", serde_json::json!(2))]));
    /// ```
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: impl Into<T>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(found, _)| *found == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes out every value of this name and gives the first.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// let mut map = RawMap::from([("a", serde_json::json!(1))]);
    /// assert!(map.remove("a").is_some());
    /// assert!(map.is_empty());
    /// ```
    pub fn remove(&mut self, name: &str) -> Option<T> {
        let mut removed = self.0.extract_if(.., |(found, _)| **found == *name);
        let first = removed.next();
        removed.for_each(drop);
        first.map(|(_, value)| value)
    }

    /// Walks over the entries, in order.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// let map = RawMap::from([("b", serde_json::json!(1)), ("a", serde_json::json!(2))]);
    /// assert_eq!(map.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["b", "a"]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Adds an entry without looking for an older one, so that reading stays linear whatever a peer writes.
    pub(super) fn push(&mut self, name: Box<str>, value: T) {
        self.0.push((name, value));
    }
}

impl RawMap {
    /// Decodes the value of this name; `None` where it is missing or does not fit the type.
    ///
    /// ```
    /// # use mcpeer::model::RawMap;
    /// let map = RawMap::from([("a", serde_json::json!(1))]);
    /// assert_eq!(map.decode::<u8>("a"), Some(1));
    /// assert_eq!(map.decode::<bool>("a"), None);
    /// ```
    pub fn decode<V: DeserializeOwned>(&self, name: &str) -> Option<V> {
        self.get(name)?.decode().ok()
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Entries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<T> IntoIterator for Entries<T> {
    type Item = (Box<str>, T);
    type IntoIter = std::vec::IntoIter<(Box<str>, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Into<Box<str>>, V: Into<T>, T> FromIterator<(K, V)> for Entries<T> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut made = Self::new();
        for (name, value) in entries {
            made.insert(name, value);
        }
        made
    }
}

impl<K: Into<Box<str>>, V: Into<T>, T, const N: usize> From<[(K, V); N]> for Entries<T> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Visitor(PhantomData))
    }
}

struct Visitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
    type Value = Entries<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

/// What the code that [`object!`](super::macros) writes needs of the members that a type does not know.
impl RawMap {
    /// Reads an optional member: `null` counts as absent, what does not fit is kept as it came, and of several that fit
    /// the first counts.
    pub(super) fn read_optional<'de, T, A>(
        &mut self,
        slot: &mut Option<T>,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error>
    where
        T: DeserializeOwned,
        A: de::MapAccess<'de>,
    {
        let raw: RawJson = map.next_value()?;
        if raw.is_null() || slot.is_some() {
            return Ok(());
        }
        *slot = raw.decode().ok();
        if slot.is_none() {
            self.push(name.into(), raw);
        }
        Ok(())
    }

    /// Writes an optional member: its value, else what a peer wrote in its place and did not fit.
    pub(super) fn write_optional<T, M>(
        &self,
        name: &'static str,
        value: &Option<T>,
        map: &mut M,
    ) -> Result<(), M::Error>
    where
        T: Serialize,
        M: SerializeMap,
    {
        match value {
            Some(value) => map.serialize_entry(name, value),
            None if self.is_empty() => Ok(()),
            None => self.get(name).map_or(Ok(()), |raw| map.serialize_entry(name, raw)),
        }
    }

    /// Writes the members that have none of these names.
    pub(super) fn write_others<M: SerializeMap>(&self, known: &[&str], map: &mut M) -> Result<(), M::Error> {
        for (name, raw) in self.iter().filter(|(name, _)| !known.contains(name)) {
            map.serialize_entry(name, raw)?;
        }
        Ok(())
    }
}

/// A name in an object that is being read: borrowed where the text allows it.
pub(super) enum Name<'de> {
    Borrowed(&'de str),
    Owned(Box<str>),
}

impl Name<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(name) => name,
            Self::Owned(name) => name,
        }
    }

    pub(super) fn into_owned(self) -> Box<str> {
        match self {
            Self::Borrowed(name) => name.into(),
            Self::Owned(name) => name,
        }
    }
}

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> de::Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
        Ok(Name::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
        Ok(Name::Owned(name.into()))
    }

    fn visit_string<E>(self, name: String) -> Result<Name<'de>, E> {
        Ok(Name::Owned(name.into()))
    }
}
