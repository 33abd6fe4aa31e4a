//! `cargo xtask bench`: what a small `tools/call` costs over stdio and HTTP, and what an idle client keeps in memory over
//! HTTP, next to a floor and other servers.
//!
//! Every run of a round alternates between the servers, so that a slow minute of the machine meets all of them.

mod callgrind;
mod load;
mod memory;
mod peers;
mod report;
mod time;

use crate::{Outcome, workspace::Workspace};

/// What to measure.
pub(crate) struct Choice {
    /// Servers in other languages, and more of them in Rust.
    pub(crate) all: bool,
    /// Which figure.
    pub(crate) what: What,
    /// The result as JSON.
    pub(crate) json: bool,
    /// Only these servers, by the start of their names.
    pub(crate) peers: Option<String>,
    /// Only over this.
    pub(crate) over: Option<Over>,
    /// How often each server is measured; there is a number for each figure.
    pub(crate) rounds: Option<usize>,
}

/// A figure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// CPU time of calls.
    Time,
    /// Instructions of calls.
    Instructions,
    /// Memory of clients that do nothing.
    Memory,
}

/// What messages travel over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// A revision of the protocol, one of each era.
pub(crate) const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// One measurement of one server.
pub(crate) struct Sample {
    /// What the messages travelled over.
    pub(crate) over: Over,
    /// What was measured: revision and window.
    pub(crate) scenario: String,
    /// Which server.
    pub(crate) peer: &'static str,
    /// What the load generator said.
    pub(crate) value: serde_json::Value,
}

impl Choice {
    /// What is measured over.
    fn ways(&self) -> Outcome<Vec<Over>> {
        let all: &[Over] = if self.what == What::Memory { &[Over::Http] } else { &[Over::Stdio, Over::Http] };
        let ways: Vec<Over> = all.iter().copied().filter(|way| self.over.is_none_or(|over| over == *way)).collect();
        if ways.is_empty() {
            return Err("memory is measured over http".into());
        }
        Ok(ways)
    }
}

impl Over {
    /// Reads what a user typed.
    pub(crate) fn read(word: &str) -> Outcome<Self> {
        match word {
            "stdio" => Ok(Self::Stdio),
            "http" => Ok(Self::Http),
            other => Err(format!("--over needs stdio or http, not {other}")),
        }
    }

    /// Gives the name, for a person.
    fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        }
    }

    /// Gives the servers that others are compared with: the floor, and rmcp.
    fn bases(self) -> [&'static str; 2] {
        match self {
            Self::Stdio => ["floor", "rmcp"],
            Self::Http => ["floor-json-typed", "rmcp-json"],
        }
    }
}

/// Builds what is measured, measures it, and prints a table.
pub(crate) fn run(workspace: &Workspace, choice: &Choice) -> Outcome {
    let folder = workspace.target.join("bench");
    let peers = peers::build(workspace, choice, &choice.ways()?, &folder)?;
    match choice.what {
        What::Time => {
            let samples = time::measure(&folder, &peers, choice.rounds.unwrap_or(5))?;
            report::times(&samples, choice.json);
            Ok(())
        }
        What::Instructions => {
            let samples = callgrind::measure(&folder, &peers)?;
            report::instructions(&samples, choice.json);
            callgrind::check(&samples)
        }
        What::Memory => {
            let samples = memory::measure(&folder, &peers, choice.rounds.unwrap_or(2))?;
            report::memory(&samples, choice.json);
            memory::check(&samples)
        }
    }
}
