//! Peers written with other SDKs, for the tests that talk to them.

use std::path::Path;

use super::Session;
use crate::{Outcome, command, packages};

/// Installs what `conformance/peers` names.
pub(crate) fn install(session: &mut Session<'_>) -> Outcome {
    let sources = session.workspace.root.join("conformance/peers");
    let folder = session.workspace.target.join("peers");
    session.export("MCPEER_PEERS_DIR", &folder);
    rust(session, &sources.join("rmcp"), &folder.join("rmcp"))?;
    if packages::has_node() {
        packages::node(&sources, &folder.join("node"), &mut |title, command| session.step(title, command))?;
    } else {
        session.not_run("peers in JavaScript: Node.js with npm is not installed");
    }
    let Some(python) = packages::python_name() else {
        session.not_run("peers in Python: Python 3 is not installed");
        return Ok(());
    };
    let requirements = sources.join("requirements.txt");
    let mut step = |title: &str, command| session.step(title, command);
    packages::python(python, &requirements, &folder.join("python"), &mut step)
}

/// Builds those in Rust, which are a project of their own: their packages are none of ours.
fn rust(session: &mut Session<'_>, project: &Path, folder: &Path) -> Outcome {
    let cargo = |verb: &str, options: &[&str]| {
        let mut command = session.workspace.cargo(&[verb, "--locked"]);
        command.args(options).current_dir(project).env("CARGO_TARGET_DIR", folder);
        command
    };
    let (mut fetch, build) = (cargo("fetch", &["--quiet"]), cargo("build", &["--offline"]));
    if let Err(reason) = command::output(&mut fetch) {
        session.not_run(&format!("peers in Rust: their packages cannot be fetched: {}", reason.replace('\n', " ")));
        return Ok(());
    }
    session.step("build the programs in Rust", build)
}
