//! The suites, and one run of them.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    PATIENCE,
    found::{Found, Results, folder_of},
    leg::{Leg, Side, is_about_authorization},
};
use crate::{Outcome, command};

/// How many scenarios of a client run at once. Some look at times, so that a busy machine would fail them.
const AT_ONCE: usize = 2;

/// How long a client may take, in milliseconds. Passing takes a second; this only bounds a hang.
const CLIENT_PATIENCE: &str = "30000";

/// The suites, installed.
pub(super) struct Suites {
    pub(super) node: PathBuf,
    pub(super) modules: PathBuf,
}

impl Suites {
    /// Runs a leg against a server.
    pub(super) fn run_server(&self, leg: &Leg, url: &str, out: &Path) -> Outcome<Results> {
        let log = out.join("log.txt");
        let examine = |what: &[&str]| {
            let mut command = self.command(leg);
            command.args(["server", "--url", url]).args(what).args(at_revision(leg)).arg("-o").arg(out);
            patiently(&mut command, &log)
        };
        let read = |name: String| {
            let found = folder_of(out, &name)?.map_or_else(|| Ok(Found::default()), |folder| Found::read(&folder))?;
            Ok((name, found))
        };
        let names = self.scenarios(leg)?;
        if !leg.is_of_extensions() {
            examine(&["--suite", "all"])?;
            return names.into_iter().map(read).collect();
        }
        let one = |name: String| {
            examine(&["--scenario", &name, "--force"])?;
            read(name)
        };
        names.into_iter().map(one).collect()
    }

    /// Runs a leg against a client. Each scenario has a run of its own: where the suite runs all of them it does not
    /// look at how the client ends.
    pub(super) fn run_client(&self, leg: &Leg, program: &Path, out: &Path) -> Outcome<Results> {
        let names: Vec<_> = self.scenarios(leg)?.into_iter().filter(|name| !is_about_authorization(name)).collect();
        let (names, results) = (Mutex::new(names.into_iter()), Mutex::new(Vec::new()));
        let next = || names.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some(name) = next() {
                let found = self.run_client_once(leg, &name, program, &out.join(&name));
                results.lock().unwrap_or_else(PoisonError::into_inner).push(found.map(|found| (name, found)));
            }
        };
        thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
        results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
    }

    fn run_client_once(&self, leg: &Leg, name: &str, program: &Path, out: &Path) -> Outcome<Found> {
        fs::create_dir_all(out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
        let log = out.join("log.txt");
        let (folder, file) = (program.parent(), program.file_name().and_then(|name| name.to_str()));
        let (folder, file) = folder.zip(file).ok_or_else(|| format!("{} is no program", program.display()))?;
        // A shell splits this at blanks, so the folder is not named here, and makes way for the program, which the
        // suite can then end.
        let client = if cfg!(unix) { format!("exec {file}") } else { file.to_owned() };
        let mut command = self.command(leg);
        command.args(["client", "--scenario", name, "--timeout", CLIENT_PATIENCE, "--command", &client]);
        command.args(at_revision(leg)).arg("-o").arg(out).env("PATH", path_with(folder)?);
        if leg.is_of_extensions() {
            command.arg("--force");
        }
        let is_success = patiently(&mut command, &log)?;
        let said = fs::read_to_string(&log).map_err(|error| format!("cannot read {}: {error}", log.display()))?;
        let mut found = Found::read(out)?;
        found.note_end(&said, is_success);
        Ok(found)
    }

    /// Asks the suite for the scenarios of a leg.
    fn scenarios(&self, leg: &Leg) -> Outcome<Vec<String>> {
        let side = if leg.side == Side::Server { "--server" } else { "--client" };
        let text = command::output(self.command(leg).args(["list", side]))?;
        let names: Vec<_> = text.lines().filter_map(|line| leg.scenario(line)).collect();
        if names.is_empty() { Err(format!("the suite lists no scenario of the leg {}", leg.name)) } else { Ok(names) }
    }

    fn command(&self, leg: &Leg) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.modules.join(leg.suite).join("dist/index.js"));
        command
    }
}

fn at_revision(leg: &Leg) -> impl Iterator<Item = &'static str> {
    leg.revision.into_iter().flat_map(|revision| ["--spec-version", revision])
}

/// Gives the folders in which programs are looked for, with this one before all others.
fn path_with(folder: &Path) -> Outcome<std::ffi::OsString> {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.to_owned()].into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(folders).map_err(|error| format!("{} cannot be searched: {error}", folder.display()))
}

/// Runs a command to its end, with what it says in a file, and tells whether it says that it succeeded.
fn patiently(command: &mut Command, log: &Path) -> Outcome<bool> {
    let shown = command::typed(command);
    let cannot_write = |error| format!("cannot write {}: {error}", log.display());
    let file = File::options().create(true).append(true).open(log).map_err(cannot_write)?;
    command.stdin(Stdio::null()).stdout(file.try_clone().map_err(cannot_write)?).stderr(file);
    let mut child = command.spawn().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    let clock = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|error| format!("cannot wait for `{shown}`: {error}"))? {
            return Ok(status.success());
        }
        if clock.elapsed() > PATIENCE {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("`{shown}` did not end within {} s", PATIENCE.as_secs()));
        }
        thread::sleep(Duration::from_millis(50));
    }
}
