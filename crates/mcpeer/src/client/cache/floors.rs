use std::collections::HashMap;

use super::store::{Key, READ, concerns, stamp};
use crate::client::Change;

/// From when on answers hold: what was asked for before does not, wherever it is kept and whenever it arrives.
#[derive(Debug, Default)]
pub(super) struct Floors {
    everything: u64,
    /// By the method of a list.
    lists: HashMap<Box<str>, u64>,
    /// Of the later pages of a list.
    later_pages: HashMap<Box<str>, u64>,
    reads: u64,
    /// Of resources that have changed since `reads`.
    resources: HashMap<Box<str>, u64>,
}

/// How many resources are told apart; beyond that all of them count as changed.
const RESOURCES: usize = 256;

impl Floors {
    /// Whether an answer holds that was asked for then.
    pub(super) fn admit(&self, key: &Key, asked: u64) -> bool {
        let of = |table: &HashMap<Box<str>, u64>| table.get(&*key.method).copied().unwrap_or_default();
        if asked < self.everything || asked < of(&self.lists) {
            return false;
        }
        if *key.method == *READ {
            return asked >= self.reads
                && key.uri().is_none_or(|uri| {
                    self.resources.iter().all(|(changed, floor)| asked >= *floor || !concerns(changed, &uri))
                });
        }
        asked >= of(&self.later_pages) || !key.is_later_page()
    }

    pub(super) fn raise_everything(&mut self) {
        *self = Self { everything: stamp(), ..Self::default() };
    }

    pub(super) fn raise_list(&mut self, method: &'static str) {
        self.lists.insert(method.into(), stamp());
    }

    /// Says that the later pages of a list go with a first page that was asked for then.
    pub(super) fn raise_later_pages(&mut self, method: &str, asked: u64) {
        let floor = self.later_pages.entry(method.into()).or_default();
        *floor = asked.max(*floor);
    }

    pub(super) fn raise_resource(&mut self, uri: &str) {
        let stamp = stamp();
        if self.resources.len() >= RESOURCES && !self.resources.contains_key(uri) {
            self.resources.clear();
            self.reads = stamp;
        } else {
            self.resources.insert(uri.into(), stamp);
        }
    }
}

/// Gives the lists that no longer hold after a change.
pub(super) fn lists_of(change: &Change) -> &'static [&'static str] {
    match change {
        Change::Tools => &["tools/list"],
        Change::Prompts => &["prompts/list"],
        Change::Resources => &["resources/list", "resources/templates/list"],
        _ => &[],
    }
}
