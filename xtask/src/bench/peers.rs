//! The servers that are measured, and how they are built.

use std::path::Path;

use super::{Choice, Over, REVISIONS};
use crate::{Outcome, command, packages, workspace::Workspace};

/// A server that can be measured.
pub(crate) struct Peer {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    /// What it is spoken to over.
    pub(crate) over: Over,
    /// How to start it.
    pub(crate) command: Vec<String>,
    /// The revisions that it speaks.
    pub(crate) revisions: &'static [&'static str],
    /// Requests per run, for sequential calls; four times as many in a window.
    pub(crate) requests: usize,
    /// Requests before that, where the language needs long to warm up.
    pub(crate) warmup: Option<usize>,
    /// Whether a client can have a stream open without asking for anything.
    pub(crate) has_streams: bool,
}

/// A server in Rust: its name, the folder of its crate, its program with arguments, and when it is measured.
type Row = (&'static str, &'static str, &'static [&'static str], bool);

const FLOOR: &str = "benches/peers/floor";
const RMCP: &str = "benches/peers/rmcp-peer";

/// What is measured over standard input and output.
const STDIO: [Row; 8] = [
    ("floor", FLOOR, &["floor", "stdio-pipe"], true),
    ("floor-typed", FLOOR, &["floor", "stdio-pipe", "--one-pass", "--typed"], true),
    ("mcpeer", "", &["examples/bench_server", "stdio"], true),
    ("rmcp", RMCP, &["rmcp-peer", "stdio-pipes"], true),
    ("rmcp-current", RMCP, &["rmcp-peer", "stdio-pipes", "--current"], true),
    ("rmcp-stdio", RMCP, &["rmcp-peer", "stdio"], false),
    ("tower-mcp", "benches/peers/tower-mcp-peer", &["tower-mcp-peer", "stdio"], false),
    ("rust-mcp-sdk", "benches/peers/rust-mcp-sdk-peer", &["rust-mcp-sdk-peer", "stdio"], false),
];

/// What is measured over HTTP. With `--json` rmcp has no sessions; those that run on one thread, as ours does, are
/// `current`.
const HTTP: [Row; 9] = [
    ("floor-json", FLOOR, &["floor", "http", "{port}"], true),
    ("floor-json-typed", FLOOR, &["floor", "http", "{port}", "--typed"], true),
    ("floor-json-typed-current", FLOOR, &["floor", "http", "{port}", "--typed", "--current"], true),
    ("floor-json-one-pass", FLOOR, &["floor", "http", "{port}", "--one-pass"], true),
    ("mcpeer", "", &["examples/bench_server", "http", "{port}"], true),
    ("rmcp", RMCP, &["rmcp-peer", "http", "{port}"], true),
    ("rmcp-json", RMCP, &["rmcp-peer", "http", "{port}", "--json"], true),
    ("rmcp-json-current", RMCP, &["rmcp-peer", "http", "{port}", "--json", "--current"], true),
    ("tower-mcp", "benches/peers/tower-mcp-peer", &["tower-mcp-peer", "http", "{port}"], false),
];

/// Builds the load generator and the chosen servers.
pub(crate) fn build(workspace: &Workspace, choice: &Choice, ways: &[Over], folder: &Path) -> Outcome<Vec<Peer>> {
    let is_chosen = |over: Over, name: &str| {
        let mut names = choice.peers.as_deref().unwrap_or_default().split(',');
        name == over.bases()[0] || choice.peers.is_none() || names.any(|start| name.starts_with(start))
    };
    let mut peers = Vec::new();
    let mut crates = vec!["benches/loadgen"];
    for over in ways.iter().copied() {
        let (rows, requests): (&[Row], usize) = match over {
            Over::Stdio => (&STDIO, 20_000),
            Over::Http => (&HTTP, 8_000),
        };
        for &(name, source, program, by_default) in rows {
            if !((by_default || choice.all || choice.peers.is_some()) && is_chosen(over, name)) {
                continue;
            }
            crates.extend((!crates.contains(&source)).then_some(source));
            let mut command: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
            command[0] = folder.join("release").join(program[0]).display().to_string();
            let revisions = if name == "rust-mcp-sdk" { &REVISIONS[1..] } else { &REVISIONS[..] };
            let has_streams = !program.contains(&"--json");
            peers.push(Peer { name, over, command, revisions, requests, warmup: None, has_streams });
        }
    }
    for source in crates {
        build_rust(workspace, source, folder)?;
    }
    if choice.all {
        for over in ways.iter().copied() {
            peers.extend(interpreted(workspace, over, folder)?.into_iter().filter(|peer| is_chosen(over, peer.name)));
        }
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
fn interpreted(workspace: &Workspace, over: Over, folder: &Path) -> Outcome<Vec<Peer>> {
    let mut peers = Vec::new();
    let sources = workspace.root.join("benches/peers");
    let mut install = |title: &str, mut command: std::process::Command| {
        eprintln!("{title}");
        command::show(&mut command)
    };
    let text = |path: &Path| path.display().to_string();
    let (arguments, warmup): (&[&str], usize) = match over {
        Over::Stdio => (&["stdio"], 20_000),
        Over::Http => (&["http", "{port}"], 5_000),
    };
    let mut add = |name, program: [String; 2], requests, warmup| {
        let command = program.into_iter().chain(arguments.iter().map(|word| (*word).to_owned())).collect();
        peers.push(Peer { name, over, command, revisions: &REVISIONS, requests, warmup, has_streams: true });
    };
    if packages::has_node() {
        let ts = folder.join("ts");
        packages::node(&sources.join("ts"), &ts, &mut install)?;
        add("ts", ["node".into(), text(&ts.join("server.mjs"))], 4000, Some(warmup));
    }
    if let Some(name) = packages::python_name() {
        let environment = folder.join("py");
        packages::python(name, &sources.join("py/requirements.txt"), &environment, &mut install)?;
        add("py", [text(&environment.join("bin/python")), text(&sources.join("py/server.py"))], 1200, None);
    }
    Ok(peers)
}
