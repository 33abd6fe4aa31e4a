//! Revisions of the protocol and what each of them has. This is the only place where revisions are compared.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning>

use std::{fmt, str::FromStr};

/// A revision of the protocol that this crate speaks.
///
/// ```
/// use mcpeer::version::{Era, Revision};
///
/// let revision: Revision = "2025-06-18".parse()?;
/// assert_eq!(revision.era(), Era::Legacy);
/// assert!(!revision.has_batches());
/// # Ok::<(), mcpeer::version::UnknownRevision>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Revision {
    /// 2024-11-05, the first.
    V2024_11_05,
    /// 2025-03-26.
    V2025_03_26,
    /// 2025-06-18.
    V2025_06_18,
    /// 2025-11-25, the last of the stateful era.
    V2025_11_25,
    /// 2026-07-28, the first of the stateless era.
    V2026_07_28,
}

/// How a connection works: by a handshake and a session, or by requests that each stand alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// The stateful era: `initialize`, sessions, requests in both directions. 2024-11-05 … 2025-11-25.
    Legacy,
    /// The stateless era: an envelope in the `_meta` of each request. 2026-07-28 and later.
    Modern,
}

impl Revision {
    /// Every revision, newest first.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// Gives the date that stands on the wire.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert_eq!(Revision::V2026_07_28.as_str(), "2026-07-28");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Gives the era that the revision belongs to.
    ///
    /// ```
    /// # use mcpeer::version::{Era, Revision};
    /// assert_eq!(Revision::V2026_07_28.era(), Era::Modern);
    /// ```
    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 { Era::Modern } else { Era::Legacy }
    }

    /// Whether an array of messages is a message: 2025-03-26 alone.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2025_03_26.has_batches());
    /// ```
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text).ok_or(UnknownRevision)
    }
}

/// The text names no revision that this crate speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRevision;

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a revision of the protocol that this version of mcpeer speaks")
    }
}

impl std::error::Error for UnknownRevision {}
