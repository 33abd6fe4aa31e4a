//! What HTTP headers say, read without HTTP.
//!
//! Specification: <https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http>

mod mirror;
mod params;
pub mod sentinel;

use std::{any::Any, fmt};

pub use self::{
    mirror::{agree, agree_version, may_notify, mismatch, source_of_name},
    params::ParamHeaders,
};
use crate::version::{self, Era, Revision};

/// The header that names the revision.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// The header that repeats the method.
pub const METHOD: &str = "mcp-method";
/// The header that repeats what the request is about: the name of a tool or prompt, the address of a resource.
pub const NAME: &str = "mcp-name";
/// How the headers begin that repeat arguments of a tool.
pub const PARAM_PREFIX: &str = "mcp-param-";

/// What a message has of one header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// Nothing.
    Absent,
    /// One value, without the blanks around it.
    Value(&'a str),
    /// Several values, or one with other than visible ASCII characters, blanks and tabs.
    Unusable,
}

impl<'a> Field<'a> {
    /// Gives the value, where there is one that can be read.
    pub fn value(self) -> Option<&'a str> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Unusable => None,
        }
    }

    /// Reads the value of a header that stands there once.
    pub fn read(bytes: &'a [u8]) -> Self {
        let is_plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
        match std::str::from_utf8(bytes) {
            Ok(text) if bytes.iter().all(is_plain) => Self::Value(text.trim_matches([' ', '\t'])),
            _ => Self::Unusable,
        }
    }
}

/// The headers that a message came with.
pub trait Headers: Any + fmt::Debug + Send + Sync {
    /// Looks a header up, by its name in lower case.
    fn field(&self, name: &str) -> Field<'_>;

    /// Whether a header stands there once and says this; asked where that is what is expected.
    fn says(&self, name: &str, text: &str) -> bool {
        self.field(name) == Field::Value(text)
    }

    /// Reads the header that names the revision; asked for several times.
    fn version(&self) -> VersionHeader {
        VersionHeader::of(self.field(PROTOCOL_VERSION))
    }
}

impl Headers for Vec<(String, String)> {
    fn field(&self, name: &str) -> Field<'_> {
        let mut values = self.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        match (values.next(), values.next()) {
            (None, _) => Field::Absent,
            (Some((_, value)), None) => Field::read(value.as_bytes()),
            (Some(_), Some(_)) => Field::Unusable,
        }
    }
}

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

    /// Reads what a message has of the header; what cannot be read names no revision.
    pub fn of(field: Field<'_>) -> Self {
        match field {
            Field::Absent => Self::Absent,
            Field::Value(value) => Self::read(Some(value)),
            Field::Unusable => Self::Unknown,
        }
    }
}
