use std::{
    borrow::Cow,
    fmt,
    future::IntoFuture,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::Value;

use super::{
    MAX_BYTES, MAX_FILES, Mismatch, SkillFile, address, digest,
    entry::{self, Bounds},
    frontmatter,
    mismatch::invalid,
};
use crate::{
    client::Client,
    driver::BoxFuture,
    error::{Error, Result},
    model::{
        Request,
        extensions::skills::{Get, Skill, SkillResource, SkillResources},
        resources::Read,
    },
};

/// A skill that is about to be loaded. [`Client::load_skill`] gives it; awaiting it reads the `SKILL.md`, and no other
/// file.
#[derive(Clone, Debug)]
#[must_use = "nothing is read until it is awaited"]
pub struct LoadSkill {
    client: Client,
    skill: Skill,
    bounds: Bounds,
    timeout: Option<Duration>,
}

impl LoadSkill {
    pub(super) fn new(client: Client, skill: Skill) -> Self {
        let bounds = Bounds { files: MAX_FILES, bytes: MAX_BYTES, is_dynamic_taken: false };
        Self { client, skill, bounds, timeout: None }
    }

    /// Sets how many files the skill may have; [512](MAX_FILES) unless set.
    ///
    /// ```
    /// # use mcpeer::{client::Client, model::extensions::skills::Skill};
    /// # async fn example(client: &Client, skill: &Skill) -> mcpeer::error::Result<()> {
    /// let loaded = client.load_skill(skill).max_files(100).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_files(mut self, files: usize) -> Self {
        self.bounds.files = files;
        self
    }

    /// Sets how many bytes the files of the skill may have together; [16 MiB](MAX_BYTES) unless set.
    ///
    /// ```
    /// # use mcpeer::{client::Client, model::extensions::skills::Skill};
    /// # async fn example(client: &Client, skill: &Skill) -> mcpeer::error::Result<()> {
    /// let loaded = client.load_skill(skill).max_bytes(1 << 20).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.bounds.bytes = bytes;
        self
    }

    /// Takes a skill, too, whose files are made when they are read, though neither their digests nor their sizes can be
    /// verified. An approval of the user cannot be bound to what it says.
    ///
    /// ```
    /// # use mcpeer::{client::Client, model::extensions::skills::Skill};
    /// # async fn example(client: &Client, skill: &Skill) -> mcpeer::error::Result<()> {
    /// let loaded = client.load_skill(skill).take_dynamic().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn take_dynamic(mut self) -> Self {
        self.bounds.is_dynamic_taken = true;
        self
    }

    /// Sets how long to wait for each file; the [client's](crate::client::Builder::timeout) unless set.
    ///
    /// ```
    /// # use mcpeer::{client::Client, model::extensions::skills::Skill};
    /// # async fn example(client: &Client, skill: &Skill) -> mcpeer::error::Result<()> {
    /// let loaded = client.load_skill(skill).timeout(std::time::Duration::from_secs(5)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    async fn load(self) -> Result<LoadedSkill> {
        let checked = entry::check(&self.skill, &self.bounds);
        let directory = checked.map_err(|reason| invalid(Get::METHOD, reason))?.to_owned();
        let inner = Inner {
            client: self.client,
            skill: self.skill,
            directory,
            bounds: self.bounds,
            timeout: self.timeout,
            read: AtomicU64::new(0),
            failed: Mutex::default(),
        };
        let file = inner.fetch(&inner.skill.uri).await?;
        let text = file.into_text().ok_or_else(|| inner.fail(&inner.skill.uri, "content", "text", "bytes"))?;
        inner.check_frontmatter(&text)?;
        Ok(LoadedSkill { inner: Arc::new(inner), text: text.into() })
    }
}

impl IntoFuture for LoadSkill {
    type Output = Result<LoadedSkill>;
    type IntoFuture = BoxFuture<Result<LoadedSkill>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.load())
    }
}

/// A skill whose `SKILL.md` was read and is what its entry says. Cheap to clone.
///
/// It holds the entry: its other files are read against that, each when it is asked for, and a file that the entry does
/// not list is not read. Once a file was not what the entry says, nothing more is read of the skill; get its entry
/// [anew](Client::skill) then, and ask the user again.
///
/// What it says is untrusted: a server wrote it. A digest proves that the entry and the file fit together, nothing more.
///
/// ```
/// use mcpeer::{
///     client::Client,
///     server::Server,
///     skills::{Skill, Skills},
///     transport::memory,
/// };
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let tidy = Skill::new("---\nname: tidy\ndescription: Tidies up\n---\nFollow `rules.md`.\n").file("rules.md", "Smile.");
/// let server = Server::builder("home", "1.0.0").extension(Skills::of([tidy])?).build()?;
/// # let (ours, theirs) = memory::pair();
/// # tokio::spawn(async move { server.serve(theirs).await });
/// let client = Client::builder("host", "1.0.0").connect_with(ours).await?;
///
/// let listed = client.skills().all().await?;
/// let tidy = client.load_skill(&listed[0]).await?;
/// assert!(tidy.text().ends_with("Follow `rules.md`.\n"));
/// assert_eq!(tidy.read("rules.md").await?.text(), Some("Smile."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LoadedSkill {
    inner: Arc<Inner>,
    text: Arc<str>,
}

struct Inner {
    client: Client,
    skill: Skill,
    directory: String,
    bounds: Bounds,
    timeout: Option<Duration>,
    /// How many bytes were read of a skill that does not say how many it has.
    read: AtomicU64,
    /// What was not what the entry says.
    failed: Mutex<Option<Mismatch>>,
}

impl LoadedSkill {
    /// Gives the entry that it was loaded by.
    ///
    /// ```
    /// # use mcpeer::skills::LoadedSkill;
    /// # fn example(tidy: &LoadedSkill) {
    /// println!("{}", tidy.entry().frontmatter.description);
    /// # }
    /// ```
    pub fn entry(&self) -> &Skill {
        &self.inner.skill
    }

    /// Gives its `SKILL.md`.
    ///
    /// ```
    /// # use mcpeer::skills::LoadedSkill;
    /// # fn example(tidy: &LoadedSkill) {
    /// println!("{}", tidy.text());
    /// # }
    /// ```
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads a file of it: by its address, or as its `SKILL.md` refers to it, by its path from the skill's folder.
    ///
    /// # Errors
    ///
    /// The skill has no such file (a [misuse](Error::is_misuse): the server is not asked); the file could not be read, or
    /// is [not what the entry says](Mismatch).
    ///
    /// ```
    /// # use mcpeer::skills::LoadedSkill;
    /// # async fn example(tidy: &LoadedSkill) -> mcpeer::error::Result<()> {
    /// let rules = tidy.read("rules/kitchen.md").await?;
    /// println!("{}", rules.text().unwrap_or("a picture"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read(&self, reference: impl AsRef<str>) -> Result<SkillFile> {
        let (inner, reference) = (&self.inner, reference.as_ref());
        let uri = address::resolve(&inner.directory, reference).ok_or_else(|| {
            Error::misuse(format!("`{reference}` is not in the folder of the skill `{}`", inner.skill.uri))
        })?;
        inner.fetch(&uri).await
    }
}

impl Inner {
    /// Reads a file, if it is one of the skill, and checks it.
    async fn fetch(&self, uri: &str) -> Result<SkillFile> {
        if let Some(mismatch) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(mismatch.into_error());
        }
        let listed = match &self.skill.resources {
            SkillResources::Listed(files) => Some(files.iter().find(|file| file.uri == uri).ok_or_else(|| {
                Error::misuse(format!("the skill `{}` has no file `{uri}`: its entry does not list it", self.skill.uri))
            })?),
            SkillResources::Dynamic => None,
        };
        // What was kept may be older than the entry.
        let mut call = self.client.read(uri).no_cache();
        if let Some(timeout) = self.timeout {
            call = call.timeout(timeout);
        }
        let file = SkillFile::new(uri, call.await?).map_err(|found| self.fail(uri, "content", "one file", found))?;
        match listed {
            Some(listed) => self.check(listed, &file)?,
            None => self.count(&file)?,
        }
        Ok(file)
    }

    fn check(&self, listed: &SkillResource, file: &SkillFile) -> Result<()> {
        let size = file.bytes().len() as u64;
        if size != listed.size {
            return Err(self.fail(&listed.uri, "size", listed.size.to_string(), size.to_string()));
        }
        let found = digest::of(file.bytes());
        if found != listed.digest {
            return Err(self.fail(&listed.uri, "digest", &*listed.digest, found));
        }
        Ok(())
    }

    /// Counts what was read of a skill that does not say how much it has.
    fn count(&self, file: &SkillFile) -> Result<()> {
        let size = file.bytes().len() as u64;
        let read = self.read.fetch_add(size, Ordering::Relaxed).saturating_add(size);
        if read <= self.bounds.bytes {
            return Ok(());
        }
        let (uri, most) = (&self.skill.uri, self.bounds.bytes);
        let reason = format!("the skill `{uri}` has more than the {most} bytes that are taken: raise `max_bytes`");
        Err(invalid(Read::METHOD, reason))
    }

    fn check_frontmatter(&self, text: &str) -> Result<()> {
        let uri = &self.skill.uri;
        let found =
            frontmatter::read(text).map_err(|reason| self.fail(uri, "frontmatter", "something else", reason))?;
        let expected = serde_json::to_value(&self.skill.frontmatter).expect("what came as JSON can be written as that");
        let Value::Object(expected) = expected else { unreachable!("frontmatter is written as an object") };
        match frontmatter::difference(&expected, &found) {
            Some((member, expected, found)) => Err(self.fail(uri, format!("frontmatter.{member}"), expected, found)),
            None => Ok(()),
        }
    }

    /// Has nothing more be read.
    fn fail(
        &self,
        file: &str,
        what: impl Into<Cow<'static, str>>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        let (what, expected, found) = (what.into(), expected.into(), found.into());
        let mismatch = Mismatch { file: file.to_owned(), what, expected, found };
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(mismatch.clone());
        mismatch.into_error()
    }
}

impl fmt::Debug for LoadedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedSkill").field("uri", &self.inner.skill.uri).finish_non_exhaustive()
    }
}
