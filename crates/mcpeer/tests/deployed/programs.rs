//! The programs, and where they are.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Gives a program: the one that a variable names, else the one that was unpacked under this name. `None`, with a word
/// to the person who runs the tests, where there is none.
pub(crate) fn find(variable: &str, name: &str) -> Option<PathBuf> {
    let workspace = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let unpacked = || workspace.join("target/debian").join(name).join("start");
    let program = env::var_os(variable).map_or_else(unpacked, PathBuf::from);
    if program.is_file() {
        return Some(program);
    }
    not_run(&format!("there is no {name}; `cargo xtask test` gets it, or {variable} names it"));
    None
}

/// Says, to a person and to the report of what did not run, that a test has not run.
pub(crate) fn not_run(reason: &str) {
    let text = format!("{}: {reason}", std::thread::current().name().unwrap_or("a test"));
    eprintln!("not run: {text}");
    if let Some(report) = env::var_os("MCPEER_NOT_RUN_FILE") {
        let report = fs::OpenOptions::new().create(true).append(true).open(report);
        writeln!(report.expect("the report can be opened"), "{text}").expect("the report can be written");
    }
}

/// A new folder of this test's own, which goes with this.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("mcpeer-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Processes that a program has started write there until they have seen that it is gone.
        let is_gone = (0..10_000).any(|_| fs::remove_dir_all(&self.0).is_ok() && !self.0.exists());
        if !is_gone {
            eprintln!("{} could not be removed", self.0.display());
        }
    }
}
