//! Peers written in JavaScript: their packages are installed into the target folder.

use std::{fs, path::Path};

use super::Session;
use crate::{Outcome, command, workspace};

/// Installs the packages of `conformance/peers/package.json`.
pub(crate) fn install(session: &mut Session<'_>) -> Outcome {
    let sources = session.workspace.root.join("conformance/peers");
    let peers = session.workspace.target.join("peers");
    if !sources.join("package.json").is_file() {
        return Ok(());
    }
    session.export("MCPEER_PEERS_DIR", &peers);
    if !command::exists("node", "--version") || !command::exists(npm(), "--version") {
        session.not_run("peers in JavaScript: Node.js with npm is not installed");
        return Ok(());
    }
    let folder = peers.join("node");
    copy(&sources, &folder)?;
    let installed = folder.join("installed.json");
    let wanted = read(&folder.join("package.json"))? + &read(&folder.join("package-lock.json")).unwrap_or_default();
    if read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let verb = if folder.join("package-lock.json").is_file() { "ci" } else { "install" };
    let mut npm =
        session.workspace.command(npm(), &[verb, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    npm.current_dir(&folder);
    session.step("install the peers in JavaScript", npm)?;
    fs::write(&installed, wanted).map_err(|error| format!("cannot write {}: {error}", installed.display()))
}

/// Copies the peers' own files next to where their packages go, because Node.js looks for packages from there up.
fn copy(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to).map_err(|error| format!("cannot create {}: {error}", to.display()))?;
    for path in workspace::list(from)? {
        let name = path.file_name().expect("an entry of a folder has a name");
        if path.is_dir() && name != "node_modules" {
            copy(&path, &to.join(name))?;
        } else if path.is_file() {
            fs::copy(&path, to.join(name)).map_err(|error| format!("cannot copy {}: {error}", path.display()))?;
        }
    }
    Ok(())
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

pub(super) fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
