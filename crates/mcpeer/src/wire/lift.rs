//! Taking wire-only material out of params.

use crate::rpc::{Raw, RawRef, RequestId};

use super::{
    Claim,
    envelope::{Envelope, Lifted, Pieces},
    meta,
    splice::{self, Member, Parts},
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
        return Lift { params: None, progress_token: None, claim: Claim::None, lifted: None };
    };
    let found = Found::within(params, may_need_input);
    let Some(meta) = found.meta.as_ref().filter(|meta| meta.value.is_object()) else {
        return untouched(params, None, Claim::None);
    };
    let walked = WalkedMeta::walk(meta.value);
    let claim = walked.pieces.protocol_version(meta.value).map_or(Claim::None, Claim::read);
    if walked.cut_count == 0 {
        return untouched(params, walked.progress_token, claim);
    }
    let lifts_input = claim.is_some();
    let cleaned = clean(params, &found, &walked, lifts_input);
    let lifted = Lifted {
        envelope: Some(Envelope::new(meta.value.to_owned(), walked.pieces)),
        input_responses: found.input_responses.as_ref().filter(|_| lifts_input).map(|span| span.value.to_owned()),
        request_state: found.request_state.as_ref().filter(|_| lifts_input).map(|span| span.value.to_owned()),
    };
    Lift {
        params: Some(Params::Cleaned(cleaned)),
        progress_token: walked.progress_token,
        claim,
        lifted: Some(Box::new(lifted)),
    }
}

/// Lifts the envelope of a notification, which only says what it claims.
pub fn lift_notification(params: Option<RawRef<'_>>) -> Lift<'_> {
    lift_request(params, false)
}

fn untouched(params: RawRef<'_>, progress_token: Option<RequestId>, claim: Claim) -> Lift<'_> {
    Lift { params: Some(Params::Untouched(params)), progress_token, claim, lifted: None }
}

/// The members of params that may have to go.
#[derive(Default)]
struct Found<'a> {
    meta: Option<Member<'a>>,
    input_responses: Option<Member<'a>>,
    request_state: Option<Member<'a>>,
}

impl<'a> Found<'a> {
    fn within(params: RawRef<'a>, may_need_input: bool) -> Self {
        let mut found = Self::default();
        for member in splice::members(params) {
            let place = match &*member.name {
                "_meta" => Some(&mut found.meta),
                "inputResponses" if may_need_input => Some(&mut found.input_responses),
                "requestState" if may_need_input => Some(&mut found.request_state),
                _ => None,
            };
            if let Some(place) = place
                && place.is_none()
            {
                *place = Some(member);
            }
        }
        found
    }
}

/// What one walk over a `_meta` finds.
struct WalkedMeta {
    pieces: Pieces,
    progress_token: Option<RequestId>,
    /// The spans of the envelope's keys, in the order of the text.
    cuts: [(usize, usize); 4],
    cut_count: usize,
    /// Whether a key remains that is not lifted.
    keeps_any: bool,
}

impl WalkedMeta {
    fn walk(meta: RawRef<'_>) -> Self {
        let mut walked =
            Self { pieces: Pieces::default(), progress_token: None, cuts: [(0, 0); 4], cut_count: 0, keeps_any: false };
        for Member { name, value, start, end, .. } in splice::members(meta) {
            if walked.pieces.note(&name, end - value.as_str().len()..end) {
                walked.cuts[walked.cut_count] = (start, end);
                walked.cut_count += 1;
            } else {
                walked.keeps_any = true;
                if name == meta::PROGRESS_TOKEN && walked.progress_token.is_none() {
                    walked.progress_token = progress_token(value);
                }
            }
        }
        walked
    }
}

/// Writes the params anew without what was lifted; one allocation.
fn clean(params: RawRef<'_>, found: &Found<'_>, walked: &WalkedMeta, lifts_input: bool) -> Raw {
    let text = params.as_str();
    let mut spans = [
        found.meta.as_ref(),
        found.input_responses.as_ref().filter(|_| lifts_input),
        found.request_state.as_ref().filter(|_| lifts_input),
    ];
    spans.sort_unstable_by_key(|span| span.map_or(usize::MAX, |span| span.start));
    let mut parts = Parts::new();
    parts.open();
    let mut kept_from = 1;
    for span in spans.into_iter().flatten() {
        parts.members(&text[kept_from..span.start]);
        let is_meta = found.meta.as_ref().is_some_and(|meta| meta.start == span.start);
        if is_meta && walked.keeps_any {
            let meta = span.value.as_str();
            parts.members(&text[span.start..span.end - meta.len()]);
            parts.open();
            let mut inner_from = 1;
            for &(start, end) in &walked.cuts[..walked.cut_count] {
                parts.members(&meta[inner_from..start]);
                inner_from = end;
            }
            parts.rest(&meta[inner_from..]);
        }
        kept_from = span.end;
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
