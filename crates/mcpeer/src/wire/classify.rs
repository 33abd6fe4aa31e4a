//! Which era a message claims.

use crate::{
    rpc::RawRef,
    version::{Era, Revision},
};

use super::meta;

/// What a message says about its era.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: the stateful era, unless the connection knows better.
    None,
    /// A revision of the stateless era that this crate knows.
    Modern(Revision),
    /// The stateless era, at a version that is none of that era, or that is unknown.
    Unserved {
        /// The version, as it stands there.
        requested: String,
    },
    /// The stateless era, with a version that is no string.
    NotAString,
}

impl Claim {
    /// Reads the value of the version's key.
    pub(super) fn read(value: RawRef<'_>) -> Self {
        let Some(text) = value.as_string() else { return Self::NotAString };
        match text.parse::<Revision>() {
            Ok(revision) if revision.era() == Era::Modern => Self::Modern(revision),
            _ => Self::Unserved { requested: text.into_owned() },
        }
    }

    /// Gives the version that is claimed, as it stands there; `None` where there is none that is a string.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::Modern(revision) => Some(revision.as_str()),
            Self::Unserved { requested } => Some(requested),
            Self::None | Self::NotAString => None,
        }
    }

    /// Whether the message claims the stateless era, well or badly.
    pub fn is_some(&self) -> bool {
        *self != Self::None
    }
}

/// Reads the claim of a message out of its params.
///
/// A message claims the stateless era exactly when its `_meta` has the key of the protocol version, of whatever type;
/// no other key claims anything.
pub fn classify(params: Option<RawRef<'_>>) -> Claim {
    params
        .and_then(|params| params.member("_meta"))
        .and_then(|meta| meta.member(meta::PROTOCOL_VERSION))
        .map_or(Claim::None, Claim::read)
}
