//! Answers that were given before: a request may be answered by one, and the answer to another may be kept.

use std::time::Instant;

use crate::{
    driver::{Remote, io::Failure},
    rpc::Raw,
};

/// What keeps answers.
pub(crate) trait Recall: Send + Sync {
    /// Begins a request.
    fn begin(&self, remote: &Remote, method: &str, params: Option<&Raw>, freshness: Freshness) -> Begun;
}

/// How a request is begun.
pub(crate) enum Begun {
    /// With the result that was kept.
    Kept(Raw),
    /// By asking the peer; what there is hears the answer.
    Asked(Option<Box<dyn Note>>),
}

/// Hears the answer to one request.
pub(crate) trait Note: Send {
    /// Takes note of the result, unless the peer asked for input before, and of when it arrived.
    fn answered(self: Box<Self>, result: &Raw, received: Option<Instant>);

    /// Takes note that there is none.
    fn failed(self: Box<Self>, failure: &Failure);
}

/// How new an answer must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// One that was kept will do.
    #[default]
    Kept,
    /// The peer is asked, and its answer kept.
    New,
    /// The peer is asked, and what is kept stays as it is.
    Apart,
}
