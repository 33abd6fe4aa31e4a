//! nginx and Chromium, for the tests that put them between a client and a server.

use super::Session;
use crate::{Outcome, debian::PROGRAMS};

/// Finds the programs, or gets them.
pub(crate) fn find(session: &mut Session<'_>) -> Outcome {
    let folder = session.workspace.target.join("debian");
    for program in PROGRAMS {
        match program.find(&folder, &mut |title, command| session.step(title, command)) {
            Ok(path) => session.export(program.variable, path),
            // The tests list themselves as not run.
            Err(reason) => println!("   no {}: {reason}", program.variable),
        }
    }
    Ok(())
}
