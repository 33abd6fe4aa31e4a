//! The server of a cell, here or in a process of its own.

use std::{
    io,
    task::{Context, Poll},
    time::Duration,
};

use mcpeer::{
    Server,
    driver::io::{Link as Kind, Outbound},
    handler::ask::Rounds,
    transport::{
        Connect, Received, Transport, TransportExt,
        child::{Child, Command},
        memory,
    },
};

use super::{Case, Who};
use crate::ask::{peer::Known, trip::patient_server};

/// How client and server are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Memory,
    /// The server is a process, and its standard input and output the link.
    Stdio,
}

/// What the server of a cell is told: how long its states last, and how long it waits for an answer.
pub(super) struct Setup(&'static str);

impl Setup {
    fn of(case: Case, who: Who) -> Self {
        Self(match (case, who) {
            (Case::ReplaysAfterExpiry, _) => "expired",
            // Our client has a clock of its own for that.
            (Case::TimesOut, Who::Raw) => "impatient",
            _ => "plain",
        })
    }

    fn server(&self) -> Server {
        let rounds = if self.0 == "expired" { Rounds::new().expiry(Duration::ZERO) } else { Rounds::new() };
        patient_server(rounds, (self.0 == "impatient").then_some(Duration::from_millis(1))).0
    }
}

/// The server of a cell.
pub(super) struct Trips {
    link: Link,
    setup: Setup,
    here: Server,
}

impl Trips {
    pub(super) fn new(link: Link, case: Case, who: Who) -> Self {
        let setup = Setup::of(case, who);
        Self { link, here: setup.server(), setup }
    }

    /// Opens a connection to it: in memory in somebody's name, over a pipe to a new process.
    pub(super) async fn open(&self, who: &'static str) -> Pipe {
        if self.link == Link::Memory {
            let (ours, theirs) = memory::pair();
            let server = self.here.clone();
            tokio::spawn(async move { server.serve(Known(theirs, who)).await });
            return Pipe::Memory(ours);
        }
        let mut command = Command::new(std::env::current_exe().unwrap()).args(ARGUMENTS).env(ROLE, self.setup.0);
        let mut child = command.connect().await.unwrap();
        // What the harness says first.
        while child.receive_text().await.unwrap().expect("the server ended at once") != READY {}
        Pipe::Child(Box::new(child))
    }
}

/// The client's end of a link.
pub(super) enum Pipe {
    Memory(memory::Memory),
    Child(Box<Child>),
}

macro_rules! each {
    ($pipe:ident, $end:ident => $what:expr) => {
        match $pipe {
            Self::Memory($end) => $what,
            Self::Child($end) => $what,
        }
    };
}

impl Transport for Pipe {
    fn link(&self) -> Kind {
        match self {
            Self::Memory(end) => Transport::link(end),
            Self::Child(end) => Transport::link(&**end),
        }
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        each!(self, end => end.poll_receive(cx))
    }

    fn send(&mut self, outbound: Outbound) {
        each!(self, end => end.send(outbound));
    }

    fn buffered(&self) -> usize {
        each!(self, end => end.buffered())
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, end => end.poll_flush(cx))
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, end => end.poll_close(cx))
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
