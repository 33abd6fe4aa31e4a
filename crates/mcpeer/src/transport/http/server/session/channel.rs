use std::{sync::Weak, time::Duration};

use super::{super::log::ROOM, Session, state::wake};
use crate::proto::io::{Channel, Route};

/// The way of a handler to where what belongs to its request goes out.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) session: Weak<Session>,
    pub(super) route: Route,
}

impl Channel for Way {
    fn is_full(&self) -> bool {
        let Some(session) = self.session.upgrade() else { return false };
        let state = session.lock();
        if let Some(place) = state.places.get(self.route.0) {
            return !place.is_left && place.outlet.buffered() > ROOM;
        }
        let Some(log) = state.logs.get(self.route.0) else { return false };
        let unsaved = state.unsaved.iter().filter(|unsaved| unsaved.stream == log.id);
        log.is_full() || unsaved.map(|unsaved| unsaved.text.len()).sum::<usize>() > ROOM
    }

    fn close(&self, retry: Duration) -> bool {
        let Some(session) = self.session.upgrade().filter(|session| session.primes()) else { return false };
        let mut state = session.lock();
        if let Some(log) = state.logs.get_mut(self.route.0) {
            let is_open = log.over().is_none() && log.stream().is_some();
            log.close(retry);
            return is_open;
        }
        let Some(place) = state.places.get_mut(self.route.0) else { return false };
        if place.is_left || !place.outlet.takes_events() {
            return false;
        }
        place.closing = Some(retry);
        let reader = place.reader.take();
        wake(state, |_| reader);
        true
    }
}
