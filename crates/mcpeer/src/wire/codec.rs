//! What every era's codec can do.

use std::{borrow::Cow, fmt};

use crate::{
    rpc::{self, Raw, RawRef, RequestId},
    version::{Era, Revision},
};

use super::{ClientEnvelope, Lifted, Registry, Row, Stamp, legacy::Legacy, modern::Modern};

/// Writes and reads what differs between the eras. Pure: what depends on the revision within an era is told.
pub trait Codec: Send + Sync + fmt::Debug {
    /// Gives the era.
    fn era(&self) -> Era;

    /// Checks that a request carries what the era requires beside its params.
    ///
    /// # Errors
    ///
    /// −32602 that names the key.
    fn check_envelope(&self, lifted: Option<&Lifted>) -> Result<(), rpc::Error>;

    /// Gives about how long a result will be, in bytes: exactly where its writer knows what is in it.
    fn room(&self, encoding: &Encoding<'_>, outcome: &Outcome<'_>) -> usize;

    /// Writes a result, as the object that stands at `result`.
    ///
    /// # Errors
    ///
    /// The revision cannot carry this result. Then nothing was written.
    fn encode_result(&self, encoding: &Encoding<'_>, outcome: Outcome<'_>, out: &mut Vec<u8>) -> Result<(), Refusal>;

    /// Maps the code of an error. Only errors of handlers are changed: those of the core have the code that they need.
    fn encode_error(&self, revision: Revision, method: &str, error: rpc::Error, from_handler: bool) -> rpc::Error;

    /// Checks that the result of a request of ours has all that the era requires beside the result proper.
    ///
    /// # Errors
    ///
    /// Something is missing.
    fn check_result(&self, method: &str, raw: RawRef<'_>) -> Result<(), Invalid> {
        let _ = (method, raw);
        Ok(())
    }

    /// Sorts the result of a request of ours by its type.
    ///
    /// # Errors
    ///
    /// The result is none that this method may have.
    fn decode_result(&self, registry: &Registry, method: &str, raw: RawRef<'_>) -> Result<Answer, Invalid>;

    /// Gives the params of a request as they go out.
    ///
    /// # Errors
    ///
    /// What is wrong with the params: they are no object, hold a key that only the connection sets, or what the
    /// revision does not have.
    fn encode_request<'a>(&self, request: &OutgoingRequest<'a>) -> Result<Option<Cow<'a, Raw>>, String>;

    /// Gives the params of a notification as they go out; the envelope is the client's.
    ///
    /// # Errors
    ///
    /// As of [`encode_request`](Self::encode_request).
    fn encode_notification<'a>(
        &self,
        params: Option<&'a Raw>,
        envelope: Option<&ClientEnvelope>,
    ) -> Result<Option<Cow<'a, Raw>>, String>;
}

/// Gives the codec of a revision.
pub fn codec(revision: Revision) -> &'static dyn Codec {
    match revision.era() {
        Era::Legacy => &Legacy,
        Era::Modern => &Modern,
    }
}

/// What a codec must know to write a result.
#[derive(Clone, Copy, Debug)]
pub struct Encoding<'a> {
    /// The revision that the request was admitted at.
    pub revision: Revision,
    /// The method's row; `None` where the method is the user's own.
    pub row: Option<&'a Row>,
    /// What the server adds to its results.
    pub stamp: &'a Stamp,
    /// What is said about caching where the result itself says nothing.
    pub cache: CacheHint,
}

/// A result to write.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// The method is done.
    Complete {
        /// The result.
        raw: RawRef<'a>,
        /// That its top level has none of `_meta`, `resultType`, `ttlMs`, `cacheScope`, `structuredContent`, and that
        /// it holds nothing that a revision would have to leave out.
        is_plain: bool,
        /// That the `outputSchema` of the tool does not say `"type":"object"` at its root, so that revisions that
        /// know only objects get its structured content as `{"result":…}`, always.
        wraps_output: bool,
    },
    /// The client is asked for input: `inputRequests` and `requestState`.
    InputRequired(RawRef<'a>),
    /// A result of a type that an extension defines.
    Extension {
        /// The value of `resultType`.
        result_type: &'a str,
        /// The result.
        raw: RawRef<'a>,
    },
}

impl Outcome<'_> {
    /// Gives how long the result is as its writer wrote it, in bytes, and whether it goes out like that.
    pub(super) fn written(&self) -> (usize, bool) {
        match self {
            Self::Complete { raw, is_plain, .. } => (raw.as_str().len(), *is_plain),
            Self::InputRequired(raw) | Self::Extension { raw, .. } => (raw.as_str().len(), false),
        }
    }
}

/// How many bytes a codec adds to a result that it has to look through, roughly.
pub(super) const ADDED: usize = 256;

/// What a cacheable result says about its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheHint {
    /// How long it stays fresh, in milliseconds.
    pub ttl_ms: u64,
    /// Who may share it.
    pub scope: CacheScope,
}

/// Who may share a cached result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheScope {
    /// Nobody but those with the same authorization.
    #[default]
    Private,
    /// Everybody.
    Public,
}

impl CacheScope {
    /// Gives the word that stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Public => "public",
        }
    }
}

/// A request that goes out.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingRequest<'a> {
    /// The revision that it is made at.
    pub revision: Revision,
    /// The method.
    pub method: &'a str,
    /// The params.
    pub params: Option<&'a Raw>,
    /// The envelope of the client; the stateful era has none.
    pub envelope: Option<&'a ClientEnvelope>,
    /// The token to ask for progress under.
    pub progress_token: Option<&'a RequestId>,
    /// The log level to ask for. The stateful era has no such key and ignores it.
    pub log_level: Option<&'a str>,
}

/// A result that arrived.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// The result, without `resultType`.
    Complete(Raw),
    /// The server asks for input: `inputRequests` and `requestState`.
    InputRequired(Raw),
    /// A result of a type that an extension defines.
    Extension {
        /// The value of `resultType`.
        result_type: String,
        /// The result.
        raw: Raw,
    },
}

/// Why a codec does not write a result: for whoever wrote the handler, not for the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub Cow<'static, str>);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is wrong with a result that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub Cow<'static, str>);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
