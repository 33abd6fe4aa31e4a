//! How short the examples are: those of README.md, and the programs.

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

/// Finds the longest example, by its lines that are not blank.
pub(crate) fn longest(workspace: &Workspace) -> Outcome<Measured> {
    let mut longest = Measured { value: 0, detail: String::new() };
    for name in workspace.stories("mcpeer")? {
        let value = lines(workspace, &name)?.len();
        if value > longest.value {
            longest = Measured { value, detail: name };
        }
    }
    Ok(longest)
}

/// Counts the lines of the transport of one's own that are not blank, imports included and its use left out.
pub(crate) fn transport(workspace: &Workspace) -> Outcome<Measured> {
    let lines = lines(workspace, "custom_transport")?;
    let end = lines.iter().position(|line| line == "#[cfg(unix)]");
    let value = end.ok_or("the example custom_transport has no line `#[cfg(unix)]` before its main function")?;
    Ok(Measured { value, detail: String::new() })
}

/// Reads the lines of an example that are not blank.
fn lines(workspace: &Workspace, name: &str) -> Outcome<Vec<String>> {
    let path = workspace.root.join(format!("crates/mcpeer/examples/{name}.rs"));
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}
