//! The suites, and one run of them.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::PATIENCE;
use crate::{Outcome, command, workspace};

/// One suite at one revision.
pub(super) struct Leg {
    pub(super) name: &'static str,
    /// The folder of the suite.
    suite: &'static str,
    /// What is selected; all that is there, where nothing is.
    tag: Option<&'static str>,
    revision: Option<&'static str>,
}

/// Every leg.
pub(super) const LEGS: &[Leg] = &[
    Leg { name: "0.1", suite: "suite-0.1", tag: None, revision: None },
    Leg { name: "0.2@2025-03-26", suite: "suite-0.2", tag: Some("2025-03-26"), revision: Some("2025-03-26") },
    Leg { name: "0.2@2025-06-18", suite: "suite-0.2", tag: Some("2025-06-18"), revision: Some("2025-06-18") },
    Leg { name: "0.2@2025-11-25", suite: "suite-0.2", tag: Some("2025-11-25"), revision: Some("2025-11-25") },
    Leg { name: "0.2@2026-07-28", suite: "suite-0.2", tag: Some("2026-07-28"), revision: Some("2026-07-28") },
    Leg { name: EXTENSIONS, suite: "suite-0.2", tag: Some("extension"), revision: Some("2026-07-28") },
];

/// The leg whose scenarios the suite runs only one by one.
const EXTENSIONS: &str = "0.2ext@2026-07-28";

/// What a scenario found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) warned: usize,
    pub(super) skipped: usize,
    /// Whether something of the server was looked at beside the shape of its messages.
    examined: bool,
    /// What failed or was warned of.
    pub(super) complaints: Vec<String>,
}

impl Found {
    pub(super) fn of(checks: &[Value]) -> Self {
        let mut found = Self::default();
        for check in checks {
            let id = check["id"].as_str().unwrap_or_default();
            match check["status"].as_str() {
                Some("SUCCESS") => {
                    found.passed += 1;
                    found.examined |=
                        id != "wire-schema-valid" && !id.starts_with("incoming-") && !id.starts_with("outgoing-");
                }
                Some("FAILURE") => found.failed += 1,
                Some("WARNING") => found.warned += 1,
                Some("SKIPPED") => found.skipped += 1,
                _ => {}
            }
            if let Some(status @ ("FAILURE" | "WARNING")) = check["status"].as_str() {
                let said = check["errorMessage"].as_str().or(check["description"].as_str()).unwrap_or_default();
                found.complaints.push(format!("{status} {id}: {said}"));
            }
        }
        found
    }

    /// Gives the word for it: only what was examined and not complained of has passed.
    pub(super) fn verdict(&self) -> &'static str {
        match self {
            Self { passed: 0, failed: 0, warned: 0, skipped: 0, .. } => "NONE",
            Self { failed: 1.., .. } => "FAIL",
            Self { warned: 1.., .. } => "WARN",
            Self { examined: true, .. } => "PASS",
            Self { passed: 1.., skipped: 0, .. } => "PASS",
            _ => "SKIP",
        }
    }
}

/// What the scenarios of a leg found, by their names.
pub(super) type Results = BTreeMap<String, Found>;

/// The suites, installed.
pub(super) struct Suites {
    pub(super) node: PathBuf,
    pub(super) modules: PathBuf,
}

impl Suites {
    /// Runs a leg against a server.
    pub(super) fn run(&self, leg: &Leg, url: &str, out: &Path) -> Outcome<Results> {
        let out = out.join(leg.name.replace('@', "_"));
        fs::create_dir_all(&out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
        let names = self.scenarios(leg)?;
        if leg.name != EXTENSIONS {
            self.examine(leg, url, &out, &["--suite", "all"])?;
            return names.into_iter().map(|name| Ok((name.clone(), found(&out, &name)?))).collect();
        }
        let one = |name: String| {
            self.examine(leg, url, &out, &["--scenario", &name, "--force"])?;
            Ok((name.clone(), found(&out, &name)?))
        };
        names.into_iter().map(one).collect()
    }

    /// Asks the suite for the scenarios of a leg.
    fn scenarios(&self, leg: &Leg) -> Outcome<Vec<String>> {
        let text = command::output(self.command(leg).args(["list", "--server"]))?;
        let names: Vec<_> = text.lines().filter_map(|line| scenario(line, leg.tag)).collect();
        if names.is_empty() { Err(format!("the suite lists no scenario of the leg {}", leg.name)) } else { Ok(names) }
    }

    fn examine(&self, leg: &Leg, url: &str, out: &Path, what: &[&str]) -> Outcome {
        let log = out.join("log.txt");
        let file = File::options().create(true).append(true).open(&log);
        let file = file.map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let mut command = self.command(leg);
        command.args(["server", "--url", url]).args(what).arg("-o").arg(out).stdin(Stdio::null());
        if let Some(revision) = leg.revision {
            command.args(["--spec-version", revision]);
        }
        command.stdout(file.try_clone().map_err(|error| format!("cannot write {}: {error}", log.display()))?);
        command.stderr(file);
        patiently(&mut command)
    }

    fn command(&self, leg: &Leg) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.modules.join(leg.suite).join("dist/index.js"));
        command
    }
}

/// Runs a command to its end, which says nothing: what was found lies in files.
fn patiently(command: &mut Command) -> Outcome {
    let shown = command::typed(command);
    let mut child = command.spawn().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    let clock = Instant::now();
    while child.try_wait().map_err(|error| format!("cannot wait for `{shown}`: {error}"))?.is_none() {
        if clock.elapsed() > PATIENCE {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("`{shown}` did not end within {} s", PATIENCE.as_secs()));
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Reads a line of the suite's list, as in `  - ping [core,2025-11-25]`.
fn scenario(line: &str, tag: Option<&str>) -> Option<String> {
    let (name, tags) = line.strip_prefix("  - ")?.split_once(" [")?;
    let mut tags = tags.split_once(']')?.0.split(',').map(str::trim);
    tag.is_none_or(|wanted| tags.any(|tag| tag == wanted)).then(|| name.to_owned())
}

/// Reads what a scenario found. Its folder is named after it and the time; the suite leaves none where it broke down.
fn found(out: &Path, name: &str) -> Outcome<Found> {
    let prefix = format!("server-{name}-");
    let is_of = |path: &Path| {
        let folder = path.file_name().and_then(|name| name.to_str());
        folder.and_then(|folder| folder.strip_prefix(&prefix)).is_some_and(is_time)
    };
    let Some(folder) = workspace::list(out)?.into_iter().find(|path| is_of(path)) else { return Ok(Found::default()) };
    let file = folder.join("checks.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let checks: Vec<Value> =
        serde_json::from_str(&text).map_err(|error| format!("{} holds no checks: {error}", file.display()))?;
    Ok(Found::of(&checks))
}

fn is_time(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && text.contains('T') && text.ends_with('Z')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scenarios_are_those_of_the_leg() {
        let line = "  - tools-list [core, 2025-11-25,2026-07-28]";
        assert_eq!(scenario(line, None).as_deref(), Some("tools-list"));
        assert_eq!(scenario(line, Some("2025-11-25")).as_deref(), Some("tools-list"));
        assert_eq!(scenario(line, Some("extension")), None);
        assert_eq!(scenario("Server scenarios:", None), None);
    }

    #[test]
    fn only_what_was_examined_and_not_complained_of_has_passed() {
        let verdict = |checks: &[(&str, &str)]| {
            let checks: Vec<_> = checks.iter().map(|(id, status)| json!({"id": id, "status": status})).collect();
            Found::of(&checks).verdict()
        };
        assert_eq!(verdict(&[]), "NONE");
        assert_eq!(verdict(&[("ping", "SUCCESS"), ("wire-schema-valid", "SUCCESS")]), "PASS");
        assert_eq!(verdict(&[("ping", "SUCCESS"), ("other", "SKIPPED")]), "PASS");
        assert_eq!(verdict(&[("wire-schema-valid", "SUCCESS"), ("other", "SKIPPED")]), "SKIP");
        assert_eq!(verdict(&[("ping", "SUCCESS"), ("other", "WARNING")]), "WARN");
        assert_eq!(verdict(&[("ping", "WARNING"), ("other", "FAILURE")]), "FAIL");
    }
}
