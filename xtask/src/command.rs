//! Running other programs.

use std::process::{Command, Stdio};

use crate::Outcome;

/// Writes a command as one would type it.
pub(crate) fn typed(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let program = words[0].rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    [&[program], &words[1..]].concat().join(" ")
}

/// Runs a command and gives what it wrote to its standard output.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let shown = typed(command);
    let output = command.output().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("`{shown}` failed, {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Runs a command whose output the user sees.
pub(crate) fn show(command: &mut Command) -> Outcome {
    let shown = typed(command);
    let status = command.status().map_err(|error| format!("cannot run `{shown}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed, {status}")) }
}

/// Tells whether a program can be started here.
pub(crate) fn exists(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
