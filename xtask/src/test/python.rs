//! Peers written in Python: their packages are installed into an environment in the target folder.

use std::fs;

use super::{Session, node::read};
use crate::{Outcome, command};

/// Installs the packages of `conformance/peers/requirements.txt`.
pub(crate) fn install(session: &mut Session<'_>) -> Outcome {
    let requirements = session.workspace.root.join("conformance/peers/requirements.txt");
    if !requirements.is_file() {
        return Ok(());
    }
    let Some(python) = ["python3", "python"].into_iter().find(|name| command::exists(name, "--version")) else {
        session.not_run("peers in Python: Python 3 is not installed");
        return Ok(());
    };
    let folder = session.workspace.target.join("peers/python");
    let installed = folder.join("installed.txt");
    let wanted = read(&requirements)?;
    if read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut venv = session.workspace.command(python, &["-m", "venv"]);
    venv.arg(&folder);
    if session.step("create an environment for the peers in Python", venv).is_err() {
        session.not_run("peers in Python: this Python cannot create a virtual environment");
        return Ok(());
    }
    let inside = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    let mut pip = session.workspace.command(&inside.to_string_lossy(), &pip);
    pip.arg(&requirements);
    session.step("install the peers in Python", pip)?;
    fs::write(&installed, wanted).map_err(|error| format!("cannot write {}: {error}", installed.display()))
}
