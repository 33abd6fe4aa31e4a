//! Addresses of skills and of their files.

use std::borrow::Cow;

/// The file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// Gives the folder of a skill, by the address of its `SKILL.md`.
pub(super) fn directory(uri: &str) -> Option<&str> {
    uri.strip_suffix(SKILL_FILE)?.strip_suffix('/')
}

/// Gives the last part of an address.
pub(super) fn last(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or(uri)
}

/// Whether a file lies in a folder, by their addresses, and by no detour.
pub(super) fn is_within(directory: &str, uri: &str) -> bool {
    let Some(path) = uri.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')) else { return false };
    !path.contains(['?', '#', '\\']) && path.split('/').all(|part| is_plain(&decode(part)))
}

/// Gives the address of a file, by a reference that stands in a skill: its address, or its path from the skill's folder.
/// `None` where it leads out of the folder.
pub(super) fn resolve(directory: &str, reference: &str) -> Option<String> {
    if is_within(directory, reference) {
        return Some(reference.to_owned());
    }
    let mut parts = Vec::new();
    for part in reference.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part if is_plain(part) => parts.push(encode(part)),
            _ => return None,
        }
    }
    Some(format!("{directory}/{}", parts.join("/")))
}

/// Writes the name of a file or a folder as a part of an address.
pub(super) fn encode(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Reads a part of an address; what is not encoded well stands for itself.
fn decode(part: &str) -> Cow<'_, str> {
    if !part.contains('%') {
        return part.into();
    }
    let bytes = part.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16)).map(|digit| digit as u8);
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned().into()
}

/// Whether a file or a folder may have this name.
pub(super) fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_skill_is_its_address_without_the_file() {
        assert_eq!(directory("skill://acme/refunds/SKILL.md"), Some("skill://acme/refunds"));
        assert_eq!(last("skill://acme/refunds"), "refunds");
        for other in ["skill://tidy/skill.md", "skill://tidy", "SKILL.md", "skill://tidy/OTHERSKILL.md"] {
            assert_eq!(directory(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_lies_in_a_folder_by_no_detour() {
        for inside in ["skill://a/SKILL.md", "skill://a/b/c.md", "skill://a/b%20c.md", "skill://a/..b", "skill://a/%zz"]
        {
            assert!(is_within("skill://a", inside), "{inside}");
        }
        for outside in [
            "skill://a",
            "skill://a/",
            "skill://ab/c",
            "skill://b/c",
            "file:///etc/passwd",
            "skill://a/../b",
            "skill://a/b/../../c",
            "skill://a/%2e%2E/b",
            "skill://a/b%2F..%2Fc",
            "skill://a/b\\c",
            "skill://a/b%5Cc",
            "skill://a/%00",
            "skill://a//b",
            "skill://a/./b",
            "skill://a/b?c",
            "skill://a/b#c",
        ] {
            assert!(!is_within("skill://a", outside), "{outside}");
        }
    }

    #[test]
    fn a_reference_is_an_address_or_a_path_from_the_folder() {
        for (reference, uri) in [
            ("skill://a/b.md", "skill://a/b.md"),
            ("b.md", "skill://a/b.md"),
            ("./b/c d.md", "skill://a/b/c%20d.md"),
            ("b/../c.md", "skill://a/c.md"),
        ] {
            assert_eq!(resolve("skill://a", reference).as_deref(), Some(uri), "{reference}");
        }
        for outside in ["../b", "b/../../c", "/etc/passwd", "", "b//c", "b\\c"] {
            assert_eq!(resolve("skill://a", outside), None, "{outside}");
        }
    }

    #[test]
    fn names_are_written_so_that_they_are_one_part_of_an_address() {
        assert_eq!(encode("ä b:c@d?.md"), "%C3%A4%20b%3Ac%40d%3F.md");
        assert_eq!(decode(&encode("ä b:c@d?.md")), "ä b:c@d?.md");
    }
}
