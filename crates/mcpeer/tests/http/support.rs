//! What several tests need.

use std::io::Write as _;

/// Takes note that a test could not be run.
pub(crate) fn not_run(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let text = format!("{test}: {reason}");
    eprintln!("not run: {text}");
    if let Some(report) = std::env::var_os("MCPEER_NOT_RUN_FILE") {
        let report = std::fs::OpenOptions::new().create(true).append(true).open(report);
        writeln!(report.expect("the report can be written"), "{text}").expect("the report can be written");
    }
}
