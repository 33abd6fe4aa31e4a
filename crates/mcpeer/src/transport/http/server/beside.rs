//! Room for another transport beside Streamable HTTP.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use http::{Method, Response};

use super::{
    Body,
    accept::Accepts,
    endpoint::{Host, Inner},
    refuse::Refused,
    sessions::Asking,
};

/// Another transport that endpoints serve; each endpoint has one of its own.
pub struct Beside<H>(Arc<Start<H>>);

type Start<H> = dyn Fn() -> Box<dyn Other<H>> + Send + Sync;

/// Another transport of one endpoint. What it gets has passed the checks of `Origin` and `Host`.
pub(super) trait Other<H: Host>: Send + Sync {
    /// Whether it is served at this path.
    fn is_at(&self, path: &str) -> bool;

    /// Checks that it has something to do with the method at one of its paths.
    fn check(&self, method: &Method, path: &str) -> Result<(), Refused>;

    /// Answers what is no POST.
    fn open(&self, endpoint: &Inner<H>, asking: &Asking, accepts: Accepts) -> Result<Response<Body>, Refused>;

    /// Takes a message.
    fn take(&self, endpoint: &Inner<H>, asking: Asking, message: Bytes) -> Result<Response<Body>, Refused>;

    /// Takes in nothing more; what runs may answer.
    fn shut(&self);
}

impl<H: Host> Beside<H> {
    /// Takes what makes the transport of an endpoint.
    #[allow(dead_code, reason = "there is another transport by a feature alone")]
    pub(super) fn new(start: impl Fn() -> Box<dyn Other<H>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(start))
    }

    pub(super) fn start(&self) -> Box<dyn Other<H>> {
        (self.0)()
    }
}

impl<H> Clone for Beside<H> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<H> fmt::Debug for Beside<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Beside")
    }
}
