//! Sessions that another process began.

use std::sync::Arc;

use http::StatusCode;
use tracing::{debug, warn};

use super::{
    accept::Accepts,
    endpoint::{Host, Inner},
    headers::SESSION,
    keeping::Kept,
    refuse::Refused,
    sessions::{Asking, Live, ended, is_id},
    store::Stores,
};
use crate::{
    proto::io::{Edge, Field, Headers, Inbound},
    wire::headers::VersionHeader,
};

impl<H: Host> Inner<H> {
    /// Finds the session that a request names.
    pub(super) async fn find(&self, asking: &Asking) -> Result<Live, Refused> {
        let id = match asking.parts.field(SESSION) {
            Field::Value(id) => id,
            Field::Unusable => return Err(ended()),
            Field::Absent => {
                let message = "the Mcp-Session-Id header is missing; send `initialize` first, whose answer has it";
                return Err(Refused::new(StatusCode::BAD_REQUEST, message));
            }
        };
        let live = match self.sessions.find(id) {
            Some(live) => Some(live),
            None => self.restore(id, asking).await?,
        };
        let live = live.filter(|live| live.session.is_of(asking.principal.as_ref())).ok_or_else(ended)?;
        let revisions = &self.host.config().revisions;
        match asking.version {
            VersionHeader::Absent => Ok(live),
            VersionHeader::Legacy(revision) if revisions.contains(&revision) => Ok(live),
            VersionHeader::Legacy(_) | VersionHeader::Modern | VersionHeader::Unknown => {
                let names: Vec<&str> = revisions.iter().map(|revision| revision.as_str()).collect();
                let message = format!("the MCP-Protocol-Version header names none of {}", names.join(", "));
                Err(Refused::new(StatusCode::BAD_REQUEST, message))
            }
        }
    }

    /// Goes on with a session that is kept, if it is the sender's.
    async fn restore(&self, id: &str, asking: &Asking) -> Result<Option<Live>, Refused> {
        let Some(store) = self.settings.session_store.as_ref().filter(|_| is_id(id)) else { return Ok(None) };
        let now = self.host.options().runtime.clock.time_of_day();
        let found = store.get(id, now).await.map_err(|error| {
            warn!(%error, "a session could not be looked for");
            Refused::busy("sessions cannot be looked for right now; try again")
        })?;
        let Some(record) = found.filter(|record| record.expires > now) else { return Ok(None) };
        let kept = match Kept::read(&record, id) {
            Ok(kept) => kept,
            Err(reason) => {
                warn!(reason, "a session that was kept cannot be used");
                return Ok(None);
            }
        };
        if !kept.is_of(asking.principal.as_ref()) {
            return Ok(None);
        }
        let place = self.session_place()?;
        let messages = kept.messages();
        let (session, mut driver) = self.prepare(id.into(), asking.principal.clone(), Some(kept));
        let takes_text = Accepts { json: true, events: false };
        let mut has_begun = false;
        for message in messages {
            let waiting = session.open(takes_text, None);
            let edge = Arc::new(Edge { principal: asking.principal.clone(), ..Edge::default() });
            driver.take(Inbound { message: message.as_bytes(), route: waiting.route, edge: Some(edge) });
            // Nobody waits for the answers: the client has them.
            let output = waiting.take();
            if !has_begun && output.is_none_or(|output| output.last.is_none() || output.refusal.is_some()) {
                warn!("a session that was kept does not begin with an `initialize` that is accepted");
                driver.retire();
                return Ok(None);
            }
            has_begun = true;
        }
        debug!("a session that another process began goes on here");
        Ok(Some(self.start(session, driver, place)))
    }

    pub(super) fn stores(&self) -> Stores {
        Stores { sessions: self.settings.session_store.clone(), events: self.settings.event_store.clone() }
    }
}
