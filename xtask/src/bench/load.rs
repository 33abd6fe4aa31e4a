//! The load generator.

use std::{path::Path, process::Command};

use super::{Over, peers::Peer};
use crate::{Outcome, command};

/// Bytes of the text that is echoed.
const SIZE: &str = "64";

/// Gives the load generator for calls of `echo`, so many of them at once; the server's command has to follow.
pub(crate) fn generator(folder: &Path, over: Over, revision: &str, at_once: usize, requests: usize) -> Command {
    let (transport, window) = match over {
        Over::Stdio => ("stdio", "--window"),
        Over::Http => ("http", "--connections"),
    };
    let mut load = Command::new(folder.join("release/loadgen"));
    load.args([transport, "--size", SIZE, "--protocol", revision]);
    load.args([window, &at_once.to_string(), "-n", &requests.to_string()]);
    load
}

/// Runs the load generator and reads the line that it prints.
pub(crate) fn read(load: &mut Command) -> Outcome<serde_json::Value> {
    let text = command::output(load)?;
    serde_json::from_str(&text).map_err(|error| format!("the load generator printed no JSON: {error}\n{text}"))
}

/// Gives the servers that speak a revision, in the order in which they are measured in a round.
pub(crate) fn order<'a>(peers: &'a [Peer], over: Over, revision: &str, round: usize) -> Vec<&'a Peer> {
    let speaks = |peer: &&Peer| peer.over == over && peer.revisions.contains(&revision);
    let mut order: Vec<&Peer> = peers.iter().filter(speaks).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}
