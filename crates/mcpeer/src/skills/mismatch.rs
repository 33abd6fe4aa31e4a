use std::{borrow::Cow, error::Error as StdError, fmt};

use crate::{
    error::Error,
    model::{Request, resources::Read},
    proto::io::Failure,
};

/// What was read of a skill is not what its entry says: it was changed meanwhile, or something lies. It is the source
/// of the [`Error`] then, and nothing of what was read is given out.
///
/// ```
/// use mcpeer::{client::Client, model::extensions::skills::Skill, skills::Mismatch};
///
/// async fn load(client: &Client, skill: &Skill) -> mcpeer::error::Result<String> {
///     match client.load_skill(skill).await {
///         Err(error) if Mismatch::of(&error).is_some() => {
///             // The user approved of what it was.
///             let now = client.skill(&skill.uri).await?;
///             Err(error)
///         }
///         loaded => Ok(loaded?.text().to_owned()),
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The address of the file.
    pub file: String,
    /// What differs: `content`, `size`, `digest`, or `frontmatter.` and the name of a member.
    pub what: Cow<'static, str>,
    /// What the entry says.
    pub expected: String,
    /// What it is.
    pub found: String,
}

impl Mismatch {
    /// Gives the mismatch that an error tells of; `None` where it is about something else.
    ///
    /// ```
    /// use mcpeer::{error::Error, skills::Mismatch};
    ///
    /// assert!(Mismatch::of(&Error::misuse("name a file")).is_none());
    /// ```
    pub fn of(error: &Error) -> Option<&Self> {
        error.source()?.downcast_ref()
    }

    /// Gives the error that tells of it.
    pub(super) fn into_error(self) -> Error {
        let Self { file, what, expected, found } = &self;
        let reason = format!("the {what} of `{file}` is {found}, and the entry of its skill says {expected}");
        invalid(Read::METHOD, reason).with_source(self)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("get the skill anew: it has changed, or what serves it lies")
    }
}

impl StdError for Mismatch {}

/// Makes the error of an answer that a server must not give.
pub(super) fn invalid(method: &'static str, reason: String) -> Error {
    Error::failed(method, Failure::Invalid { reason, raw: None })
}
