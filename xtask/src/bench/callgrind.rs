//! Instructions per request, counted by callgrind: user space only, and nearly the same on every run.

use std::{fs, path::Path};

use super::{
    REVISIONS, Sample,
    peers::Peer,
    time::{generator, read},
};
use crate::{Outcome, command};

/// Requests of the short run; the long one has five times as many, and the difference has no start-up in it.
const REQUESTS: usize = 500;

/// The most that a small call may cost this server, per revision.
const LIMITS: [(&str, u64); 2] = [(REVISIONS[0], 10_000), (REVISIONS[1], 15_000)];

/// Counts for every server in Rust.
pub(crate) fn measure(folder: &Path, peers: &[Peer]) -> Outcome<Vec<Sample>> {
    if !command::exists("valgrind", "--version") {
        return Err("valgrind is not installed".into());
    }
    let mut samples = Vec::new();
    for revision in REVISIONS {
        let in_rust = |peer: &&Peer| peer.command[0].starts_with(&*folder.to_string_lossy()) && peer.name != "py";
        for peer in peers.iter().filter(in_rust).filter(|peer| peer.revisions.contains(&revision)) {
            eprintln!("{revision}: {}", peer.name);
            let short = count(folder, peer, revision, REQUESTS)?;
            let long = count(folder, peer, revision, 5 * REQUESTS)?;
            let each = long.saturating_sub(short) / (4 * REQUESTS as u64);
            samples.push(Sample { scenario: revision.to_owned(), peer: peer.name, value: each.into() });
        }
    }
    Ok(samples)
}

/// Fails where this server needs more than its limit.
pub(crate) fn check(samples: &[Sample]) -> Outcome {
    for (revision, limit) in LIMITS {
        let ours = samples.iter().find(|sample| sample.peer == "mcpeer" && sample.scenario == revision);
        if let Some(count) = ours.and_then(|sample| sample.value.as_u64()).filter(|count| *count > limit) {
            return Err(format!("a small tools/call at {revision} takes {count} instructions, more than {limit}"));
        }
    }
    Ok(())
}

fn count(folder: &Path, peer: &Peer, revision: &str, requests: usize) -> Outcome<u64> {
    let log = folder.join("callgrind.txt");
    let mut load = generator(folder, revision, 64, requests);
    load.args(["--warmup", "20", "--timeout", "300", "--stderr"]).arg(&log).arg("--");
    load.args(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]).args(&peer.command);
    read(&mut load)?;
    let text = fs::read_to_string(&log).map_err(|error| format!("cannot read {}: {error}", log.display()))?;
    let number = text.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).ok_or(format!("callgrind counted nothing:\n{text}"))
}
