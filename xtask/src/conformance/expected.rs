//! What is known not to pass yet, and why.

use std::{collections::BTreeMap, fs, path::Path};

use super::leg::Side;
use crate::Outcome;

/// Reasons, by side, leg and scenario.
pub(super) struct Expected(BTreeMap<(Side, String, String), String>);

impl Expected {
    /// Reads the list.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Self::parse(&text)
            .map_err(|line| format!("{}: write `SIDE LEG SCENARIO: reason`, not {line:?}", path.display()))
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let read = |line: &str| {
            let (what, reason) = line.split_once(": ")?;
            let (side, what) = what.split_once(' ')?;
            let (leg, scenario) = what.split_once(' ')?;
            Some(((Side::of(side)?, leg.to_owned(), scenario.to_owned()), reason.to_owned()))
        };
        lines.map(|line| read(line).ok_or_else(|| line.to_owned())).collect::<Result<_, _>>().map(Self)
    }

    /// Gives why a scenario does not pass.
    pub(super) fn reason(&self, side: Side, leg: &str, scenario: &str) -> Option<&str> {
        self.0.get(&(side, leg.to_owned(), scenario.to_owned())).map(String::as_str)
    }

    /// Gives the scenarios of a leg that are listed.
    pub(super) fn of(&self, side: Side, leg: &str) -> impl Iterator<Item = &str> {
        self.0
            .keys()
            .filter(move |(at, of, _)| (*at, of.as_str()) == (side, leg))
            .map(|(.., scenario)| scenario.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_a_side_a_leg_a_scenario_and_a_reason() {
        let expected = Expected::parse("# why\n\nserver 0.1 ping: it sleeps: deeply\n").unwrap();
        assert_eq!(expected.reason(Side::Server, "0.1", "ping"), Some("it sleeps: deeply"));
        assert_eq!(expected.reason(Side::Server, "0.2", "ping"), None);
        assert_eq!(expected.reason(Side::Client, "0.1", "ping"), None);
        assert_eq!(expected.of(Side::Server, "0.1").collect::<Vec<_>>(), ["ping"]);
        assert_eq!(expected.of(Side::Client, "0.1").count(), 0);
        for line in ["server 0.1 ping", "0.1 ping: it sleeps", "peer 0.1 ping: it sleeps"] {
            assert_eq!(Expected::parse(line).err().as_deref(), Some(line));
        }
    }
}
