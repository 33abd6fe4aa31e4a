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

    /// Whether each request says for itself which log messages are wanted, and not `logging/setLevel` for all.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2026_07_28.has_log_level_by_request());
    /// assert!(!Revision::V2025_11_25.has_log_level_by_request());
    /// ```
    pub fn has_log_level_by_request(self) -> bool {
        self >= Self::V2026_07_28
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

    /// Whether the revision lies between two others, both included; without an `until`, from `since` on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2025_06_18.is_within(Revision::V2024_11_05, Some(Revision::V2025_06_18)));
    /// assert!(!Revision::V2025_03_26.is_within(Revision::V2025_06_18, None));
    /// ```
    pub fn is_within(self, since: Self, until: Option<Self>) -> bool {
        since <= self && until.is_none_or(|until| self <= until)
    }

    /// Whether progress may say in words what is being done: from 2025-03-26 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2024_11_05.has_progress_messages());
    /// ```
    pub fn has_progress_messages(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether content may be audio: from 2025-03-26 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2024_11_05.has_audio());
    /// ```
    pub fn has_audio(self) -> bool {
        self >= Self::V2025_03_26
    }

    /// Whether content may be a link to a resource: from 2025-06-18 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2025_03_26.has_resource_links());
    /// ```
    pub fn has_resource_links(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether tools have an `outputSchema` and their results `structuredContent`: from 2025-06-18 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2025_06_18.has_structured_content());
    /// ```
    pub fn has_structured_content(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether structured content may be any JSON value and its schema of any type: from 2026-07-28 on. Before, both
    /// are objects.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2025_11_25.has_open_structured_content());
    /// ```
    pub fn has_open_structured_content(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Whether results say for how long and by whom they may be kept: from 2026-07-28 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2026_07_28.has_cache_hints());
    /// assert!(!Revision::V2025_11_25.has_cache_hints());
    /// ```
    pub fn has_cache_hints(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// Whether tasks belong to the core, with `execution` on tools: 2025-11-25 alone.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2025_11_25.has_core_tasks());
    /// assert!(!Revision::V2026_07_28.has_core_tasks());
    /// ```
    pub fn has_core_tasks(self) -> bool {
        self == Self::V2025_11_25
    }

    /// Whether sampling may use tools, and its messages have several blocks of content: from 2025-11-25 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2025_06_18.has_sampling_tools());
    /// ```
    pub fn has_sampling_tools(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether the user may be asked, by `elicitation/create`: from 2025-06-18 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2025_03_26.has_elicitation());
    /// ```
    pub fn has_elicitation(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether elicitation may send the user to a URL and answer with lists: from 2025-11-25 on.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2025_06_18.has_url_elicitation());
    /// ```
    pub fn has_url_elicitation(self) -> bool {
        self >= Self::V2025_11_25
    }

    /// Whether a stream over HTTP begins with an event without data, by whose id a client can come back, and may be
    /// closed before its answer: 2025-11-25 alone.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(Revision::V2025_11_25.has_priming_events());
    /// assert!(!Revision::V2025_06_18.has_priming_events());
    /// ```
    pub fn has_priming_events(self) -> bool {
        self == Self::V2025_11_25
    }

    /// Whether the error −32042 sends the user to a URL: 2025-11-25 alone.
    ///
    /// ```
    /// # use mcpeer::version::Revision;
    /// assert!(!Revision::V2026_07_28.has_url_elicitation_error());
    /// ```
    pub fn has_url_elicitation_error(self) -> bool {
        self == Self::V2025_11_25
    }
}

/// Whether a text is a date of the stateless era, 2026-07-28 or later, known or not.
///
/// ```
/// use mcpeer::version::is_modern_date;
///
/// assert!(is_modern_date("2026-07-28"));
/// assert!(is_modern_date("2099-01-01"));
/// assert!(!is_modern_date("2025-11-25"));
/// assert!(!is_modern_date("zzz"));
/// ```
pub fn is_modern_date(text: &str) -> bool {
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date && text >= Revision::V2026_07_28.as_str()
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
