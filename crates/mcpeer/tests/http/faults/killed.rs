//! Servers that die while they answer.

use mcpeer::{Client, client::Policy, transport::http};
use tokio::time::timeout;

use super::program::Program;
use crate::line::PATIENCE;

#[tokio::test]
async fn a_call_whose_server_dies_fails_and_is_not_sent_again() {
    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        let path = std::env::temp_dir().join(format!("mcpeer-killed-{}-{policy:?}", std::process::id()));
        let program = Program::start("127.0.0.1:0").await;
        let address = program.address;
        let connector = http::client(&format!("http://{address}/mcp"));
        let client = Client::builder("test", "1").policy(policy.clone()).connect(connector).await.unwrap();
        let mut call = client.call("work").arguments(&serde_json::json!({"path": path})).with_progress().send();
        timeout(PATIENCE, call.progress()).await.expect("it does not start").expect("it is on its way");
        program.kill().await;
        let again = Program::start(&address.to_string()).await;
        let error = timeout(PATIENCE, call).await.expect("it waits for ever").unwrap_err();
        assert!(!error.is_cancelled(), "{policy:?}: {error}");
        // The client goes on with the server that is there now.
        let answer = timeout(PATIENCE, client.call("echo")).await.expect("it waits for ever");
        assert_eq!(answer.unwrap().as_text(), "done", "{policy:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "worked\n", "{policy:?}");
        drop(again);
        std::fs::remove_file(&path).unwrap();
    }
}
