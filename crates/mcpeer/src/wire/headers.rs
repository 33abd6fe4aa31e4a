//! What HTTP headers say, read without HTTP.

use crate::version::{self, Era, Revision};

/// What an `MCP-Protocol-Version` header says to a message whose body claims nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionHeader {
    /// There is none.
    Absent,
    /// A revision of the stateful era.
    Legacy(Revision),
    /// A date of the stateless era, known or not: a request under it lacks its envelope.
    Modern,
    /// Anything else.
    Unknown,
}

impl VersionHeader {
    /// Reads the header; blanks around the value do not count.
    pub fn read(value: Option<&str>) -> Self {
        let Some(value) = value else { return Self::Absent };
        let value = value.trim_matches([' ', '\t']);
        match value.parse::<Revision>() {
            Ok(revision) if revision.era() == Era::Legacy => Self::Legacy(revision),
            _ if version::is_modern_date(value) => Self::Modern,
            _ => Self::Unknown,
        }
    }
}
