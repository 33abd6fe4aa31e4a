use std::{
    fmt,
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    process::{ChildStdin, ChildStdout},
    runtime::Handle,
    time::{Sleep, sleep},
};

use super::{
    life::Life,
    process::Process,
    shutdown::{Stages, shut_down},
};
use crate::transport::{Outbound, Received, Transport, lines::Lines};

/// How long the end of a server's output waits for its exit status and the rest of its standard error, so that the
/// error tells them.
const DIAGNOSIS: Duration = Duration::from_millis(250);

/// A transport to a child process, opened by [`Command`](super::Command).
///
/// The server's life is that of the process that was started: once that has ended, the input ends, even where
/// something that it left behind holds its standard output open. Where it ends, it is told so at once, and
/// [`diagnosis`](Transport::diagnosis) gives its exit status and the end of its standard error.
///
/// Closing it closes the server's input, waits for its exit, terminates it, waits again, and kills it, and all that it
/// started with it. Dropping it does the same in the background, as long as the runtime lives; where the runtime ends
/// or there is none, the server is killed at once. In either case the process is reaped.
pub struct Child {
    lines: Lines<ChildStdout, ChildStdin>,
    /// `None` once it is being shut down.
    process: Option<Process>,
    life: Arc<Life>,
    stages: Stages,
    grace: Grace,
    /// Why nothing can be written any more; told once the reason for that is known.
    broken: Option<io::Error>,
    closing: Closing,
}

/// How far the end has come.
enum Closing {
    Not,
    /// What was sent is being written out, for so long at most.
    Input(Pin<Box<Sleep>>),
    /// The process is being ended; how the writing went.
    Process(Pin<Box<dyn Future<Output = ()> + Send>>, io::Result<()>),
    Done,
}

impl Child {
    pub(super) fn new(
        lines: Lines<ChildStdout, ChildStdin>,
        process: Process,
        life: Arc<Life>,
        stages: Stages,
    ) -> Self {
        Self {
            lines,
            process: Some(process),
            life,
            stages,
            grace: Grace::default(),
            broken: None,
            closing: Closing::Not,
        }
    }

    /// Lets go of what still comes, so that a server which writes its last words to a full pipe can end.
    fn drain(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Ok(received)) = self.lines.poll_receive(cx) {
            if matches!(received, Received::InputEnded) {
                break;
            }
        }
    }
}

impl Transport for Child {
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        let Self { lines, process, life, grace, .. } = self;
        match lines.poll_receive(cx) {
            Poll::Ready(Ok(Received::InputEnded)) => {
                grace.start();
                ready!(poll_known(poll_exit(process, cx), life, grace, cx));
                Poll::Ready(Ok(Received::InputEnded))
            }
            Poll::Pending if poll_exit(process, cx) => {
                // What was written before the exit has its time to arrive. Then nothing is waited for any more: what
                // the process started may hold its output open.
                grace.start();
                ready!(grace.poll_over(cx));
                Poll::Ready(Ok(Received::InputEnded))
            }
            other => other,
        }
    }

    fn send(&mut self, outbound: Outbound) {
        self.lines.send(outbound);
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken.is_none() {
            match ready!(self.lines.poll_flush(cx)) {
                Ok(()) => return Poll::Ready(Ok(())),
                Err(error) => self.broken = Some(error),
            }
            self.grace.start();
        }
        let has_ended = poll_exit(&mut self.process, cx);
        ready!(poll_known(has_ended, &self.life, &mut self.grace, cx));
        Poll::Ready(self.broken.take().map_or(Ok(()), Err))
    }

    fn buffered(&self) -> usize {
        self.lines.buffered()
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            self.drain(cx);
            match &mut self.closing {
                Closing::Not => self.closing = Closing::Input(Box::pin(sleep(self.stages.exit))),
                Closing::Input(limit) => {
                    let written = match self.lines.poll_close(cx) {
                        Poll::Ready(written) => written,
                        Poll::Pending => {
                            if !poll_exit(&mut self.process, cx) {
                                ready!(limit.as_mut().poll(cx));
                            }
                            self.lines.end_output();
                            Err(io::Error::new(io::ErrorKind::TimedOut, "the server has not read all that was sent"))
                        }
                    };
                    self.closing = match self.process.take() {
                        Some(process) => Closing::Process(Box::pin(shut_down(process, self.stages)), written),
                        None => Closing::Done,
                    };
                }
                Closing::Process(shutting_down, written) => {
                    ready!(shutting_down.as_mut().poll(cx));
                    let written = std::mem::replace(written, Ok(()));
                    self.closing = Closing::Done;
                    return Poll::Ready(written);
                }
                Closing::Done => return Poll::Ready(Ok(())),
            }
        }
    }

    fn diagnosis(&self) -> Option<String> {
        Some(self.life.describe())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.lines.end_output();
        let shutting_down = match std::mem::replace(&mut self.closing, Closing::Done) {
            Closing::Process(shutting_down, _) => shutting_down,
            _ => match self.process.take() {
                Some(process) => Box::pin(shut_down(process, self.stages)),
                None => return,
            },
        };
        // Without a runtime, and where the runtime drops the task, the process is dropped, and thereby killed.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(shutting_down);
        }
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Child").field("process", &self.life.describe()).finish_non_exhaustive()
    }
}

fn poll_exit(process: &mut Option<Process>, cx: &mut Context<'_>) -> bool {
    process.as_mut().is_none_or(|process| process.poll_exit(cx).is_ready())
}

/// Waits until all is known that will be told about the end, for a while at most.
fn poll_known(has_ended: bool, life: &Life, grace: &mut Grace, cx: &mut Context<'_>) -> Poll<()> {
    if has_ended && life.poll_stderr_end(cx).is_ready() { Poll::Ready(()) } else { grace.poll_over(cx) }
}

/// A short while from the first sign of the end.
#[derive(Default)]
struct Grace {
    timer: Option<Pin<Box<Sleep>>>,
    is_over: bool,
}

impl Grace {
    fn start(&mut self) {
        if self.timer.is_none() {
            self.timer = Some(Box::pin(sleep(DIAGNOSIS)));
        }
    }

    fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.is_over {
            let Some(timer) = &mut self.timer else { return Poll::Pending };
            ready!(timer.as_mut().poll(cx));
            self.is_over = true;
        }
        Poll::Ready(())
    }
}
