use std::collections::{HashSet, VecDeque};

use super::io::Change;

/// Changes that somebody wants to hear of and has not been told yet, each once, oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    changes: VecDeque<Change>,
    /// The resources among them.
    uris: HashSet<Box<str>>,
}

impl Waiting {
    /// Adds a change; one that waits already is not added again. Says whether there was room for it.
    pub(super) fn add(&mut self, change: &Change, limit: usize) -> bool {
        match change {
            Change::Resource { uri } => {
                if self.uris.contains(&**uri) {
                    return true;
                }
            }
            Change::Extension { method, key, params, only } => {
                let same = self.changes.iter_mut().find_map(|known| match known {
                    Change::Extension { method: known, key: id, params, only: of }
                        if known == method && id == key && of == only =>
                    {
                        Some(params)
                    }
                    _ => None,
                });
                // It tells of a state, of which the last one counts.
                if let Some(known) = same {
                    *known = params.clone();
                    return true;
                }
            }
            list => {
                if self.changes.contains(list) {
                    return true;
                }
            }
        }
        if self.changes.len() >= limit {
            return false;
        }
        if let Change::Resource { uri } = change {
            self.uris.insert(uri.as_str().into());
        }
        self.changes.push_back(change.clone());
        true
    }

    /// Takes the oldest.
    pub(super) fn pop(&mut self) -> Option<Change> {
        let change = self.changes.pop_front()?;
        if let Change::Resource { uri } = &change {
            self.uris.remove(&**uri);
        }
        Some(change)
    }
}
