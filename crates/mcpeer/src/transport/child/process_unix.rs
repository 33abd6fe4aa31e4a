//! A process and all that it starts, on Unix: a process group of its own.

use std::{
    io,
    sync::Arc,
    task::{Context, Poll},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::life::Life;

/// A process that was started.
pub(super) struct Spawned {
    pub(super) child: tokio::process::Child,
    pub(super) pid: u32,
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}

/// A process and all that it started. Dropping it kills what is left of them and reaps the process.
#[derive(Debug)]
pub(super) struct Process {
    /// Taken when it is dropped.
    child: Option<tokio::process::Child>,
    group: Option<Pid>,
    life: Arc<Life>,
}

impl Process {
    pub(super) fn spawn(mut command: Command) -> io::Result<Spawned> {
        let mut child = command.process_group(0).spawn()?;
        let missing = || io::Error::other("the process ended before it could be talked to");
        let pid = child.id().ok_or_else(missing)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Spawned { child, pid, input: input.ok_or_else(missing)?, output: output.ok_or_else(missing)? })
    }

    pub(super) fn new(child: tokio::process::Child, pid: u32, life: Arc<Life>) -> Self {
        let group = i32::try_from(pid).ok().and_then(Pid::from_raw);
        Self { child: Some(child), group, life }
    }

    /// Waits until the process has ended, and reaps it; what it started is then told to end as well.
    pub(super) fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.life.has_ended() {
            return Poll::Ready(());
        }
        let Some(child) = &mut self.child else { return Poll::Ready(()) };
        let status = std::task::ready!(std::pin::pin!(child.wait()).poll(cx));
        // It fails where the process was reaped behind our back; then the status is lost.
        self.life.set_ended(status.ok());
        self.terminate();
        Poll::Ready(())
    }

    /// Whether the process and all that it started have ended.
    pub(super) fn is_over(&mut self) -> bool {
        if !self.life.has_ended() {
            return false;
        }
        // Once nobody is left in the group its number may be given to another one.
        self.group = self.group.filter(|group| test_kill_process_group(*group).is_ok());
        self.group.is_none()
    }

    /// Asks all of them to end.
    pub(super) fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of them.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&mut self, signal: Signal) {
        if !self.is_over()
            && let Some(group) = self.group
        {
            // It fails where the last of them ends just now.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if let Some(child) = self.child.take()
            && !self.life.has_ended()
        {
            reap(child, self.life.clone());
        }
    }
}

/// Reaps a process that was killed, without a runtime, which may be ending too.
fn reap(mut child: tokio::process::Child, life: Arc<Life>) {
    let reaping = move || {
        let mut pause = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(None) if pause < Duration::from_secs(2) => {
                    thread::sleep(pause);
                    pause *= 2;
                }
                // A process that cannot be killed is left to the runtime's own list of orphans.
                Ok(None) => return,
                Ok(status) => return life.set_ended(status),
                Err(_) => return life.set_ended(None),
            }
        }
    };
    // Where no thread can be had, dropping the child leaves it to that list as well.
    let _ = thread::Builder::new().name("mcpeer-reaper".to_owned()).spawn(reaping);
}
