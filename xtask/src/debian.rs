//! Programs that stand between us and others: from PATH, else unpacked from Debian's packages into the target folder,
//! without installing anything.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Outcome, command, packages::Install, workspace};

/// A program that tests start.
pub(crate) struct Program {
    /// What it is called on PATH.
    names: &'static [&'static str],
    /// What it is asked to say which version it is.
    version: &'static str,
    /// The package that has it, and where in there.
    package: &'static str,
    path: &'static str,
    /// The variable by which tests find it.
    pub(crate) variable: &'static str,
}

/// All of them.
pub(crate) const PROGRAMS: &[Program] = &[
    Program { names: &["nginx"], version: "-v", package: "nginx", path: "usr/sbin/nginx", variable: "MCPEER_NGINX" },
    Program {
        names: &["chromium", "chromium-browser", "google-chrome"],
        version: "--version",
        package: "chromium",
        path: "usr/lib/chromium/chromium",
        variable: "MCPEER_CHROMIUM",
    },
];

/// Folders that are not on the PATH of everyone.
const SYSTEM: [&str; 2] = ["/usr/sbin", "/usr/local/sbin"];

impl Program {
    /// Gives where the program is: on PATH, unpacked before, or unpacked now.
    pub(crate) fn find(&self, folder: &Path, install: &mut Install<'_>) -> Outcome<PathBuf> {
        if let Some(found) = self.on_path() {
            return Ok(found);
        }
        let script = folder.join(self.package).join("start");
        if !self.runs(&script) {
            self.unpack(&folder.join("apt"), &folder.join(self.package), install)?;
            if !self.runs(&script) {
                return Err(format!("what Debian's package {} has does not run here", self.package));
            }
        }
        Ok(script)
    }

    fn on_path(&self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = || env::split_paths(&path).chain(SYSTEM.map(PathBuf::from));
        let files = self.names.iter().flat_map(|name| folders().map(move |folder| folder.join(name)));
        files.filter(|file| file.is_file()).find(|file| self.runs(file))
    }

    fn runs(&self, program: &Path) -> bool {
        program.is_file() && command::exists(&program.to_string_lossy(), self.version)
    }

    /// Gets the package, with what it needs and this machine lacks, and a script that starts the program there.
    fn unpack(&self, apt: &Path, folder: &Path, install: &mut Install<'_>) -> Outcome {
        if !["apt-get", "dpkg-deb"].into_iter().all(|tool| command::exists(tool, "--version")) {
            return Err("it is not on PATH, and this machine has no packages of Debian's".into());
        }
        let (archives, root) = (folder.join("archives"), folder.join("root"));
        let _ = fs::remove_dir_all(folder);
        for folder in [&apt.join("state/lists/partial"), &apt.join("cache"), &archives.join("partial"), &root] {
            fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        }
        // Lists of other sources than Debian's own may not be had; what is missing then shows in the next step.
        let _ = install("get the lists of Debian's packages", apt_get(apt, &archives, &["update"]));
        let get = ["--yes", "--no-install-recommends", "--download-only", "install", self.package];
        install(&format!("get {} for the tests", self.package), apt_get(apt, &archives, &get))?;
        for archive in workspace::list(&archives)?.iter().filter(|path| path.is_file()) {
            if archive.extension().is_some_and(|extension| extension == "deb") {
                command::output(Command::new("dpkg-deb").arg("--extract").arg(archive).arg(&root))?;
            }
        }
        // They are not needed any more.
        let _ = fs::remove_dir_all(&archives);
        write_script(&folder.join("start"), &root.join(self.path), &libraries(&root)?)
    }
}

/// Starts apt on lists and archives of its own, so that nothing of the machine changes and anyone may do it. What is
/// installed there already is not got again.
fn apt_get(apt: &Path, archives: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    let folders = [("Dir::State", apt.join("state")), ("Dir::Cache", apt.join("cache"))];
    for (name, folder) in folders.into_iter().chain([("Dir::Cache::archives", archives.to_owned())]) {
        command.arg("-o").arg(format!("{name}={}", folder.display()));
    }
    let options = [
        "Dir::State::status=/var/lib/dpkg/status",
        "Debug::NoLocking=true",
        "APT::Sandbox::User=",
        "Acquire::Languages=none",
        "Acquire::Retries=2",
        "Acquire::http::Timeout=30",
        "Acquire::https::Timeout=30",
    ];
    command.args(options.iter().flat_map(|option| ["-o", option])).arg("-qq").args(arguments).stdin(Stdio::null());
    command
}

/// Gives the folders that have libraries: those for this machine's kind, and what lies in them.
fn libraries(root: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in ["usr/lib", "lib"].iter().map(|folder| root.join(folder)).filter(|folder| folder.is_dir()) {
        for folder in folders_in(&folder)?.into_iter().filter(|path| path.to_string_lossy().contains("-linux-gnu")) {
            found.push(folder.clone());
            found.extend(folders_in(&folder)?);
        }
    }
    Ok(found)
}

fn folders_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    Ok(workspace::list(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn write_script(script: &Path, program: &Path, libraries: &[PathBuf]) -> Outcome {
    let libraries = libraries.iter().map(|folder| folder.to_string_lossy()).collect::<Vec<_>>().join(":");
    let (libraries, path) = (quoted(&libraries), quoted(&program.to_string_lossy()));
    let text = format!("#!/bin/sh\nexport LD_LIBRARY_PATH={libraries}\nexec {path} \"$@\"\n");
    let cannot = |error| format!("cannot write {}: {error}", script.display());
    fs::write(script, text).map_err(cannot)?;
    // A file may be executed by whoever may execute this one.
    let executable = fs::metadata("/bin/sh").map_err(cannot)?.permissions();
    fs::set_permissions(script, executable).map_err(cannot)
}

/// Writes a text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_to_a_shell() {
        let path = "/a b/it's/$HOME";
        let mut echo = Command::new("sh");
        echo.args(["-c", &format!("printf %s {}", quoted(path))]);
        assert_eq!(command::output(&mut echo).unwrap(), path);
    }
}
