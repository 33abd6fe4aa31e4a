//! The official inspector's command line with our servers, in both eras, over both transports.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use crate::{
    foreign::{CommandLine, PATIENCE, package},
    served::{Over, Served},
};

const INSPECTOR: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/// Runs the inspector once; gives what it prints.
async fn inspect(inspector: &CommandLine, target: &CommandLine, options: &[&str]) -> Value {
    let mut command = Command::new(&inspector.0[0]);
    // It keeps a list of servers in the user's folder.
    command.args(&inspector.0[1..]).args(&target.0).args(options).env("HOME", env!("CARGO_TARGET_TMPDIR"));
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await.expect("it comes to an end").expect("it starts");
    assert!(output.status.success(), "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

fn names(listed: &Value, member: &str) -> Vec<String> {
    let entries = listed[member].as_array().expect("it is a list").iter();
    entries.map(|entry| entry["name"].as_str().expect("it has a name").to_owned()).collect()
}

async fn inspects(over: Over, era: &str) {
    let Some(inspector) = package(INSPECTOR, &["--cli"]) else { return };
    let server = CommandLine::example("features_server");
    let served = match over {
        Over::Pipe => None,
        Over::Http => Some(Served::start(&server).await),
    };
    let target = served.as_ref().map_or(server, |served| CommandLine::new([served.relay.url()]));
    let list = async |method: &str, member: &str| {
        names(&inspect(&inspector, &target, &["--protocol-era", era, "--method", method]).await, member)
    };
    assert!(list("tools/list", "tools").await.contains(&"form".to_owned()));
    assert_eq!(list("resources/list", "resources").await, ["greeting", "bytes", "counter"]);
    assert_eq!(list("prompts/list", "prompts").await, ["greet", "asked"]);
    let call = ["--protocol-era", era, "--method", "tools/call", "--tool-name", "change"];
    let called = inspect(&inspector, &target, &call).await;
    assert_eq!(called["content"], json!([{"type": "text", "text": "1"}]), "{called}");
    if let Some(served) = served {
        let sessions = served.relay.heads().iter().filter(|head| head.header("mcp-session-id").is_some()).count();
        assert_eq!(sessions > 0, era == "legacy", "{era}");
    }
}

#[tokio::test]
async fn the_inspector_lists_and_calls_over_pipes() {
    for era in ["legacy", "modern"] {
        inspects(Over::Pipe, era).await;
    }
}

#[tokio::test]
async fn the_inspector_lists_and_calls_over_http() {
    for era in ["legacy", "modern"] {
        inspects(Over::Http, era).await;
    }
}
