//! Memory of a client that does nothing: a session with its open stream, or a `subscriptions/listen`.

use std::{path::Path, process::Command};

use super::{
    Over, REVISIONS, Sample,
    load::{order, read},
    peers::Peer,
    report,
};
use crate::Outcome;

/// How many clients are there at once.
const CLIENTS: &str = "1000";

/// The most that one may keep of this server's memory, in KiB, per revision.
const LIMITS: [(&str, f64); 2] = [(REVISIONS[0], 18.0), (REVISIONS[1], 16.0)];

/// Measures every server once per round and revision.
pub(crate) fn measure(folder: &Path, peers: &[Peer], rounds: usize) -> Outcome<Vec<Sample>> {
    let mut samples = Vec::new();
    for revision in REVISIONS {
        for round in 0..rounds {
            // Without sessions there is nothing that could be open.
            for peer in order(peers, Over::Http, revision, round).into_iter().filter(|peer| peer.has_streams) {
                eprintln!("round {} of {rounds}, {}: {}", round + 1, scenario(revision), peer.name);
                let mut load = Command::new(folder.join("release/loadgen"));
                load.args(["sessions", "--sessions", CLIENTS, "--protocol", revision, "--"]).args(&peer.command);
                let value = read(&mut load)?;
                samples.push(Sample { over: Over::Http, scenario: scenario(revision), peer: peer.name, value });
            }
        }
    }
    Ok(samples)
}

/// Fails where this server needs more than its limit.
pub(crate) fn check(samples: &[Sample]) -> Outcome {
    for (revision, limit) in LIMITS {
        let scenario = scenario(revision);
        if let Some(kept) = report::kept(samples, &scenario, "mcpeer").filter(|kept| *kept > limit) {
            return Err(format!("{scenario}: each keeps {kept:.1} KiB, more than {limit}"));
        }
    }
    Ok(())
}

fn scenario(revision: &str) -> String {
    let what = if revision == REVISIONS[0] { "session with its stream" } else { "listen stream" };
    format!("{revision}, {what}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_client_keeps_has_a_limit() {
        let sample = |revision, peer, kept: f64| Sample {
            over: Over::Http,
            scenario: scenario(revision),
            peer,
            value: json!({"kib_per_session": kept}),
        };
        let others = [sample(REVISIONS[0], "rmcp", 75.0), sample(REVISIONS[1], "mcpeer", 16.0)];
        assert_eq!(check(&others), Ok(()));
        let reason = check(&[sample(REVISIONS[0], "mcpeer", 18.1)]).unwrap_err();
        assert_eq!(reason, "2025-11-25, session with its stream: each keeps 18.1 KiB, more than 18");
    }
}
