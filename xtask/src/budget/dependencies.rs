//! What a user has to build, and what a call allocates.

use std::collections::BTreeSet;

use super::Measured;
use crate::{Outcome, command, workspace::Workspace};

/// Counts what the core depends on by itself. Anything but serde and serde_json counts as too many.
pub(crate) fn direct_of_core(workspace: &Workspace) -> Outcome<Measured> {
    let names = tree(workspace, &["--no-default-features", "--depth", "1"])?;
    let strangers = names.iter().filter(|name| !["serde", "serde_json"].contains(&name.as_str())).count();
    let value = if strangers > 0 { names.len() + strangers } else { names.len() };
    Ok(Measured { value, detail: names.into_iter().collect::<Vec<_>>().join(", ") })
}

/// Counts the crates that a server over stdio builds, itself left out.
pub(crate) fn under_a_server(workspace: &Workspace) -> Outcome<Measured> {
    let names = tree(workspace, &["--no-default-features", "--features", "server stdio macros"])?;
    Ok(Measured { value: names.len(), detail: String::new() })
}

/// Runs the test that counts allocations, and reads the largest number that it printed.
pub(crate) fn allocations(workspace: &Workspace) -> Outcome<Measured> {
    let arguments = ["test", "--quiet", "--package", "mcpeer", "--test", "allocations", "--", "--nocapture"];
    let text = command::output(&mut workspace.cargo(&arguments))?;
    let lines: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("allocations ")).collect();
    let numbers = lines.iter().filter_map(|line| line.rsplit(' ').next()?.parse().ok());
    let value = numbers.max().ok_or("the test `allocations` printed no line `allocations NAME: NUMBER`")?;
    Ok(Measured { value, detail: lines.join(", ") })
}

fn tree(workspace: &Workspace, options: &[&str]) -> Outcome<BTreeSet<String>> {
    let tree = ["tree", "--package", "mcpeer", "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let text = command::output(&mut workspace.cargo(&[&tree[..], options].concat()))?;
    let names = text.lines().skip(1).filter(|line| !line.is_empty()).map(|line| {
        let mut words = line.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if options.contains(&"--depth") { name.to_owned() } else { format!("{name} {version}") }
    });
    Ok(names.collect())
}
