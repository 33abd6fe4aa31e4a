//! The way of a message from its text to the code that knows what it means.

use std::{sync::Arc, time::Instant};

use super::{
    client::Reaction,
    connection::{Connection, Role},
    in_flight::Return,
    inbound::{Incoming, Notice},
    io::{Edge, Failure, Inbound, Link, Route},
};
use crate::{
    rpc::{self, Fault, Message, RawRef, RequestId, Unreadable},
    wire::{self, Outline},
};

/// What all members of a message share.
#[derive(Clone, Copy)]
struct Arrival<'a> {
    now: Instant,
    route: Route,
    edge: Option<&'a Arc<Edge>>,
    batch: Option<u64>,
    text: &'a [u8],
    /// Of the params; of a member of a batch it was not drawn.
    outline: &'a Outline,
}

impl Connection {
    pub(super) fn receive(&mut self, now: Instant, inbound: Inbound<'_>) {
        let Inbound { message: text, route, edge } = inbound;
        self.core.finished = None;
        let mut outline = Outline::default();
        let message = Message::survey(text, &self.core.config.limits.message, &mut outline);
        let arrival = Arrival { now, route, edge: edge.as_ref(), batch: None, text, outline: &outline };
        match message {
            Ok(Message::Batch(elements)) => self.batch(arrival, &elements),
            Ok(message) => self.message(arrival, message),
            Err(Unreadable { fault: Fault::TooLong, .. }) => self.too_long(arrival, &Fault::TooLong.to_string()),
            Err(unreadable) => self.unreadable(arrival, &unreadable, &unreadable.to_string()),
        }
        self.core.end_idle_route(route);
    }

    /// Takes note of a message of which only the start is there.
    pub(super) fn skipped(&mut self, now: Instant, route: Route, reason: &str, excerpt: &str) {
        self.core.finished = None;
        let (text, outline) = (excerpt.as_bytes(), &Outline::default());
        self.too_long(Arrival { now, route, edge: None, batch: None, text, outline }, reason);
    }

    fn too_long(&mut self, arrival: Arrival<'_>, reason: &str) {
        let (id, is_answer) = read_start(arrival.text);
        let unreadable = Unreadable { fault: Fault::TooLong, id, is_answer };
        self.unreadable(arrival, &unreadable, reason);
    }

    fn message(&mut self, arrival: Arrival<'_>, message: Message<'_>) {
        let Arrival { now, route, edge, batch, text, outline } = arrival;
        match message {
            Message::Request { id, method, params } => {
                let to = Return { id, route, batch };
                let incoming = Incoming { to, method, params, outline, edge: edge.cloned(), text };
                match &mut self.role {
                    Role::Client(client) => client.request(&mut self.core, incoming),
                    Role::Server(server) => server.request(&mut self.core, incoming),
                }
            }
            Message::Notification { method, params } => {
                let notice = Notice { now, route, method, params, outline, edge, text };
                match &mut self.role {
                    Role::Client(client) => client.notification(&mut self.core, notice),
                    Role::Server(server) => server.notification(&mut self.core, notice),
                }
            }
            Message::Response { id, result, error } => self.response(arrival, id, result, error),
            Message::Batch(_) => self.core.report("an array within an array", text),
        }
    }

    fn response(
        &mut self,
        arrival: Arrival<'_>,
        id: Option<RequestId>,
        result: Option<RawRef<'_>>,
        error: Option<RawRef<'_>>,
    ) {
        let Arrival { now, text, .. } = arrival;
        let Some(id) = id else {
            self.core.report("an answer that names no request", text);
            return self.refuse_answer(arrival);
        };
        if let Role::Client(client) = &mut self.role
            && client.awaits(&id)
        {
            let reaction = match read_answer(result, error) {
                Ok(Ok(raw)) => Reaction::Result(raw),
                Ok(Err(error)) => Reaction::Error(error),
                Err(reason) => Reaction::Invalid(invalid(reason, text)),
            };
            return client.react(&mut self.core, now, reaction);
        }
        let Some((id, pending, sent)) = self.core.pending.get_sent(&id) else {
            if result.is_none() && error.is_none() {
                return self.nothing(arrival, id);
            }
            if !self.core.pending.was_issued(&id) {
                self.core.report(format!("an answer to the request {id}, which was never sent"), text);
            }
            return self.refuse_answer(arrival);
        };
        let outcome = match read_answer(result, error) {
            Ok(Ok(raw)) => {
                let codec = wire::codec(sent);
                let is_whole = match self.core.config.strict_results {
                    true => codec.check_result(&pending.method, raw),
                    false => Ok(()),
                };
                is_whole
                    .and_then(|()| codec.decode_result(&self.core.prepared().registry, &pending.method, raw))
                    .map_err(|invalid| Failure::Invalid { reason: invalid.to_string(), raw: Some(raw.to_owned()) })
            }
            Ok(Err(error)) => Err(Failure::Rpc(error)),
            Err(reason) => Err(invalid(reason, text)),
        };
        self.settle(now, id, outcome);
    }

    /// An id alone is an answer only to a request of ours; else it is no message.
    fn nothing(&mut self, arrival: Arrival<'_>, id: RequestId) {
        self.core.report(Fault::Empty.to_string(), arrival.text);
        if self.core.is_server {
            let error = rpc::Error::new(rpc::Error::INVALID_REQUEST, Fault::Empty.to_string());
            self.core.refuse(&Return { id, route: arrival.route, batch: arrival.batch }, &error);
        }
    }

    /// Where each message has an answer of its own, one that nobody waits for is refused.
    fn refuse_answer(&mut self, arrival: Arrival<'_>) {
        if self.core.is_server && self.core.link == Link::Exchange && arrival.batch.is_none() {
            let error = rpc::Error::new(rpc::Error::INVALID_REQUEST, "nothing here waits for this answer");
            self.core.refuse_anonymously(arrival.now, arrival.route, &error);
        }
    }

    fn unreadable(&mut self, arrival: Arrival<'_>, unreadable: &Unreadable, reason: &str) {
        let Arrival { now, route, batch, text, .. } = arrival;
        self.core.report(reason, text);
        if unreadable.is_answer {
            if let Some(id) = &unreadable.id {
                self.fail_answered(now, id, reason, text);
            }
            return self.refuse_answer(arrival);
        }
        let code = match unreadable.fault.is_parse_error() {
            true => rpc::Error::PARSE_ERROR,
            false => rpc::Error::INVALID_REQUEST,
        };
        let error = rpc::Error::new(code, reason.to_owned());
        let answers = match &self.role {
            Role::Client(client) => client.answers() && unreadable.id.is_some(),
            Role::Server(_) => true,
        };
        match &unreadable.id {
            _ if !answers => {}
            Some(id) => self.core.refuse(&Return { id: id.clone(), route, batch }, &error),
            None => match batch {
                Some(batch) => self.core.refuse_member(now, batch, &error),
                None => self.core.refuse_anonymously(now, route, &error),
            },
        }
    }

    /// Fails the request of ours that an unreadable answer names.
    fn fail_answered(&mut self, now: Instant, id: &RequestId, reason: &str, text: &[u8]) {
        let failure = invalid(reason, text);
        if let Role::Client(client) = &mut self.role
            && client.awaits(id)
        {
            return client.react(&mut self.core, now, Reaction::Invalid(failure));
        }
        if let Some(id) = self.core.pending.sent_id(id) {
            self.settle(now, id, Err(failure));
        }
    }

    fn batch(&mut self, arrival: Arrival<'_>, elements: &[RawRef<'_>]) {
        let Arrival { now, route, edge, text, .. } = arrival;
        let revision = match &self.role {
            Role::Client(_) => self.core.revision,
            Role::Server(server) => server.batch_revision(&self.core, edge.map(|edge| &**edge)),
        };
        let members: Vec<_> = elements.iter().map(|element| Message::from_raw(*element)).collect();
        let max = self.core.config.limits.message.max_batch;
        let refusal = if !revision.is_some_and(|revision| revision.has_batches()) {
            Some("an array is no message at this protocol version; send each message on its own".to_owned())
        } else if members.is_empty() {
            Some("the array is empty".to_owned())
        } else if members.len() > max {
            Some(format!("the array has more than {max} members"))
        } else if members.iter().any(is_initialize) {
            Some("`initialize` stands within an array; send it on its own".to_owned())
        } else {
            None
        };
        if let Some(reason) = refusal {
            self.core.report(reason.clone(), text);
            if self.core.is_server {
                let error = rpc::Error::new(rpc::Error::INVALID_REQUEST, reason);
                self.core.refuse_anonymously(now, route, &error);
            }
            return;
        }
        let batch = self.core.batches.open(route);
        for (element, member) in elements.iter().zip(members) {
            let arrival = Arrival { batch: Some(batch), text: element.as_str().as_bytes(), ..arrival };
            match member {
                Ok(message) => self.message(arrival, message),
                Err(unreadable) => self.unreadable(arrival, &unreadable, &unreadable.to_string()),
            }
        }
        if let Some(done) = self.core.batches.seal(batch) {
            self.core.send_batch(done);
        }
    }
}

/// Reads whom the start of a message that is too long names, and whether the message is an answer.
fn read_start(text: &[u8]) -> (Option<RequestId>, bool) {
    let start = &text[..text.len().min(START)];
    let end = std::str::from_utf8(start).map_or_else(|error| error.valid_up_to(), str::len);
    // A number at the end may go on.
    let end = start[..end].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    match Message::parse(&start[..end], &rpc::Limits::default()) {
        Err(Unreadable { id, is_answer, .. }) => (id, is_answer),
        Ok(_) => (None, false),
    }
}

/// How much of a message that is too long is looked at.
const START: usize = 256;

fn is_initialize(member: &Result<Message<'_>, Unreadable>) -> bool {
    matches!(member, Ok(Message::Request { method, .. }) if method == "initialize")
}

/// Reads the two halves of an answer; the error says why it is none.
fn read_answer<'a>(
    result: Option<RawRef<'a>>,
    error: Option<RawRef<'_>>,
) -> Result<Result<RawRef<'a>, rpc::Error>, &'static str> {
    match (result, error) {
        (Some(result), None) => Ok(Ok(result)),
        (None, Some(error)) => read_error(error).map(Err),
        (Some(_), Some(_)) => Err("the answer has both a result and an error"),
        (None, None) => Err("the answer has neither a result nor an error"),
    }
}

fn read_error(raw: RawRef<'_>) -> Result<rpc::Error, &'static str> {
    if !raw.is_object() {
        return Err("the error is no object");
    }
    let code = raw.member("code").and_then(|code| code.as_str().parse::<i64>().ok());
    let code = code.ok_or("the error has no code that is an integer")?;
    let message = raw.member("message").and_then(RawRef::as_string).ok_or("the error has no message")?;
    let error = rpc::Error::new(code, message.into_owned());
    Ok(match raw.member("data") {
        Some(data) => error.with_data(data.to_owned()),
        None => error,
    })
}

fn invalid(reason: &str, text: &[u8]) -> Failure {
    let raw = std::str::from_utf8(text).ok().and_then(|text| rpc::Raw::parse(text).ok());
    Failure::Invalid { reason: reason.to_owned(), raw }
}
