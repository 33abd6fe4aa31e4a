//! Taking wire-only material out of params.

use crate::rpc::{Members, Raw, RawRef, RequestId};

use super::{
    Claim,
    envelope::{Envelope, Lifted, Pieces},
    meta,
    splice::Parts,
};

/// Params without wire-only material, and that material.
#[derive(Debug)]
pub struct Lift<'a> {
    /// The params; the same text as before where nothing was lifted.
    pub params: Option<Params<'a>>,
    /// The token under which the sender wants progress, where it is a string or an integer.
    pub progress_token: Option<RequestId>,
    /// The era that the message claims.
    pub claim: Claim,
    /// What was lifted, where anything was.
    pub lifted: Option<Box<Lifted>>,
    /// The member that was asked for: what the request is about.
    pub subject: Option<RawRef<'a>>,
}

/// Params that either came untouched or were written anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Params<'a> {
    /// As they came.
    Untouched(RawRef<'a>),
    /// Written anew, without what was lifted.
    Cleaned(Raw),
}

impl Params<'_> {
    /// Borrows the params.
    pub fn borrow(&self) -> RawRef<'_> {
        match self {
            Self::Untouched(raw) => *raw,
            Self::Cleaned(raw) => raw.borrow(),
        }
    }

    /// Takes the params, copying them where they came untouched.
    pub fn into_raw(self) -> Raw {
        match self {
            Self::Untouched(raw) => raw.to_owned(),
            Self::Cleaned(raw) => raw,
        }
    }
}

/// Lifts the envelope and, where the method may need input and the message claims the stateless era, `inputResponses`
/// and `requestState`.
///
/// A message without such material is passed on as it came, without a copy. So is a `_meta` that is no object, and a
/// second member of the same name.
pub fn lift_request(params: Option<RawRef<'_>>, may_need_input: bool) -> Lift<'_> {
    let Some(params) = params else {
        return nothing();
    };
    // Without a `_meta`, which may be spelt with escapes, nothing is lifted; to search costs less than to walk. It often
    // stands first.
    let text = params.as_str();
    if !text.starts_with("{\"_meta\"") && !text.contains("\"_meta\"") && !text.contains("\\u") {
        return untouched(params, None, Claim::None);
    }
    lift(params, may_need_input, None)
}

/// Lifts as [`lift_request`] does, out of params that ought to have an envelope: these are not searched first. Besides
/// it finds the member that says what the request is about, where that has a name.
pub fn lift_enveloped<'a>(params: Option<RawRef<'a>>, may_need_input: bool, subject: Option<&str>) -> Lift<'a> {
    params.map_or_else(nothing, |params| lift(params, may_need_input, subject))
}

fn nothing<'a>() -> Lift<'a> {
    Lift { params: None, progress_token: None, claim: Claim::None, lifted: None, subject: None }
}

fn lift<'a>(params: RawRef<'a>, may_need_input: bool, subject: Option<&str>) -> Lift<'a> {
    let found = Found::within(params, may_need_input, subject);
    let subject = found.subject.map(|place| place.value(params));
    let Some(meta) = &found.meta else {
        return Lift { subject, ..untouched(params, None, Claim::None) };
    };
    let value = meta.place.value(params);
    let claim = meta.pieces.protocol_version(value).map_or(Claim::None, Claim::read);
    if meta.cut_count == 0 {
        return Lift { subject, ..untouched(params, found.progress_token, claim) };
    }
    let lifts_input = claim.is_some();
    let cleaned = clean(params, &found, meta, lifts_input);
    let input =
        |place: &Option<Place>| place.as_ref().filter(|_| lifts_input).map(|place| place.value(params).to_owned());
    let lifted = Lifted {
        envelope: Some(Envelope::new(value.to_owned(), meta.pieces.clone())),
        input_responses: input(&found.input_responses),
        request_state: input(&found.request_state),
    };
    Lift {
        params: Some(Params::Cleaned(cleaned)),
        progress_token: found.progress_token,
        claim,
        lifted: Some(Box::new(lifted)),
        subject,
    }
}

/// Lifts the envelope of a notification, which only says what it claims.
pub fn lift_notification(params: Option<RawRef<'_>>) -> Lift<'_> {
    lift_request(params, false)
}

fn untouched(params: RawRef<'_>, progress_token: Option<RequestId>, claim: Claim) -> Lift<'_> {
    Lift { params: Some(Params::Untouched(params)), progress_token, claim, lifted: None, subject: None }
}

/// Where a member stands, in bytes from the start of the params.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Where the member before it ends.
    start: usize,
    /// Where its value starts.
    value: usize,
    /// Where it ends.
    end: usize,
}

impl Place {
    fn value(self, params: RawRef<'_>) -> RawRef<'_> {
        RawRef::trusted(&params.as_str()[self.value..self.end])
    }
}

/// The members of params that may have to go: of several with one name, the first.
#[derive(Default)]
struct Found {
    meta: Option<Meta>,
    progress_token: Option<RequestId>,
    input_responses: Option<Place>,
    request_state: Option<Place>,
    subject: Option<Place>,
}

impl Found {
    /// Finds them in one walk, which goes into the `_meta` where that is an object.
    fn within(params: RawRef<'_>, may_need_input: bool, subject: Option<&str>) -> Self {
        let mut found = Self::default();
        let mut has_meta = false;
        let mut members = params.members();
        let mut start = 1;
        while let Some(name) = members.next_name() {
            let value = members.at();
            let is_first_meta = name == "_meta" && !std::mem::replace(&mut has_meta, true);
            match members.enter().filter(|_| is_first_meta) {
                Some(mut inner) => {
                    let mut meta = found.walk_meta(&mut inner, value);
                    members.leave(&inner);
                    meta.place = Place { start, value, end: members.at() };
                    found.meta = Some(meta);
                }
                None => {
                    members.next_value();
                }
            }
            let place = Place { start, value, end: members.at() };
            match &*name {
                "inputResponses" if may_need_input => found.input_responses.get_or_insert(place),
                "requestState" if may_need_input => found.request_state.get_or_insert(place),
                name if Some(name) == subject => found.subject.get_or_insert(place),
                _ => &mut Place::default(),
            };
            start = place.end;
        }
        found
    }

    fn walk_meta(&mut self, members: &mut Members<'_>, object: usize) -> Meta {
        let mut meta = Meta::default();
        let mut start = members.at();
        while let Some(name) = members.next_name() {
            let value = members.next_value();
            let end = members.at();
            if meta.pieces.note(&name, end - value.as_str().len() - object..end - object) {
                meta.cuts[meta.cut_count] = (start, end);
                meta.cut_count += 1;
            } else {
                meta.keeps_any = true;
                if name == meta::PROGRESS_TOKEN && self.progress_token.is_none() {
                    self.progress_token = progress_token(value);
                }
            }
            start = end;
        }
        meta
    }
}

/// A `_meta`, and what of it is lifted.
#[derive(Default)]
struct Meta {
    place: Place,
    pieces: Pieces,
    /// The places of the envelope's keys, in the order of the text.
    cuts: [(usize, usize); 4],
    cut_count: usize,
    /// Whether a key remains that is not lifted.
    keeps_any: bool,
}

/// Writes the params anew without what was lifted; one allocation.
fn clean(params: RawRef<'_>, found: &Found, meta: &Meta, lifts_input: bool) -> Raw {
    let text = params.as_str();
    let mut places =
        [Some(meta.place), found.input_responses.filter(|_| lifts_input), found.request_state.filter(|_| lifts_input)];
    places.sort_unstable_by_key(|place| place.map_or(usize::MAX, |place| place.start));
    let mut parts = Parts::new();
    parts.open();
    let mut kept_from = 1;
    for place in places.into_iter().flatten() {
        parts.members(&text[kept_from..place.start]);
        if place.start == meta.place.start && meta.keeps_any {
            parts.members(&text[place.start..place.value]);
            parts.open();
            let mut inner_from = place.value + 1;
            for &(start, end) in &meta.cuts[..meta.cut_count] {
                parts.members(&text[inner_from..start]);
                inner_from = end;
            }
            parts.rest(&text[inner_from..place.end]);
        }
        kept_from = place.end;
    }
    parts.rest(&text[kept_from..]);
    Raw::trusted(parts.concat())
}

/// Reads a progress token; `None` where it is neither a string nor an integer of 64 bits.
pub(super) fn progress_token(value: RawRef<'_>) -> Option<RequestId> {
    if let Some(text) = value.as_string() {
        return Some(RequestId::String(text.into()));
    }
    value.as_str().parse().ok().map(RequestId::Integer)
}
