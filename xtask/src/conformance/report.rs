//! The table, and whether it is as it should be.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{
    expected::Expected,
    found::{Found, Results},
    leg::{Leg, Side},
};
use crate::Outcome;

/// The scenario that the suite itself skips, whatever it is run against.
const ALWAYS_SKIPPED: &str = "tasks-status-notifications";

/// What all legs found, in the order in which they were run.
#[derive(Default)]
pub(super) struct Report(Vec<(&'static Leg, Results)>);

impl Report {
    pub(super) fn add(&mut self, leg: &'static Leg, results: Results) {
        self.0.push((leg, results));
    }

    /// Checks that everything passed, but for what is listed, and that nothing is listed that passes or is not there.
    pub(super) fn judge(&self, expected: &Expected) -> Outcome {
        let (mut wrong, mut listed) = (Vec::new(), 0);
        for (Leg { side, name, .. }, results) in &self.0 {
            let place = |scenario: &str| format!("[{} {name}] {scenario}", side.name());
            for (scenario, found) in results {
                let verdict = found.verdict();
                match (verdict, expected.reason(*side, name, scenario)) {
                    ("PASS", None) => {}
                    ("SKIP", None) if scenario == ALWAYS_SKIPPED => {}
                    ("PASS", Some(_)) => wrong.push(format!("{} passes: take it off the list", place(scenario))),
                    (_, Some(_)) => listed += 1,
                    (verdict, None) => wrong.push(format!("{}: {verdict}", place(scenario))),
                }
            }
            let gone = expected.of(*side, name).filter(|scenario| !results.contains_key(*scenario));
            let gone =
                gone.map(|scenario| format!("{} is listed, and the suite has no such scenario", place(scenario)));
            wrong.extend(gone);
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
        for side in Side::ALL {
            let legs: Vec<_> = self.0.iter().filter(|(leg, _)| leg.side == side).collect();
            if !legs.is_empty() {
                table(f, side, &legs)?;
            }
        }
        for (Leg { side, name, .. }, results) in &self.0 {
            for (scenario, found) in results.iter().filter(|(_, found)| !found.complaints.is_empty()) {
                writeln!(f, "[{} {name}] {scenario}", side.name())?;
                found.complaints.iter().try_for_each(|complaint| writeln!(f, "    {complaint}"))?;
            }
        }
        for (Leg { side, name, .. }, results) in &self.0 {
            let mut counts = BTreeMap::new();
            results.values().for_each(|found| *counts.entry(found.verdict()).or_insert(0) += 1);
            let counts: Vec<_> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
            let counts = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
            let checks: usize = results.values().map(|found| found.passed).sum();
            let (side, of) = (side.name(), results.len());
            writeln!(f, "{side} {name:<18} {counts} of {of} scenarios, {checks} checks passed")?;
        }
        Ok(())
    }
}

/// Writes what the scenarios of one side found: a row each, with a column for each leg.
fn table(f: &mut fmt::Formatter<'_>, side: Side, legs: &[&(&Leg, Results)]) -> fmt::Result {
    let scenarios: BTreeSet<&str> = legs.iter().flat_map(|(_, results)| results.keys()).map(String::as_str).collect();
    let width = scenarios.iter().map(|name| name.len()).max().unwrap_or(0);
    let row = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("  {cell:<17}")).collect();
        format!("{name:<width$}{cells}").trim_end().to_owned()
    };
    writeln!(f, "{}", row(side.name(), legs.iter().map(|(leg, _)| leg.name.to_owned()).collect()))?;
    for scenario in scenarios {
        let cells = legs.iter().map(|(_, results)| results.get(scenario).map_or_else(|| "-".to_owned(), cell));
        writeln!(f, "{}", row(scenario, cells.collect()))?;
    }
    writeln!(f)
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

    use super::{super::leg::LEGS, *};

    /// Judges one scenario of one leg, the older suite's against a server.
    fn judge(scenario: &str, statuses: &[&str], expected: &str) -> Outcome {
        let checks: Vec<_> = statuses.iter().map(|status| json!({"id": "check", "status": status})).collect();
        let results = Results::from([(scenario.to_owned(), Found::of(&checks))]);
        Report(vec![(&LEGS[0], results)]).judge(&Expected::parse(expected).unwrap())
    }

    #[test]
    fn what_does_not_pass_must_be_listed() {
        assert_eq!(judge("ping", &["SUCCESS"], ""), Ok(()));
        for statuses in [&["SUCCESS", "FAILURE"][..], &["SUCCESS", "WARNING"], &["SKIPPED"], &[]] {
            assert!(judge("ping", statuses, "").is_err(), "{statuses:?}");
            assert_eq!(judge("ping", statuses, "server 0.1 ping: it sleeps"), Ok(()), "{statuses:?}");
            // Another leg is another matter, and so is the other side.
            assert!(judge("ping", statuses, "client 0.1 ping: it sleeps").is_err(), "{statuses:?}");
            assert!(judge("ping", statuses, "server 0.2 ping: it sleeps").is_err(), "{statuses:?}");
        }
        assert_eq!(judge(ALWAYS_SKIPPED, &["SKIPPED"], ""), Ok(()));
        assert!(judge(ALWAYS_SKIPPED, &["FAILURE"], "").is_err());
    }

    #[test]
    fn what_is_listed_must_be_there_and_must_not_pass() {
        let passes = judge("ping", &["SUCCESS"], "server 0.1 ping: it sleeps").unwrap_err();
        assert!(passes.contains("[server 0.1] ping passes: take it off the list"), "{passes}");
        let gone = judge("ping", &["SUCCESS"], "server 0.1 pong: it sleeps").unwrap_err();
        assert!(gone.contains("[server 0.1] pong is listed"), "{gone}");
    }
}
