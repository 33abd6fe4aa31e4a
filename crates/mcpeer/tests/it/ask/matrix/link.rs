//! The server of a cell, here or in a process of its own.

use std::time::Duration;

use mcpeer::{
    Server,
    handler::ask::Rounds,
    transport::{Connect, Once, Transport, TransportExt, child::Command, memory},
};

use super::{Case, Who};
use crate::ask::{peer::Known, trip::patient_server};

/// How client and server are linked, with the server of a cell.
pub(super) trait Link {
    /// Whether the server learns who sends.
    const NAMES_USERS: bool;

    async fn start(case: Case, who: Who) -> Self;

    /// Opens a connection in somebody's name, for a client that writes raw JSON.
    async fn open(&self, who: &'static str) -> impl Transport + use<Self>;

    /// Gives what our client connects by.
    async fn connector(&self, who: &'static str) -> impl Connect {
        Once::new(self.open(who).await)
    }
}

/// What the server of a cell is told: how long its states last, and how long it waits for an answer.
pub(super) struct Setup(&'static str);

impl Setup {
    pub(super) fn of(case: Case, who: Who) -> Self {
        Self(match (case, who) {
            (Case::ReplaysAfterExpiry, _) => "expired",
            // Our client has a clock of its own for that.
            (Case::TimesOut, Who::Raw) => "impatient",
            _ => "plain",
        })
    }

    pub(super) fn server(&self) -> Server {
        let rounds = if self.0 == "expired" { Rounds::new().expiry(Duration::ZERO) } else { Rounds::new() };
        patient_server(rounds, (self.0 == "impatient").then_some(Duration::from_millis(1))).0
    }
}

/// In memory.
pub(super) struct Memory(Server);

impl Link for Memory {
    const NAMES_USERS: bool = true;

    async fn start(case: Case, who: Who) -> Self {
        Self(Setup::of(case, who).server())
    }

    async fn open(&self, who: &'static str) -> impl Transport + use<> {
        let (ours, theirs) = memory::pair();
        let server = self.0.clone();
        tokio::spawn(async move { server.serve(Known(theirs, who)).await });
        ours
    }
}

/// The server is a process, a new one for each client, and its standard input and output the link.
pub(super) struct Stdio(Setup);

impl Link for Stdio {
    const NAMES_USERS: bool = false;

    async fn start(case: Case, who: Who) -> Self {
        Self(Setup::of(case, who))
    }

    async fn open(&self, _: &'static str) -> impl Transport + use<> {
        let mut command = Command::new(std::env::current_exe().unwrap()).args(ARGUMENTS).env(ROLE, self.0.0);
        let mut child = command.connect().await.unwrap();
        // What the harness says first.
        while child.receive_text().await.unwrap().expect("the server ended at once") != READY {}
        child
    }
}

/// Says, in a process that is the server of a cell, what it is told.
pub(super) fn role() -> Option<Setup> {
    let role = std::env::var(ROLE).ok()?;
    let setup = ["expired", "impatient", "plain"].into_iter().find(|setup| *setup == role);
    Some(Setup(setup.expect("the test gave a role")))
}

/// Serves the client that started this process.
#[allow(clippy::print_stdout, reason = "the client waits for that line")]
pub(super) async fn serve(setup: &Setup) {
    // The harness may have begun a line.
    println!("\n{READY}");
    setup.server().serve_stdio().await.unwrap();
}

/// Set in a process that is the server of a cell.
const ROLE: &str = "MCPEER_TEST_TRIPS";

/// What the server says when the harness has said all.
const READY: &str = "ready";

/// The arguments that make this program such a server.
const ARGUMENTS: [&str; 3] = ["ask::matrix::every_cell_with_a_child_process", "--exact", "--nocapture"];
