//! A client that hears what changes on its server, and a server whose process dies and is started again.
//!
//! `cargo run --example watch`

use std::{error::Error, sync::Arc, time::Duration};

use mcpeer::{
    client::{Backoff, Change, Client, Ended, Health, Restart},
    model::subscriptions::Filter,
    server::Server,
    transport::{connect_with, memory},
    version::Revision,
};
use tokio::sync::Notify;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for revision in Revision::ALL {
        watch(revision).await?;
    }
    Ok(())
}

async fn watch(revision: Revision) -> Result<(), Box<dyn Error>> {
    let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;

    // Opens a connection whose other end dies when it is told to. With `child::Command` it is a process.
    let die = Arc::new(Notify::new());
    let open = {
        let (server, die) = (server.clone(), die.clone());
        connect_with(move || {
            let (ours, theirs) = memory::pair();
            let (server, die) = (server.clone(), die.clone());
            tokio::spawn(async move {
                tokio::select! {
                    _ = server.serve(theirs) => {}
                    () = die.notified() => {}
                }
            });
            async { Ok(ours) }
        })
    };
    let quickly = Backoff::new(Duration::from_millis(10), Duration::from_secs(1));
    let client = Client::builder("host", "1.0.0")
        .revisions([revision])
        .restart(Restart::times(5).backoff(quickly))
        .connect(open)
        .await?;

    // What the server does not have it does not honour.
    let filter = Filter::new().tools_list_changed(true).prompts_list_changed(true);
    let mut watch = client.watch(filter).await?;
    assert_eq!(watch.honoured(), Filter::new().tools_list_changed(true));

    // However often it changes before somebody looks, it is told once.
    for _ in 0..100 {
        server.tools_changed();
    }
    assert_eq!(watch.next().await, Some(Change::Tools));

    // A server that dies is started again, and asked again. What it honours counts as changed meanwhile.
    let mut health = client.health_changes();
    assert_eq!(health.next().await, Some(Health::Up));
    die.notify_one();
    assert!(matches!(health.next().await, Some(Health::Restarting { attempt: 1, .. })));
    assert_eq!(watch.next().await, Some(Change::Tools));
    assert_eq!(client.call("now").await?.as_text(), "12:00");

    // Dropping the watch ends it at the server; closing the client ends what is left.
    client.close().await;
    while watch.next().await.is_some() {}
    assert!(matches!(watch.ended(), Some(Ended::Closed)));
    Ok(())
}
