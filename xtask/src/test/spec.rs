//! The published schemas and examples that tests compare with.

use std::path::{Path, PathBuf};

use super::Session;
use crate::{Outcome, command};

/// The specification's repository, and the commit whose files the tests are written for.
const REPOSITORY: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol";
const COMMIT: &str = "b0f60ba5409db7a6582440a7b473cc0398890f15";
const VARIABLE: &str = "MCPEER_SPEC_DIR";

/// Finds the specification's data: named by the variable, beside the checkout, cloned before, or cloned now.
pub(crate) fn find(session: &mut Session<'_>) -> Outcome {
    if let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        return match is_spec(&named) {
            true => Ok(()),
            false => Err(format!("{VARIABLE} is {}, which has no folder schema/2026-07-28", named.display())),
        };
    }
    let clone = session.workspace.target.join("spec");
    let beside = session.workspace.root.join("../shared/spec");
    let found = [beside, clone.clone()].into_iter().find(|folder| is_spec(folder));
    let folder = match found {
        Some(folder) => folder,
        None if clone_into(session, &clone).is_ok() => clone,
        None => {
            session.not_run("tests against the published schemas: the specification could not be cloned");
            return Ok(());
        }
    };
    let folder = folder.canonicalize().map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    println!("   the specification's data is in {}", folder.display());
    session.export(VARIABLE, folder);
    Ok(())
}

fn is_spec(folder: &Path) -> bool {
    folder.join("schema/2026-07-28/schema.json").is_file()
}

fn clone_into(session: &mut Session<'_>, folder: &Path) -> Outcome {
    if !command::exists("git", "--version") {
        return Err("git is not installed".into());
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let commands: [&[&str]; 4] = [
        &["init", "--quiet"],
        &["sparse-checkout", "set", "schema"],
        &["fetch", "--quiet", "--depth=1", "--filter=blob:none", REPOSITORY, COMMIT],
        &["-c", "advice.detachedHead=false", "checkout", "--quiet", "FETCH_HEAD"],
    ];
    for arguments in commands {
        let mut git = session.workspace.command("git", arguments);
        git.current_dir(folder);
        session.step("get the specification's schemas", git)?;
    }
    Ok(())
}
