//! The servers that are measured, and how they are built.

use std::path::Path;

use super::{Choice, REVISIONS};
use crate::{Outcome, command, packages, workspace::Workspace};

/// A server that can be measured.
pub(crate) struct Peer {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    /// How to start it.
    pub(crate) command: Vec<String>,
    /// The revisions that it speaks.
    pub(crate) revisions: &'static [&'static str],
    /// Requests per run, for sequential calls; four times as many in a window.
    pub(crate) requests: usize,
    /// Requests before that, where the language needs long to warm up.
    pub(crate) warmup: Option<usize>,
}

/// A server in Rust: its name, the folder of its crate, its program with arguments, and when it is measured.
type Row = (&'static str, &'static str, &'static [&'static str], bool);

const FLOOR: &str = "benches/peers/floor";
const RMCP: &str = "benches/peers/rmcp-peer";

/// What is measured by default comes first.
const RUST: [Row; 8] = [
    ("floor", FLOOR, &["floor", "stdio-pipe"], true),
    ("floor-typed", FLOOR, &["floor", "stdio-pipe", "--one-pass", "--typed"], true),
    ("mcpeer", "", &["examples/bench_server", "stdio"], true),
    ("rmcp", RMCP, &["rmcp-peer", "stdio-pipes"], true),
    ("rmcp-current", RMCP, &["rmcp-peer", "stdio-pipes", "--current"], true),
    ("rmcp-stdio", RMCP, &["rmcp-peer", "stdio"], false),
    ("tower-mcp", "benches/peers/tower-mcp-peer", &["tower-mcp-peer", "stdio"], false),
    ("rust-mcp-sdk", "benches/peers/rust-mcp-sdk-peer", &["rust-mcp-sdk-peer", "stdio"], false),
];

/// Builds the load generator and the chosen servers.
pub(crate) fn build(workspace: &Workspace, choice: &Choice, folder: &Path) -> Outcome<Vec<Peer>> {
    let is_chosen = |name: &str| {
        let mut names = choice.peers.as_deref().unwrap_or_default().split(',');
        name == "floor" || choice.peers.is_none() || names.any(|start| name.starts_with(start))
    };
    let mut peers = Vec::new();
    let mut crates = vec!["benches/loadgen"];
    for (name, source, program, by_default) in RUST {
        if !((by_default || choice.all || choice.peers.is_some()) && is_chosen(name)) {
            continue;
        }
        crates.extend((!crates.contains(&source)).then_some(source));
        let mut command: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
        command[0] = folder.join("release").join(program[0]).display().to_string();
        let revisions = if name == "rust-mcp-sdk" { &REVISIONS[1..] } else { &REVISIONS[..] };
        peers.push(Peer { name, command, revisions, requests: 20_000, warmup: None });
    }
    for source in crates {
        build_rust(workspace, source, folder)?;
    }
    if choice.all {
        peers.extend(interpreted(workspace, folder)?.into_iter().filter(|peer| is_chosen(peer.name)));
    }
    Ok(peers)
}

fn build_rust(workspace: &Workspace, source: &str, folder: &Path) -> Outcome {
    let mut cargo = match source {
        "" => workspace.cargo(&[
            "build",
            "--release",
            "--package",
            "mcpeer",
            "--features",
            "http-server",
            "--example",
            "bench_server",
        ]),
        _ => workspace.cargo(&["build", "--release", "--locked"]),
    };
    cargo.env("CARGO_TARGET_DIR", folder).current_dir(workspace.root.join(source));
    command::show(&mut cargo)
}

/// Installs the servers in JavaScript and Python, where those languages are there.
fn interpreted(workspace: &Workspace, folder: &Path) -> Outcome<Vec<Peer>> {
    let mut peers = Vec::new();
    let sources = workspace.root.join("benches/peers");
    let mut install = |title: &str, mut command: std::process::Command| {
        eprintln!("{title}");
        command::show(&mut command)
    };
    let text = |path: &Path| path.display().to_string();
    if packages::has_node() {
        let ts = folder.join("ts");
        packages::node(&sources.join("ts"), &ts, &mut install)?;
        let command = vec!["node".into(), text(&ts.join("server.mjs")), "stdio".into()];
        peers.push(Peer { name: "ts", command, revisions: &REVISIONS, requests: 4000, warmup: Some(20_000) });
    }
    if let Some(name) = packages::python_name() {
        let environment = folder.join("py");
        packages::python(name, &sources.join("py/requirements.txt"), &environment, &mut install)?;
        let command = vec![text(&environment.join("bin/python")), text(&sources.join("py/server.py")), "stdio".into()];
        peers.push(Peer { name: "py", command, revisions: &REVISIONS, requests: 1200, warmup: None });
    }
    Ok(peers)
}
