//! Skills that lie in a folder.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use super::{
    MAX_BYTES, SkillError,
    address::{self, SKILL_FILE},
    authored::{Files, check_limits},
    limits::MAX_DEPTH,
};

/// Reads every file of every skill that lies in a folder.
pub(super) fn read(root: &Path) -> Result<Files, SkillError> {
    let shown = root.display().to_string();
    // The folder itself may be reached by a link; what is in it may not lead out of it.
    let root = root.canonicalize().map_err(|error| SkillError::unreadable(&shown, error))?;
    if root.join(SKILL_FILE).is_file() {
        return Err(SkillError::new(shown, "this folder is a skill itself: name the folder that it lies in"));
    }
    let mut files = Files::new();
    Walk { root, shown, files: &mut files }.folder(&mut Vec::new(), None)?;
    Ok(files)
}

struct Walk<'a> {
    root: PathBuf,
    shown: String,
    files: &'a mut Files,
}

/// How much of the outermost skill was read.
struct Skill {
    folder: String,
    files: usize,
    bytes: u64,
}

impl Walk<'_> {
    /// Reads a folder, by the names that lead to it.
    fn folder(&mut self, path: &mut Vec<String>, skill: Option<&mut Skill>) -> Result<(), SkillError> {
        if path.len() >= MAX_DEPTH {
            return Err(self.wrong(path, format!("folders may nest {MAX_DEPTH} deep: move it up")));
        }
        let names = self.names(path)?;
        let is_skill = names.iter().any(|(name, _)| name == SKILL_FILE);
        let mut own = Skill { folder: self.show(path), files: 0, bytes: 0 };
        let mut skill = match skill {
            Some(skill) => Some(skill),
            None => is_skill.then_some(&mut own),
        };
        for (name, kind) in names {
            path.push(name);
            match skill.as_deref_mut() {
                skill if kind.is_dir() => self.folder(path, skill)?,
                Some(skill) => self.file(path, kind, skill)?,
                None => self.outside(path, kind)?,
            }
            path.pop();
        }
        Ok(())
    }

    /// Gives what is in a folder, in order; hidden files and folders are left out.
    fn names(&self, path: &[String]) -> Result<Vec<(String, fs::FileType)>, SkillError> {
        let unreadable = |error| SkillError::unreadable(self.show(path), error);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.place(path)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else {
                let file = format!("{}/{}", self.show(path), entry.file_name().to_string_lossy());
                return Err(SkillError::new(file, "its name is no UTF-8: rename it"));
            };
            if name.starts_with('.') {
                continue;
            }
            if !address::is_plain(&name) {
                let reason = "its name is none that every system can have: rename it";
                return Err(SkillError::new(format!("{}/{name}", self.show(path)), reason));
            }
            names.push((name, kind));
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(names)
    }

    fn file(&mut self, path: &[String], kind: fs::FileType, skill: &mut Skill) -> Result<(), SkillError> {
        if !kind.is_file() {
            return Err(self.wrong(path, LINK));
        }
        let unreadable = |error| SkillError::unreadable(self.show(path), error);
        let file = fs::File::open(self.place(path)).map_err(unreadable)?;
        let mut content = Vec::new();
        // Never more than one byte beyond what may be there, whatever the file says of its length.
        file.take(MAX_BYTES - skill.bytes + 1).read_to_end(&mut content).map_err(unreadable)?;
        skill.files += 1;
        skill.bytes += content.len() as u64;
        check_limits(&skill.folder, skill.files, skill.bytes)?;
        self.files.insert(path.join("/"), content);
        Ok(())
    }

    /// Looks at a file that belongs to no skill: it is of no interest, unless it was meant to make one.
    fn outside(&self, path: &[String], kind: fs::FileType) -> Result<(), SkillError> {
        if path.last().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE)) {
            return Err(self.wrong(path, format!("rename it `{SKILL_FILE}`")));
        }
        if kind.is_symlink() && self.place(path).is_dir() {
            return Err(self.wrong(path, LINK));
        }
        Ok(())
    }

    fn place(&self, path: &[String]) -> PathBuf {
        path.iter().fold(self.root.clone(), |place, name| place.join(name))
    }

    fn show(&self, path: &[String]) -> String {
        [&self.shown].into_iter().chain(path).map(String::as_str).collect::<Vec<_>>().join("/")
    }

    fn wrong(&self, path: &[String], reason: impl Into<String>) -> SkillError {
        SkillError::new(self.show(path), reason)
    }
}

const LINK: &str = "only files and folders can be here, no links: put what it leads to here";
