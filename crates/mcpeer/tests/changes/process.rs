//! A server in a process of its own that dies.

use std::time::Duration;

use mcpeer::{
    Client, Server,
    client::{Backoff, Change, Health, Restart},
    model::subscriptions::Filter,
    transport::child::Command,
    version::Revision,
};

/// Set in a process that is the server.
const ROLE: &str = "MCPEER_TEST_ROLE";

/// This program, running [`a_process_that_died_is_started_again_and_watched_again`] alone, as a server. What the test
/// harness prints is noise to the client, as a server's stray prints are.
fn command() -> Command {
    let name = "process::a_process_that_died_is_started_again_and_watched_again";
    Command::new(std::env::current_exe().unwrap()).args([name, "--exact", "--nocapture"]).env(ROLE, "server")
}

#[tokio::test]
async fn a_process_that_died_is_started_again_and_watched_again() {
    if std::env::var_os(ROLE).is_some() {
        return serve().await;
    }
    for revision in Revision::ALL {
        let client = Client::builder("test", "1.0.0")
            .revisions([revision])
            .restart(Restart::times(3).backoff(Backoff::new(Duration::from_millis(2), Duration::from_secs(60))))
            .connect(command());
        let client = client.await.unwrap();
        let mut watch = client.watch(Filter::new().tools_list_changed(true)).await.unwrap();
        let first = client.call("process").await.unwrap().as_text().to_string();
        let mut health = client.health_changes();
        health.next().await;

        let error = client.call("die").await.unwrap_err();
        assert!(error.is_closed(), "{revision}: {error}");
        let Some(Health::Restarting { attempt: 1, reason }) = health.next().await else { panic!("{revision}") };
        assert!(reason.contains('3'), "{revision}: the reason has the exit status: {reason}");

        let second = client.call("process").await.unwrap().as_text().to_string();
        assert_ne!(first, second, "{revision}: it is another process");
        assert_eq!(watch.next().await, Some(Change::Tools), "{revision}: what happened meanwhile nobody told");
        client.call("change").await.unwrap();
        assert_eq!(watch.next().await, Some(Change::Tools), "{revision}: it is told again");
        client.close().await;
        assert!(client.health().is_closed());
    }
}

async fn serve() {
    let (changes, mut changed) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::builder("mortal", "1.0.0")
        .tool("process", async || std::process::id().to_string())
        .tool("die", async || -> String { std::process::exit(3) })
        .tool("change", move || {
            changes.send(()).unwrap();
            async { "changed" }
        })
        .build()
        .unwrap();
    let teller = server.clone();
    tokio::spawn(async move {
        while changed.recv().await.is_some() {
            teller.tools_changed();
        }
    });
    server.serve_stdio().await.unwrap();
}
