use std::collections::HashSet;

use super::Extension;
use crate::{
    version::Revision,
    wire::{Lookup, Registry},
};

/// Says which of some extensions cannot be used together, and why.
pub(crate) fn check(extensions: &[Extension]) -> Result<(), (String, String)> {
    let core = Registry::default();
    let (mut identifiers, mut methods, mut filters) = (HashSet::new(), HashSet::new(), HashSet::new());
    for extension in extensions {
        let identifier = extension.identifier();
        let wrong = |reason: String| Err((identifier.to_owned(), reason));
        if !is_identifier(identifier) {
            return wrong(
                "its identifier must be a domain, a slash and a name, as in `com.example/tickets`".to_owned(),
            );
        }
        if !identifiers.insert(identifier) {
            return wrong("it is given twice: leave one out".to_owned());
        }
        for method in &extension.methods {
            let row = &method.row;
            if !methods.insert((row.method, row.kind)) {
                return wrong(format!("the method `{}` is added twice: rename one", row.method));
            }
            let is_taken = |revision: &Revision| {
                let is_core =
                    |to_server| matches!(core.find(row.method, row.kind, *revision, to_server), Lookup::Here(_));
                row.admits(*revision) && (is_core(true) || is_core(false))
            };
            if let Some(revision) = Revision::ALL.iter().find(|revision| is_taken(revision)) {
                return wrong(format!(
                    "the protocol itself has the method `{}` at {revision}: rename yours",
                    row.method
                ));
            }
        }
        for (member, _) in &extension.filters {
            if FILTERS.contains(member) || !filters.insert(*member) {
                return wrong(format!("the filter has a member `{member}` already: rename yours"));
            }
        }
    }
    Ok(())
}

/// Whether this is a prefix of labels, a slash and a name.
fn is_identifier(text: &str) -> bool {
    let Some((prefix, name)) = text.split_once('/') else { return false };
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.ends_with(|last: char| last.is_ascii_alphanumeric())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.ends_with(|last: char| last.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    prefix.split('.').all(is_label) && is_name
}

/// The members of the filter that the protocol has.
const FILTERS: [&str; 4] = ["toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extension::Method;

    fn reason(extensions: &[Extension]) -> String {
        check(extensions).unwrap_err().1
    }

    #[test]
    fn identifiers_have_a_prefix_and_a_name() {
        for good in ["io.modelcontextprotocol/tasks", "com.example/a", "a/b", "com.example-2/my_ext.v2-x"] {
            assert_eq!(check(&[Extension::new(good)]), Ok(()), "{good}");
        }
        for bad in ["tasks", "/tasks", "a/", "1a/b", "a-/b", "a..b/c", "a/b/c", "a/-b", "a/b_", "ä/b", ""] {
            assert!(check(&[Extension::new(bad)]).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_there_already_is_not_added_again() {
        let extension = || Extension::new("a/b");
        assert!(reason(&[extension(), extension()]).starts_with("it is given twice"));
        let doubled = extension().method(Method::request("a/x")).method(Method::request("a/x"));
        assert!(reason(&[doubled]).contains("`a/x` is added twice"));
        let elsewhere = Extension::new("a/c").method(Method::request("a/x"));
        assert!(reason(&[extension().method(Method::request("a/x")), elsewhere]).contains("`a/x` is added twice"));
        assert!(reason(&[extension().method(Method::request("tools/list"))]).contains("has the method `tools/list`"));
        assert!(reason(&[extension().filter("toolsListChanged", "notifications/x")]).contains("`toolsListChanged`"));
    }

    #[test]
    fn a_name_of_another_era_may_be_used_again() {
        let tasks = |method: Method| check(&[Extension::new("a/b").method(method)]);
        assert_eq!(tasks(Method::request("tasks/get")), Ok(()));
        assert!(tasks(Method::request("tasks/get").since(Revision::V2025_11_25)).is_err());
    }
}
