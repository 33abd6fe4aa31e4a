//! Streams that a client opens by GET, and those that it comes back to.

use std::{cmp::Ordering, sync::Arc};

use http::{Response, StatusCode};
use tracing::warn;

use super::{
    Body,
    accept::Accepts,
    endpoint::{Host, Inner},
    event_id::{EventId, Kind},
    refuse::Refused,
    session::{Closed, Resumed, Session},
    sessions::{Asking, Live, ended},
    store::Event,
    stream::Stream,
};
use crate::{
    proto::io::{Field, Headers},
    rpc::Message,
    transport::http::sse,
};

/// The header by which a client says what it has seen of a stream.
const LAST_EVENT: &str = "last-event-id";

impl<H: Host> Inner<H> {
    /// Opens a stream for what belongs to no request, or goes on with one that broke off.
    pub(super) async fn listen(&self, asking: &Asking, accepts: Accepts) -> Result<Response<Body>, Refused> {
        if !accepts.events {
            let message = "GET opens a stream: accept text/event-stream";
            return Err(Refused::new(StatusCode::NOT_ACCEPTABLE, message));
        }
        let Live { session, .. } = self.find(asking).await?;
        let place = self.stream_place()?;
        let stream = match asking.parts.field(LAST_EVENT) {
            Field::Absent | Field::Value("") => self.open(&session, Vec::new())?,
            Field::Value(id) => self.resume(&session, EventId::parse(id).ok_or_else(lost)?).await?,
            Field::Unusable => return Err(lost()),
        };
        stream.hold(place);
        Ok(self.stream(stream))
    }

    /// Opens a stream for what belongs to no request, and says at first what was to be said on another one.
    fn open(&self, session: &Session, before: Vec<Vec<u8>>) -> Result<Arc<Stream>, Refused> {
        session.listen(self.host.options().runtime.clock.now(), before).map_err(|closed| match closed {
            Closed::Ended => ended(),
            Closed::Full => {
                let message = "the session has several streams open by GET already; close one of them";
                Refused::new(StatusCode::CONFLICT, message)
            }
        })
    }

    /// Goes on with a stream behind an event.
    async fn resume(&self, session: &Session, id: EventId) -> Result<Arc<Stream>, Refused> {
        match session.resume(self.host.options().runtime.clock.now(), id) {
            Resumed::Stream(stream) => return Ok(stream),
            Resumed::Lost => return Err(lost()),
            Resumed::Ended => return Err(ended()),
            Resumed::Unknown => {}
        }
        let events = self.said_after(session, id).await?;
        match id.stream.kind {
            // Whoever listens to what belongs to no request can go on with that in any case.
            Kind::Own => self.open(session, events.into_iter().map(|event| event.text.into_bytes()).collect()),
            // What ran is gone, so that nothing will follow.
            Kind::Answer if events.is_empty() => Err(lost()),
            Kind::Answer => {
                let stream = Arc::new(Stream::default());
                for event in events.iter().filter(|event| !event.text.is_empty()) {
                    let mut text = Vec::new();
                    let id = EventId { sequence: event.sequence, ..id };
                    sse::write_numbered(id, event.text.as_bytes(), &mut text);
                    stream.push_event(text.into());
                }
                stream.end();
                Ok(stream)
            }
        }
    }

    /// Gives what the store has of a stream behind an event.
    async fn said_after(&self, session: &Session, id: EventId) -> Result<Vec<Event>, Refused> {
        let Some(store) = &self.settings.event_store else { return Ok(Vec::new()) };
        let (stream, now) = (id.stream.to_string(), self.host.options().runtime.clock.time_of_day());
        let mut events = store.after(&session.id, &stream, id.sequence, now).await.map_err(|error| {
            warn!(%error, "events could not be looked for");
            Refused::busy("what was said cannot be looked for right now; try again")
        })?;
        let limits = &self.host.config().limits.message;
        let mut last = id.sequence;
        events.retain(|event| {
            let is_next = event.stream == stream && event.sequence.cmp(&last) == Ordering::Greater;
            let is_message =
                event.text.is_empty() && event.is_last || Message::parse(event.text.as_bytes(), limits).is_ok();
            if is_next && is_message {
                last = event.sequence;
            } else {
                warn!(sequence = event.sequence, "an event that was kept cannot be used");
            }
            is_next && is_message
        });
        Ok(events)
    }
}

/// Says that a stream does not go on.
fn lost() -> Refused {
    let message = "no stream of the session goes on behind the event that Last-Event-ID names; send the request anew";
    Refused::new(StatusCode::BAD_REQUEST, message)
}
