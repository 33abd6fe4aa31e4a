//! Instructions per request, counted by callgrind: user space only, and nearly the same on every run.

use std::{fs, path::Path};

use super::{
    Over, REVISIONS, Sample,
    load::{generator, order, read},
    peers::Peer,
};
use crate::{Outcome, command};

/// Requests of the short run; the long one has five times as many, and the difference has no start-up in it.
const REQUESTS: usize = 500;

/// The most that a small call may cost this server, per revision.
const LIMITS: [(Over, &str, u64); 3] =
    [(Over::Stdio, REVISIONS[0], 10_000), (Over::Stdio, REVISIONS[1], 15_000), (Over::Http, REVISIONS[1], 34_000)];

/// Counts for every server in Rust.
pub(crate) fn measure(folder: &Path, peers: &[Peer]) -> Outcome<Vec<Sample>> {
    if !command::exists("valgrind", "--version") {
        return Err("valgrind is not installed".into());
    }
    let mut samples = Vec::new();
    for over in [Over::Stdio, Over::Http] {
        for revision in REVISIONS {
            let in_rust = |peer: &&Peer| peer.command[0].starts_with(&*folder.to_string_lossy()) && peer.name != "py";
            for peer in order(peers, over, revision, 0).into_iter().filter(in_rust) {
                eprintln!("{}, {revision}: {}", over.name(), peer.name);
                let short = count(folder, peer, revision, REQUESTS)?;
                let long = count(folder, peer, revision, 5 * REQUESTS)?;
                let each = long.saturating_sub(short) / (4 * REQUESTS as u64);
                samples.push(Sample { over, scenario: revision.to_owned(), peer: peer.name, value: each.into() });
            }
        }
    }
    Ok(samples)
}

/// Fails where this server needs more than its limit.
pub(crate) fn check(samples: &[Sample]) -> Outcome {
    for (over, revision, limit) in LIMITS {
        let is_ours = |sample: &&Sample| sample.peer == "mcpeer" && sample.over == over && sample.scenario == revision;
        let count = samples.iter().find(is_ours).and_then(|sample| sample.value.as_u64());
        if let Some(count) = count.filter(|count| *count > limit) {
            let over = over.name();
            return Err(format!(
                "a small tools/call over {over} at {revision} takes {count} instructions, more than {limit}"
            ));
        }
    }
    Ok(())
}

fn count(folder: &Path, peer: &Peer, revision: &str, requests: usize) -> Outcome<u64> {
    let log = folder.join("callgrind.txt");
    let at_once = if peer.over == Over::Stdio { 64 } else { 4 };
    let mut load = generator(folder, peer.over, revision, at_once, requests);
    load.args(["--warmup", "20", "--timeout", "300", "--stderr"]).arg(&log).arg("--");
    load.args(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]).args(&peer.command);
    read(&mut load)?;
    let text = fs::read_to_string(&log).map_err(|error| format!("cannot read {}: {error}", log.display()))?;
    let number = text.split("Collected : ").nth(1).and_then(|rest| rest.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).ok_or(format!("callgrind counted nothing:\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_a_limit_for_each_way_and_revision() {
        let sample = |over, revision: &str, count: u64| Sample {
            over,
            scenario: revision.to_owned(),
            peer: "mcpeer",
            value: count.into(),
        };
        assert_eq!(
            check(&[sample(Over::Stdio, REVISIONS[1], 15_000), sample(Over::Http, REVISIONS[1], 34_000)]),
            Ok(())
        );
        let reason = check(&[sample(Over::Http, REVISIONS[1], 34_001)]).unwrap_err();
        assert!(reason.contains("over HTTP at 2026-07-28 takes 34001 instructions, more than 34000"), "{reason}");
        assert!(check(&[sample(Over::Stdio, REVISIONS[0], 10_001)]).is_err());
    }
}
