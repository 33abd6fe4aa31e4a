//! Which suite is run at which revision, against which side.

/// The side that is examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    Server,
    Client,
}

impl Side {
    pub(super) const ALL: [Self; 2] = [Self::Server, Self::Client];

    /// Gives the word for it, which is the suites' word, too.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }

    /// Finds the side of that name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.name() == name)
    }
}

/// One suite at one revision, against one side.
pub(super) struct Leg {
    pub(super) side: Side,
    pub(super) name: &'static str,
    /// The folder of the suite.
    pub(super) suite: &'static str,
    /// What is selected; all that is there, where nothing is.
    tag: Option<&'static str>,
    pub(super) revision: Option<&'static str>,
}

/// Every leg.
pub(super) const LEGS: &[Leg] = &[
    first(Side::Server),
    second(Side::Server, "0.2@2025-03-26", "2025-03-26"),
    second(Side::Server, "0.2@2025-06-18", "2025-06-18"),
    second(Side::Server, "0.2@2025-11-25", "2025-11-25"),
    second(Side::Server, "0.2@2026-07-28", "2026-07-28"),
    extensions(Side::Server, "0.2ext@2026-07-28", "2026-07-28"),
    first(Side::Client),
    second(Side::Client, "0.2@2025-03-26", "2025-03-26"),
    second(Side::Client, "0.2@2025-06-18", "2025-06-18"),
    second(Side::Client, "0.2@2025-11-25", "2025-11-25"),
    second(Side::Client, "0.2@2026-07-28", "2026-07-28"),
    extensions(Side::Client, "0.2ext@2025-11-25", "2025-11-25"),
    extensions(Side::Client, "0.2ext@2026-07-28", "2026-07-28"),
];

const EXTENSION: &str = "extension";

/// The older suite, which has no choice of revisions.
const fn first(side: Side) -> Leg {
    Leg { side, name: "0.1", suite: "suite-0.1", tag: None, revision: None }
}

/// The newer suite at a revision.
const fn second(side: Side, name: &'static str, revision: &'static str) -> Leg {
    Leg { side, name, suite: "suite-0.2", tag: Some(revision), revision: Some(revision) }
}

/// What the newer suite has of extensions.
const fn extensions(side: Side, name: &'static str, revision: &'static str) -> Leg {
    Leg { side, name, suite: "suite-0.2", tag: Some(EXTENSION), revision: Some(revision) }
}

impl Leg {
    /// Whether these are scenarios that the suite runs only one by one.
    pub(super) fn is_of_extensions(&self) -> bool {
        self.tag == Some(EXTENSION)
    }

    /// Reads from a line of the suite's list, as in `  - ping [core,2025-11-25]`, the name of a scenario of this leg.
    pub(super) fn scenario(&self, line: &str) -> Option<String> {
        let (name, tags) = line.strip_prefix("  - ")?.split_once(" [")?;
        let mut tags = tags.split_once(']')?.0.split(',').map(str::trim);
        self.tag.is_none_or(|wanted| tags.any(|tag| tag == wanted)).then(|| name.to_owned())
    }
}

/// Whether a scenario is about authorization, which the client does not do yet.
pub(super) fn is_about_authorization(scenario: &str) -> bool {
    scenario.starts_with("auth/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_those_of_the_leg() {
        let line = "  - tools-list [core, 2025-11-25,2026-07-28]";
        assert_eq!(first(Side::Server).scenario(line).as_deref(), Some("tools-list"));
        let second = second(Side::Server, "0.2@2025-11-25", "2025-11-25");
        assert_eq!(second.scenario(line).as_deref(), Some("tools-list"));
        assert_eq!(extensions(Side::Client, "0.2ext@2026-07-28", "2026-07-28").scenario(line), None);
        assert_eq!(first(Side::Server).scenario("Server scenarios:"), None);
    }
}
