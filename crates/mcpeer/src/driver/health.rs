use std::{fmt, sync::Arc};

use crate::proto::io::Connected;

/// How a connection is, as far as this side can tell.
///
/// ```
/// use mcpeer::client::Health;
///
/// let health = Health::Restarting { attempt: 2, reason: "the server ended: exit status 1".into() };
/// assert!(!health.is_up());
/// assert_eq!(health.to_string(), "starting again, attempt 2: the server ended: exit status 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Health {
    /// The two sides agree on a revision.
    Connecting,
    /// Requests flow.
    Up,
    /// Requests flow, but the peer does not answer whether it is there.
    Unresponsive {
        /// How many questions in a row it has left without an answer.
        missed: u32,
    },
    /// The connection ended, and is opened anew. Requests wait for that, within their time.
    Restarting {
        /// The how manieth attempt it is, from 1.
        attempt: u32,
        /// Why it ended, or why the attempt before failed.
        reason: String,
    },
    /// The connection has ended for good.
    Closed {
        /// Why.
        reason: String,
    },
}

impl Health {
    /// Whether requests flow.
    ///
    /// ```
    /// # use mcpeer::client::Health;
    /// assert!(Health::Up.is_up());
    /// assert!(!Health::Connecting.is_up());
    /// ```
    pub fn is_up(&self) -> bool {
        matches!(self, Self::Up | Self::Unresponsive { .. })
    }

    /// Whether the connection has ended for good.
    ///
    /// ```
    /// # use mcpeer::client::Health;
    /// assert!(!Health::Up.is_closed());
    /// ```
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed { .. })
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connecting => f.write_str("connecting"),
            Self::Up => f.write_str("up"),
            Self::Unresponsive { missed } => write!(f, "unresponsive: {missed} questions without an answer"),
            Self::Restarting { attempt, reason } => write!(f, "starting again, attempt {attempt}: {reason}"),
            Self::Closed { reason } => write!(f, "closed: {reason}"),
        }
    }
}

/// What is known of the peer, and how the connection is; but for its end, which a place of its own says.
#[derive(Debug)]
pub(super) struct State {
    /// A remembered verdict that proves wrong, and a restart, have it replaced.
    pub(super) connected: Option<Arc<Connected>>,
    pub(super) health: Health,
    /// Counts the changes of the health.
    pub(super) version: u64,
    /// Counts the restarts.
    pub(super) generation: u64,
}

impl Default for State {
    fn default() -> Self {
        Self { connected: None, health: Health::Connecting, version: 0, generation: 0 }
    }
}

impl State {
    /// Takes note of how the connection is; says whether that is news.
    pub(super) fn set(&mut self, health: Health) -> bool {
        let is_news = self.health != health;
        if is_news {
            self.version += 1;
            self.health = health;
        }
        is_news
    }
}
