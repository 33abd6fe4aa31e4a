//! A server of another SDK, started and watched by our client.

use std::{path::Path, thread};

use mcpeer::{
    client::{Builder, Client},
    model::tools::CallResult,
    transport::{Connect, child, http},
    version::Era,
};
use tokio::time::timeout;

use crate::{
    foreign::{CommandLine, PATIENCE},
    served::{Over, Served},
};

/// Connects to a server, uses it, closes, and checks what is left behind.
pub(crate) async fn with_server(over: Over, server: &CommandLine, builder: Builder, using: impl AsyncFnOnce(Client)) {
    match over {
        Over::Pipe => with_child(server, builder, using).await,
        Over::Http => {
            let served = Served::start(server).await;
            let era = connected(builder, http::client(&served.relay.url()), using).await;
            served.is_left_behind(era == Era::Legacy).await;
        }
    }
}

/// The same with a child process: it ends by itself and leaves nothing behind.
///
/// Where something fails on the way, the end of the server's standard error is shown.
pub(crate) async fn with_child(server: &CommandLine, builder: Builder, using: impl AsyncFnOnce(Client)) {
    let command =
        child::Command::new(&server.0[0]).args(&server.0[1..]).exit_timeout(PATIENCE).stderr(child::Stderr::Capture);
    let monitor = Witness(command.monitor());
    connected(builder, command, using).await;
    let status = monitor.0.exit_status().expect("closing waits for the end of the server");
    assert!(status.success(), "the server ended with {status}");
    let pid = monitor.0.pid().expect("it was started");
    assert!(!Path::new(&format!("/proc/{pid}")).exists(), "the server's process {pid} is still there");
}

/// Connects, uses, closes, in time; gives the era that was found.
async fn connected(builder: Builder, server: impl Connect, using: impl AsyncFnOnce(Client)) -> Era {
    timeout(PATIENCE, async {
        let connecting = builder.probe_timeout(PATIENCE).handshake_timeout(PATIENCE).connect(server);
        let client = connecting.await.expect("our client connects");
        let era = client.era();
        using(client.clone()).await;
        client.close().await;
        era
    })
    .await
    .expect("the server and our client come to an end")
}

/// Gives the text of a result of one text.
pub(crate) fn text_of(result: &CallResult) -> &str {
    assert_eq!(result.content.len(), 1, "one piece of content");
    result.content[0].as_text().expect("it is text")
}

/// Shows what the server said last where a test fails.
struct Witness(child::Monitor);

impl Drop for Witness {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the server's standard error ends so:\n{}", self.0.stderr_tail().join("\n"));
        }
    }
}
