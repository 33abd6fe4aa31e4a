//! `cargo xtask bench`: what a small `tools/call` over stdio costs, next to a floor and other servers.
//!
//! Every run of a round alternates between the servers, so that a slow minute of the machine meets all of them.

mod callgrind;
mod peers;
mod report;
mod time;

use crate::{Outcome, workspace::Workspace};

/// What to measure.
pub(crate) struct Choice {
    /// Servers in other languages, and more of them in Rust.
    pub(crate) all: bool,
    /// Instructions instead of time.
    pub(crate) callgrind: bool,
    /// The result as JSON.
    pub(crate) json: bool,
    /// Only these servers, by the start of their names.
    pub(crate) peers: Option<String>,
    /// How often each server is measured.
    pub(crate) rounds: usize,
}

/// A revision of the protocol, one of each era.
pub(crate) const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// One measurement of one server.
pub(crate) struct Sample {
    /// What was measured: revision and window.
    pub(crate) scenario: String,
    /// Which server.
    pub(crate) peer: &'static str,
    /// What the load generator said.
    pub(crate) value: serde_json::Value,
}

/// Builds what is measured, measures it, and prints a table.
pub(crate) fn run(workspace: &Workspace, choice: &Choice) -> Outcome {
    let folder = workspace.target.join("bench");
    let peers = peers::build(workspace, choice, &folder)?;
    if choice.callgrind {
        let samples = callgrind::measure(&folder, &peers)?;
        report::instructions(&samples, choice.json);
        return callgrind::check(&samples);
    }
    let samples = time::measure(&folder, &peers, choice.rounds)?;
    report::times(&samples, choice.json);
    Ok(())
}
