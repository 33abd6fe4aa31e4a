//! Tools that do harm: the other calls on their connection are answered as before, over memory and over the standard
//! input and output of a process.

use mcpeer::{
    Client,
    handler::Context,
    server::Server,
    transport::{Connect, Transport, child::Command, memory},
    version::Revision,
};
use serde_json::json;

use crate::peers::{RawClient, builder, connect, text};

/// 100 MiB.
const HUGE: usize = 100 << 20;

/// Set in a process that is the server.
const ROLE: &str = "MCPEER_TEST_HARM";

fn server() -> Server {
    Server::builder("harm", "1")
        .tool("now", async || "now")
        .tool("panics", async || -> String { panic!("no") })
        .tool("hangs", async || std::future::pending::<()>().await)
        .tool("floods", async |cx: Context| {
            let mut step = 0.0;
            while !cx.is_cancelled() {
                step += 1.0;
                cx.progress(step, None, Some("and on, and on, and on")).await;
            }
        })
        .tool("huge", async || "x".repeat(HUGE))
        .build()
        .unwrap()
}

/// This program, running [`a_tool_that_panics_leaves_the_others_alone`] alone, as the server.
fn command() -> Command {
    let name = "harm::a_tool_that_panics_leaves_the_others_alone";
    Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ROLE, "server")
        .message_limit(2 * HUGE)
}

async fn over_memory(revision: Revision) -> RawClient<memory::Memory> {
    RawClient::connect(&server(), revision).await
}

async fn over_stdio(revision: Revision) -> RawClient<impl Transport> {
    let mut client = RawClient::over(command().connect().await.unwrap(), revision, json!({}));
    client.initialize().await;
    client
}

async fn is_served(client: &mut RawClient<impl Transport>) {
    assert_eq!(text(&client.call("now", json!({})).await), "now");
}

#[tokio::test]
async fn a_tool_that_panics_leaves_the_others_alone() {
    if std::env::var_os(ROLE).is_some() {
        return server().serve_stdio().await.unwrap();
    }
    async fn check(mut client: RawClient<impl Transport>) {
        assert_eq!(client.call("panics", json!({})).await["error"]["code"], -32603);
        is_served(&mut client).await;
    }
    for revision in Revision::ALL {
        check(over_memory(revision).await).await;
        check(over_stdio(revision).await).await;
    }
}

#[tokio::test]
async fn a_tool_that_never_returns_leaves_the_others_alone() {
    async fn check(mut client: RawClient<impl Transport>) {
        for _ in 0..10 {
            client.start("tools/call", json!({"name": "hangs"})).await;
        }
        is_served(&mut client).await;
    }
    for revision in Revision::ALL {
        check(over_memory(revision).await).await;
        check(over_stdio(revision).await).await;
    }
}

#[tokio::test]
async fn a_tool_that_floods_progress_leaves_the_others_alone() {
    async fn check(mut client: RawClient<impl Transport>) {
        let id = client.start("tools/call", json!({"name": "floods", "_meta": {"progressToken": "t"}})).await;
        for _ in 0..3 {
            is_served(&mut client).await;
        }
        let params = json!({"requestId": id});
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
        is_served(&mut client).await;
        assert!(client.notifications.iter().all(|message| message["params"]["progressToken"] == "t"));
    }
    for revision in Revision::ALL {
        check(over_memory(revision).await).await;
        check(over_stdio(revision).await).await;
    }
}

#[tokio::test]
async fn a_tool_that_returns_100_mebibytes_leaves_the_others_alone() {
    async fn check(mut client: RawClient<impl Transport>) {
        let huge = client.start("tools/call", json!({"name": "huge"})).await;
        let now = client.start("tools/call", json!({"name": "now"})).await;
        assert_eq!(text(&client.answer(huge).await).len(), HUGE);
        assert_eq!(text(&client.answer(now).await), "now");
        is_served(&mut client).await;
    }
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        check(over_memory(revision).await).await;
        check(over_stdio(revision).await).await;
    }
}

/// All of it at once, and a client of ours, which takes no message of 100 MiB.
async fn all_at_once(client: Client) {
    let revision = client.revision();
    let now = async || assert_eq!(client.call("now").await.unwrap().as_text(), "now", "{revision}");
    let hangs: Vec<_> = (0..10).map(|_| client.call("hangs").send()).collect();
    let mut floods = client.call("floods").with_progress().send();
    assert!(floods.progress().await.is_some());
    now().await;
    assert_eq!(client.call("panics").await.unwrap_err().rpc().unwrap().code, -32603, "{revision}");
    now().await;
    let error = client.call("huge").await.unwrap_err();
    assert!(error.is_peer_misbehaved() && error.to_string().contains("longer"), "{revision}: {error}");
    now().await;
    assert!(floods.progress().await.is_some(), "{revision}: it still floods");
    drop((floods, hangs));
    now().await;
    client.close().await;
}

#[tokio::test]
async fn a_client_lives_through_all_of_it_at_once() {
    all_at_once(connect(builder(), &server(), Revision::V2025_11_25).await).await;
    all_at_once(builder().revisions([Revision::V2026_07_28]).connect(command()).await.unwrap()).await;
}
