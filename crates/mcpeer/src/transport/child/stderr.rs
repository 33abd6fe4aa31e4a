//! What becomes of a server's standard error: text for people, whatever it says.

use std::{
    fmt,
    io::{self, PipeReader, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::Stdio,
    sync::Arc,
    thread,
};

use super::life::Life;

/// A longer line is taken in pieces of this many bytes.
const LINE: usize = 8 * 1024;

/// What becomes of a server's standard error.
///
/// Nothing that a server writes there counts as a failure. Where its last lines are kept, they stand in the errors
/// that a connection ends with, and a [`Monitor`](super::Monitor) shows them.
///
/// # Examples
///
/// ```
/// use mcpeer::transport::child::{Command, Stderr};
///
/// let command = Command::new("some-server").stderr(Stderr::lines(|line| eprintln!("some-server: {line}")));
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Stderr {
    /// It goes to ours, and its last lines are kept.
    #[default]
    Forward,
    /// It is ours: the server sees our terminal if it is one. Nothing is kept.
    Inherit,
    /// It goes nowhere, and nothing is kept.
    Null,
    /// Its last lines are kept.
    Capture,
    /// Each line goes to a function, and the last lines are kept.
    Lines(OnLine),
}

impl Stderr {
    /// Gives each line to a function, which a thread of its own calls; a line of more than 8 KiB comes in pieces.
    ///
    /// A function that panics is not called again.
    ///
    /// # Examples
    ///
    /// ```
    /// let stderr = mcpeer::transport::child::Stderr::lines(|line| eprintln!("server: {line}"));
    /// ```
    pub fn lines(on_line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::Lines(OnLine(Arc::new(on_line)))
    }

    /// Opens what the server gets, and what reads it.
    pub(super) fn open(&self) -> io::Result<(Stdio, Option<Pump>)> {
        let (is_forwarded, on_line) = match self {
            Self::Inherit => return Ok((Stdio::inherit(), None)),
            Self::Null => return Ok((Stdio::null(), None)),
            Self::Forward => (true, None),
            Self::Capture => (false, None),
            Self::Lines(on_line) => (false, Some(on_line.clone())),
        };
        let (reader, writer) = io::pipe()?;
        Ok((writer.into(), Some(Pump { reader, is_forwarded, on_line })))
    }
}

impl fmt::Debug for Stderr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Forward => "Forward",
            Self::Inherit => "Inherit",
            Self::Null => "Null",
            Self::Capture => "Capture",
            Self::Lines(_) => "Lines",
        })
    }
}

/// A function that is given lines, made by [`Stderr::lines`].
#[derive(Clone)]
pub struct OnLine(Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for OnLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OnLine")
    }
}

/// What reads a server's standard error.
pub(super) struct Pump {
    reader: PipeReader,
    is_forwarded: bool,
    on_line: Option<OnLine>,
}

/// Reads standard error to its end in a thread, which the runtime does not wait for: our own standard error, where
/// it goes to, may block.
pub(super) fn start(mut pump: Pump, life: Arc<Life>) -> io::Result<()> {
    thread::Builder::new().name("mcpeer-stderr".to_owned()).spawn(move || {
        pump.run(&life);
        life.set_stderr_ended();
    })?;
    Ok(())
}

impl Pump {
    fn run(&mut self, life: &Life) {
        let mut chunk = [0; LINE];
        let mut splitter = Splitter::default();
        loop {
            let count = match self.reader.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            if self.is_forwarded {
                // Where ours is closed the text is lost, as the server's own would be.
                let _ = io::stderr().write_all(&chunk[..count]);
            }
            splitter.push(&chunk[..count], |line| self.give(line, life));
        }
        splitter.finish(|line| self.give(line, life));
    }

    fn give(&mut self, line: &[u8], life: &Life) {
        let line = String::from_utf8_lossy(line);
        // Whoever hears of the line already finds it among the last ones.
        life.push_line(line.clone().into_owned());
        if let Some(OnLine(on_line)) = &self.on_line
            && catch_unwind(AssertUnwindSafe(|| on_line(&line))).is_err()
        {
            self.on_line = None;
        }
    }
}

/// Cuts text into lines.
#[derive(Debug, Default)]
struct Splitter {
    partial: Vec<u8>,
}

impl Splitter {
    fn push(&mut self, chunk: &[u8], mut give: impl FnMut(&[u8])) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let mut rest = piece;
            while self.partial.len() + rest.len() > LINE {
                let (head, tail) = rest.split_at(LINE - self.partial.len());
                self.partial.extend_from_slice(head);
                give(&std::mem::take(&mut self.partial));
                rest = tail;
            }
            self.partial.extend_from_slice(rest);
            if self.partial.ends_with(b"\n") {
                give(self.partial.trim_ascii_end());
                self.partial.clear();
            }
        }
    }

    fn finish(self, mut give: impl FnMut(&[u8])) {
        if !self.partial.is_empty() {
            give(self.partial.trim_ascii_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let (mut splitter, mut lines) = (Splitter::default(), Vec::new());
        for chunk in chunks {
            splitter.push(chunk, |line| lines.push(String::from_utf8_lossy(line).into_owned()));
        }
        splitter.finish(|line| lines.push(String::from_utf8_lossy(line).into_owned()));
        lines
    }

    #[test]
    fn lines_are_cut_wherever_the_chunks_end() {
        assert_eq!(split(&[b"a\r\nb", b"c\n", b"\n", b"last"]), ["a", "bc", "", "last"]);
    }

    #[test]
    fn a_line_that_never_ends_comes_in_pieces() {
        let text = [b'x'; 3 * LINE + 5];
        let lengths: Vec<usize> = split(&[&text]).iter().map(String::len).collect();
        assert_eq!(lengths, [LINE, LINE, LINE, 5]);
    }

    #[test]
    fn a_function_that_panics_is_not_called_again() {
        let (reader, mut writer) = io::pipe().unwrap();
        let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = calls.clone();
        let on_line = OnLine(Arc::new(move |_| {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            panic!("the caller's fault");
        }));
        writer.write_all(b"1\n2\n").unwrap();
        drop(writer);
        let life = Life::new("x".to_owned(), 1, true);
        Pump { reader, is_forwarded: false, on_line: Some(on_line) }.run(&life);
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 1);
        assert!(life.describe().ends_with(":\n  1\n  2"));
    }
}
