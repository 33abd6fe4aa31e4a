use std::borrow::Cow;

use serde::de::DeserializeOwned;

use super::call::typed;
use crate::{
    driver::io::Answer,
    error::{Error, Result},
    model::RawObject,
};

/// A result, or one of a type that an [extension](crate::extension) defines.
///
/// ```
/// use mcpeer::{error::Result, model::tools::{Call, CallParams}, peer::{Extended, Peer}};
///
/// async fn ticket(peer: &Peer) -> Result<Option<String>> {
///     Ok(match peer.request::<Call>(CallParams::new("report")).extended().await? {
///         Extended::Extension { result, .. } => Some(result.as_str().to_owned()),
///         Extended::Complete(_) => None,
///     })
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Extended<O> {
    /// The result of the method.
    Complete(O),
    /// A result that an extension defines.
    Extension {
        /// Which: the value of `resultType`.
        result_type: String,
        /// The result, without `resultType`.
        result: RawObject,
    },
}

/// Takes the result of an answer, of its type or an extension's.
pub(super) fn extended<O: DeserializeOwned>(method: Cow<'static, str>, answer: Answer) -> Result<Extended<O>> {
    match answer {
        Answer::Extension { result_type, raw } => match RawObject::parse(raw.as_str()) {
            Ok(result) => Ok(Extended::Extension { result_type, result }),
            Err(source) => Err(Error::decode("result", method, raw.clone(), &source)),
        },
        answer => typed(method, answer).map(Extended::Complete),
    }
}
