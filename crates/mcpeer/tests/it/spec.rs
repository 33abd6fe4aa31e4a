//! Where the published schemas, examples and messages are.

use std::path::{Path, PathBuf};

/// Finds the published schemas and examples: named by `MCPEER_SPEC_DIR`, beside the checkout, or cloned by
/// `cargo xtask test`.
pub(crate) fn folder() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let candidates = std::env::var_os("MCPEER_SPEC_DIR").map(PathBuf::from).into_iter();
    let mut candidates = candidates.chain([root.join("../shared/spec"), target.join("spec")]);
    candidates.find(|folder| folder.join("schema/2026-07-28/schema.json").is_file())
}

/// Finds a part of the published data, or says on standard error which test was not run for want of it.
pub(crate) fn part(test: &str, part: &str) -> Option<PathBuf> {
    let found = folder().map(|folder| folder.join(part)).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("not run: {test}: the specification's {part} is not there; set MCPEER_SPEC_DIR");
    }
    found
}
