//! CPU time per request, in several rounds.

use std::{path::Path, process::Command};

use super::{REVISIONS, Sample, peers::Peer};
use crate::{Outcome, command};

/// Bytes of the text that is echoed.
const SIZE: &str = "64";

/// Measures every server once per round and scenario.
pub(crate) fn measure(folder: &Path, peers: &[Peer], rounds: usize) -> Outcome<Vec<Sample>> {
    let mut samples = Vec::new();
    for revision in REVISIONS {
        for (window, name) in [(1, "one at a time"), (64, "64 in flight")] {
            for round in 0..rounds {
                let mut order: Vec<&Peer> = peers.iter().filter(|peer| peer.revisions.contains(&revision)).collect();
                if round % 2 == 1 {
                    order.reverse();
                }
                for peer in order {
                    let scenario = format!("{revision}, {name}");
                    eprintln!("round {} of {rounds}, {scenario}: {}", round + 1, peer.name);
                    let value = once(folder, peer, revision, window)?;
                    samples.push(Sample { scenario, peer: peer.name, value });
                }
            }
        }
    }
    Ok(samples)
}

fn once(folder: &Path, peer: &Peer, revision: &str, window: usize) -> Outcome<serde_json::Value> {
    let requests = if window == 1 { peer.requests } else { 4 * peer.requests };
    let mut load = generator(folder, revision, window, requests);
    if let Some(warmup) = peer.warmup {
        load.args(["--warmup", &warmup.to_string()]);
    }
    read(load.arg("--").args(&peer.command))
}

/// Gives the load generator for calls of `echo`; the server's command has to follow.
pub(crate) fn generator(folder: &Path, revision: &str, window: usize, requests: usize) -> Command {
    let mut load = Command::new(folder.join("release/loadgen"));
    load.args(["stdio", "--size", SIZE, "--protocol", revision]);
    load.args(["--window", &window.to_string(), "-n", &requests.to_string()]);
    load
}

/// Runs the load generator and reads the line that it prints.
pub(crate) fn read(load: &mut Command) -> Outcome<serde_json::Value> {
    let text = command::output(load)?;
    serde_json::from_str(&text).map_err(|error| format!("the load generator printed no JSON: {error}\n{text}"))
}
