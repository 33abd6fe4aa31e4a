//! What a scenario found.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{Outcome, workspace};

/// What a scenario found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) warned: usize,
    pub(super) skipped: usize,
    /// Whether something was looked at beside the shape of messages.
    examined: bool,
    /// Whether the client did not come to a good end, whatever the checks say.
    ended_badly: bool,
    /// What failed or was warned of.
    pub(super) complaints: Vec<String>,
}

/// What the scenarios of a leg found, by their names.
pub(super) type Results = BTreeMap<String, Found>;

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

    /// Reads the checks that a scenario left somewhere in a folder; where it broke down it left none.
    pub(super) fn read(folder: &Path) -> Outcome<Self> {
        let Some(file) = checks_below(folder)? else { return Ok(Self::default()) };
        let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let checks: Vec<Value> =
            serde_json::from_str(&text).map_err(|error| format!("{} holds no checks: {error}", file.display()))?;
        Ok(Self::of(&checks))
    }

    /// Notes how a client ended, by what the suite said of it and by how that itself ended: crashed and hung clients
    /// can have done all that was to be seen.
    pub(super) fn note_end(&mut self, said: &str, is_success: bool) {
        let end = said.lines().find(|line| line.contains("CLIENT TIMED OUT") || line.contains("CLIENT EXITED WITH"));
        if end.is_none() && (is_success || self.failed > 0) {
            return;
        }
        self.ended_badly = true;
        self.complaints.push(format!("EXIT {}", end.unwrap_or("the suite itself failed").trim()));
    }

    /// Gives the word for it: only what was examined and not complained of has passed.
    pub(super) fn verdict(&self) -> &'static str {
        match self {
            Self { failed: 1.., .. } => "FAIL",
            Self { ended_badly: true, .. } => "EXIT",
            Self { passed: 0, warned: 0, skipped: 0, .. } => "NONE",
            Self { warned: 1.., .. } => "WARN",
            Self { examined: true, .. } => "PASS",
            Self { passed: 1.., skipped: 0, .. } => "PASS",
            _ => "SKIP",
        }
    }
}

/// Gives the folder of a scenario in the one of a whole run: it is named after the scenario and the time.
pub(super) fn folder_of(out: &Path, scenario: &str) -> Outcome<Option<PathBuf>> {
    let prefix = format!("server-{scenario}-");
    let is_of = |path: &Path| {
        let folder = path.file_name().and_then(|name| name.to_str());
        folder.and_then(|folder| folder.strip_prefix(&prefix)).is_some_and(is_time)
    };
    Ok(workspace::list(out)?.into_iter().find(|path| is_of(path)))
}

fn is_time(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && text.contains('T') && text.ends_with('Z')
}

fn checks_below(folder: &Path) -> Outcome<Option<PathBuf>> {
    for path in workspace::list(folder)? {
        if path.is_dir() {
            if let Some(found) = checks_below(&path)? {
                return Ok(Some(found));
            }
        } else if path.ends_with("checks.json") {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(checks: &[(&str, &str)]) -> Found {
        let checks: Vec<_> = checks.iter().map(|(id, status)| json!({"id": id, "status": status})).collect();
        Found::of(&checks)
    }

    #[test]
    fn only_what_was_examined_and_not_complained_of_has_passed() {
        let verdict = |checks| found(checks).verdict();
        assert_eq!(verdict(&[]), "NONE");
        assert_eq!(verdict(&[("ping", "SUCCESS"), ("wire-schema-valid", "SUCCESS")]), "PASS");
        assert_eq!(verdict(&[("ping", "SUCCESS"), ("other", "SKIPPED")]), "PASS");
        assert_eq!(verdict(&[("wire-schema-valid", "SUCCESS"), ("other", "SKIPPED")]), "SKIP");
        assert_eq!(verdict(&[("ping", "SUCCESS"), ("other", "WARNING")]), "WARN");
        assert_eq!(verdict(&[("ping", "WARNING"), ("other", "FAILURE")]), "FAIL");
    }

    #[test]
    fn a_client_that_does_not_end_well_has_not_passed() {
        let verdict = |checks: &[(&str, &str)], said: &str, is_success: bool| {
            let mut found = found(checks);
            found.note_end(said, is_success);
            found.verdict()
        };
        let passed = &[("ping", "SUCCESS")][..];
        assert_eq!(verdict(passed, "Checks: ...", true), "PASS");
        assert_eq!(verdict(passed, "CLIENT EXITED WITH ERROR (code 101)", false), "EXIT");
        assert_eq!(verdict(passed, "a\nCLIENT TIMED OUT (30000 ms)\nb", true), "EXIT");
        assert_eq!(verdict(passed, "", false), "EXIT");
        assert_eq!(verdict(&[], "", false), "EXIT");
        assert_eq!(verdict(&[("ping", "FAILURE")], "", false), "FAIL");
    }
}
