//! What the requests of one session and the task that runs its connection share.
//!
//! Each message of the client has a place until its answer is there, or until something comes before that; then it has
//! a stream, with a log by which it can be taken up again. What belongs to no message goes out on streams that the
//! client opened by GET, which have logs, too.

mod channel;
mod run;
mod state;
mod streams;
mod waiting;

pub(super) use run::Mail;
pub(super) use state::{Closed, Session, Setup};
pub(super) use streams::Resumed;
pub(super) use waiting::{Came, Waiting};
