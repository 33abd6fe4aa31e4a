//! The checks themselves, in the order in which they run: cheap ones first.

use std::{env, process::Command};

use super::Session;
use crate::{
    Outcome, budget, command, conformance, parity, policy, simulate,
    workspace::{Features, Workspace},
};

/// How many random schedules the simulation runs.
const SCHEDULES: &str = "20000";

/// Runs every check.
pub(crate) fn all(session: &mut Session<'_>) -> Outcome {
    let features = session.workspace.features("mcpeer")?;
    style(session)?;
    builds(session, &features)?;
    targets(session)?;
    tests(session, &features)?;
    suites(session)?;
    documentation(session)?;
    rules(session)?;
    other_toolchains(session)?;
    example_and_simulation(session)
}

fn style(session: &mut Session<'_>) -> Outcome {
    let workspace = session.workspace;
    let cargo = |arguments: &[&str]| workspace.cargo(arguments);
    let format = cargo(&["fmt", "--all", "--check"]);
    let clippy = cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]);
    session.step("formatting", format)?;
    session.step("lints, everything", clippy)
}

/// The core alone, and each feature alone: features add, so each must build without the others.
fn builds(session: &mut Session<'_>, features: &Features) -> Outcome {
    let core = ["clippy", "--package", "mcpeer", "--no-default-features"];
    // What only another feature uses is no mistake here.
    let warnings = ["--", "-D", "warnings", "-A", "dead_code"];
    session.step("the core alone", session.workspace.cargo(&[&core[..], &warnings].concat()))?;
    for feature in &features.names {
        let alone = [&core[..], &["--features", feature], &warnings].concat();
        session.step(&format!("feature {feature} alone"), session.workspace.cargo(&alone))?;
    }
    Ok(())
}

fn targets(session: &mut Session<'_>) -> Outcome {
    let core = ["check", "--package", "mcpeer", "--no-default-features", "--target"];
    let whole = ["check", "--workspace", "--exclude", "xtask", "--all-features", "--target"];
    let wasm = ("the core for WebAssembly", &core[..], &["wasm32-unknown-unknown"][..]);
    let windows = ("everything for Windows", &whole[..], &["x86_64-pc-windows-msvc", "x86_64-pc-windows-gnu"][..]);
    for (title, arguments, targets) in [wasm, windows] {
        let mut installed = Vec::new();
        for target in targets {
            if session.workspace.has_target(target)? {
                installed.push(*target);
            }
        }
        match installed.first() {
            Some(target) => session.step(title, session.workspace.cargo(&[arguments, &[target]].concat()))?,
            None => session.unavailable(&format!("{title}: add the target with `rustup target add {}`", targets[0])),
        }
    }
    Ok(())
}

fn tests(session: &mut Session<'_>, features: &Features) -> Outcome {
    let published = ["test", "--workspace", "--exclude", "xtask", "--no-fail-fast"];
    let workspace = session.workspace;
    let cargo = |options: &[&str]| workspace.cargo(&[&published[..], options].concat());
    // That package asks for features of its own, which cargo would then enable for all.
    let alone = ["--exclude", "mcpeer-conformance"];
    let all = cargo(&["--all-features"]);
    let default = cargo(&alone);
    // By itself: the other packages ask for features of it.
    let none = workspace.cargo(&["test", "--package", "mcpeer", "--no-default-features", "--no-fail-fast"]);
    let own = session.workspace.cargo(&["test", "--package", "xtask"]);
    session.step("tests, all features", all)?;
    if features.default_is_all {
        println!("   the default features are all features: these tests are those of the default, too");
    } else {
        session.step("tests, default features", default)?;
    }
    session.step("tests, no features", none)?;
    session.step("tests of xtask", own)
}

/// The official conformance suites, with the list of what is known not to pass.
fn suites(session: &mut Session<'_>) -> Outcome {
    if let Some(lacks) = conformance::lacks() {
        session.not_run(&format!("the official conformance suites: {lacks}"));
        return Ok(());
    }
    let this = env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut run = Command::new(this);
    run.arg("conformance");
    session.step("official conformance suites", run)
}

fn documentation(session: &mut Session<'_>) -> Outcome {
    let documentation = ["doc", "--workspace", "--exclude", "xtask", "--no-deps", "--all-features"];
    let mut documentation = session.workspace.cargo(&documentation);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    session.step("documentation", documentation)?;
    let unpublished = ["--exclude", "xtask", "--exclude", "mcpeer-conformance"];
    let package =
        [&["package", "--workspace"], &unpublished[..], &["--no-verify", "--allow-dirty", "--quiet"]].concat();
    session.step("packages for the registry", session.workspace.cargo(&package))
}

fn rules(session: &mut Session<'_>) -> Outcome {
    session.check("licences, bans and sources of dependencies", policy::check)?;
    if command::exists("cargo-deny", "--version") {
        let deny = ["deny", "--all-features", "check", "licenses", "bans", "sources"];
        session.step("the same by cargo-deny", session.workspace.cargo(&deny))?;
    }
    session.check("budgets", budget::check)?;
    session.check("parity", parity::check)
}

/// The oldest compiler that the manifest promises.
fn other_toolchains(session: &mut Session<'_>) -> Outcome {
    let oldest = session.workspace.oldest_compiler()?;
    let installed =
        command::output(&mut session.workspace.command("rustup", &["toolchain", "list"])).unwrap_or_default();
    let named = |name: &&str| name.starts_with(&format!("{oldest}-")) || name.starts_with(&format!("{oldest}."));
    match installed.lines().filter_map(|line| line.split(' ').next()).find(named) {
        Some(toolchain) => {
            let check = ["run", toolchain, "cargo", "check", "--workspace", "--exclude", "xtask", "--all-features"];
            session.step("the oldest compiler", oldest_check(session.workspace, &check))
        }
        None => {
            session.unavailable(&format!("the oldest compiler: add it with `rustup toolchain install {oldest}`"));
            Ok(())
        }
    }
}

/// Builds in a folder of its own, so that the two compilers do not throw away each other's work.
fn oldest_check(workspace: &Workspace, arguments: &[&str]) -> Command {
    let mut check = workspace.command("rustup", arguments);
    check.env("CARGO_TARGET_DIR", workspace.target.join("oldest")).env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    check
}

fn example_and_simulation(session: &mut Session<'_>) -> Outcome {
    // Each checks itself and ends; those that are servers for others are left out.
    for example in session.workspace.stories("mcpeer")? {
        let run = ["run", "--quiet", "--package", "mcpeer", "--all-features", "--example", &example];
        session.step(&format!("the example {example}"), session.workspace.cargo(&run))?;
    }
    let simulation = simulate::simulation(session.workspace, SCHEDULES, None);
    session.step(&format!("{SCHEDULES} random schedules"), simulation)
}
