//! The server that is examined.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use crate::Outcome;

/// A server that runs until this is dropped.
pub(super) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts it at a port that is free. What it says on standard error goes to a file.
    pub(super) fn start(program: &Path, log: &Path) -> Outcome<Self> {
        let shown = program.display();
        let mut command = Command::new(program);
        command.env("PORT", "0").stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot start {shown}: {error}"))?;
        let mut said = BufReader::new(child.stderr.take().expect("it was asked for"));
        let mut server = Self { child, url: String::new() };
        let mut file = File::create(log).map_err(|error| format!("cannot create {}: {error}", log.display()))?;
        said.read_line(&mut server.url).map_err(|error| format!("cannot read from {shown}: {error}"))?;
        server.url.truncate(server.url.trim_end().len());
        if !server.url.starts_with("http://") {
            return Err(format!("{shown} did not say where it serves, but {:?}", server.url));
        }
        // Where the server has ended there is nothing more to keep.
        thread::spawn(move || drop(io::copy(&mut said, &mut file)));
        Ok(server)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
