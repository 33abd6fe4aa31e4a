//! Peers in other languages, for the tests that talk to them.

use super::Session;
use crate::{Outcome, packages};

/// Installs what `conformance/peers` names.
pub(crate) fn install(session: &mut Session<'_>) -> Outcome {
    let sources = session.workspace.root.join("conformance/peers");
    let folder = session.workspace.target.join("peers");
    session.export("MCPEER_PEERS_DIR", &folder);
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
