use std::{sync::Arc, time::Duration};

use super::drive::{Drive, bounded};
use crate::{
    client::{
        Builder, Client, Extend,
        later::{Later, Limits, Ongoing},
    },
    error::{Error, Result},
    extension::{Extension, Method},
    model::extensions::tasks::{CreateResult, FILTER, IDENTIFIER, RESULT_TYPE},
    rpc::Raw,
};

/// Lets servers answer calls of a client with tasks: the extension `io.modelcontextprotocol/tasks` of a client. See
/// [the module](super).
///
/// ```
/// use mcpeer::client::{Client, tasks::Tasks};
///
/// let builder = Client::builder("me", "1.0.0").extension(Tasks::new());
/// # let _ = builder;
/// ```
#[derive(Clone, Debug)]
pub struct Tasks {
    interval: Duration,
}

impl Tasks {
    /// Lets a client take tasks.
    ///
    /// ```
    /// # use mcpeer::client::{Client, tasks::Tasks};
    /// let builder = Client::builder("me", "1.0.0").extension(Tasks::new());
    /// # let _ = builder;
    /// ```
    pub const fn new() -> Self {
        Self { interval: Duration::from_secs(1) }
    }

    /// Sets how long to wait between two questions how a task stands, where the server does not say; a second unless
    /// set. Whoever says it, it is 100 milliseconds at least and an hour at most.
    ///
    /// ```
    /// # use mcpeer::client::{Client, tasks::Tasks};
    /// # use std::time::Duration;
    /// let builder = Client::builder("me", "1.0.0").extension(Tasks::new().interval(Duration::from_secs(5)));
    /// # let _ = builder;
    /// ```
    #[must_use]
    pub const fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    pub(super) fn usual(&self) -> Duration {
        bounded(self.interval)
    }
}

impl Default for Tasks {
    fn default() -> Self {
        Self::new()
    }
}

impl Extend for Tasks {
    fn extend(self, builder: Builder) -> Builder {
        let mut builder = builder.extension(extension());
        builder.later = Some(Arc::new(self));
        builder
    }
}

impl Later for Tasks {
    fn begin(&self, client: &Client, result_type: &str, raw: &Raw, limits: Limits) -> Option<Result<Box<dyn Ongoing>>> {
        if result_type != RESULT_TYPE {
            return None;
        }
        Some(match raw.decode::<CreateResult>() {
            Ok(created) => Ok(Box::new(Drive::new(client, created, self.usual(), limits))),
            Err(source) => Err(Error::decode("result", "tools/call", raw.clone(), &source)),
        })
    }
}

/// What the extension adds to the protocol.
fn extension() -> Extension {
    Extension::new(IDENTIFIER)
        .method(Method::request("tasks/get"))
        .method(Method::request("tasks/update"))
        .method(Method::request("tasks/cancel"))
        .result_type(RESULT_TYPE, &["tools/call"])
        .filter(FILTER, "notifications/tasks")
}
