//! A process and all that it starts, on Windows: a job object.

use std::{
    io,
    sync::Arc,
    task::{Context, Poll},
};

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::{ChildStdin, ChildStdout, Command};
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

use super::life::Life;

/// A process that was started.
pub(super) struct Spawned {
    pub(super) child: Box<dyn ChildWrapper>,
    pub(super) pid: u32,
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}

/// A process and all that it started. Dropping it ends what is left of them: the job ends with its handle.
#[derive(Debug)]
pub(super) struct Process {
    child: Box<dyn ChildWrapper>,
    life: Arc<Life>,
}

impl Process {
    pub(super) fn spawn(command: Command) -> io::Result<Spawned> {
        let mut command = CommandWrap::from(command);
        command.wrap(KillOnDrop).wrap(CreationFlags(CREATE_NO_WINDOW)).wrap(JobObject);
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the process ended before it could be talked to");
        let pid = child.id().ok_or_else(missing)?;
        let (input, output) = (child.stdin().take(), child.stdout().take());
        Ok(Spawned { child, pid, input: input.ok_or_else(missing)?, output: output.ok_or_else(missing)? })
    }

    pub(super) fn new(child: Box<dyn ChildWrapper>, _pid: u32, life: Arc<Life>) -> Self {
        Self { child, life }
    }

    /// Waits until the process has ended; what it started is then ended as well.
    pub(super) fn poll_exit(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.life.has_ended() {
            return Poll::Ready(());
        }
        // The process itself, not the whole job, whose end only a blocking call tells.
        let status = std::task::ready!(self.child.inner_mut().wait().as_mut().poll(cx));
        self.life.set_ended(status.ok());
        self.kill();
        Poll::Ready(())
    }

    /// Whether the process has ended; all that it started ends with it.
    pub(super) fn is_over(&mut self) -> bool {
        self.life.has_ended()
    }

    /// Ends all of them: nothing gentler works for a process without a window or console.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    /// Ends all of them.
    pub(super) fn kill(&mut self) {
        // It fails where the last of them ends just now.
        let _ = self.child.start_kill();
    }
}
