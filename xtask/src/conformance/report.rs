//! The table, and whether it is as it should be.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{
    expected::Expected,
    suite::{Found, Leg, Results},
};
use crate::Outcome;

/// The scenario that the suite itself skips, whatever it is run against.
const ALWAYS_SKIPPED: &str = "tasks-status-notifications";

/// What all legs found, in the order in which they were run.
#[derive(Default)]
pub(super) struct Report(Vec<(&'static str, Results)>);

impl Report {
    pub(super) fn add(&mut self, leg: &'static Leg, results: Results) {
        self.0.push((leg.name, results));
    }

    /// Checks that everything passed, but for what is listed, and that nothing is listed that passes or is not there.
    pub(super) fn judge(&self, expected: &Expected) -> Outcome {
        let (mut wrong, mut listed) = (Vec::new(), 0);
        for (leg, results) in &self.0 {
            for (scenario, found) in results {
                let verdict = found.verdict();
                match (verdict, expected.reason(leg, scenario)) {
                    ("PASS", None) => {}
                    ("SKIP", None) if scenario == ALWAYS_SKIPPED => {}
                    ("PASS", Some(_)) => wrong.push(format!("[{leg}] {scenario} passes: take it off the list")),
                    (_, Some(_)) => listed += 1,
                    (verdict, None) => wrong.push(format!("[{leg}] {scenario}: {verdict}")),
                }
            }
            let gone = expected.of(leg).filter(|scenario| !results.contains_key(*scenario));
            wrong.extend(
                gone.map(|scenario| format!("[{leg}] {scenario} is listed, and the suite has no such scenario")),
            );
        }
        if wrong.is_empty() {
            println!("as expected: everything passes but {listed} scenarios that are listed with their reasons");
            return Ok(());
        }
        Err(format!("{} scenarios are not as they should be:\n  {}", wrong.len(), wrong.join("\n  ")))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scenarios: BTreeSet<&str> =
            self.0.iter().flat_map(|(_, results)| results.keys()).map(String::as_str).collect();
        let width = scenarios.iter().map(|name| name.len()).max().unwrap_or(0);
        let row = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("  {cell:<17}")).collect();
            format!("{name:<width$}{cells}").trim_end().to_owned()
        };
        writeln!(f, "{}", row("", self.0.iter().map(|(leg, _)| (*leg).to_owned()).collect()))?;
        for scenario in scenarios {
            let cells = self.0.iter().map(|(_, results)| results.get(scenario).map_or_else(|| "-".to_owned(), cell));
            writeln!(f, "{}", row(scenario, cells.collect()))?;
        }
        writeln!(f)?;
        for (leg, results) in &self.0 {
            for (scenario, found) in results.iter().filter(|(_, found)| !found.complaints.is_empty()) {
                writeln!(f, "[{leg}] {scenario}")?;
                found.complaints.iter().try_for_each(|complaint| writeln!(f, "    {complaint}"))?;
            }
        }
        for (leg, results) in &self.0 {
            let mut counts = BTreeMap::new();
            results.values().for_each(|found| *counts.entry(found.verdict()).or_insert(0) += 1);
            let counts: Vec<_> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            let checks: usize = results.values().map(|found| found.passed).sum();
            writeln!(f, "{leg:<18} {} of {} scenarios, {checks} checks passed", counts.join(", "), results.len())?;
        }
        Ok(())
    }
}

/// Writes what a scenario found: the verdict and how many checks passed, failed, were warned of, were skipped.
fn cell(found: &Found) -> String {
    let counts = [(found.passed, "p"), (found.failed, "f"), (found.warned, "w"), (found.skipped, "s")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, letter)| format!(" {count}{letter}"));
    format!("{}{}", found.verdict(), counts.collect::<String>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Judges one scenario of one leg.
    fn judge(scenario: &str, statuses: &[&str], expected: &str) -> Outcome {
        let checks: Vec<_> = statuses.iter().map(|status| json!({"id": "check", "status": status})).collect();
        let results = Results::from([(scenario.to_owned(), Found::of(&checks))]);
        Report(vec![("0.1", results)]).judge(&Expected::parse(expected).unwrap())
    }

    #[test]
    fn what_does_not_pass_must_be_listed() {
        assert_eq!(judge("ping", &["SUCCESS"], ""), Ok(()));
        for statuses in [&["SUCCESS", "FAILURE"][..], &["SUCCESS", "WARNING"], &["SKIPPED"], &[]] {
            assert!(judge("ping", statuses, "").is_err(), "{statuses:?}");
            assert_eq!(judge("ping", statuses, "0.1 ping: it sleeps"), Ok(()), "{statuses:?}");
            // Another leg is another matter.
            assert!(judge("ping", statuses, "0.2 ping: it sleeps").is_err(), "{statuses:?}");
        }
        assert_eq!(judge(ALWAYS_SKIPPED, &["SKIPPED"], ""), Ok(()));
        assert!(judge(ALWAYS_SKIPPED, &["FAILURE"], "").is_err());
    }

    #[test]
    fn what_is_listed_must_be_there_and_must_not_pass() {
        let passes = judge("ping", &["SUCCESS"], "0.1 ping: it sleeps").unwrap_err();
        assert!(passes.contains("[0.1] ping passes: take it off the list"), "{passes}");
        let gone = judge("ping", &["SUCCESS"], "0.1 pong: it sleeps").unwrap_err();
        assert!(gone.contains("[0.1] pong is listed"), "{gone}");
    }
}
