//! `cargo xtask test`: every check of the project, in one order, stopping at the first failure.

mod checks;
mod peers;
mod programs;
mod session;
mod spec;

pub(crate) use session::Session;

use crate::{Outcome, workspace::Workspace};

/// How strict and how talkative the run is.
#[derive(Clone, Copy)]
pub(crate) struct Mode {
    /// What was not run fails the run.
    pub(crate) require_all: bool,
    /// The output of every step is shown as it comes.
    pub(crate) verbose: bool,
}

/// Runs every check.
pub(crate) fn run(workspace: &Workspace, mode: Mode) -> Outcome {
    let mut session = Session::start(workspace, mode)?;
    let outcome = prepare(&mut session).and_then(|()| checks::all(&mut session));
    session.finish(outcome)
}

/// Installs what the tests need, into the target folder.
fn prepare(session: &mut Session<'_>) -> Outcome {
    spec::find(session)?;
    peers::install(session)?;
    programs::find(session)
}
