use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    MAX_BYTES, MAX_FILES, SkillError,
    address::{self, SKILL_FILE},
    frontmatter,
    limits::MAX_DEPTH,
};
use crate::model::extensions::skills::Frontmatter;

/// A skill that is made by the program: its `SKILL.md`, and files beside it.
///
/// ```
/// use mcpeer::skills::{Skill, Skills};
///
/// let tidy = Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nFollow `rules/kitchen.md`.\n")
///     .file("rules/kitchen.md", "Wash the dishes.");
/// let skills = Skills::of([tidy])?;
/// assert_eq!(skills.uris(), ["skill://tidy/SKILL.md"]);
/// # Ok::<(), mcpeer::skills::SkillError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Skill {
    prefix: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Skill {
    /// Makes a skill from the text of its `SKILL.md`, which begins with frontmatter: YAML between two lines of three
    /// hyphens, with `name` and `description`.
    ///
    /// ```
    /// # use mcpeer::skills::Skill;
    /// let tidy = Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n");
    /// # let _ = tidy;
    /// ```
    pub fn new(text: impl Into<String>) -> Self {
        Self { prefix: String::new(), files: vec![(SKILL_FILE.to_owned(), text.into().into_bytes())] }
    }

    /// Adds a file, by its path from the skill's folder, with `/` between its parts.
    ///
    /// ```
    /// # use mcpeer::skills::Skill;
    /// let tidy = Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nLook at the picture.\n")
    ///     .file("pictures/kitchen.png", [0x89, b'P', b'N', b'G']);
    /// # let _ = tidy;
    /// ```
    #[must_use]
    pub fn file(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), content.into()));
        self
    }

    /// Puts the skill under a path of your choice: `acme/billing` makes `skill://acme/billing/NAME/SKILL.md`.
    ///
    /// ```
    /// use mcpeer::skills::{Skill, Skills};
    ///
    /// let tidy = Skill::new("---\nname: tidy\ndescription: Tidies up\n---\n").under("acme/home");
    /// assert_eq!(Skills::of([tidy])?.uris(), ["skill://acme/home/tidy/SKILL.md"]);
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    #[must_use]
    pub fn under(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Gives the path of its folder from the root of all skills.
    pub(super) fn folder(&self) -> Result<String, SkillError> {
        let (members, _) = head(SKILL_FILE, &self.files[0].1)?;
        let name = members.get("name").and_then(Value::as_str).unwrap_or_default();
        check_name(SKILL_FILE, name)?;
        Ok(if self.prefix.is_empty() { name.to_owned() } else { format!("{}/{name}", self.prefix) })
    }

    /// Gives its files by their paths from the root of all skills.
    pub(super) fn files(self) -> Result<Files, SkillError> {
        let folder = self.folder()?;
        let mut files = Files::new();
        for (path, content) in self.files {
            let path = format!("{folder}/{path}");
            let parts: Vec<&str> = path.split('/').collect();
            if parts.len() > MAX_DEPTH || !parts.iter().all(|part| address::is_plain(part)) {
                let reason = "this is no path from the skill's folder: write names with `/` between them";
                return Err(SkillError::new(path, reason));
            }
            if files.contains_key(&path) {
                return Err(SkillError::new(path, "it is given twice: leave one out"));
            }
            files.insert(path, content);
        }
        check_limits(&folder, files.len(), files.values().map(|content| content.len() as u64).sum())?;
        Ok(files)
    }
}

/// Files by their paths from the root of all skills.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// Reads what stands at the head of a `SKILL.md`, as it is written and as what it means.
pub(super) fn head(file: &str, content: &[u8]) -> Result<(Map<String, Value>, Frontmatter), SkillError> {
    let wrong = |reason: String| SkillError::new(file, reason);
    let text = std::str::from_utf8(content).map_err(|_| wrong("it is no UTF-8: save it as that".to_owned()))?;
    let members = frontmatter::read(text).map_err(wrong)?;
    for (name, limit) in [("name", 64), ("description", 1024)] {
        let Some(value) = members.get(name) else {
            return Err(wrong(format!("its frontmatter has no `{name}`: write `{name}: …`")));
        };
        if !value.as_str().is_some_and(|text| (1..=limit).contains(&text.chars().count())) {
            return Err(wrong(format!("the `{name}` in its frontmatter must be a text of 1 to {limit} characters")));
        }
    }
    for name in ["license", "compatibility", "allowed-tools"] {
        if members.get(name).is_some_and(|value| !value.is_string()) {
            return Err(wrong(format!("the `{name}` in its frontmatter must be a text: write it in quotes")));
        }
    }
    if let Some(metadata) = members.get("metadata") {
        let texts = metadata.as_object().filter(|metadata| metadata.values().all(Value::is_string));
        let Some(texts) = texts else {
            let reason = "the `metadata` in its frontmatter must map names to texts: write numbers in quotes, too";
            return Err(wrong(reason.to_owned()));
        };
        if let Some(key) = texts.keys().find(|key| key.starts_with(RESERVED)) {
            tracing::warn!(file, key, "this name in the metadata of a skill is for extensions of the protocol");
        }
    }
    let decoded = serde_json::from_value(Value::Object(members.clone()))
        .map_err(|error| wrong(format!("its frontmatter does not fit: {error}")))?;
    Ok((members, decoded))
}

/// Checks that a skill may have this name.
pub(super) fn check_name(file: &str, name: &str) -> Result<(), SkillError> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.is_empty() && name.chars().all(is_allowed) && !name.split('-').any(str::is_empty) {
        return Ok(());
    }
    let rule = "use lower-case letters and digits, with single hyphens between them";
    Err(SkillError::new(file, format!("a skill cannot have the name {name:?}: {rule}")))
}

/// Checks that a skill is not too large.
pub(super) fn check_limits(folder: &str, files: usize, bytes: u64) -> Result<(), SkillError> {
    if files > MAX_FILES {
        return Err(SkillError::new(folder, format!("a skill has at most {MAX_FILES} files: leave some out")));
    }
    if bytes > MAX_BYTES {
        return Err(SkillError::new(folder, format!("the files of a skill have at most {MAX_BYTES} bytes together")));
    }
    Ok(())
}

const RESERVED: &str = "io.modelcontextprotocol/";
