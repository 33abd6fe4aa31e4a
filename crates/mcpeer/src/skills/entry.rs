//! What an entry of a skill must be, before anything of it is read.

use std::collections::HashSet;

use super::{address, digest};
use crate::model::extensions::skills::{Skill, SkillResources};

/// How much of a skill a client takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) files: usize,
    pub(super) bytes: u64,
    pub(super) is_dynamic_taken: bool,
}

/// Gives the folder of a skill whose entry is what the extension asks for.
pub(super) fn check<'a>(skill: &'a Skill, bounds: &Bounds) -> Result<&'a str, String> {
    let uri = &skill.uri;
    let directory = address::directory(uri).filter(|directory| address::is_within(directory, uri));
    let Some(directory) = directory else { return Err(format!("`{uri}` is not the address of a `SKILL.md`")) };
    let (name, folder) = (&skill.frontmatter.name, address::last(directory));
    if name != folder {
        return Err(format!(
            "the skill `{uri}` has the name {name:?} in its frontmatter, and {folder:?} in its address"
        ));
    }
    let files = match &skill.resources {
        SkillResources::Listed(files) => files,
        SkillResources::Dynamic if bounds.is_dynamic_taken => return Ok(directory),
        SkillResources::Dynamic => {
            return Err(format!(
                "nothing can be verified of the skill `{uri}`, whose files are made when they are read: call \
                 `take_dynamic` if that will do"
            ));
        }
    };
    if files.len() > bounds.files {
        let reason = format!("the skill `{uri}` has {} files, and {} are taken", files.len(), bounds.files);
        return Err(reason + ": raise `max_files`");
    }
    let mut seen = HashSet::new();
    for file in files {
        let (place, sum) = (&file.uri, &file.digest);
        if !address::is_within(directory, place) {
            return Err(format!("the skill `{uri}` lists the file `{place}`, which is not in its folder"));
        }
        if !seen.insert(place) {
            return Err(format!("the skill `{uri}` lists the file `{place}` twice"));
        }
        if !digest::is_well_formed(sum) {
            return Err(format!("the skill `{uri}` lists the file `{place}` with {sum:?}, which is no digest"));
        }
    }
    if !seen.contains(uri) {
        return Err(format!("the skill `{uri}` does not list its own `SKILL.md`"));
    }
    let bytes = files.iter().fold(0_u64, |bytes, file| bytes.saturating_add(file.size));
    if bytes > bounds.bytes {
        let reason = format!("the skill `{uri}` has {bytes} bytes, and {} are taken", bounds.bytes);
        return Err(reason + ": raise `max_bytes`");
    }
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::extensions::skills::{Frontmatter, SkillResource};

    const BOUNDS: Bounds = Bounds { files: 3, bytes: 100, is_dynamic_taken: false };

    fn skill(uri: &str, files: &[(&str, u64)]) -> Skill {
        let listed = files.iter().map(|(uri, size)| SkillResource::new(*uri, digest::of(b""), *size));
        Skill::new(uri, Frontmatter::new("a", "Does a"), listed.collect::<Vec<_>>())
    }

    #[test]
    fn an_entry_names_its_own_files_once_and_within_bounds() {
        let good = skill("skill://x/a/SKILL.md", &[("skill://x/a/SKILL.md", 40), ("skill://x/a/b/c.md", 60)]);
        assert_eq!(check(&good, &BOUNDS), Ok("skill://x/a"));
        let own = ("skill://a/SKILL.md", 1);
        for (bad, reason) in [
            (skill("skill://a/README.md", &[]), "is not the address of a `SKILL.md`"),
            (skill("SKILL.md", &[]), "is not the address of a `SKILL.md`"),
            (skill("skill://b/SKILL.md", &[]), "has the name \"a\" in its frontmatter, and \"b\" in its address"),
            (skill("skill://a/SKILL.md", &[]), "does not list its own `SKILL.md`"),
            (skill("skill://a/SKILL.md", &[own, own]), "twice"),
            (skill("skill://a/SKILL.md", &[own, ("skill://b/c", 1)]), "which is not in its folder"),
            (skill("skill://a/SKILL.md", &[own, ("skill://a/../b", 1)]), "which is not in its folder"),
            (skill("skill://a/SKILL.md", &[own, ("file:///etc/passwd", 1)]), "which is not in its folder"),
            (skill("skill://a/SKILL.md", &[own, ("skill://a/b", 100)]), "has 101 bytes, and 100 are taken"),
            (skill("skill://a/SKILL.md", &[own, ("skill://a/b", u64::MAX)]), "bytes, and 100 are taken"),
            (skill("skill://a/SKILL.md", &[own; 4]), "has 4 files, and 3 are taken"),
        ] {
            let found = check(&bad, &BOUNDS).unwrap_err();
            assert!(found.contains(reason), "{found}");
        }
        let mut undigested = good;
        undigested.resources = vec![SkillResource::new("skill://x/a/SKILL.md", "md5:00", 1_u64)].into();
        assert!(check(&undigested, &BOUNDS).unwrap_err().contains("which is no digest"));
    }

    #[test]
    fn what_cannot_be_verified_is_taken_only_by_who_says_so() {
        let mut dynamic = skill("skill://a/SKILL.md", &[]);
        dynamic.resources = SkillResources::Dynamic;
        assert!(check(&dynamic, &BOUNDS).unwrap_err().contains("`take_dynamic`"));
        assert_eq!(check(&dynamic, &Bounds { is_dynamic_taken: true, ..BOUNDS }), Ok("skill://a"));
    }
}
