use std::{collections::BTreeSet, time::Instant};

/// What comes due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// The deadline of a request of ours.
    Request(i64),
    /// The limit on the whole flow of a request of ours.
    Total(i64),
    /// The deadline of the probe or of the handshake.
    Negotiation,
    /// The end of what handlers may take after the peer's input has ended.
    Drain,
}

/// What comes due, in order of time.
#[derive(Debug, Default)]
pub(super) struct Timers(BTreeSet<(Instant, Timer)>);

impl Timers {
    pub(super) fn set(&mut self, at: Instant, timer: Timer) {
        self.0.insert((at, timer));
    }

    pub(super) fn clear(&mut self, at: Instant, timer: Timer) {
        self.0.remove(&(at, timer));
    }

    pub(super) fn clear_all(&mut self) {
        self.0.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.0.first().map(|(at, _)| *at)
    }

    /// Takes the next timer that is due.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<Timer> {
        let (at, timer) = *self.0.first()?;
        (at <= now).then(|| {
            self.0.pop_first();
            timer
        })
    }
}
