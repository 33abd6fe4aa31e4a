//! What is known about a process, shared by its transport, the thread that reads its standard error, and monitors.

use std::{
    collections::VecDeque,
    fmt::Write,
    process::ExitStatus,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// How many lines of standard error are kept.
const TAIL_LINES: usize = 20;

/// A process that was started.
#[derive(Debug)]
pub(super) struct Life {
    program: String,
    pid: u32,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    end: Option<End>,
    tail: VecDeque<String>,
    is_stderr_open: bool,
    waker: Option<Waker>,
}

/// How it ended, where the system knows.
#[derive(Clone, Copy, Debug)]
struct End(Option<ExitStatus>);

impl Life {
    pub(super) fn new(program: String, pid: u32, is_stderr_open: bool) -> Arc<Self> {
        let state = State { end: None, tail: VecDeque::new(), is_stderr_open, waker: None };
        Arc::new(Self { program, pid, state: Mutex::new(state) })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().end.is_some()
    }

    pub(super) fn set_ended(&self, status: Option<ExitStatus>) {
        self.lock().end.get_or_insert(End(status));
    }

    pub(super) fn push_line(&self, line: String) {
        let tail = &mut self.lock().tail;
        if tail.len() == TAIL_LINES {
            tail.pop_front();
        }
        tail.push_back(line);
    }

    pub(super) fn set_stderr_ended(&self) {
        let mut state = self.lock();
        state.is_stderr_open = false;
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }

    /// Waits until all of standard error has been read, where it is read at all.
    pub(super) fn poll_stderr_end(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        if !state.is_stderr_open {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Says in words what became of it, with the end of its standard error.
    pub(super) fn describe(&self) -> String {
        let state = self.lock();
        let mut text = format!("`{}` (process {}) ", self.program, self.pid);
        match state.end {
            None => text.push_str("is running"),
            Some(End(None)) => text.push_str("has ended"),
            // The status says itself what kind it is: `exit status: 1`, `signal: 9 (SIGKILL)`.
            Some(End(Some(status))) => write!(text, "has ended with {status}").expect("a string can be written to"),
        }
        if !state.tail.is_empty() {
            text.push_str("; its standard error ends with:");
            for line in &state.tail {
                text.push_str("\n  ");
                text.push_str(line);
            }
        }
        text
    }

    /// Nothing under the lock panics half way through a change, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A view of the process that a [`Command`](super::Command) has started last, for whoever shows it to a person.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::{Connect, TransportExt, child};
///
/// # if cfg!(unix) {
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let mut command = child::Command::new("sh").arg("-c").arg("echo oops >&2; exit 3").stderr(child::Stderr::Capture);
/// let monitor = command.monitor();
/// let mut server = command.connect().await?;
/// assert!(monitor.pid().is_some());
/// assert_eq!(server.receive_text().await?, None);
/// assert_eq!(monitor.exit_status().unwrap().code(), Some(3));
/// assert_eq!(monitor.stderr_tail(), ["oops"]);
/// # Ok::<_, std::io::Error>(())
/// # })?;
/// # }
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Monitor(Arc<Mutex<Option<Arc<Life>>>>);

impl Monitor {
    /// Gives the id of the process, once one was started.
    ///
    /// # Examples
    ///
    /// ```
    /// let monitor = mcpeer::transport::child::Command::new("some-server").monitor();
    /// assert_eq!(monitor.pid(), None);
    /// ```
    pub fn pid(&self) -> Option<u32> {
        self.life().map(|life| life.pid)
    }

    /// Gives the status that the process ended with, once it has.
    ///
    /// # Examples
    ///
    /// ```
    /// let monitor = mcpeer::transport::child::Command::new("some-server").monitor();
    /// assert_eq!(monitor.exit_status(), None);
    /// ```
    pub fn exit_status(&self) -> Option<ExitStatus> {
        self.life()?.lock().end?.0
    }

    /// Gives the last lines, at most 20, that the process wrote to standard error, where
    /// [`Stderr`](super::Stderr) keeps them.
    ///
    /// # Examples
    ///
    /// ```
    /// let monitor = mcpeer::transport::child::Command::new("some-server").monitor();
    /// assert!(monitor.stderr_tail().is_empty());
    /// ```
    pub fn stderr_tail(&self) -> Vec<String> {
        self.life().map(|life| life.lock().tail.iter().cloned().collect()).unwrap_or_default()
    }

    pub(super) fn set(&self, life: Arc<Life>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(life);
    }

    fn life(&self) -> Option<Arc<Life>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_alone_are_kept() {
        let life = Life::new("x".to_owned(), 7, true);
        for number in 0..100 {
            life.push_line(format!("line {number}"));
        }
        let text = life.describe();
        assert!(text.starts_with("`x` (process 7) is running; its standard error ends with:\n  line 80\n"), "{text}");
        assert!(text.ends_with("\n  line 99"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn the_status_is_told() {
        use std::os::unix::process::ExitStatusExt;
        let life = Life::new("x".to_owned(), 7, false);
        life.set_ended(Some(ExitStatus::from_raw(3 << 8)));
        assert_eq!(life.describe(), "`x` (process 7) has ended with exit status: 3");
    }
}
