use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{
    Skill, SkillError,
    catalog::{Catalog, manifest},
    folder,
};
use crate::server::Listeners;

/// The skills that a server offers: an [extension](crate::extension) of it. Cheap to clone; every clone is the same
/// skills, so that one may be kept to change them while the server runs.
///
/// A file is read once and kept in memory, so that what a client is told of it and what it reads agree. What changes in
/// a folder is offered after [`reload`](Self::reload), and clients that listen are told.
///
/// ```
/// use mcpeer::{
///     server::Server,
///     skills::{Skill, Skills},
/// };
///
/// let skills = Skills::of([Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n")])?;
/// let server = Server::builder("home", "1.0.0").extension(skills).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Skills(Arc<Inner>);

struct Inner {
    sources: Mutex<Vec<Source>>,
    catalog: RwLock<Arc<Catalog>>,
    page_size: AtomicUsize,
    /// Those of the servers that offer these skills.
    listeners: Mutex<Vec<Listeners>>,
}

#[derive(Clone)]
enum Source {
    Folder(PathBuf),
    /// With the path of its folder.
    Made(String, Skill),
}

impl Source {
    fn made(skill: Skill) -> Result<Self, SkillError> {
        Ok(Self::Made(skill.folder()?, skill))
    }

    fn is_made_at(&self, path: &str) -> bool {
        matches!(self, Self::Made(folder, _) if folder == path)
    }
}

impl Skills {
    /// Makes skills of which there are none yet.
    ///
    /// ```
    /// # use mcpeer::skills::Skills;
    /// assert!(Skills::new().uris().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the skills that lie in a folder, each in a folder of its own, which has its name: `NAME/SKILL.md`, and files
    /// beside that. Folders may stand between: `acme/billing/NAME/SKILL.md`. Hidden files are left out.
    ///
    /// It reads while it runs: at the start of a program that does no harm, later do it off the async runtime.
    ///
    /// # Errors
    ///
    /// The folder or a file cannot be read; a `SKILL.md` is none; a skill has more files or bytes than a
    /// [client must take](super::MAX_FILES); there is a link.
    ///
    /// ```no_run
    /// use mcpeer::{server::Server, skills::Skills};
    ///
    /// let server = Server::builder("home", "1.0.0").extension(Skills::folder("skills")?).build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn folder(path: impl Into<PathBuf>) -> Result<Self, SkillError> {
        let skills = Self::new();
        skills.add_folder(path)?;
        Ok(skills)
    }

    /// Makes skills of those that are given.
    ///
    /// # Errors
    ///
    /// One of them is none.
    ///
    /// ```
    /// use mcpeer::skills::{Skill, Skills};
    ///
    /// let skills = Skills::of([Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n")])?;
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    pub fn of(skills: impl IntoIterator<Item = Skill>) -> Result<Self, SkillError> {
        let all = Self::new();
        let made = skills.into_iter().map(Source::made).collect::<Result<Vec<_>, _>>()?;
        all.change(|sources| sources.extend(made))?;
        Ok(all)
    }

    /// Adds a skill, and tells clients of it.
    ///
    /// # Errors
    ///
    /// It is no skill, or there is one at its address. Nothing is changed then.
    ///
    /// ```
    /// use mcpeer::skills::{Skill, Skills};
    ///
    /// let skills = Skills::new();
    /// skills.add(Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n"))?;
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    pub fn add(&self, skill: Skill) -> Result<(), SkillError> {
        let made = Source::made(skill)?;
        self.change(|sources| sources.push(made)).map(drop)
    }

    /// Puts a skill in the place of the one at its address, and tells clients of what has changed.
    ///
    /// # Errors
    ///
    /// It is no skill, or there is none at its address that was [added](Self::add). Nothing is changed then.
    ///
    /// ```
    /// use mcpeer::skills::{Skill, Skills};
    ///
    /// let tidy = |text| Skill::new(format!("---\nname: tidy\ndescription: Tidies up\n---\n{text}\n"));
    /// let skills = Skills::of([tidy("Tidy up.")])?;
    /// skills.replace(tidy("Tidy up now."))?;
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    pub fn replace(&self, skill: Skill) -> Result<(), SkillError> {
        let folder = skill.folder()?;
        let mut is_there = false;
        let place = folder.clone();
        self.change(|sources| {
            for source in sources.iter_mut().filter(|source| source.is_made_at(&place)) {
                (*source, is_there) = (Source::Made(place.clone(), skill.clone()), true);
            }
        })?;
        if is_there { Ok(()) } else { Err(SkillError::new(folder, "no skill was added here: add it")) }
    }

    /// Takes away a skill that was [added](Self::add), by the address of its `SKILL.md`, and tells clients; `false` where
    /// there is none.
    ///
    /// ```
    /// use mcpeer::skills::{Skill, Skills};
    ///
    /// let skills = Skills::of([Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n")])?;
    /// assert!(skills.remove("skill://tidy/SKILL.md")? && !skills.remove("skill://tidy/SKILL.md")?);
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is left cannot be read any more. Nothing is changed then.
    pub fn remove(&self, uri: &str) -> Result<bool, SkillError> {
        let mut is_there = false;
        self.change(|sources| {
            let before = sources.len();
            sources.retain(|source| !matches!(source, Source::Made(folder, _) if manifest(folder) == uri));
            is_there = sources.len() < before;
        })?;
        Ok(is_there)
    }

    /// Adds the skills that lie in a folder, as [`folder`](Self::folder), and tells clients of them.
    ///
    /// # Errors
    ///
    /// As of [`folder`](Self::folder); or there is something at one of their addresses. Nothing is changed then.
    ///
    /// ```
    /// # use mcpeer::skills::Skills;
    /// assert!(Skills::new().add_folder("no/such/folder").is_err());
    /// ```
    pub fn add_folder(&self, path: impl Into<PathBuf>) -> Result<(), SkillError> {
        self.change(|sources| sources.push(Source::Folder(path.into()))).map(drop)
    }

    /// Reads all folders anew, and tells clients of what has changed. Gives the addresses of files that are new, others,
    /// or gone. Requests that are being answered still see what was there before.
    ///
    /// # Errors
    ///
    /// As of [`folder`](Self::folder). What was there before is offered on then.
    ///
    /// ```
    /// # use mcpeer::skills::Skills;
    /// let skills = Skills::new();
    /// assert!(skills.reload()?.is_empty());
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    pub fn reload(&self) -> Result<Vec<String>, SkillError> {
        self.change(|_| ())
    }

    /// Gives the addresses of the skills: of their `SKILL.md`.
    ///
    /// ```
    /// use mcpeer::skills::{Skill, Skills};
    ///
    /// let skills = Skills::of([Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nTidy up.\n")])?;
    /// assert_eq!(skills.uris(), ["skill://tidy/SKILL.md"]);
    /// # Ok::<(), mcpeer::skills::SkillError>(())
    /// ```
    pub fn uris(&self) -> Vec<String> {
        self.catalog().skills.keys().cloned().collect()
    }

    /// Sets how many entries a page has of the list of skills or of a folder; 50 unless set.
    ///
    /// ```
    /// # use mcpeer::skills::Skills;
    /// let skills = Skills::new().page_size(10);
    /// ```
    ///
    /// # Panics
    ///
    /// A page of no entries.
    #[must_use]
    pub fn page_size(self, entries: usize) -> Self {
        assert!(entries > 0, "a page holds at least one entry");
        self.0.page_size.store(entries, Ordering::Relaxed);
        self
    }

    pub(super) fn entries_per_page(&self) -> usize {
        self.0.page_size.load(Ordering::Relaxed)
    }

    pub(super) fn catalog(&self) -> Arc<Catalog> {
        self.0.catalog.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn tell(&self, listeners: Listeners) {
        lock(&self.0.listeners).push(listeners);
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Source>)) -> Result<Vec<String>, SkillError> {
        let mut sources = lock(&self.0.sources);
        let mut changed = sources.clone();
        change(&mut changed);
        let catalog = read(&changed)?;
        *sources = changed;
        let before =
            std::mem::replace(&mut *self.0.catalog.write().unwrap_or_else(PoisonError::into_inner), Arc::new(catalog));
        // Still one after the other, so that the last change told is the last one made.
        let (changes, is_listed_otherwise) = before.changes(&self.catalog());
        for listeners in &*lock(&self.0.listeners) {
            changes.iter().for_each(|uri| listeners.resource_updated(uri));
            if is_listed_otherwise {
                listeners.resources_changed();
            }
        }
        Ok(changes)
    }
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            sources: Mutex::default(),
            catalog: RwLock::default(),
            page_size: AtomicUsize::new(50),
            listeners: Mutex::default(),
        }
    }
}

impl fmt::Debug for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skills").field("uris", &self.uris()).finish_non_exhaustive()
    }
}

fn read(sources: &[Source]) -> Result<Catalog, SkillError> {
    let mut catalog = Catalog::default();
    for source in sources {
        match source {
            Source::Folder(path) => catalog.add(folder::read(path)?, &path.display().to_string())?,
            Source::Made(_, skill) => catalog.add(skill.clone().files()?, "")?,
        }
    }
    Ok(catalog)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
