//! How a server ends, and what its client makes of it.

use std::time::Duration;

use mcpeer::{
    client::Policy,
    transport::child::{Command, Stderr},
    version::Revision,
};
use serde_json::json;

use super::process::{PING, Process};
use crate::{
    peers::builder,
    support::{PATIENCE, Tree},
};

/// A script that goes through the handshake, then goes on with `rest`.
fn script(rest: &str) -> Command {
    let info = json!({"name": "raw", "version": "0"});
    let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let script = format!("read -r initialize; echo '{answer}'; read -r initialized; {rest}");
    Command::new("sh").args(["-c", &script]).stderr(Stderr::Capture)
}

#[tokio::test]
async fn a_server_whose_client_leaves_before_the_handshake_ends_quietly_and_well() {
    let end = Process::start().end().await;
    assert!(end.status.success(), "{}", end.errors);
    assert_eq!(end.errors, "");
    assert!(end.messages.is_empty());
}

#[tokio::test]
async fn a_server_ends_with_its_input() {
    let end = Process::initialized().await.end().await;
    assert!(end.status.success(), "{}", end.errors);
    assert_eq!(end.errors, "");
}

#[tokio::test]
async fn a_server_ends_when_nobody_reads_its_output_any_more() {
    let mut process = Process::initialized().await;
    process.close_output();
    process.write_until_it_ends(format!("{PING}\n").as_bytes()).await;
}

#[tokio::test]
async fn a_call_fails_at_once_when_the_server_ends_its_output_though_the_server_lives_on() {
    let tree = Tree::new();
    let command = script("read -r call; exec 9>\"$TREE\"; exec 1>&-; exec sleep 1000");
    let command = command.env("TREE", &tree.path).exit_timeout(PATIENCE);
    let monitor = command.monitor();
    let client = builder().policy(Policy::LegacyOnly).connect(command).await.unwrap();
    let error = client.call("a").await.unwrap_err();
    assert!(error.is_closed(), "{error:?}");
    assert!(client.peer().is_closed());
    assert_eq!(monitor.exit_status(), None, "the call waited for the end of the process");
    assert!(client.call("b").await.unwrap_err().is_closed());
}

#[tokio::test]
async fn a_server_that_exits_on_the_question_for_its_era_is_started_again_and_greeted_in_the_old_way() {
    let info = json!({"name": "old", "version": "0"});
    let result = json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, "serverInfo": info});
    let script = format!(
        r#"read -r first
        case "$first" in *'"server/discover"'*) echo 'panic: unknown method' >&2; exit 1;; esac
        id=${{first#*'"id":'}}; id=${{id%%[,\}}]*}}
        echo '{{"jsonrpc":"2.0","id":'$id',"result":{result}}}'
        cat >/dev/null"#
    );
    let command = Command::new("sh").args(["-c", &script]).stderr(Stderr::Capture).exit_timeout(PATIENCE);
    let monitor = command.monitor();
    let client = builder().handshake_timeout(PATIENCE).probe_timeout(PATIENCE).connect(command).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_03_26);
    assert_eq!(client.server_info().unwrap().name, "old");
    let verdict = client.verdict().expect("it is remembered what the server speaks");
    client.close().await;
    assert_eq!(monitor.exit_status().unwrap().code(), Some(0));

    let command = Command::new("sh").args(["-c", &script]).stderr(Stderr::Capture).exit_timeout(PATIENCE);
    let monitor = command.monitor();
    let client =
        builder().policy(Policy::Remembered(verdict)).handshake_timeout(PATIENCE).connect(command).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_03_26);
    assert!(monitor.stderr_tail().is_empty(), "it was asked again");
}

#[tokio::test]
async fn what_a_server_says_on_standard_error_is_no_failure() {
    let answer = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "fine"}]}});
    let command = script(&format!("echo 'ERROR: INFO ready' >&2; read -r call; echo '{answer}'; cat >/dev/null"));
    let client = builder().policy(Policy::LegacyOnly).timeout(Duration::from_secs(60)).connect(command).await.unwrap();
    assert_eq!(client.call("a").await.unwrap().as_text(), "fine");
}
