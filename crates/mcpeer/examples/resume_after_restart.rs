//! A server keeps its sessions, and what it says in them, in files. It ends while a client is away that was told to come
//! back for its answer; another process takes its place, and the client hears the answer there.
//!
//! `cargo run --example resume_after_restart --features http-client,http-server`

#[path = "stores/files.rs"]
mod files;

use std::{
    env, fs, process,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use mcpeer::{Client, Server, client::Policy, handler::Context, transport::http};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

static CALLS: AtomicU32 = AtomicU32::new(0);

/// Starts what stands for a process: it shares nothing with the one before but the files.
async fn start(files: &files::Files, address: &str, told: mpsc::Sender<()>) -> Outcome<Process> {
    let server = Server::builder("lab", "1.0.0").tool("measure", move |cx: Context| {
        let told = told.clone();
        async move {
            CALLS.fetch_add(1, Ordering::Relaxed);
            // It takes its time: no connection has to be held open for that.
            assert!(cx.close_stream(Duration::from_secs(1)));
            let _ = told.send(()).await;
            "7 °C"
        }
    });
    let http = server.build()?.http().session_store(files.clone()).event_store(files.clone());
    let bound = http.bind(address).await?;
    let address = bound.local_addr().to_string();
    let (end, ending) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(ending.await) }));
    Ok(Process { address, end, serving })
}

struct Process {
    address: String,
    end: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let folder = env::temp_dir().join(format!("mcpeer-resume-{}", process::id()));
    fs::create_dir_all(&folder)?;
    let files = files::Files(folder.clone());
    let (tell, mut told) = mpsc::channel(1);

    let first = start(&files, "127.0.0.1:0", tell.clone()).await?;
    // Only the stateful era has sessions; in the other one long work is a task.
    let connector = http::client(&format!("http://{}/mcp", first.address));
    let client = Client::builder("host", "1.0.0").policy(Policy::LegacyOnly).connect(connector).await?;
    let call = client.call("measure").send();
    told.recv().await;
    drop(first.end);
    first.serving.await?;

    let second = start(&files, &first.address, tell).await?;
    assert_eq!(call.await?.as_text(), "7 °C");
    assert_eq!(CALLS.load(Ordering::Relaxed), 1, "nothing runs twice");
    // The session goes on.
    assert_eq!(client.tools().all().await?[0].name, "measure");
    client.close().await;
    drop(second.end);
    second.serving.await?;
    Ok(fs::remove_dir_all(folder)?)
}
