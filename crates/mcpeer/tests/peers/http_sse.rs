//! HTTP+SSE, the transport of revision 2024-11-05: the clients and servers of the other SDKs that still have it.

use std::{collections::BTreeMap, process::Stdio};

use mcpeer::{
    client::{Client, Policy},
    handler::Context,
    rpc::Raw,
    server::{Args, Server},
    transport::http,
    version::Revision,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::{Child, Command},
    task::JoinSet,
    time::timeout,
};

use crate::{
    foreign::{CommandLine, PATIENCE, Sdk, UNUSUAL},
    started::text_of,
};

const STATEFUL: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

#[tokio::test]
async fn our_client_speaks_to_a_typescript_1_server_of_http_sse() {
    our_client_speaks_to(Sdk::TypeScript1, "ts1-sse-server").await;
}

#[tokio::test]
async fn our_client_speaks_to_a_python_server_of_http_sse() {
    our_client_speaks_to(Sdk::Python, "python-sse-server").await;
}

#[tokio::test]
async fn a_typescript_1_client_of_http_sse_speaks_to_our_server() {
    speaks_to_our_server(Sdk::TypeScript1, &["connect", "calls", "progress", "cancel", "asked", "close"]).await;
}

#[tokio::test]
async fn a_typescript_2_client_of_http_sse_speaks_to_our_server() {
    speaks_to_our_server(Sdk::TypeScript2, &["connect", "calls", "progress", "cancel", "asked", "close"]).await;
}

#[tokio::test]
async fn a_python_client_of_http_sse_speaks_to_our_server() {
    speaks_to_our_server(Sdk::Python, &["connect", "calls", "progress", "asked", "close"]).await;
}

fn start(line: &CommandLine, more: &[&str]) -> Child {
    let mut command = Command::new(&line.0[0]);
    command.args(&line.0[1..]).args(more).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts")
}

async fn our_client_speaks_to(sdk: Sdk, name: &str) {
    let Some(line) = sdk.program("http_sse_server") else { return };
    let mut server = start(&line, &[]);
    let mut said = BufReader::new(server.stdout.take().expect("piped"));
    let mut first = String::new();
    timeout(PATIENCE, said.read_line(&mut first)).await.expect("it begins in time").expect("it says its port");
    let said: Value = serde_json::from_str(&first).expect("it is JSON");
    let url = format!("http://127.0.0.1:{}/sse", said["port"]);
    timeout(PATIENCE, async {
        for revision in STATEFUL {
            let builder = Client::builder("test", "1.0.0").revisions([revision]);
            let client = builder.connect(http::sse_client(&url)).await.expect("our client connects");
            assert_eq!(client.revision(), revision);
            assert_eq!(client.server_info().expect("it says who it is").name, name);
            use_server(&client).await;
            client.close().await;
        }
        // These addresses know nothing of POST, which is how a client finds out that they are older.
        let client =
            Client::builder("test", "1.0.0").connect(http::client(&url).or_sse()).await.expect("it falls back");
        assert_eq!(client.revision(), Revision::V2025_11_25);
        use_server(&client).await;
        let wanted = Client::builder("test", "1.0.0").policy(Policy::LegacyOnly).connect(http::client(&url)).await;
        assert!(matches!(wanted.expect_err("it knows nothing newer").http_status(), Some(404 | 405)));
    })
    .await
    .expect("all of it comes to an end");
    drop(server.stdin.take());
    let ended = timeout(PATIENCE, server.wait()).await.expect("it ends with its input").expect("it is waited for");
    assert!(ended.success(), "{ended}");
}

async fn use_server(client: &Client) {
    client.ping().await.expect("it is there");
    let mut calls = JoinSet::new();
    for index in 0..32 {
        let client = client.clone();
        calls.spawn(async move { (index.to_string(), echo(&client, &index.to_string()).await) });
    }
    assert!(calls.join_all().await.iter().all(|(sent, returned)| sent == returned));
    assert_eq!(echo(client, UNUSUAL).await, UNUSUAL);
    let large = "x".repeat(1 << 20);
    assert!(echo(client, &large).await == large);
    let mut counting = client.call("count").arguments(&json!({"to": 5})).with_progress().send();
    let mut seen = Vec::new();
    while let Some(step) = counting.progress().await {
        seen.push(step.progress);
    }
    assert_eq!(seen, [1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(text_of(&counting.await.expect("a count")), "5");
    let failed = client.call("fail").arguments(&json!({"message": "out of paper"})).await.expect("a result");
    assert!(failed.is_failed());
}

async fn echo(client: &Client, text: &str) -> String {
    text_of(&client.call("echo").arguments(&json!({"text": text})).await.expect("an echo")).to_owned()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Count {
    to: u32,
}

fn our_server(revisions: &[Revision]) -> Server {
    Server::builder("our-sse-server", "1.0.0")
        .revisions(revisions.iter().copied())
        .tool("echo", async |Args(echo): Args<Echo>| echo.text)
        .tool("count", async |Args(count): Args<Count>, cx: Context| {
            for step in 1..=count.to {
                cx.progress(f64::from(step), Some(f64::from(count.to)), None).await;
            }
            count.to.to_string()
        })
        .tool("slow", async |cx: Context| {
            cx.progress(0.0, None, None).await;
            cx.cancelled().await;
        })
        .tool("roots", async |cx: Context| {
            let roots: Raw = cx.peer().request_raw("roots/list", None).await?;
            let roots: BTreeMap<String, Value> = serde_json::from_str(roots.as_str()).expect("an object");
            Ok::<_, mcpeer::Error>(roots["roots"][0]["uri"].as_str().unwrap_or_default().to_owned())
        })
        .tool("change", async |cx: Context| {
            cx.peer().notify_raw("notifications/tools/list_changed", None).await?;
            Ok::<_, mcpeer::Error>("told")
        })
        .build()
        .expect("it can be built")
}

/// Runs a client at every revision that it offers, and at the oldest because our server has nothing newer.
async fn speaks_to_our_server(sdk: Sdk, steps: &[&str]) {
    let Some(line) = sdk.program("http_sse_client") else { return };
    let offers = STATEFUL.map(|revision| (revision.as_str(), &STATEFUL[..], revision.as_str()));
    let oldest = ("2025-11-25", &STATEFUL[..1], "2024-11-05");
    for (offered, served, spoken) in offers.into_iter().chain([oldest]) {
        let bound = our_server(served).http().sse("/sse", "/messages").bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/sse", bound.local_addr());
        let serving = tokio::spawn(bound.serve());
        let mut client = start(&line, &[offered, &url]);
        let mut reported = String::new();
        let mut stdout = client.stdout.take().expect("piped");
        let ended = timeout(PATIENCE, async {
            stdout.read_to_string(&mut reported).await.expect("it reports");
            client.wait().await.expect("it is waited for")
        });
        let ended = ended.await.unwrap_or_else(|_| panic!("the client is not done after {PATIENCE:?}"));
        assert!(ended.success(), "{ended}; it reported:\n{reported}");
        let reports: Vec<Value> =
            reported.lines().map(|line| serde_json::from_str(line).expect("it reports in JSON")).collect();
        assert_eq!(reports.iter().map(|report| report["step"].as_str().unwrap()).collect::<Vec<_>>(), steps);
        assert_eq!(reports[0], json!({"step": "connect", "version": spoken, "server": "our-sse-server"}));
        serving.abort();
    }
}
