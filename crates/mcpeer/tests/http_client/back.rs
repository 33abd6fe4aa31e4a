//! Our client comes back to our server when a connection breaks.

use std::{
    collections::BTreeSet,
    future::ready,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    Client, Server,
    client::{Builder, Change, Policy},
    handler::Context,
    model::{
        elicitation::{CreateResult, FormParams},
        subscriptions::Filter,
    },
    server::sessions::{MemoryEventStore, MemorySessionStore},
    transport::http,
    version::{Era, Revision},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::{Notify, mpsc, oneshot, watch},
};

#[path = "../../examples/stores/files.rs"]
mod files;

/// A wire to a server that can be cut.
struct Wire {
    address: SocketAddr,
    cuts: watch::Sender<()>,
}

impl Wire {
    async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, cuts) = (listener.local_addr().unwrap(), watch::Sender::new(()));
        let cut = cuts.clone();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut cut = cut.subscribe();
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = cut.changed() => {}
                    }
                });
            }
        });
        Self { address, cuts }
    }

    /// Breaks every connection that is open.
    fn cut(&self) {
        self.cuts.send_replace(());
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// Serves at a free port, until the test ends, behind a wire.
async fn serve(server: &Server) -> Wire {
    let bound = server.http().retry(Duration::from_millis(10)).bind("127.0.0.1:0").await.unwrap();
    let wire = Wire::to(bound.local_addr()).await;
    tokio::spawn(bound.serve());
    wire
}

fn stateful() -> impl Iterator<Item = Revision> {
    Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy)
}

fn at(revision: Revision) -> Builder {
    Client::builder("test", "1").revisions([revision])
}

#[tokio::test]
async fn a_call_goes_on_when_its_connection_breaks_and_runs_once() {
    for revision in stateful() {
        let (go, runs) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
        let (goes, counts) = (go.clone(), runs.clone());
        let server = Server::builder("test", "1").tool("count", move |cx: Context| {
            let (goes, counts) = (goes.clone(), counts.clone());
            async move {
                counts.fetch_add(1, Ordering::SeqCst);
                for step in 1..=6 {
                    cx.progress(f64::from(step), None, None).await;
                    if step % 2 == 0 {
                        goes.notified().await;
                    }
                }
                "counted"
            }
        });
        let wire = serve(&server.build().unwrap()).await;
        let client = at(revision).connect(http::client(&wire.url())).await.unwrap();
        let mut call = client.call("count").with_progress().send();
        let mut steps = Vec::new();
        while let Some(progress) = call.progress().await {
            steps.push(progress.progress);
            if steps.len() % 2 == 0 {
                wire.cut();
                go.notify_one();
            }
        }
        assert_eq!(steps, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{revision}");
        assert_eq!(call.await.unwrap().as_text(), "counted");
        assert_eq!(runs.load(Ordering::SeqCst), 1);
        client.close().await;
    }
}

#[tokio::test]
async fn a_question_is_answered_once_though_its_connection_breaks() {
    for revision in stateful().filter(|revision| revision.has_elicitation()) {
        let (go, asked) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
        let (goes, asks) = (go.clone(), asked.clone());
        let server = Server::builder("test", "1").tool("greet", move |cx: Context| {
            let goes = goes.clone();
            async move {
                cx.progress(1.0, None, None).await;
                goes.notified().await;
                let form = cx.peer().request_raw("elicitation/create", Some(form())).await?;
                Ok::<_, mcpeer::Error>(form.as_str().contains("Ada").to_string())
            }
        });
        let wire = serve(&server.build().unwrap()).await;
        let client = at(revision).on_elicit(move |_: FormParams| {
            asks.fetch_add(1, Ordering::SeqCst);
            ready(CreateResult::accept([("name", "Ada")]))
        });
        let client = client.connect(http::client(&wire.url())).await.unwrap();
        let mut call = client.call("greet").with_progress().send();
        call.progress().await.unwrap();
        wire.cut();
        go.notify_one();
        assert_eq!(call.await.unwrap().as_text(), "true", "{revision}");
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        client.close().await;
    }
}

fn form() -> mcpeer::rpc::Raw {
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"}}}"#;
    mcpeer::rpc::Raw::parse(format!(r#"{{"message":"Who?","requestedSchema":{schema}}}"#)).unwrap()
}

#[tokio::test]
async fn changes_are_heard_that_were_told_while_nobody_was_there() {
    for revision in stateful() {
        let server = Server::builder("test", "1").tool("now", async || "12:00").build().unwrap();
        let wire = serve(&server).await;
        let client = at(revision).connect(http::client(&wire.url())).await.unwrap();
        let mut watch = client.watch(Filter::new().tools_list_changed(true)).await.unwrap();
        // Older revisions say with the first change how to come back.
        server.tools_changed();
        assert_eq!(watch.next().await, Some(Change::Tools), "{revision}");
        for _ in 0..2 {
            wire.cut();
            server.tools_changed();
            assert_eq!(watch.next().await, Some(Change::Tools), "{revision}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn a_server_that_is_started_anew_answers_what_the_one_before_has_run() {
    let stores = (Arc::new(MemorySessionStore::new(10)), Arc::new(MemoryEventStore::new(100)));
    let (tell, mut told) = mpsc::unbounded_channel();
    let runs = Arc::new(AtomicUsize::new(0));
    let start = async |address: SocketAddr| {
        let (tell, runs) = (tell.clone(), runs.clone());
        let server = Server::builder("test", "1").tool("work", move |cx: Context| {
            let (tell, runs) = (tell.clone(), runs.clone());
            async move {
                runs.fetch_add(1, Ordering::SeqCst);
                let is_sent_away = cx.close_stream(Duration::from_millis(300));
                tell.send(()).unwrap();
                is_sent_away.to_string()
            }
        });
        let http = server.build().unwrap().http().session_store(stores.0.clone()).event_store(stores.1.clone());
        let bound = http.bind(address).await.unwrap();
        let address = bound.local_addr();
        let (end, ending) = oneshot::channel::<()>();
        (address, end, tokio::spawn(bound.serve_until(async { drop(ending.await) })))
    };
    let (address, end, serving) = start("127.0.0.1:0".parse().unwrap()).await;
    let client = Client::builder("test", "1").policy(Policy::LegacyOnly);
    let client = client.connect(http::client(&format!("http://{address}/mcp"))).await.unwrap();
    let call = client.call("work").send();
    told.recv().await;
    drop(end);
    serving.await.unwrap();
    let _running = start(address).await;
    assert_eq!(call.await.unwrap().as_text(), "true");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    // It is the same session.
    assert_eq!(client.tools().all().await.unwrap().len(), 1);
}

/// Sends a request of a session by hand; the response is whoever's to read.
async fn send(address: SocketAddr, session: &str, body: &str) -> TcpStream {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{session}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    socket
}

async fn read(mut socket: TcpStream) -> String {
    let mut text = String::new();
    socket.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn a_connection_that_nobody_reads_holds_up_no_other_of_its_session() {
    let steps = Arc::new(Mutex::new(BTreeSet::new()));
    let counts = steps.clone();
    let server = Server::builder("test", "1")
        .tool("flood", move |cx: Context| {
            let counts = counts.clone();
            async move {
                let text = "x".repeat(64 << 10);
                for step in 1..=400 {
                    cx.progress(f64::from(step), None, Some(&text)).await;
                    counts.lock().unwrap().insert(step);
                }
                "done"
            }
        })
        .tool("step", async |cx: Context| {
            cx.progress(1.0, None, None).await;
            "done"
        });
    let bound = server.build().unwrap().http().bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    tokio::spawn(bound.serve());
    let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#;
    let initialize = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
    let begun = read(send(address, "", &initialize).await).await;
    let session = begun.lines().find(|line| line.starts_with("mcp-session-id: ")).unwrap().to_owned() + "\r\n";
    let call = |id: u32, name: &str| {
        let params = format!(r#"{{"name":"{name}","_meta":{{"progressToken":{id}}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    let unread = send(address, &session, &call(1, "flood")).await;
    for id in 2..20 {
        let answer = read(send(address, &session, &call(id, "step")).await).await;
        assert!(answer.contains("\"done\"") && answer.contains("notifications/progress"), "{answer}");
    }
    // What is said waits for who reads it, and nothing of it is lost.
    assert!(steps.lock().unwrap().len() < 400, "the handler has not waited");
    let answer = read(unread).await;
    assert_eq!(answer.matches("notifications/progress").count(), 400);
    assert!(answer.contains("\"done\""));
}

#[cfg(feature = "testing")]
#[tokio::test]
async fn the_store_of_the_example_keeps_the_contract() {
    let folder = std::env::temp_dir().join(format!("mcpeer-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    mcpeer::testing::session_store_contract(async || files::Files(folder.clone())).await;
    mcpeer::testing::event_store_contract(async || files::Files(folder.clone())).await;
    std::fs::remove_dir_all(folder).unwrap();
}
