//! Where things lie, as cargo tells it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{Outcome, command};

/// The workspace that this tool is part of.
pub(crate) struct Workspace {
    /// The folder of the root manifest.
    pub(crate) root: PathBuf,
    /// Where everything that is built or installed goes.
    pub(crate) target: PathBuf,
}

/// The features of a crate.
pub(crate) struct Features {
    /// Every feature but `default`.
    pub(crate) names: Vec<String>,
    /// The default features, with what they imply, are all features.
    pub(crate) default_is_all: bool,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn find() -> Outcome<Self> {
        let metadata = metadata(Path::new(env!("CARGO_MANIFEST_DIR")), &["--no-deps"])?;
        let folder =
            |name: &str| metadata[name].as_str().map(PathBuf::from).ok_or(format!("cargo metadata gave no {name}"));
        Ok(Self { root: folder("workspace_root")?, target: folder("target_directory")? })
    }

    /// Starts a command in the root.
    pub(crate) fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Starts the cargo that runs this tool.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        self.command(&cargo(), arguments)
    }

    /// Reads what cargo knows of all packages and their dependencies.
    pub(crate) fn metadata(&self) -> Outcome<Value> {
        metadata(&self.root, &["--all-features"])
    }

    /// Reads the features of a crate of the workspace.
    pub(crate) fn features(&self, name: &str) -> Outcome<Features> {
        let package = self.package(name)?;
        let table = package["features"].as_object().ok_or("cargo metadata gave no features")?;
        let mut enabled = vec!["default"];
        let mut at = 0;
        while let Some(feature) = enabled.get(at).and_then(|name| table.get(*name)) {
            let implied = feature.as_array().into_iter().flatten().filter_map(Value::as_str);
            let new: Vec<_> = implied.filter(|name| table.contains_key(*name) && !enabled.contains(name)).collect();
            enabled.extend(new);
            at += 1;
        }
        let names = table.keys().filter(|name| *name != "default").cloned().collect();
        Ok(Features { names, default_is_all: enabled.len() == table.len() })
    }

    /// Reads the names of a crate's examples that tell a story: all but the servers that tests and benches start.
    pub(crate) fn stories(&self, name: &str) -> Outcome<Vec<String>> {
        let package = self.package(name)?;
        let targets = package["targets"].as_array().into_iter().flatten();
        let examples = targets.filter(|target| target["kind"][0] == "example");
        let names = examples.filter_map(|target| target["name"].as_str());
        let mut names: Vec<String> = names.filter(|name| !name.ends_with("_server")).map(str::to_owned).collect();
        names.sort();
        if names.is_empty() { Err(format!("the crate {name} has no examples")) } else { Ok(names) }
    }

    /// Reads the oldest compiler that the crates promise to build with.
    pub(crate) fn oldest_compiler(&self) -> Outcome<String> {
        let package = self.package("mcpeer")?;
        package["rust_version"].as_str().map(str::to_owned).ok_or("mcpeer names no rust-version".into())
    }

    /// Tells whether the standard library for a target is installed.
    pub(crate) fn has_target(&self, target: &str) -> Outcome<bool> {
        let sysroot = command::output(&mut self.command("rustc", &["--print", "sysroot"]))?;
        Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir())
    }

    fn package(&self, name: &str) -> Outcome<Value> {
        let metadata = metadata(&self.root, &["--no-deps"])?;
        let mut packages = metadata["packages"].as_array().into_iter().flatten();
        packages.find(|package| package["name"] == name).cloned().ok_or(format!("the workspace has no package {name}"))
    }

    /// Gives the source files of all packages, in these of their folders.
    pub(crate) fn sources(&self, folders: &[&str]) -> Outcome<Vec<PathBuf>> {
        let mut sources = Vec::new();
        let others = ["conformance", "xtask"].map(|name| self.root.join(name));
        for member in list(&self.root.join("crates"))?.into_iter().chain(others) {
            for folder in folders.iter().map(|folder| member.join(folder)).filter(|folder| folder.is_dir()) {
                rust_files(&folder, &mut sources)?;
            }
        }
        sources.sort();
        Ok(sources)
    }

    /// Writes a path as seen from the root.
    pub(crate) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string().replace('\\', "/")
    }
}

/// Gives the entries of a folder.
pub(crate) fn list(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> Outcome {
    for path in list(folder)? {
        if path.is_dir() {
            rust_files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

fn metadata(folder: &Path, options: &[&str]) -> Outcome<Value> {
    let mut command = Command::new(cargo());
    command.args(["metadata", "--format-version", "1"]).args(options).current_dir(folder);
    let text = command::output(&mut command)?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata gave no JSON: {error}"))
}
