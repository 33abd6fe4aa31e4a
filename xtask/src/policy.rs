//! The rules of `deny.toml` for dependencies, checked over what cargo resolved.

mod licence;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde_json::Value;

use crate::{Outcome, workspace::Workspace};

/// Checks licences, banned crates, doubled versions and sources.
pub(crate) fn check(workspace: &Workspace) -> Outcome<String> {
    let path = workspace.root.join("deny.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let rules: toml::Table = text.parse().map_err(|error| format!("deny.toml: {error}"))?;
    let metadata = workspace.metadata()?;
    let packages: Vec<&Value> = metadata["packages"].as_array().into_iter().flatten().collect();
    let mut broken = Vec::new();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        broken.extend(licence_fault(package, &strings(&rules["licenses"]["allow"])));
        broken.extend(source_fault(package));
    }
    let shipped = shipped(&metadata);
    broken.extend(banned(&shipped, &rules["bans"]["deny"]));
    broken.extend(doubled(&shipped, &rules["bans"]["skip"]));
    match broken.is_empty() {
        true => Ok(format!("{} packages, {} of them in what users get", packages.len(), shipped.len())),
        false => Err(broken.join("\n")),
    }
}

/// A name and a version.
type Package = (String, String);

fn licence_fault(package: &Value, allowed: &[&str]) -> Option<String> {
    let name = &package["name"];
    let Some(expression) = package["license"].as_str() else { return Some(format!("{name} names no licence")) };
    let is_allowed = licence::allows(expression, allowed);
    (!is_allowed).then(|| format!("{name} has the licence {expression}, which deny.toml does not allow"))
}

fn source_fault(package: &Value) -> Option<String> {
    let source = package["source"].as_str().unwrap_or_default();
    let is_known = source.starts_with("registry+") && source.ends_with("/crates.io-index");
    (!is_known).then(|| format!("{} comes from {source}, not from the public registry", package["name"]))
}

fn banned(shipped: &BTreeSet<Package>, bans: &toml::Value) -> Vec<String> {
    let bans = bans.as_array().into_iter().flatten();
    let bans = bans.filter_map(|ban| Some((ban.get("name")?.as_str()?, ban.get("reason")?.as_str()?)));
    let found = bans.filter(|(name, _)| shipped.iter().any(|(shipped, _)| shipped == name));
    found.map(|(name, reason)| format!("{name} is banned: {reason}")).collect()
}

fn doubled(shipped: &BTreeSet<Package>, skip: &toml::Value) -> Vec<String> {
    let skipped = skip.as_array().into_iter().flatten().filter_map(|skip| skip.get("crate")?.as_str()?.split_once('@'));
    let skipped: Vec<(&str, String)> = skipped.map(|(name, major)| (name, format!("{major}."))).collect();
    let is_skipped =
        |name: &str, version: &str| skipped.iter().any(|(skip, major)| *skip == name && version.starts_with(major));
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, version) in shipped.iter().filter(|(name, version)| !is_skipped(name, version)) {
        versions.entry(name).or_default().push(version);
    }
    let doubled = versions.iter().filter(|(_, versions)| versions.len() > 1);
    doubled.map(|(name, versions)| format!("{name} is there more than once: {}", versions.join(", "))).collect()
}

/// Follows the normal and build dependencies of the published crates.
fn shipped(metadata: &Value) -> BTreeSet<Package> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let published = |id: &String| packages[id]["publish"].is_null();
    let mut open: Vec<String> = list(&metadata["workspace_members"]).iter().map(text).filter(published).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        for dependency in list(&nodes[&id]["deps"]) {
            let is_used = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"] != "dev");
            open.extend(is_used.then(|| text(&dependency["pkg"])).filter(|id| !seen.contains(id)));
        }
        seen.insert(id);
    }
    seen.iter().map(|id| (text(&packages[id]["name"]), text(&packages[id]["version"]))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn strings(value: &toml::Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(toml::Value::as_str).collect()
}
