//! `cargo xtask budget`: what the project keeps within limits, measured.

mod dependencies;
mod examples;
mod shape;
mod table;

use serde_json::json;

use crate::{Outcome, workspace::Workspace};

/// One thing that is kept within a limit.
pub(crate) struct Budget {
    /// What is measured.
    name: &'static str,
    /// The most that is allowed.
    limit: usize,
    /// How it is measured.
    measure: fn(&Workspace) -> Outcome<Measured>,
}

/// What a measurement gave.
pub(crate) struct Measured {
    /// The number.
    value: usize,
    /// Where it comes from: the longest function, the forbidden imports.
    detail: String,
}

/// Prints every budget, and fails where one is exceeded.
pub(crate) fn run(workspace: &Workspace, as_json: bool) -> Outcome {
    let rows = measure(workspace)?;
    if as_json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(budget, measured)| {
                let kept = measured.value <= budget.limit;
                json!({"name": budget.name, "value": measured.value, "limit": budget.limit, "kept": kept, "detail": measured.detail})
            })
            .collect();
        println!("{:#}", json!(rows));
    } else {
        for (budget, measured) in &rows {
            println!("{:>6} of {:>6}  {:<58} {}", measured.value, budget.limit, budget.name, measured.detail);
        }
    }
    exceeded(&rows)
}

/// Measures every budget for a run of all checks.
pub(crate) fn check(workspace: &Workspace) -> Outcome<String> {
    let rows = measure(workspace)?;
    exceeded(&rows)?;
    let rows: Vec<_> = rows
        .iter()
        .map(|(budget, measured)| format!("{} {} of {}", budget.name, measured.value, budget.limit))
        .collect();
    Ok(rows.join("; "))
}

fn measure(workspace: &Workspace) -> Outcome<Vec<(&'static Budget, Measured)>> {
    table::BUDGETS.iter().map(|budget| Ok((budget, (budget.measure)(workspace)?))).collect()
}

fn exceeded(rows: &[(&'static Budget, Measured)]) -> Outcome {
    let over = rows.iter().filter(|(budget, measured)| measured.value > budget.limit);
    let over: Vec<_> = over
        .map(|(budget, measured)| {
            format!("{}: {} is more than {}: {}", budget.name, measured.value, budget.limit, measured.detail)
        })
        .collect();
    if over.is_empty() { Ok(()) } else { Err(over.join("\n")) }
}
