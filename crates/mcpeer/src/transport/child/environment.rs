//! What a server gets of our environment.

use std::ffi::{OsStr, OsString};

/// What every program needs; the rest may hold secrets that are none of a server's business.
#[cfg(not(windows))]
const NEEDED: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
/// What every program needs; the rest may hold secrets that are none of a server's business.
#[cfg(windows)]
const NEEDED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Which of our variables a server gets.
#[derive(Clone, Debug)]
pub(super) enum Inherited {
    All,
    NeededAnd(Vec<OsString>),
}

impl Default for Inherited {
    fn default() -> Self {
        Self::NeededAnd(Vec::new())
    }
}

impl Inherited {
    pub(super) fn add(&mut self, name: OsString) {
        if let Self::NeededAnd(names) = self {
            names.push(name);
        }
    }
}

/// Gives the environment of a server: what it inherits, then what was set for it, the last word winning.
pub(super) fn build(inherited: &Inherited, set: &[(OsString, Option<OsString>)]) -> Vec<(OsString, OsString)> {
    build_from(std::env::vars_os(), inherited, set)
}

fn build_from(
    ours: impl Iterator<Item = (OsString, OsString)>,
    inherited: &Inherited,
    set: &[(OsString, Option<OsString>)],
) -> Vec<(OsString, OsString)> {
    let mut variables: Vec<(OsString, OsString)> = ours
        .filter(|(name, value)| match inherited {
            Inherited::All => true,
            Inherited::NeededAnd(names) => {
                names.iter().any(|wanted| is_same(wanted, name))
                    || (NEEDED.iter().any(|wanted| is_same(wanted.as_ref(), name)) && !is_shell_function(value))
            }
        })
        .collect();
    for (name, value) in set {
        variables.retain(|(other, _)| !is_same(name, other));
        if let Some(value) = value {
            variables.push((name.clone(), value.clone()));
        }
    }
    variables
}

fn is_same(one: &OsStr, other: &OsStr) -> bool {
    if cfg!(windows) { one.eq_ignore_ascii_case(other) } else { one == other }
}

/// Some shells export functions as variables, and run what follows the function when they start.
fn is_shell_function(value: &OsStr) -> bool {
    value.as_encoded_bytes().starts_with(b"()")
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    fn built(inherited: &Inherited, set: &[(&str, Option<&str>)]) -> Vec<String> {
        let ours = [("PATH", "/bin"), ("TERM", "() { :;}; evil"), ("SECRET", "s"), ("LANG", "C"), ("path", "x")];
        let ours = ours.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let set: Vec<_> = set.iter().map(|(name, value)| (name.into(), value.map(Into::into))).collect();
        let mut built: Vec<String> = build_from(ours, inherited, &set)
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        built.sort();
        built
    }

    #[test]
    fn a_server_inherits_what_it_needs_alone() {
        assert_eq!(built(&Inherited::default(), &[]), ["PATH=/bin"]);
    }

    #[test]
    fn more_is_inherited_on_demand() {
        let mut inherited = Inherited::default();
        inherited.add("LANG".into());
        inherited.add("NOT_SET".into());
        assert_eq!(built(&inherited, &[]), ["LANG=C", "PATH=/bin"]);
        assert_eq!(built(&Inherited::All, &[]).len(), 5);
    }

    #[test]
    fn what_is_set_wins_and_the_last_word_counts() {
        let set = [("PATH", Some("/a")), ("A", Some("1")), ("A", Some("2")), ("B", Some("1")), ("B", None)];
        assert_eq!(built(&Inherited::default(), &set), ["A=2", "PATH=/a"]);
        assert_eq!(built(&Inherited::default(), &[("PATH", None)]), [""; 0]);
    }
}
