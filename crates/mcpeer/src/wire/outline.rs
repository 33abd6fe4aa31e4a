//! Where in params that stands which belongs to the protocol.

use super::{envelope::Pieces, meta};
use crate::rpc::{self, Place, RawRef, Survey};

/// Where the members of params stand that may have to go, or that say what a request is about: of several with one name,
/// the first. It is drawn while a message is read, so that nobody has to walk over the params again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Whether the params were seen, and are an object.
    pub(super) is_drawn: bool,
    /// The `_meta`, where that is an object.
    pub(super) meta: Option<Meta>,
    has_meta: bool,
    pub(super) input_responses: Option<Place>,
    pub(super) request_state: Option<Place>,
    name: Option<Place>,
    uri: Option<Place>,
    task_id: Option<Place>,
}

/// A `_meta`, and what of it is lifted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) place: Place,
    pub(super) pieces: Pieces,
    /// The places of the envelope's keys, in the order of the text.
    pub(super) cuts: [(usize, usize); 4],
    pub(super) cut_count: usize,
    /// Whether a key remains that is not lifted.
    pub(super) keeps_any: bool,
    /// The token under which the sender wants progress.
    pub(super) progress_token: Option<Place>,
}

impl Outline {
    /// Draws the outline of params.
    pub fn of(params: RawRef<'_>) -> Self {
        let mut outline = Self::default();
        rpc::survey(params, &mut outline);
        outline
    }

    /// Finds the member that says what a request is about: one of those that headers repeat.
    pub(super) fn subject(&self, member: &str) -> Option<Place> {
        match member {
            "name" => self.name,
            "uri" => self.uri,
            "taskId" => self.task_id,
            _ => None,
        }
    }
}

impl Survey for Outline {
    fn begin(&mut self) {
        self.is_drawn = true;
    }

    fn enters(&mut self, name: &str, value: usize) -> bool {
        let enters = name == "_meta" && !self.has_meta;
        if enters {
            let place = Place { start: 0, value, end: 0 };
            self.meta = Some(Meta { place, ..Meta::default() });
        }
        enters
    }

    fn inner(&mut self, name: &str, place: Place) {
        let Some(meta) = &mut self.meta else { return };
        let within = meta.place.value;
        if meta.pieces.note(name, place.value - within..place.end - within) {
            meta.cuts[meta.cut_count] = (place.start, place.end);
            meta.cut_count += 1;
            return;
        }
        meta.keeps_any = true;
        if name == meta::PROGRESS_TOKEN {
            meta.progress_token.get_or_insert(place);
        }
    }

    fn member(&mut self, name: &str, place: Place) {
        let slot = match name {
            "_meta" => {
                if !std::mem::replace(&mut self.has_meta, true)
                    && let Some(meta) = &mut self.meta
                {
                    meta.place = place;
                }
                return;
            }
            "inputResponses" => &mut self.input_responses,
            "requestState" => &mut self.request_state,
            "name" => &mut self.name,
            "uri" => &mut self.uri,
            "taskId" => &mut self.task_id,
            _ => return,
        };
        slot.get_or_insert(place);
    }
}
