//! How short the examples of README.md are.

use std::fs;

use super::Measured;
use crate::{Outcome, servers, workspace::Workspace};

/// Counts the lines of the server that is made by the macro.
pub(crate) fn with_macro(workspace: &Workspace) -> Outcome<Measured> {
    server(workspace, true)
}

/// Counts the lines of the server that is made by the builder.
pub(crate) fn without_macro(workspace: &Workspace) -> Outcome<Measured> {
    server(workspace, false)
}

/// Counts the lines of a server that are not blank, imports included.
fn server(workspace: &Workspace, with_macro: bool) -> Outcome<Measured> {
    let path = workspace.root.join("README.md");
    let readme = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let lines = servers::lines(&readme, with_macro).ok_or("README.md shows no such server")?;
    Ok(Measured { value: lines.len(), detail: String::new() })
}
