use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use super::{BuildError, Item, call, cursor, visible::Visible};
use crate::{
    handler::Context,
    proto::io::{Payload, Reply},
    rpc::{self, Raw, RawRef},
};

/// One of the things that a server lists.
pub(super) trait Entry: Send + Sync + 'static {
    /// The member of a list's result that holds them.
    const MEMBER: &'static str;

    /// What it is found by.
    fn key(&self) -> &str;

    /// How it stands in the list.
    fn written(&self) -> &str;

    /// Whether there is nothing in it that some revision leaves out.
    fn is_plain(&self) -> bool;

    /// What a filter sees of it.
    fn item(&self) -> Item<'_>;
}

/// The things of one kind that a server has right now. Whoever reads takes a snapshot, and works on with that.
pub(super) struct Registry<E>(RwLock<Arc<Snapshot<E>>>);

/// Whether something is wrong with a change of a registry.
#[derive(Debug)]
pub(super) enum Conflict {
    /// The key is taken.
    Taken,
    /// There is nothing of this key.
    Missing,
}

impl Conflict {
    pub(super) fn explain(&self, kind: &'static str, name: &str) -> BuildError {
        let name = name.to_owned();
        match self {
            Self::Taken => BuildError::Duplicate { kind, name },
            Self::Missing => BuildError::Missing { kind, name },
        }
    }
}

impl<E: Entry> Registry<E> {
    pub(super) fn new(page_size: usize) -> Self {
        let snapshot = Snapshot { slots: Vec::new(), enabled: BTreeMap::new(), page_size, pages: OnceLock::new() };
        Self(RwLock::new(Arc::new(snapshot)))
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot<E>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn add(&self, entry: E) -> Result<(), Conflict> {
        self.change(|snapshot| {
            if snapshot.position(entry.key()).is_some() {
                return Err(Conflict::Taken);
            }
            let entry = Arc::new(entry);
            snapshot.enabled.insert(entry.key().into(), entry.clone());
            snapshot.slots.push(Slot { entry, is_enabled: true });
            Ok(())
        })
    }

    /// Puts an entry in the place of the one that has its key; enabled or not, as that was.
    pub(super) fn replace(&self, entry: E) -> Result<(), Conflict> {
        self.change(|snapshot| {
            let position = snapshot.position(entry.key()).ok_or(Conflict::Missing)?;
            let entry = Arc::new(entry);
            if let Some(enabled) = snapshot.enabled.get_mut(entry.key()) {
                *enabled = entry.clone();
            }
            snapshot.slots[position].entry = entry;
            Ok(())
        })
    }

    /// Takes an entry away; `false` where there is none.
    pub(super) fn remove(&self, key: &str) -> bool {
        self.change(|snapshot| {
            let Some(position) = snapshot.position(key) else { return false };
            snapshot.slots.remove(position);
            snapshot.enabled.remove(key);
            true
        })
    }

    /// Lets an entry be seen and found, or not; says whether that is another state than before.
    pub(super) fn set_enabled(&self, key: &str, is_enabled: bool) -> Result<bool, Conflict> {
        self.change(|snapshot| {
            let position = snapshot.position(key).ok_or(Conflict::Missing)?;
            let slot = &mut snapshot.slots[position];
            if std::mem::replace(&mut slot.is_enabled, is_enabled) == is_enabled {
                return Ok(false);
            }
            if is_enabled {
                snapshot.enabled.insert(key.into(), slot.entry.clone());
            } else {
                snapshot.enabled.remove(key);
            }
            Ok(true)
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Snapshot<E>) -> T) -> T {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let snapshot = Arc::make_mut(&mut current);
        snapshot.pages = OnceLock::new();
        change(snapshot)
    }
}

/// The things of one kind that a server had at a moment.
pub(super) struct Snapshot<E> {
    /// In the order in which they are listed.
    slots: Vec<Slot<E>>,
    /// Those that are enabled, by their keys.
    enabled: BTreeMap<Box<str>, Arc<E>>,
    page_size: usize,
    /// Written when they are first asked for.
    pages: OnceLock<Pages>,
}

struct Slot<E> {
    entry: Arc<E>,
    is_enabled: bool,
}

impl<E: Entry> Snapshot<E> {
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) fn find(&self, key: &str) -> Option<&Arc<E>> {
        self.enabled.get(key)
    }

    /// Gives those that are enabled, in the order in which they are listed.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<E>> {
        self.slots.iter().filter(|slot| slot.is_enabled).map(|slot| &slot.entry)
    }

    /// Answers a request for a page of all.
    fn list(&self, params: Option<RawRef<'_>>) -> Reply {
        let pages = self.pages.get_or_init(|| {
            let written = self.iter().map(|entry| entry.written());
            Pages::new(E::MEMBER, written, self.page_size, self.iter().all(|entry| entry.is_plain()))
        });
        pages.reply(params)
    }

    /// Answers a request for a page of those that whoever asks may see.
    pub(super) fn list_for(&self, visible: Option<&Visible>, params: Option<RawRef<'_>>, cx: &Context) -> Reply {
        match visible {
            None => self.list(params),
            Some(visible) => self.list_some(params, |item| visible(item, cx), &[]),
        }
    }

    /// Answers a request for a page of those that a filter lets through, and of what is `added` to them.
    pub(super) fn list_some(
        &self,
        params: Option<RawRef<'_>>,
        is_visible: impl Fn(&Item<'_>) -> bool,
        added: &[String],
    ) -> Reply {
        let visible = self.iter().filter(|entry| is_visible(&entry.item())).map(|entry| entry.written());
        Pages::new(E::MEMBER, visible.chain(added.iter().map(|entry| &**entry)), self.page_size, false).reply(params)
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.entry.key() == key)
    }
}

impl<E> Clone for Snapshot<E> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            enabled: self.enabled.clone(),
            page_size: self.page_size,
            pages: OnceLock::new(),
        }
    }
}

impl<E> Clone for Slot<E> {
    fn clone(&self) -> Self {
        Self { entry: self.entry.clone(), is_enabled: self.is_enabled }
    }
}

/// The results of a list: at least one page.
struct Pages {
    pages: Vec<Raw>,
    page_size: usize,
    fingerprint: u64,
    is_plain: bool,
}

impl Pages {
    fn new<'a>(member: &str, written: impl Iterator<Item = &'a str>, page_size: usize, is_plain: bool) -> Self {
        let written: Vec<&str> = written.collect();
        let fingerprint = cursor::fingerprint(written.iter().copied());
        let mut pages = Vec::new();
        for start in (0..written.len().max(1)).step_by(page_size) {
            let end = written.len().min(start.saturating_add(page_size));
            let mut page = format!(r#"{{"{member}":[{}]"#, written[start..end].join(","));
            if end < written.len() {
                page.push_str(&format!(r#","nextCursor":"{}""#, cursor::write(end, fingerprint)));
            }
            page.push('}');
            pages.push(Raw::trusted(page));
        }
        Self { pages, page_size, fingerprint, is_plain }
    }

    fn reply(&self, params: Option<RawRef<'_>>) -> Reply {
        match self.page(params) {
            Ok(page) => Reply::Complete(Payload { is_plain: self.is_plain, ..page.clone().into() }),
            Err(error) => Reply::Error(error),
        }
    }

    fn page(&self, params: Option<RawRef<'_>>) -> Result<&Raw, rpc::Error> {
        let cursor = call::object(params)?.find(|(name, _)| name == "cursor").filter(|(_, cursor)| !cursor.is_null());
        let start = match cursor {
            Some((_, cursor)) => cursor::read(&call::string("params.cursor", cursor)?, self.fingerprint)?,
            None => 0,
        };
        Ok(&self.pages[start / self.page_size])
    }
}
