//! How a server is ended: by degrees.

use std::{future::poll_fn, time::Duration};

use tokio::time::{sleep, timeout};

use super::process::Process;

/// How long a process that was killed may take to go.
const KILLED: Duration = Duration::from_secs(2);

/// How long each degree may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stages {
    /// From the end of its input to its exit.
    pub(super) exit: Duration,
    /// From its termination to its exit.
    pub(super) terminate: Duration,
}

impl Default for Stages {
    fn default() -> Self {
        Self { exit: Duration::from_secs(2), terminate: Duration::from_secs(2) }
    }
}

/// Ends a process whose input is closed, and all that it started: waits, terminates, waits, kills.
pub(super) async fn shut_down(mut process: Process, stages: Stages) {
    if timeout(stages.exit, over(&mut process)).await.is_ok() {
        return;
    }
    process.terminate();
    if timeout(stages.terminate, over(&mut process)).await.is_ok() {
        return;
    }
    process.kill();
    // Not even this ends a process that hangs in the kernel; it is left behind then.
    let _ = timeout(KILLED, poll_fn(|cx| process.poll_exit(cx))).await;
}

/// Waits until all of them have ended. Nothing tells when a group is empty, so that is asked for at intervals.
async fn over(process: &mut Process) {
    poll_fn(|cx| process.poll_exit(cx)).await;
    let mut pause = Duration::from_millis(1);
    while !process.is_over() {
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
