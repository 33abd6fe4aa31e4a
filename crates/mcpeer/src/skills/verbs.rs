use std::collections::HashSet;

use super::{LoadSkill, mismatch};
use crate::{
    client::{Client, List},
    error::{Error, Result},
    model::{
        Request,
        extensions::skills::{Capability, Get, GetParams, IDENTIFIER, ReadDirectory, ReadDirectoryParams, Skill},
        resources::Resource,
    },
};

/// What a client asks of a server that has skills. The others refuse before anything is sent, where the server does not
/// declare them.
impl Client {
    /// Gives the list of the server's skills, to be asked for. No file of a skill is read. Entries that are none are left
    /// out; a list that is empty does not prove that there are no skills.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// for skill in client.skills().all().await? {
    ///     println!("{}: {}", skill.frontmatter.name, skill.frontmatter.description);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn skills(&self) -> List<Skill> {
        List::new(self.clone())
    }

    /// Asks for the entry of one skill, by the address of its `SKILL.md`, listed or not. No file of it is read.
    ///
    /// # Errors
    ///
    /// The server does not declare that it has skills, or has none there.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let tidy = client.skill("skill://tidy/SKILL.md").await?;
    /// println!("{} files", tidy.resources.listed().len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn skill(&self, uri: impl AsRef<str>) -> Result<Skill> {
        capability(self)?;
        let uri = uri.as_ref();
        let skill = self.request::<Get>(GetParams::new(uri)).no_cache().await?.skill;
        if skill.uri == uri {
            return Ok(skill);
        }
        Err(mismatch::invalid(Get::METHOD, format!("the skill `{}` was given for `{uri}`", skill.uri)))
    }

    /// Begins to load a skill, by its entry: reads its `SKILL.md`, and verifies that it is what the entry says.
    ///
    /// # Errors
    ///
    /// The entry is not what the extension asks for, or too large; the file could not be read, or is
    /// [not what the entry says](super::Mismatch).
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// let entry = client.skill("skill://tidy/SKILL.md").await?;
    /// let tidy = client.load_skill(&entry).await?;
    /// println!("{}", tidy.text());
    /// # Ok(())
    /// # }
    /// ```
    pub fn load_skill(&self, entry: &Skill) -> LoadSkill {
        LoadSkill::new(self.clone(), entry.clone())
    }

    /// Asks for what is in a folder, page by page to the end: its files, and its folders, whose media type is
    /// `inode/directory`. It tells what is there now: what the entry of a skill does not list is not of that skill.
    ///
    /// # Errors
    ///
    /// The server does not declare that folders can be read, or has none there; the list does not end.
    ///
    /// ```
    /// # use mcpeer::client::Client;
    /// # async fn example(client: &Client) -> mcpeer::error::Result<()> {
    /// for found in client.read_directory("skill://tidy/rules").await? {
    ///     println!("{}", found.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read_directory(&self, uri: impl Into<String>) -> Result<Vec<Resource>> {
        if capability(self)?.directory_read != Some(true) {
            return Err(Error::misuse("the server does not declare that its folders can be read"));
        }
        let mut params = ReadDirectoryParams::new(uri);
        let (mut found, mut cursors) = (Vec::new(), HashSet::new());
        loop {
            let page = self.request::<ReadDirectory>(&params).await?;
            found.extend(page.resources);
            let Some(cursor) = page.next_cursor else { return Ok(found) };
            if cursors.len() >= MAX_PAGES || !cursors.insert(cursor.clone()) {
                let reason = format!("the list of what is in `{}` does not end", params.uri);
                return Err(mismatch::invalid(ReadDirectory::METHOD, reason));
            }
            params.cursor = Some(cursor);
        }
    }
}

fn capability(client: &Client) -> Result<Capability> {
    match client.server_extension(IDENTIFIER) {
        Some(declared) => Ok(declared.decode().unwrap_or_default()),
        None => Err(Error::misuse(format!("the server does not declare the extension `{IDENTIFIER}`"))),
    }
}

const MAX_PAGES: usize = 1000;
