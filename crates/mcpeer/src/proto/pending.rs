use std::{
    borrow::Cow,
    collections::HashMap,
    time::{Duration, Instant},
};

use super::{
    io::{Call, Route},
    timers::{Timer, Timers},
};
use crate::{rpc::RequestId, version::Revision};

/// A request of ours that is not settled.
#[derive(Debug)]
pub(super) struct Pending {
    /// The id that the application knows it by; another than the one on the wire where it was sent anew.
    pub(super) public: i64,
    pub(super) method: Cow<'static, str>,
    /// The revision that it was sent at; `None` while it waits.
    pub(super) sent: Option<Revision>,
    /// What was asked for, as long as it may have to be sent (again).
    pub(super) call: Option<Box<Call>>,
    /// Whether a progress token went along.
    pub(super) progress: bool,
    pub(super) reset_on_progress: bool,
    pub(super) timeout: Duration,
    pub(super) deadline: Option<Instant>,
    /// The limit on the whole flow: when, and how long that was.
    pub(super) total: Option<(Instant, Duration)>,
    /// Where what belongs to it goes out.
    pub(super) route: Route,
    /// Whether it is a `subscriptions/listen`, and then whether the server has acknowledged it.
    pub(super) listen: Option<bool>,
}

/// The requests of ours that are not settled, by the id on the wire.
#[derive(Debug, Default)]
pub(super) struct PendingTable {
    map: HashMap<i64, Pending>,
    /// From the id that the application knows to the one on the wire, where they differ.
    aliases: HashMap<i64, i64>,
    last_id: i64,
}

impl PendingTable {
    /// Gives an id that was never used.
    pub(super) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Gives out no id that another table has given out.
    pub(super) fn continue_after(&mut self, other: &Self) {
        self.last_id = other.last_id;
    }

    /// Gives the id that was given out last.
    pub(super) fn last_id(&self) -> i64 {
        self.last_id
    }

    /// Whether an id of the peer's is one that we gave out.
    pub(super) fn was_issued(&self, id: &RequestId) -> bool {
        matches!(id, RequestId::Integer(id) if (1..=self.last_id).contains(id))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        // Should the two ever disagree, what is left over counts.
        self.map.len().max(self.aliases.len())
    }

    /// Adds a request; its timers start now.
    pub(super) fn insert(&mut self, id: i64, pending: Pending, timers: &mut Timers) {
        if let Some(at) = pending.deadline {
            timers.set(at, Timer::Request(id));
        }
        if let Some((at, _)) = pending.total {
            timers.set(at, Timer::Total(id));
        }
        if pending.public != id {
            self.aliases.insert(pending.public, id);
        }
        self.map.insert(id, pending);
    }

    /// Gives the id on the wire for the one that the application knows.
    pub(super) fn wire_id(&self, id: &RequestId) -> Option<i64> {
        let RequestId::Integer(id) = id else { return None };
        let wire = self.aliases.get(id).copied().unwrap_or(*id);
        self.map.get(&wire).is_some_and(|pending| pending.public == *id).then_some(wire)
    }

    pub(super) fn get(&self, id: &RequestId) -> Option<(i64, &Pending)> {
        let RequestId::Integer(id) = id else { return None };
        self.map.get(id).map(|pending| (*id, pending))
    }

    /// Gives the id of a request that went out and waits for its answer.
    pub(super) fn sent_id(&self, id: &RequestId) -> Option<i64> {
        self.get_sent(id).map(|(id, ..)| id)
    }

    /// Gives a request that went out and waits for its answer, and the revision that it was sent at.
    pub(super) fn get_sent(&self, id: &RequestId) -> Option<(i64, &Pending, Revision)> {
        let (id, pending) = self.get(id)?;
        Some((id, pending, pending.sent?))
    }

    /// Whether what was asked for is kept.
    pub(super) fn has_call(&self, id: i64) -> bool {
        self.map.get(&id).is_some_and(|pending| pending.sent.is_some() && pending.call.is_some())
    }

    /// Lets a request that went out wait once more, under a new id on the wire; says whether it could.
    pub(super) fn wait_again(&mut self, id: i64, timers: &mut Timers) -> bool {
        if !self.has_call(id) {
            return false;
        }
        let Some(mut pending) = self.remove(id, timers) else { return false };
        pending.sent = None;
        pending.listen = pending.listen.map(|_| false);
        let id = self.next_id();
        self.insert(id, pending, timers);
        true
    }

    pub(super) fn get_mut(&mut self, id: i64) -> Option<&mut Pending> {
        self.map.get_mut(&id)
    }

    /// Keeps what was asked for, to send it later.
    pub(super) fn keep_call(&mut self, id: i64, call: Box<Call>) {
        if let Some(pending) = self.map.get_mut(&id) {
            pending.call = Some(call);
        }
    }

    /// Takes a request out, and its timers with it.
    pub(super) fn remove(&mut self, id: i64, timers: &mut Timers) -> Option<Pending> {
        let pending = self.map.remove(&id)?;
        if let Some(at) = pending.deadline {
            timers.clear(at, Timer::Request(id));
        }
        if let Some((at, _)) = pending.total {
            timers.clear(at, Timer::Total(id));
        }
        if pending.public != id {
            self.aliases.remove(&pending.public);
        }
        Some(pending)
    }

    /// Moves the deadline of a request.
    pub(super) fn set_deadline(&mut self, id: i64, at: Option<Instant>, timers: &mut Timers) {
        let Some(pending) = self.map.get_mut(&id) else { return };
        if let Some(old) = std::mem::replace(&mut pending.deadline, at) {
            timers.clear(old, Timer::Request(id));
        }
        if let Some(at) = at {
            timers.set(at, Timer::Request(id));
        }
    }

    /// Gives the ids of the requests for which this holds, oldest first.
    pub(super) fn ids_where(&self, mut holds: impl FnMut(&Pending) -> bool) -> Vec<i64> {
        let mut ids: Vec<i64> = self.map.iter().filter(|(_, pending)| holds(pending)).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids
    }
}
