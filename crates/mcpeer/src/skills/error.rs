use std::{fmt, io};

/// Why a skill cannot be offered: which file it is about, and what to do.
///
/// ```
/// use mcpeer::skills::{Skill, Skills};
///
/// let error = Skills::of([Skill::new("# Tidy")]).unwrap_err();
/// let message = "`SKILL.md`: it does not begin with frontmatter: write `---`, `name: …`, `description: …`, `---` there";
/// assert_eq!((error.file(), &*error.to_string()), ("SKILL.md", message));
/// ```
#[derive(Debug)]
pub struct SkillError {
    file: String,
    reason: String,
    source: Option<io::Error>,
}

impl SkillError {
    pub(super) fn new(file: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { file: file.into(), reason: reason.into(), source: None }
    }

    pub(super) fn unreadable(file: impl Into<String>, source: io::Error) -> Self {
        let reason = "it cannot be read".to_owned();
        Self { file: file.into(), reason, source: Some(source) }
    }

    /// Gives the file or the folder.
    ///
    /// ```
    /// # use mcpeer::skills::Skills;
    /// assert_eq!(Skills::folder("no/such/folder").unwrap_err().file(), "no/such/folder");
    /// ```
    pub fn file(&self) -> &str {
        &self.file
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.file, self.reason)
    }
}

impl std::error::Error for SkillError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
