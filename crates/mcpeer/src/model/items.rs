use std::{fmt, ops};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned, ser::SerializeSeq};

use super::RawJson;

/// The items of a list, and beside them those that could not be read: one bad item does not hide the others.
///
/// It is used like a slice or a `Vec` of the good ones. Written again, the bad ones stand where they stood.
///
/// ```
/// use mcpeer::model::Items;
///
/// let items: Items<u8> = serde_json::from_str(r#"[1,"two",3]"#)?;
/// assert_eq!(*items, [1, 3]);
/// assert_eq!(items.skipped()[0].raw.as_str(), r#""two""#);
/// assert_eq!(serde_json::to_string(&items)?, r#"[1,"two",3]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Items<T> {
    good: Vec<T>,
    skipped: Vec<Skipped>,
}

/// An item that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Where it stood in the list, counted from 0.
    pub position: usize,
    /// The item as it came.
    pub raw: RawJson,
    /// What is wrong with it.
    pub reason: String,
}

impl<T> Items<T> {
    /// Gives the items that could not be read.
    ///
    /// ```
    /// # use mcpeer::model::Items;
    /// assert!(Items::from(vec![1, 2]).skipped().is_empty());
    /// ```
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Adds an item to the end.
    ///
    /// ```
    /// # use mcpeer::model::Items;
    /// let mut items = Items::default();
    /// items.push(1);
    /// assert_eq!(*items, [1]);
    /// ```
    pub fn push(&mut self, item: T) {
        self.good.push(item);
    }

    /// Gives the good items alone.
    ///
    /// ```
    /// # use mcpeer::model::Items;
    /// assert_eq!(Items::from(vec![1, 2]).into_vec(), [1, 2]);
    /// ```
    pub fn into_vec(self) -> Vec<T> {
        self.good
    }
}

impl<T> ops::Deref for Items<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.good
    }
}

impl<T> ops::DerefMut for Items<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.good
    }
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { good: Vec::new(), skipped: Vec::new() }
    }
}

impl<T> From<Vec<T>> for Items<T> {
    fn from(good: Vec<T>) -> Self {
        Self { good, skipped: Vec::new() }
    }
}

impl<T, const N: usize> From<[T; N]> for Items<T> {
    fn from(good: [T; N]) -> Self {
        Vec::from(good).into()
    }
}

impl<T> FromIterator<T> for Items<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T> Extend<T> for Items<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.good.extend(items);
    }
}

impl<T> IntoIterator for Items<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.good.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Items<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.good.iter()
    }
}

impl<T: Serialize> Serialize for Items<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.good.len() + self.skipped.len();
        let mut list = serializer.serialize_seq(Some(count))?;
        let mut good = self.good.iter();
        let mut skipped = self.skipped.iter().peekable();
        for position in 0..count {
            let bad = skipped.next_if(|bad| bad.position <= position || good.len() == 0);
            match bad {
                Some(bad) => list.serialize_element(&bad.raw)?,
                None => list.serialize_element(&good.next())?,
            }
        }
        list.end()
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Visitor(std::marker::PhantomData))
    }
}

struct Visitor<T>(std::marker::PhantomData<T>);

impl<'de, T: DeserializeOwned> serde::de::Visitor<'de> for Visitor<T> {
    type Value = Items<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Items<T>, A::Error> {
        let mut items = Items::default();
        while let Some(raw) = list.next_element::<RawJson>()? {
            match raw.decode() {
                Ok(item) => items.good.push(item),
                Err(error) => {
                    let position = items.good.len() + items.skipped.len();
                    items.skipped.push(Skipped { position, raw, reason: error.to_string() });
                }
            }
        }
        Ok(items)
    }
}
