//! `cargo xtask simulate`: random schedules of two connections, reproducible by their seed.

use std::process::Command;

use crate::{Outcome, command, workspace::Workspace};

/// Runs the simulation and shows what it says.
pub(crate) fn run(workspace: &Workspace, schedules: Option<&str>, seed: Option<&str>) -> Outcome {
    command::show(&mut simulation(workspace, schedules.unwrap_or("1000"), seed))
}

/// Gives the command that runs the simulation.
pub(crate) fn simulation(workspace: &Workspace, schedules: &str, seed: Option<&str>) -> Command {
    let mut cargo = workspace.cargo(&["test", "--package", "mcpeer", "--test", "simulate", "--", "--nocapture"]);
    cargo.env("MCPEER_SIMULATE_SCHEDULES", schedules);
    if let Some(seed) = seed {
        cargo.env("MCPEER_SIMULATE_SEED", seed);
    }
    cargo
}
