//! Servers as processes that are reached over HTTP.

use std::{
    net::SocketAddr,
    process::Stdio,
    sync::{Arc, Mutex},
    thread,
};

use mcpeer::version::{Era, Revision};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    process::Child,
    time::timeout,
};

use crate::{
    foreign::{CommandLine, PATIENCE, Report, command, run_client},
    relay::{Head, Relay},
};

/// How a client reaches a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The standard input and output of a child.
    Pipe,
    /// Streamable HTTP.
    Http,
}

/// A server over HTTP, with a relay before it. It ends when it is dropped.
pub(crate) struct Served {
    pub(crate) relay: Relay,
    address: SocketAddr,
    stderr: Arc<Mutex<String>>,
    _process: Child,
}

impl Served {
    /// Starts a server and waits until it says where it listens.
    pub(crate) async fn start(server: &CommandLine) -> Self {
        Self::start_to_cut(server, None).await
    }

    /// The same, where the first stream with so many notifications of progress breaks off behind them.
    pub(crate) async fn start_to_cut(server: &CommandLine, cut_after: Option<usize>) -> Self {
        let mut command = command(&server.clone().with(&["http", "0"]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the server starts");
        let stderr = Arc::default();
        tokio::spawn(keep(process.stderr.take().expect("piped"), Arc::clone(&stderr)));
        let mut lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let address = timeout(PATIENCE, async {
            while let Some(line) = lines.next_line().await.expect("it can be read") {
                let url = line.strip_prefix("listening on http://");
                if let Some(address) = url.and_then(|url| url.strip_suffix("/mcp")) {
                    return address.parse().expect("an address");
                }
            }
            panic!("the server ended:\n{}", stderr.lock().expect("no test failed"));
        });
        let address = address.await.expect("the server says where it listens");
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { relay: Relay::start(address, cut_after).await, address, stderr, _process: process }
    }

    /// The words that tell a client where the server is.
    pub(crate) fn place(&self) -> CommandLine {
        CommandLine::new(["http".to_owned(), self.relay.url()])
    }

    /// Checks what a client has left behind: it has ended its session, where the era has sessions; where it has none, it
    /// has only posted.
    pub(crate) async fn is_left_behind(&self, has_sessions: bool) {
        let heads = self.relay.heads();
        let sessions: Vec<&str> = heads.iter().filter_map(|head| head.header("mcp-session-id")).collect();
        if !has_sessions {
            assert_eq!(sessions, Vec::<&str>::new(), "this era has no sessions");
            assert!(heads.iter().all(|head| head.method == "POST"), "this era only posts");
            return;
        }
        let session = *sessions.last().expect("there was a session");
        assert!(sessions.iter().all(|other| *other == session), "there was one session: {sessions:?}");
        assert!(heads.iter().any(|head| head.method == "GET"), "the client asked for the stream of the session");
        let ends: Vec<&Head> = heads.iter().filter(|head| head.method == "DELETE").collect();
        assert!(matches!(*ends, [end] if end.header("mcp-session-id") == Some(session)), "it is ended once: {ends:?}");
        let is_over = async { while status_of_ping(self.address, session).await != 404 {} };
        timeout(PATIENCE, is_over).await.expect("the session is over");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the server's standard error is:\n{}", self.stderr.lock().expect("no test failed"));
            for Head { method, .. } in self.relay.heads() {
                eprint!("{method} ");
            }
            eprintln!("is what it was asked");
        }
    }
}

/// Takes a server through the steps of a foreign client, and checks what that leaves behind where it is content.
pub(crate) async fn run_client_over(
    over: Over,
    client: &CommandLine,
    scenario: &str,
    version: &str,
    server: &CommandLine,
) -> Report {
    if over == Over::Pipe {
        return run_client(client, scenario, version, server).await;
    }
    let served = Served::start(server).await;
    let report = run_client(client, scenario, version, &served.place()).await;
    if report.is_content {
        let connected = report.steps().remove(0);
        let spoken = connected.get("version").or(connected.get("value")).and_then(Value::as_str);
        let spoken: Revision = spoken.and_then(|text| text.parse().ok()).expect("it says what it speaks");
        served.is_left_behind(spoken.era() == Era::Legacy).await;
    }
    report
}

/// Sends a `ping` in a session; gives the status of the answer.
async fn status_of_ping(server: SocketAddr, session: &str) -> u16 {
    let body = r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\nMcp-Session-Id: {session}\r\n\
        Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
        Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(server).await.expect("the server listens");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).await.expect("it answers");
    line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no status: {line}"))
}

async fn keep(mut stream: impl AsyncRead + Unpin, kept: Arc<Mutex<String>>) {
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        kept.lock().expect("no test failed").push_str(&String::from_utf8_lossy(&chunk[..read]));
    }
}
