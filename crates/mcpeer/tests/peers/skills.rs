//! Skills, with the one other SDK that has them: what one side says of a file the other side verifies, whose YAML and
//! whose digests are its own.

use std::{fs, path::PathBuf, process::Stdio};

use mcpeer::client::Client;
use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use crate::{
    foreign::{CommandLine, PATIENCE, Sdk},
    started::with_child,
};

const FILES: [&str; 4] =
    ["acme/billing/refunds/SKILL.md", "tidy/SKILL.md", "tidy/rules/kitchen.md", "tidy/rules/plan%20of%20it.png"];

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/peers/skills"))
}

/// What is in a file, by its path in addresses.
fn content(path: &str) -> Vec<u8> {
    fs::read(folder().join(path.replace("%20", " "))).unwrap()
}

fn offering(server: CommandLine) -> CommandLine {
    server.with(&[folder().to_str().unwrap()])
}

#[tokio::test]
async fn our_client_verifies_the_skills_of_a_typescript_2_server() {
    let Some(server) = Sdk::TypeScript2.program("skills_server") else { return };
    with_child(&offering(server), Client::builder("ours", "1.0.0"), async |client| {
        let mut read = Vec::new();
        for listed in client.skills().all().await.unwrap() {
            assert_eq!(client.skill(&listed.uri).await.unwrap(), listed);
            let skill = client.load_skill(&listed).await.unwrap();
            for file in listed.resources.listed() {
                let path = file.uri.strip_prefix("skill://").unwrap();
                assert_eq!(skill.read(&file.uri).await.unwrap().bytes(), content(path), "{path}");
                read.push(path.to_owned());
            }
        }
        assert_eq!(read, FILES);
        let children = client.read_directory("skill://tidy").await.unwrap();
        assert_eq!(children[1].mime_type.as_deref(), Some("inode/directory"));
        assert_eq!(client.skill("skill://none/SKILL.md").await.unwrap_err().rpc().unwrap().code, -32602);
        assert_eq!(client.read_directory("skill://tidy/SKILL.md").await.unwrap_err().rpc().unwrap().code, -32602);
    })
    .await;
}

#[tokio::test]
async fn a_typescript_2_client_verifies_our_skills() {
    let Some(client) = Sdk::TypeScript2.program("skills_client") else { return };
    let server = offering(CommandLine::example("skills_server"));
    let mut command = Command::new(&client.0[0]);
    command.args(&client.0[1..]).args(&server.0).stdin(Stdio::null()).kill_on_drop(true);
    let output = timeout(PATIENCE, command.output()).await.expect("the client comes to an end").unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["version"], &report["directoryRead"]), (&json!("2026-07-28"), &json!(true)));
    assert_eq!(report["invalid"], json!([]), "no entry of ours is refused");
    let found = report["found"].as_array().unwrap();
    assert!(found.iter().all(|skill| skill["isSame"] == true), "the entry is the same by itself");
    let files = found.iter().flat_map(|skill| skill["files"].as_object().unwrap());
    let read: Vec<_> = files.map(|(uri, file)| (uri.strip_prefix("skill://").unwrap(), &file["verified"])).collect();
    assert_eq!(read, FILES.map(|path| (path, &Value::Bool(true))));
    assert_eq!(found[1]["children"][1]["mimeType"], "inode/directory");
}
