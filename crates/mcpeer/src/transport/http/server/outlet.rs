use std::{mem, sync::Arc};

use super::stream::Stream;

/// Where the messages of one route go: they are kept until it is known how they will be read, then they are a stream.
#[derive(Debug)]
pub(super) struct Outlet {
    output: Output,
    /// Where messages go, once they are read by somebody else.
    stream: Option<Arc<Stream>>,
    /// Whether anything may come before the last message.
    takes_events: bool,
}

/// What was said so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// The last message.
    pub(super) last: Option<Vec<u8>>,
    /// Those before it.
    pub(super) earlier: Vec<Vec<u8>>,
    /// Whether nothing more will be said.
    pub(super) is_over: bool,
    /// The code of the error that the last message is.
    pub(super) refusal: Option<i64>,
    bytes: usize,
}

impl Outlet {
    pub(super) fn new(takes_events: bool) -> Self {
        Self { output: Output::default(), stream: None, takes_events }
    }

    pub(super) fn output(&mut self) -> &mut Output {
        &mut self.output
    }

    pub(super) fn takes_events(&self) -> bool {
        self.takes_events
    }

    /// Gives the stream, where there is one by now.
    pub(super) fn stream(&self) -> Option<&Arc<Stream>> {
        self.stream.as_ref()
    }

    /// Lets somebody else read what was said and will be.
    pub(super) fn move_to(&mut self, stream: Arc<Stream>) {
        let output = mem::take(&mut self.output);
        output.earlier.iter().chain(&output.last).for_each(|message| stream.push(message));
        if output.is_over {
            stream.end();
        }
        self.stream = Some(stream);
    }

    /// Takes a message, or that no more will come.
    pub(super) fn send(&mut self, text: Option<Vec<u8>>, is_last: bool, refusal: Option<i64>) {
        match &self.stream {
            Some(stream) => {
                text.iter().for_each(|text| stream.push(text));
                if is_last {
                    stream.end();
                }
            }
            None => {
                // One JSON text has no place for what comes before the answer.
                text.into_iter().filter(|_| is_last || self.takes_events).for_each(|text| self.output.push(text));
                self.output.is_over |= is_last;
                self.output.refusal = refusal;
            }
        }
    }

    /// Takes note that nothing more will be said.
    pub(super) fn end(&mut self) {
        if let Some(stream) = &self.stream {
            stream.end();
        }
        self.output.is_over = true;
    }

    /// How many bytes were not read yet.
    pub(super) fn buffered(&self) -> usize {
        match &self.stream {
            Some(stream) => stream.unread(),
            None => self.output.bytes,
        }
    }
}

impl Output {
    fn push(&mut self, text: Vec<u8>) {
        self.bytes += text.len();
        if let Some(earlier) = self.last.replace(text) {
            self.earlier.push(earlier);
        }
    }
}
