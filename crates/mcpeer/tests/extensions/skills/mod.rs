//! The extension `io.modelcontextprotocol/skills`.

mod folder;
mod liar;
mod offered;
mod verified;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A folder of its own for a test, empty at first.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("skills").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a file, and the folders on the way to it.
fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

/// The text of a `SKILL.md`.
fn text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}\n---\n\n# {name}\n")
}
