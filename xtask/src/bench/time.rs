//! CPU time per request, in several rounds.

use std::path::Path;

use super::{
    Over, REVISIONS, Sample,
    load::{generator, order, read},
    peers::Peer,
};
use crate::Outcome;

/// How many requests are on their way at once, and how that is called.
fn windows(over: Over) -> [(usize, &'static str); 2] {
    match over {
        Over::Stdio => [(1, "one at a time"), (64, "64 in flight")],
        Over::Http => [(1, "one connection"), (64, "64 connections")],
    }
}

/// Measures every server once per round and scenario.
pub(crate) fn measure(folder: &Path, peers: &[Peer], rounds: usize) -> Outcome<Vec<Sample>> {
    let mut samples = Vec::new();
    for over in [Over::Stdio, Over::Http] {
        for revision in REVISIONS {
            for (window, name) in windows(over) {
                for round in 0..rounds {
                    for peer in order(peers, over, revision, round) {
                        let scenario = format!("{revision}, {name}");
                        eprintln!("round {} of {rounds}, {}, {scenario}: {}", round + 1, over.name(), peer.name);
                        let value = once(folder, peer, revision, window)?;
                        samples.push(Sample { over, scenario, peer: peer.name, value });
                    }
                }
            }
        }
    }
    Ok(samples)
}

fn once(folder: &Path, peer: &Peer, revision: &str, window: usize) -> Outcome<serde_json::Value> {
    let requests = if window == 1 { peer.requests } else { 4 * peer.requests };
    let mut load = generator(folder, peer.over, revision, window, requests);
    if let Some(warmup) = peer.warmup {
        load.args(["--warmup", &warmup.to_string()]);
    }
    read(load.arg("--").args(&peer.command))
}
