//! For how long, and by whom, a result may be kept.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>

use std::{fmt, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

words! {
    /// Who may be served a kept result.
    ///
    /// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>
    pub enum Scope {
        /// Anybody.
        Public = "public",
        /// Only who asked. A scope that is absent or unknown means this one.
        Private = "private",
    }
}

/// For how long a result is fresh, in whole milliseconds. A negative one of a peer counts as none, a fraction is cut.
///
/// Specification: <https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching>
///
/// ```
/// use mcpeer::model::caching::Ttl;
/// use std::time::Duration;
///
/// assert_eq!(Ttl::from(Duration::from_secs(60)).as_millis(), 60_000);
/// assert_eq!(serde_json::from_str::<Ttl>("-1")?.as_millis(), 0);
/// assert_eq!(serde_json::from_str::<Ttl>("1.5e3")?.as_millis(), 1500);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ttl(u64);

impl Ttl {
    /// Makes one from milliseconds.
    ///
    /// ```
    /// # use mcpeer::model::caching::Ttl;
    /// assert_eq!(Ttl::from_millis(5).as_millis(), 5);
    /// ```
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Gives the milliseconds.
    ///
    /// ```
    /// # use mcpeer::model::caching::Ttl;
    /// assert_eq!(Ttl::default().as_millis(), 0);
    /// ```
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

impl From<Duration> for Ttl {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }
}

impl From<Ttl> for Duration {
    fn from(ttl: Ttl) -> Self {
        Self::from_millis(ttl.0)
    }
}

impl Serialize for Ttl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Ttl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visitor)
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = Ttl;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of milliseconds")
    }

    fn visit_u64<E>(self, millis: u64) -> Result<Ttl, E> {
        Ok(Ttl(millis))
    }

    fn visit_i64<E>(self, millis: i64) -> Result<Ttl, E> {
        Ok(Ttl(u64::try_from(millis).unwrap_or(0)))
    }

    fn visit_f64<E>(self, millis: f64) -> Result<Ttl, E> {
        // `as` saturates at both ends.
        Ok(Ttl(millis as u64))
    }
}
