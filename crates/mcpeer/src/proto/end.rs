//! How a connection ends: everything that waits is settled, once.

use std::time::Instant;

use super::{
    core::{Core, Life},
    io::{Closed, Event, Failure},
    timers::Timer,
};

impl Core {
    /// The peer's input has ended: no answer can come any more, and what runs gets a time to finish.
    pub(super) fn drain(&mut self, now: Instant, reason: &str) {
        self.life = Life::Draining;
        self.fail_pending(reason);
        if let Some(at) = now.checked_add(self.config.deadlines.drain) {
            self.timers.set(at, Timer::Drain);
        }
        self.finish_if_drained();
    }

    /// Ends the connection where nothing is left to do.
    pub(super) fn finish_if_drained(&mut self) {
        if self.life == Life::Draining && self.in_flight.is_empty() {
            self.finish(Closed::Remote);
        }
    }

    /// Ends the connection: what is open on either side is over.
    pub(super) fn finish(&mut self, closed: Closed) {
        if self.life == Life::Closed {
            return;
        }
        self.life = Life::Closed;
        let reason = closed.to_string();
        self.fail_pending(&reason);
        for handle in self.in_flight.handles() {
            self.cancel_at_end(handle, &reason);
        }
        self.batches.clear();
        self.debounced.clear();
        self.has_waiting_changes = false;
        self.kept.clear();
        self.timers.clear_all();
        self.events.push_back(Event::Closed(closed));
    }

    fn fail_pending(&mut self, reason: &str) {
        for id in self.pending.ids_where(|_| true) {
            self.settle(id, Err(Failure::Closed { reason: reason.to_owned() }));
        }
    }
}
