use std::{borrow::Cow, collections::BTreeMap};

use super::io::{Handle, Request, Route};
use crate::{rpc::RequestId, version::Revision, wire::Row};

/// Where an answer goes, and under which id.
#[derive(Clone, Debug)]
pub(super) struct Return {
    pub(super) id: RequestId,
    pub(super) route: Route,
    /// The batch that the request came in.
    pub(super) batch: Option<u64>,
}

/// What a request of the peer is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for its turn.
    Waiting,
    /// The application has it.
    Running,
    /// A subscription, which the connection serves.
    Listening,
}

/// A request of the peer that is not answered.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) handle: Handle,
    pub(super) to: Return,
    pub(super) stage: Stage,
    pub(super) method: Cow<'static, str>,
    /// The row of the method, where it has one.
    pub(super) row: Option<Row>,
    /// The revision that it was admitted at.
    pub(super) revision: Revision,
    pub(super) progress_token: Option<RequestId>,
    /// The least severe log level that it asked for.
    pub(super) log_rank: Option<usize>,
    /// What a request to follow a resource (or no longer) names.
    pub(super) resource: Option<Box<str>>,
}

/// The requests of the peer that are not answered: by its id, and by the handle that we gave.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// Slot 0: a request that is alone takes no memory of its own.
    first: Option<Entry>,
    /// The slots from 1 on.
    others: Vec<Option<Entry>>,
    /// Those of them that are free.
    free: Vec<u32>,
    /// The ids of what is in them, in order: few at a time, so that this is faster than a hash that withstands hostile
    /// ids.
    ids: Vec<(RequestId, u32)>,
    last: u64,
    running: usize,
    waiting: BTreeMap<Handle, Box<Request>>,
    /// The bytes of the params of what waits.
    waiting_bytes: usize,
}

/// A handle holds the number of the slot in its low bits, and a count that never repeats above.
const SLOT_BITS: u32 = 20;

impl InFlight {
    /// Gives out no handle that another table has given out.
    pub(super) fn continue_after(&mut self, other: &Self) {
        self.last = other.last;
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.has_first(id) || self.place(id).is_ok()
    }

    fn has_first(&self, id: &RequestId) -> bool {
        self.first.as_ref().is_some_and(|entry| entry.to.id == *id)
    }

    fn slots(&self) -> impl Iterator<Item = &Entry> {
        self.first.iter().chain(self.others.iter().flatten())
    }

    fn slot(&self, slot: usize) -> Option<&Entry> {
        match slot {
            0 => self.first.as_ref(),
            other => self.others.get(other - 1)?.as_ref(),
        }
    }

    fn slot_mut(&mut self, slot: usize) -> Option<&mut Entry> {
        match slot {
            0 => self.first.as_mut(),
            other => self.others.get_mut(other - 1)?.as_mut(),
        }
    }

    /// Where an id is among the others, or belongs.
    fn place(&self, id: &RequestId) -> Result<usize, usize> {
        self.ids.binary_search_by(|(known, _)| known.cmp(id))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.ids.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        // Each table has the request once; should they ever disagree, what is left over counts.
        let slots = self.slots().count();
        slots.max(self.ids.len() + usize::from(self.first.is_some())).max(self.waiting.len()).max(self.running)
    }

    pub(super) fn running(&self) -> usize {
        self.running
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Adds a request and gives it a handle, which the entry need not have yet. Gives it back where its id is in use
    /// or no slot is left.
    // The entry is handed back whole, so that the usual way need not copy it.
    #[allow(clippy::result_large_err)]
    pub(super) fn insert(&mut self, mut entry: Entry) -> Result<Handle, Entry> {
        if self.contains(&entry.to.id) {
            return Err(entry);
        }
        let slot = match (&self.first, self.free.last()) {
            (None, _) => 0,
            (Some(_), Some(free)) => *free,
            (Some(_), None) => self.others.len() as u32 + 1,
        };
        if slot >> SLOT_BITS != 0 {
            return Err(entry);
        }
        self.last += 1;
        let handle = Handle(self.last << SLOT_BITS | u64::from(slot));
        entry.handle = handle;
        self.running += usize::from(entry.stage == Stage::Running);
        if slot == 0 {
            self.first = Some(entry);
            return Ok(handle);
        }
        if let Err(place) = self.place(&entry.to.id) {
            self.ids.insert(place, (entry.to.id.clone(), slot));
        }
        if slot as usize > self.others.len() {
            self.others.push(Some(entry));
        } else {
            self.free.pop();
            self.others[slot as usize - 1] = Some(entry);
        }
        Ok(handle)
    }

    pub(super) fn get(&self, handle: Handle) -> Option<&Entry> {
        let slot = (handle.0 & ((1 << SLOT_BITS) - 1)) as usize;
        self.slot(slot).filter(|entry| entry.handle == handle)
    }

    pub(super) fn by_id(&self, id: &RequestId) -> Option<&Entry> {
        if self.has_first(id) {
            return self.first.as_ref();
        }
        self.slot(self.ids[self.place(id).ok()?].1 as usize)
    }

    /// Takes a request out; its id is free at once.
    pub(super) fn remove(&mut self, handle: Handle) -> Option<Entry> {
        self.get(handle)?;
        let slot = (handle.0 & ((1 << SLOT_BITS) - 1)) as usize;
        let entry = self.take(slot)?;
        match entry.stage {
            Stage::Running => self.running -= 1,
            Stage::Waiting => {
                if let Some(request) = self.waiting.remove(&handle) {
                    self.waiting_bytes -= bytes(&request);
                }
            }
            Stage::Listening => {}
        }
        Some(entry)
    }

    fn take(&mut self, slot: usize) -> Option<Entry> {
        let Some(at) = slot.checked_sub(1) else { return self.first.take() };
        let entry = self.others[at].take()?;
        self.free.push(slot as u32);
        if let Ok(place) = self.place(&entry.to.id) {
            self.ids.remove(place);
        }
        Some(entry)
    }

    /// Keeps a request until it is its turn.
    pub(super) fn wait(&mut self, request: Box<Request>) {
        self.waiting_bytes += bytes(&request);
        self.waiting.insert(request.handle, request);
    }

    /// Takes the request whose turn it is; it runs from now on.
    pub(super) fn next_waiting(&mut self) -> Option<Box<Request>> {
        let (handle, request) = self.waiting.pop_first()?;
        self.waiting_bytes -= bytes(&request);
        let slot = (handle.0 & ((1 << SLOT_BITS) - 1)) as usize;
        if let Some(entry) = self.slot_mut(slot) {
            entry.stage = Stage::Running;
            self.running += 1;
        }
        Some(request)
    }

    /// Counts the requests for which this holds.
    pub(super) fn count(&self, holds: impl Fn(&Entry) -> bool) -> usize {
        self.slots().filter(|entry| holds(entry)).count()
    }

    /// Gives every handle, oldest first.
    pub(super) fn handles(&self) -> Vec<Handle> {
        let mut handles: Vec<Handle> = self.slots().map(|entry| entry.handle).collect();
        handles.sort_unstable();
        handles
    }
}

fn bytes(request: &Request) -> usize {
    request.params.as_ref().map_or(0, |params| params.as_str().len())
}
