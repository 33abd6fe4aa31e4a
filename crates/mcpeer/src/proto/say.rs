//! What the words of the core say to a person.

use std::fmt;

use super::io::{Closed, Failure, Misuse};

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("this side closed the connection"),
            Self::Remote => f.write_str("the peer closed the connection"),
            Self::Transport { reason } => f.write_str(reason),
            Self::Negotiation { method, failure } => {
                write!(f, "no revision could be agreed on: `{method}` failed: {failure}")
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rpc(error) => error.fmt(f),
            Self::Timeout { after, is_total: false } => write!(f, "no answer came within {after:?}"),
            Self::Timeout { after, is_total: true } => write!(f, "the whole of it took longer than {after:?}"),
            Self::Cancelled { reason } => write!(f, "cancelled: {reason}"),
            Self::Closed { reason } => write!(f, "the connection has ended: {reason}"),
            Self::Invalid { reason, .. } => write!(f, "the answer is not valid: {reason}"),
            Self::Send(failure) => match failure.status {
                Some(status) => write!(f, "not sent: {} (HTTP status {status})", failure.reason),
                None => write!(f, "not sent: {}", failure.reason),
            },
            Self::Misuse(misuse) => misuse.fmt(f),
        }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInRevision { method, revision } => {
                write!(f, "revision {revision} does not have `{method}`; look at `revision()` before using it")
            }
            Self::NoCapability { method, capability, is_ours: true } => {
                write!(f, "`{method}` needs the capability `{capability}`; declare it before connecting")
            }
            Self::NoCapability { method, capability, is_ours: false } => {
                write!(f, "`{method}` needs the capability `{capability}`, which the peer has not declared")
            }
            Self::Closed => f.write_str("the connection has ended; connect anew"),
            Self::Params { method, reason } => write!(f, "the params of `{method}` cannot be sent: {reason}"),
            Self::Direction { method } => write!(
                f,
                "`{method}` cannot be sent in this direction: a server of the stateless era answers with the input it \
                 needs instead of asking for it"
            ),
            Self::Limit { what } => write!(f, "the limit on {what} is reached; wait until some have ended"),
        }
    }
}
