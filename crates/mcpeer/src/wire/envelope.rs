//! The envelope: what a request of the stateless era says about itself in `_meta`, and what a server adds to results.

use std::{borrow::Cow, ops::Range};

use crate::{
    rpc::{Raw, RawRef},
    version::Revision,
};

use super::{meta, splice};

/// What was lifted out of a message's params.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lifted {
    /// The envelope.
    pub envelope: Option<Envelope>,
    /// The answers to the input that an earlier result asked for.
    pub input_responses: Option<Raw>,
    /// The state that an earlier result asked to be given back.
    pub request_state: Option<Raw>,
}

/// The `_meta` that a message came with, with its envelope keys found but not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    meta: Raw,
    pieces: Pieces,
}

impl Envelope {
    pub(super) fn new(meta: Raw, pieces: Pieces) -> Self {
        Self { meta, pieces }
    }

    /// Gives the whole `_meta`, as it came.
    pub fn meta(&self) -> RawRef<'_> {
        self.meta.borrow()
    }

    /// Gives the revision that the message claims, of whatever type.
    pub fn protocol_version(&self) -> Option<RawRef<'_>> {
        slice(&self.meta, &self.pieces.protocol_version)
    }

    /// Gives what the client says it is.
    pub fn client_info(&self) -> Option<RawRef<'_>> {
        slice(&self.meta, &self.pieces.client_info)
    }

    /// Gives what the client can do.
    pub fn client_capabilities(&self) -> Option<RawRef<'_>> {
        slice(&self.meta, &self.pieces.client_capabilities)
    }

    /// Gives the log level; `None` where there is none or it is no string.
    pub fn log_level(&self) -> Option<Cow<'_, str>> {
        self.raw_log_level().and_then(RawRef::as_string)
    }

    pub(super) fn raw_log_level(&self) -> Option<RawRef<'_>> {
        slice(&self.meta, &self.pieces.log_level)
    }
}

/// Where the values of the envelope's keys stand in the text of a `_meta`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    protocol_version: Option<Range<usize>>,
    client_info: Option<Range<usize>>,
    client_capabilities: Option<Range<usize>>,
    log_level: Option<Range<usize>>,
}

impl Pieces {
    /// Notes a key of a `_meta` if it is one of the envelope's and was not noted before.
    pub(super) fn note(&mut self, key: &str, value: Range<usize>) -> bool {
        if !key.starts_with(meta::PREFIX) {
            return false;
        }
        let place = match key {
            meta::PROTOCOL_VERSION => &mut self.protocol_version,
            meta::CLIENT_INFO => &mut self.client_info,
            meta::CLIENT_CAPABILITIES => &mut self.client_capabilities,
            meta::LOG_LEVEL => &mut self.log_level,
            _ => return false,
        };
        if place.is_some() {
            return false;
        }
        *place = Some(value);
        true
    }

    pub(super) fn protocol_version<'a>(&self, meta: RawRef<'a>) -> Option<RawRef<'a>> {
        self.protocol_version.clone().map(|range| RawRef::trusted(&meta.as_str()[range]))
    }
}

fn slice<'a>(meta: &'a Raw, range: &Option<Range<usize>>) -> Option<RawRef<'a>> {
    range.clone().map(|range| RawRef::trusted(&meta.as_str()[range]))
}

/// The envelope that a client puts on what it sends in the stateless era, written once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientEnvelope {
    /// Members of a `_meta`, without braces.
    members: Box<str>,
}

impl ClientEnvelope {
    /// Writes the envelope of a client: what it is, and what it can do.
    ///
    /// Capabilities that only the stateful era has are left out.
    pub fn new(revision: Revision, implementation: &Raw, capabilities: &Raw) -> Self {
        let mut out = Vec::with_capacity(200 + implementation.as_str().len() + capabilities.as_str().len());
        let version = format!("\"{revision}\"");
        splice::member(meta::PROTOCOL_VERSION, RawRef::trusted(&version), &mut out);
        out.push(b',');
        splice::member(meta::CLIENT_INFO, implementation.borrow(), &mut out);
        out.push(b',');
        splice::string(meta::CLIENT_CAPABILITIES, &mut out);
        out.push(b':');
        super::modern::write_capabilities(capabilities.borrow(), &mut out);
        Self { members: splice::into_raw(out).as_str().into() }
    }

    /// Gives the members that the envelope adds to a `_meta`, without braces.
    pub(super) fn members(&self) -> &str {
        &self.members
    }
}

/// What a server adds to each result of the stateless era, written once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The whole start of a result that is complete and has no `_meta` of its own.
    head: Box<str>,
    /// Where the implementation stands in it.
    info: Range<usize>,
}

impl Stamp {
    /// Writes the stamp of a server that is this implementation.
    pub fn new(implementation: &Raw) -> Self {
        let before = format!("{{\"resultType\":\"complete\",\"_meta\":{{\"{}\":", meta::SERVER_INFO);
        let info = before.len()..before.len() + implementation.as_str().len();
        Self { head: format!("{before}{}}}", implementation.as_str()).into(), info }
    }

    /// Gives the start of a complete result: its type and its `_meta`, without the end of the object.
    pub(super) fn head(&self) -> &str {
        &self.head
    }

    /// Gives the implementation.
    pub(super) fn info(&self) -> RawRef<'_> {
        RawRef::trusted(&self.head[self.info.clone()])
    }
}
