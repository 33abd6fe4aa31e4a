//! Programs in other languages: their packages are installed into the target folder.

use std::{fs, path::Path, process::Command};

use crate::{Outcome, command, workspace};

/// Runs a command that installs something, under a title.
pub(crate) type Install<'a> = dyn FnMut(&str, Command) -> Outcome + 'a;

/// Tells whether programs in JavaScript can be installed and run.
pub(crate) fn has_node() -> bool {
    command::exists("node", "--version") && command::exists(npm(), "--version")
}

/// Copies a folder with a package.json and installs its packages there, if that was not done before.
///
/// The programs are copied because Node.js looks for packages from the program's own folder up.
pub(crate) fn node(sources: &Path, folder: &Path, install: &mut Install<'_>) -> Outcome {
    copy(sources, folder)?;
    let lock = read(&folder.join("package-lock.json")).ok();
    let verb = if lock.is_some() { "ci" } else { "install" };
    let wanted = read(&folder.join("package.json"))? + &lock.unwrap_or_default();
    let installed = folder.join("installed.json");
    if read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut command = Command::new(npm());
    command.args([verb, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    install("install the programs in JavaScript", command)?;
    fs::write(&installed, wanted).map_err(|error| format!("cannot write {}: {error}", installed.display()))
}

/// Gives the name of this machine's Python, if it has one.
pub(crate) fn python_name() -> Option<&'static str> {
    ["python3", "python"].into_iter().find(|name| command::exists(name, "--version"))
}

/// Creates a virtual environment and installs the requirements there, if that was not done before.
pub(crate) fn python(name: &str, requirements: &Path, folder: &Path, install: &mut Install<'_>) -> Outcome {
    let wanted = read(requirements)?;
    let installed = folder.join("installed.txt");
    if read(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut command = Command::new(name);
    command.args(["-m", "venv"]).arg(folder);
    install("create an environment for the programs in Python", command)?;
    let mut command = Command::new(folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" }));
    command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]).arg(requirements);
    install("install the programs in Python", command)?;
    fs::write(&installed, wanted).map_err(|error| format!("cannot write {}: {error}", installed.display()))
}

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

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
