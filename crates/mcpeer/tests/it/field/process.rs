//! A server in a process of its own, and its client by hand: bytes in, JSON out.

use std::process::{ExitStatus, Stdio};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use super::served::server;
use crate::support::PATIENCE;

/// Set in the process that is the server.
const ROLE: &str = "MCPEER_TEST_FIELD_SERVER";

/// The arguments that make this program run [`the_last_line_is_answered_without_a_newline`] alone. What the test
/// harness prints about itself starts no line with a brace.
const ARGUMENTS: [&str; 4] =
    ["field::process::the_last_line_is_answered_without_a_newline", "--exact", "--nocapture", "--test-threads=2"];

pub(crate) const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

pub(crate) fn initialize() -> String {
    let params =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

/// A server that runs.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<Lines<BufReader<ChildStdout>>>,
}

/// How a server ended.
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    /// What it said after all that was asked for.
    pub(crate) messages: Vec<Value>,
    pub(crate) errors: String,
}

impl Process {
    pub(crate) fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(ARGUMENTS).env(ROLE, "1").kill_on_drop(true);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { input: child.stdin.take(), output: Some(output), child }
    }

    /// Starts a server and goes through the handshake.
    pub(crate) async fn initialized() -> Self {
        let mut process = Self::start();
        process.write(initialize() + "\n").await;
        let answer = process.message().await.unwrap();
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        process.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
        process
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes.as_ref()).await.unwrap();
        input.flush().await.unwrap();
    }

    /// Gives the next message; `None` once the server has ended its output.
    pub(crate) async fn message(&mut self) -> Option<Value> {
        let output = self.output.as_mut().expect("the output is open");
        loop {
            let line = timeout(PATIENCE, output.next_line()).await.expect("the server says nothing").unwrap()?;
            if line.starts_with('{') {
                return Some(serde_json::from_str(&line).unwrap());
            }
        }
    }

    /// Gives the answer to a request, and what came before it.
    pub(crate) async fn answer(&mut self, id: i64) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let message = self.message().await.expect("the server ended without an answer");
            if message["id"] == id {
                return (message, before);
            }
            before.push(message);
        }
    }

    /// Checks that the server still answers, and gives what it said before it did.
    pub(crate) async fn assert_alive(&mut self) -> Vec<Value> {
        self.write(format!("{PING}\n")).await;
        let (answer, before) = self.answer(2).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
        before
    }

    /// Closes the server's output, unread.
    pub(crate) fn close_output(&mut self) {
        self.output = None;
    }

    /// Writes one thing over and over until the server ends.
    pub(crate) async fn write_until_it_ends(mut self, bytes: &[u8]) -> ExitStatus {
        let mut input = self.input.take().expect("the input is open");
        let writing = async {
            while input.write_all(bytes).await.is_ok() {
                tokio::task::yield_now().await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            status = timeout(PATIENCE, self.child.wait()) => status.expect("the server goes on").unwrap(),
            () = writing => unreachable!(),
        }
    }

    /// Ends the server's input and waits for its end.
    pub(crate) async fn end(mut self) -> End {
        self.input = None;
        let mut messages = Vec::new();
        while let Some(message) = self.message().await {
            messages.push(message);
        }
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).await.unwrap();
        let status = timeout(PATIENCE, self.child.wait()).await.expect("the server does not end").unwrap();
        End { status, messages, errors }
    }
}

#[test]
fn the_last_line_is_answered_without_a_newline() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if std::env::var_os(ROLE).is_some() {
        // Whether it ended well is the status of this process, as in a program that returns it from `main`.
        return runtime.block_on(server().serve_stdio()).unwrap();
    }
    runtime.block_on(async {
        let mut process = Process::start();
        process.write(PING).await;
        let end = process.end().await;
        assert_eq!(end.messages, [json!({"jsonrpc": "2.0", "id": 2, "result": {}})]);
        assert!(end.status.success(), "{}", end.errors);
    });
}
