use crate::{
    rpc::{self, Message, RawRef, Unreadable},
    wire::{classify, headers::VersionHeader},
};

/// How a message is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// By itself.
    Alone,
    /// As the start of a session, where it names none.
    Begins,
    /// Within the session that it names.
    Within {
        /// Whether it is a request, to which an answer is due.
        is_request: bool,
    },
}

/// Says how a message is served where the stateful era has sessions.
pub(super) fn sort(version: VersionHeader, names_session: bool, text: &[u8], limits: &rpc::Limits) -> Course {
    let within = |is_request| Course::Within { is_request };
    let stands_alone = |params: Option<RawRef<'_>>| version == VersionHeader::Modern || classify(params).is_some();
    match Message::parse(text, limits) {
        Ok(Message::Request { method, params, .. }) => match &*method {
            "initialize" if !classify(params).is_some() => Course::Begins,
            _ if stands_alone(params) => Course::Alone,
            // It asks about the other era, and has to say so.
            "server/discover" if !names_session => Course::Alone,
            _ => within(true),
        },
        Ok(Message::Notification { params, .. }) if stands_alone(params) => Course::Alone,
        Ok(Message::Response { .. } | Message::Batch(_)) if version == VersionHeader::Modern && !names_session => {
            Course::Alone
        }
        Ok(_) => within(false),
        // It may be the answer to a request of ours.
        Err(Unreadable { is_answer: true, .. }) if names_session => within(false),
        Err(_) => Course::Alone,
    }
}
