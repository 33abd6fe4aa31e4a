//! One run of the checks: what it did, what it counted, what it could not do.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::Mode;
use crate::{Outcome, command, workspace::Workspace};

/// How many lines of a failed step are shown.
const TAIL: usize = 120;

/// A run of the checks.
pub(crate) struct Session<'a> {
    pub(crate) workspace: &'a Workspace,
    mode: Mode,
    environment: Vec<(&'static str, OsString)>,
    logs: PathBuf,
    not_run_file: PathBuf,
    steps: usize,
    passed: usize,
    failed: usize,
    not_run: Vec<String>,
    unavailable: Vec<String>,
    started: Instant,
}

impl<'a> Session<'a> {
    /// Starts with empty logs.
    pub(crate) fn start(workspace: &'a Workspace, mode: Mode) -> Outcome<Self> {
        let logs = workspace.target.join("xtask/logs");
        let _ = fs::remove_dir_all(&logs);
        fs::create_dir_all(&logs).map_err(|error| format!("cannot create {}: {error}", logs.display()))?;
        let not_run_file = workspace.target.join("not-run.txt");
        let _ = fs::remove_file(&not_run_file);
        let mut session = Self {
            workspace,
            mode,
            environment: Vec::new(),
            logs,
            not_run_file: not_run_file.clone(),
            steps: 0,
            passed: 0,
            failed: 0,
            not_run: Vec::new(),
            unavailable: Vec::new(),
            started: Instant::now(),
        };
        session.export("MCPEER_NOT_RUN_FILE", not_run_file);
        Ok(session)
    }

    /// Sets a variable for every later step.
    pub(crate) fn export(&mut self, name: &'static str, value: impl Into<OsString>) {
        self.environment.push((name, value.into()));
    }

    /// Runs a command as one step, with its output in a log that is shown where it fails.
    pub(crate) fn step(&mut self, title: &str, mut command: Command) -> Outcome {
        let log = self.logs.join(format!("{:02}.txt", self.steps));
        self.announce(title, &command::typed(&command));
        let clock = Instant::now();
        command.envs(self.environment.iter().cloned()).stdin(Stdio::null());
        let success = self.spawn(&mut command, &log)?;
        let text = fs::read_to_string(&log).unwrap_or_else(|_| String::new());
        let (passed, failed) = count_tests(&text);
        self.passed += passed;
        self.failed += failed;
        if success {
            let counted = if passed > 0 { format!(", {passed} tests passed") } else { String::new() };
            println!("   ok in {}{counted}", seconds(clock.elapsed()));
            return Ok(());
        }
        Err(format!("{}\n`{}` failed; its whole output is in {}", tail(&text), command::typed(&command), log.display()))
    }

    /// Runs a check of this tool as one step.
    pub(crate) fn check(&mut self, title: &str, check: impl FnOnce(&Workspace) -> Outcome<String>) -> Outcome {
        self.announce(title, "checked by xtask itself");
        let said = check(self.workspace)?;
        println!("   ok: {said}");
        Ok(())
    }

    /// Notes that something was left out that could be had on this machine.
    pub(crate) fn not_run(&mut self, what: &str) {
        println!("   not run: {what}");
        self.not_run.push(what.to_owned());
    }

    /// Notes that something was left out that only the machine's owner can add.
    pub(crate) fn unavailable(&mut self, what: &str) {
        println!("   unavailable here: {what}");
        self.unavailable.push(what.to_owned());
    }

    /// Says how it went.
    pub(crate) fn finish(mut self, outcome: Outcome) -> Outcome {
        let reported = fs::read_to_string(&self.not_run_file).unwrap_or_default();
        let reported = reported.lines().filter(|line| !line.is_empty());
        self.not_run.extend(reported.map(|line| line.trim_start_matches("not run: ").to_owned()));
        self.not_run.sort();
        self.not_run.dedup();
        println!();
        self.not_run.iter().for_each(|what| println!("not run: {what}"));
        self.unavailable.iter().for_each(|what| println!("unavailable here: {what}"));
        println!("{} steps in {}", self.steps, seconds(self.started.elapsed()));
        let outcome = outcome.and_then(|()| match self.not_run.len() {
            left_out if left_out > 0 && self.mode.require_all => {
                Err(format!("--require-all was given and {left_out} checks were not run, see above"))
            }
            _ => Ok(()),
        });
        let failed = if outcome.is_err() { self.failed.max(1) } else { self.failed };
        if let Err(reason) = &outcome {
            println!("{reason}");
        }
        println!("{} passed, {failed} failed", self.passed);
        outcome.map_err(|_| "the checks failed".to_owned())
    }

    fn announce(&mut self, title: &str, how: &str) {
        self.steps += 1;
        println!("{:02} {title}\n   {how}", self.steps);
    }

    fn spawn(&self, command: &mut Command, log: &Path) -> Outcome<bool> {
        let shown = command::typed(command);
        let cannot = |error: std::io::Error| format!("cannot run `{shown}`: {error}");
        let file = File::create(log).map_err(cannot)?;
        command.stdout(file.try_clone().map_err(cannot)?).stderr(file);
        let success = command.status().map_err(cannot)?.success();
        if self.mode.verbose {
            println!("{}", fs::read_to_string(log).unwrap_or_default());
        }
        Ok(success)
    }
}

/// Adds up the closing lines of cargo's test runner.
fn count_tests(text: &str) -> (usize, usize) {
    let number_before = |line: &str, word: &str| -> usize {
        let words: Vec<&str> = line.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|other| *other == word).unwrap_or(0);
        at.checked_sub(1).and_then(|before| words[before].parse().ok()).unwrap_or(0)
    };
    let results = text.lines().filter(|line| line.starts_with("test result: "));
    results.fold((0, 0), |(passed, failed), line| {
        (passed + number_before(line, "passed"), failed + number_before(line, "failed"))
    })
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_all_test_binaries_are_added_up() {
        let text = "\
            test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
            something else: 7 passed\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
        assert_eq!(count_tests(text), (15, 2));
    }
}
