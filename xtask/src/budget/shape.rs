//! The shape of the source: lengths, layers, features.

use std::{fs, path::PathBuf};

use super::Measured;
use crate::{
    Outcome, imports,
    source::{Function, Source},
    workspace::Workspace,
};

/// The folders with what is built for users.
const SOURCES: &[&str] = &["src"];

/// The folders with tests.
const TESTS: &[&str] = &["src", "tests", "examples"];

/// Finds the longest file.
pub(crate) fn longest_file(workspace: &Workspace) -> Outcome<Measured> {
    let files = files(workspace, SOURCES)?.into_iter();
    let longest = files.map(|(path, text)| (text.lines().count(), workspace.relative(&path))).max();
    Ok(longest.map_or(none(), |(value, detail)| Measured { value, detail }))
}

/// Finds the longest function that is no handler of the state machine.
pub(crate) fn longest_function(workspace: &Workspace) -> Outcome<Measured> {
    longest(workspace, |path, function| !is_handler(path, function))
}

/// Finds the longest handler of the state machine.
pub(crate) fn longest_handler(workspace: &Workspace) -> Outcome<Measured> {
    longest(workspace, is_handler)
}

/// Counts the imports that the layers forbid.
pub(crate) fn forbidden_imports(workspace: &Workspace) -> Outcome<Measured> {
    let edges = imports::edges(&workspace.root.join("crates/mcpeer/src"));
    let forbidden: Vec<_> = edges.iter().filter(|edge| !edge.is_allowed()).map(ToString::to_string).collect();
    let detail = match forbidden.is_empty() {
        true => format!("of {} imports between modules", edges.len()),
        false => forbidden.join("; "),
    };
    Ok(Measured { value: forbidden.len(), detail })
}

/// Counts the places where something other than a `mod` item asks for a feature.
pub(crate) fn features_beside_modules(workspace: &Workspace) -> Outcome<Measured> {
    let mut places = Vec::new();
    for (path, text) in files(workspace, SOURCES)? {
        let lines = Source::new(&text).without_tests().features_beside_modules();
        places.extend(lines.iter().map(|line| format!("{}:{line}", workspace.relative(&path))));
    }
    Ok(Measured { value: places.len(), detail: places.join(", ") })
}

/// Counts the tests that are switched off.
pub(crate) fn ignored_tests(workspace: &Workspace) -> Outcome<Measured> {
    let mut places = Vec::new();
    for (path, text) in files(workspace, TESTS)? {
        let lines = Source::new(&text).lines_with("#[ignore");
        places.extend(lines.iter().map(|line| format!("{}:{line}", workspace.relative(&path))));
    }
    Ok(Measured { value: places.len(), detail: places.join(", ") })
}

fn is_handler(path: &str, function: &Function) -> bool {
    path.contains("mcpeer/src/proto/") && function.name.starts_with("handle")
}

fn longest(workspace: &Workspace, counts: fn(&str, &Function) -> bool) -> Outcome<Measured> {
    let mut longest = none();
    for (path, text) in files(workspace, SOURCES)? {
        let path = workspace.relative(&path);
        for function in Source::new(&text).functions() {
            if function.lines > longest.value && counts(&path, &function) {
                let detail = format!("{} at {path}:{}", function.name, function.line);
                longest = Measured { value: function.lines, detail };
            }
        }
    }
    Ok(longest)
}

fn files(workspace: &Workspace, folders: &[&str]) -> Outcome<Vec<(PathBuf, String)>> {
    let read = |path: PathBuf| match fs::read_to_string(&path) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    };
    workspace.sources(folders)?.into_iter().map(read).collect()
}

fn none() -> Measured {
    Measured { value: 0, detail: String::new() }
}
