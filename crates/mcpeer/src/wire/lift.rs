//! Taking wire-only material out of params.

use crate::rpc::{Place, Raw, RawRef, RequestId};

use super::{
    Claim,
    envelope::{Envelope, Lifted},
    outline::{self, Outline},
    splice::{self, Parts},
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
/// and `requestState`. Besides it finds the member that says what the request is about, where that has a name.
///
/// A message without such material is passed on as it came, without a copy. So is a `_meta` that is no object, and a
/// second member of the same name. An outline of the params that was not drawn is drawn here.
pub fn lift<'a>(
    params: Option<RawRef<'a>>,
    outline: &Outline,
    may_need_input: bool,
    subject: Option<&str>,
) -> Lift<'a> {
    let Some(params) = params else {
        return Lift { params: None, progress_token: None, claim: Claim::None, lifted: None, subject: None };
    };
    match outline.is_drawn {
        true => lift_outlined(params, outline, may_need_input, subject),
        false => lift_outlined(params, &Outline::of(params), may_need_input, subject),
    }
}

/// Lifts the envelope of a notification, which only says what it claims.
pub fn lift_notification<'a>(params: Option<RawRef<'a>>, outline: &Outline) -> Lift<'a> {
    lift(params, outline, false, None)
}

fn lift_outlined<'a>(params: RawRef<'a>, outline: &Outline, may_need_input: bool, subject: Option<&str>) -> Lift<'a> {
    let subject = subject.and_then(|name| outline.subject(name)).map(|place| value(params, place));
    let untouched = |progress_token, claim| Lift {
        params: Some(Params::Untouched(params)),
        progress_token,
        claim,
        lifted: None,
        subject,
    };
    let Some(meta) = &outline.meta else { return untouched(None, Claim::None) };
    let text = value(params, meta.place);
    let claim = meta.pieces.protocol_version(text).map_or(Claim::None, Claim::read);
    let progress_token = meta.progress_token.and_then(|place| progress_token(value(params, place)));
    if meta.cut_count == 0 {
        return untouched(progress_token, claim);
    }
    let lifts_input = may_need_input && claim.is_some();
    let [input_responses, request_state] =
        [outline.input_responses, outline.request_state].map(|place| place.filter(|_| lifts_input));
    let cleaned = clean(params, meta, [input_responses, request_state]);
    let lifted = Lifted {
        envelope: Some(Envelope::new(text.to_owned(), meta.pieces.clone())),
        input_responses: input_responses.map(|place| value(params, place).to_owned()),
        request_state: request_state.map(|place| value(params, place).to_owned()),
    };
    Lift { params: Some(Params::Cleaned(cleaned)), progress_token, claim, lifted: Some(Box::new(lifted)), subject }
}

fn value(params: RawRef<'_>, place: Place) -> RawRef<'_> {
    RawRef::trusted(&params.as_str()[place.value..place.end])
}

/// Writes the params anew without what was lifted; one allocation.
fn clean(params: RawRef<'_>, meta: &outline::Meta, [input_responses, request_state]: [Option<Place>; 2]) -> Raw {
    if !meta.keeps_any && input_responses.is_none() && request_state.is_none() {
        return splice::without(params, meta.place.start..meta.place.end);
    }
    let text = params.as_str();
    let mut places = [Some(meta.place), input_responses, request_state];
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
