//! A stream breaks off in the middle of a call: who asks again gets the rest, once. The server of `rmcp` is left out: it has
//! nothing to say of a stream whose answer it has sent.

use mcpeer::{client::Client, transport::http, version::Revision};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    foreign::{CommandLine, PATIENCE, Sdk, run_client},
    served::Served,
    started::text_of,
};

/// After which step of five the stream breaks off.
const CUT: usize = 2;

/// Calls that were made, and streams that were asked for again.
fn counted(served: &Served) -> (usize, usize) {
    let heads = served.relay.heads();
    let resumed = heads.iter().filter(|head| head.method == "GET" && head.header("last-event-id").is_some());
    (heads.iter().filter(|head| head.method == "POST").count(), resumed.count())
}

async fn our_client_resumes(sdk: Sdk) {
    let Some(server) = sdk.server() else { return };
    let served = Served::start_to_cut(&server, Some(CUT)).await;
    let calling = async {
        let builder = Client::builder("interop_client", "1.0.0").revisions([Revision::V2025_11_25]);
        let builder = builder.probe_timeout(PATIENCE).handshake_timeout(PATIENCE);
        let client = builder.connect(http::client(&served.relay.url())).await.expect("our client connects");
        let mut call = client.call("count").arguments(&json!({"to": 5})).with_progress().send();
        let mut seen = Vec::new();
        while let Some(step) = call.progress().await {
            seen.push(step.progress);
        }
        assert_eq!(seen, [1.0, 2.0, 3.0, 4.0, 5.0], "{sdk:?}");
        assert_eq!(text_of(&call.await.expect("a count")), "5", "{sdk:?}");
        // `initialize`, `notifications/initialized` and one call, whose stream is asked for once more.
        assert_eq!(counted(&served), (3, 1), "{sdk:?}");
        client.close().await;
    };
    timeout(PATIENCE, calling).await.expect("the call comes to an end");
}

#[tokio::test]
async fn our_client_resumes_a_stream_of_a_typescript_1_server() {
    our_client_resumes(Sdk::TypeScript1).await;
}

#[tokio::test]
async fn our_client_resumes_a_stream_of_a_typescript_2_server() {
    our_client_resumes(Sdk::TypeScript2).await;
}

#[tokio::test]
async fn our_client_resumes_a_stream_of_a_python_server() {
    our_client_resumes(Sdk::Python).await;
}

/// Their steps demand every notification of progress, once.
async fn resumes_with_our_server(sdk: Sdk) {
    let Some(client) = sdk.client() else { return };
    let served = Served::start_to_cut(&CommandLine::example("interop_server"), Some(CUT)).await;
    run_client(&client, "calls", "2025-11-25", &served.place()).await.steps();
    assert!(counted(&served).1 > 0, "{sdk:?}: a stream is asked for once more");
    served.is_left_behind(true).await;
}

#[tokio::test]
async fn a_typescript_1_client_resumes_a_stream_of_ours() {
    resumes_with_our_server(Sdk::TypeScript1).await;
}

#[tokio::test]
async fn a_typescript_2_client_resumes_a_stream_of_ours() {
    resumes_with_our_server(Sdk::TypeScript2).await;
}

#[tokio::test]
async fn a_python_client_resumes_a_stream_of_ours() {
    resumes_with_our_server(Sdk::Python).await;
}

#[tokio::test]
async fn an_rmcp_client_resumes_a_stream_of_ours() {
    resumes_with_our_server(Sdk::Rmcp).await;
}
