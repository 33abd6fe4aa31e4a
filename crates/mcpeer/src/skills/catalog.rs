use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use super::{
    SkillError,
    address::{self, SKILL_FILE},
    authored::{self, Files},
    digest, media,
};
use crate::model::{
    Meta,
    extensions::skills::{Skill, SkillResource, SkillResources},
    resources::Resource,
};

/// Everything that is offered at a moment. Whoever answers takes one, so that what stands in an entry and what is read
/// agree, whatever happens to a folder meanwhile.
#[derive(Default)]
pub(super) struct Catalog {
    pub(super) skills: BTreeMap<String, Arc<Skill>>,
    pub(super) files: BTreeMap<String, Arc<File>>,
    /// What is in each folder.
    pub(super) folders: BTreeMap<String, BTreeMap<String, Resource>>,
}

/// A file of a skill.
#[derive(PartialEq)]
pub(super) struct File {
    pub(super) resource: Resource,
    pub(super) content: Content,
    digest: String,
}

#[derive(PartialEq)]
pub(super) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Catalog {
    /// Adds the files of some skills. `shown` stands before their paths in errors.
    pub(super) fn add(&mut self, files: Files, shown: &str) -> Result<(), SkillError> {
        let show = |path: &str| if shown.is_empty() { path.to_owned() } else { format!("{shown}/{path}") };
        let mut entries = Vec::new();
        for (path, content) in &files {
            let Some(folder) = path.strip_suffix(SKILL_FILE).and_then(|path| path.strip_suffix('/')) else { continue };
            let (members, frontmatter) = authored::head(&show(path), content)?;
            authored::check_name(&show(path), &frontmatter.name)?;
            let name = address::last(folder);
            if frontmatter.name != name {
                let reason = format!(
                    "its frontmatter has the name `{}`, its folder `{name}`: make them the same",
                    frontmatter.name
                );
                return Err(SkillError::new(show(path), reason));
            }
            entries.push((folder.to_owned(), members, frontmatter));
        }
        for (path, content) in files {
            let uri = uri(&path);
            if self.files.contains_key(&uri) {
                return Err(SkillError::new(show(&path), format!("something else is at `{uri}`: rename one")));
            }
            self.files.insert(uri.clone(), Arc::new(File::new(&path, uri, content)));
            self.add_to_folders(&path);
        }
        for (folder, members, frontmatter) in entries {
            let uri = manifest(&folder);
            self.describe(&uri, &members);
            let listed = self.within(&uri[..uri.len() - SKILL_FILE.len()]);
            let listed = listed.map(|(uri, file)| SkillResource::new(uri, &*file.digest, file.len())).collect();
            let skill = Skill::new(&*uri, frontmatter, SkillResources::Listed(listed));
            self.skills.insert(uri, Arc::new(skill));
        }
        Ok(())
    }

    /// Gives the files whose addresses begin with this.
    pub(super) fn within(&self, start: &str) -> impl Iterator<Item = (&str, &Arc<File>)> {
        let from = self.files.range(start.to_owned()..);
        from.take_while(move |(uri, _)| uri.starts_with(start)).map(|(uri, file)| (&**uri, file))
    }

    /// Gives the addresses of files that are others in a later catalog, or are not there in one of both; and whether the
    /// list of resources is another one, too.
    pub(super) fn changes(&self, later: &Self) -> (Vec<String>, bool) {
        let is_same = |uri: &str| matches!((self.files.get(uri), later.files.get(uri)), (Some(a), Some(b)) if a == b);
        let added = later.files.keys().filter(|uri| !self.files.contains_key(*uri));
        let changed: Vec<String> = self.files.keys().chain(added).filter(|uri| !is_same(uri)).cloned().collect();
        let is_listed_as = |(a, b): (&Arc<File>, &Arc<File>)| a.resource == b.resource;
        let is_listed_alike =
            self.files.len() == later.files.len() && self.files.values().zip(later.files.values()).all(is_listed_as);
        (changed, !is_listed_alike)
    }

    /// Has each folder on the way to a file know what is in it.
    fn add_to_folders(&mut self, path: &str) {
        let mut child = self.files[&uri(path)].resource.clone();
        let mut rest = path;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            let folder_uri = uri(folder);
            let of_folder = Resource::new(&*folder_uri, address::last(folder)).mime_type(media::DIRECTORY);
            self.folders.entry(folder_uri).or_default().insert(child.uri.clone(), child);
            (child, rest) = (of_folder, folder);
        }
    }

    /// Has the resource of a `SKILL.md` say what stands at the head of it.
    fn describe(&mut self, uri: &str, members: &Map<String, Value>) {
        let Some(file) = self.files.get_mut(uri).and_then(Arc::get_mut) else { return };
        let resource = &mut file.resource;
        let text = |name: &str| members.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        resource.name = text("name");
        resource.description = Some(text("description"));
        let more = members.iter().filter(|(name, _)| !matches!(&***name, "name" | "description") && is_key(name));
        let more: Vec<_> = more.map(|(name, value)| (format!("{META}{name}"), value.clone())).collect();
        if !more.is_empty() {
            let mut meta = Meta::new();
            more.into_iter().for_each(|(name, value)| meta.insert(name, value));
            resource.meta = Some(meta);
        }
        let described = resource.clone();
        let folder = address::directory(uri).and_then(|folder| self.folders.get_mut(folder));
        folder.into_iter().for_each(|folder| drop(folder.insert(uri.to_owned(), described.clone())));
    }
}

impl File {
    fn new(path: &str, uri: String, content: Vec<u8>) -> Self {
        let name = address::last(path);
        let (size, digest) = (content.len() as u64, digest::of(&content));
        let content = String::from_utf8(content).map_or_else(|error| Content::Bytes(error.into_bytes()), Content::Text);
        let mime_type = media::of(name, matches!(content, Content::Text(_)));
        Self { resource: Resource::new(uri, name).mime_type(mime_type).size(size), content, digest }
    }

    fn len(&self) -> u64 {
        match &self.content {
            Content::Text(text) => text.len() as u64,
            Content::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

/// Gives the address of the `SKILL.md` in a folder, by its path from the root of all skills.
pub(super) fn manifest(folder: &str) -> String {
    uri(&format!("{folder}/{SKILL_FILE}"))
}

/// Gives the address of a file or a folder, by its path from the root of all skills.
fn uri(path: &str) -> String {
    format!("skill://{}", path.split('/').map(address::encode).collect::<Vec<_>>().join("/"))
}

/// Whether this can follow the prefix of a name in `_meta`.
fn is_key(name: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_edge(name.chars().next())
        && is_edge(name.chars().last())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

const META: &str = "io.modelcontextprotocol.skills/";
