//! Answers of a client, as what the handler asked for.

use serde::de::DeserializeOwned;

use super::Elicited;
use crate::{
    error::{Error, Result},
    handler::question,
    model::{
        elicitation::{Action, CreateResult},
        roots::{ListResult, Root},
        sampling,
    },
    rpc::{Raw, RawRef},
};

/// Checks that something is an answer to such a question at all.
pub(super) fn check(method: &str, answer: RawRef<'_>) -> serde_json::Result<()> {
    match method {
        question::ELICIT => answer.decode::<CreateResult>().map(drop),
        question::SAMPLE => answer.decode::<sampling::CreateResult>().map(drop),
        _ => answer.decode::<ListResult>().map(drop),
    }
}

pub(super) fn plain<T: DeserializeOwned>(method: &'static str, raw: Raw) -> Result<T> {
    raw.decode().map_err(|source| Error::decode("result", method, raw.clone(), &source))
}

pub(super) fn form<T: DeserializeOwned>(raw: Raw) -> Result<Elicited<T>> {
    let result: CreateResult = plain(question::ELICIT, raw)?;
    elicited(&result, || {
        let content = result.content.clone().unwrap_or_default();
        let content = Raw::trusted(content.as_str());
        content.decode().map_err(|source| Error::decode("content", question::ELICIT, content.clone(), &source))
    })
}

pub(super) fn url(raw: Raw) -> Result<Elicited<()>> {
    let result: CreateResult = plain(question::ELICIT, raw)?;
    elicited(&result, || Ok(()))
}

pub(super) fn roots(raw: Raw) -> Result<Vec<Root>> {
    Ok(plain::<ListResult>(question::ROOTS, raw)?.roots.into_vec())
}

fn elicited<T>(result: &CreateResult, accept: impl FnOnce() -> Result<T>) -> Result<Elicited<T>> {
    match &result.action {
        Action::Accept => accept().map(Elicited::Accept),
        Action::Decline => Ok(Elicited::Decline),
        // A word of a later revision is no yes.
        _ => Ok(Elicited::Cancel),
    }
}
