use std::collections::HashMap;

use super::io::Route;

/// An array of messages whose answers go back together.
#[derive(Debug)]
struct Batch {
    route: Route,
    /// How many answers are still due.
    due: usize,
    /// Whether every member was looked at.
    is_sealed: bool,
    /// The answers so far, with commas between them.
    answers: Vec<u8>,
}

/// The answers to a batch, or that none is due.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) route: Route,
    /// The array; `None` where nothing is to be sent.
    pub(super) text: Option<Vec<u8>>,
}

/// The batches that are being answered. Each has a request in flight, whose number is bounded.
#[derive(Debug, Default)]
pub(super) struct Batches {
    open: HashMap<u64, Batch>,
    last: u64,
}

impl Batches {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Starts a batch.
    pub(super) fn open(&mut self, route: Route) -> u64 {
        self.last += 1;
        let batch = Batch { route, due: 0, is_sealed: false, answers: Vec::new() };
        self.open.insert(self.last, batch);
        self.last
    }

    /// Notes that an answer is due later.
    pub(super) fn expect(&mut self, batch: u64) {
        if let Some(batch) = self.open.get_mut(&batch) {
            batch.due += 1;
        }
    }

    /// Adds an answer that is due at once.
    pub(super) fn push(&mut self, batch: u64, answer: &[u8]) {
        if let Some(batch) = self.open.get_mut(&batch) {
            if !batch.answers.is_empty() {
                batch.answers.push(b',');
            }
            batch.answers.extend_from_slice(answer);
        }
    }

    /// Notes that one answer fewer is due; gives all of them where it was the last.
    pub(super) fn settle(&mut self, batch: u64) -> Option<Done> {
        self.open.get_mut(&batch)?.due -= 1;
        self.take_done(batch)
    }

    /// Notes that every member was looked at; gives the answers where no more are due.
    pub(super) fn seal(&mut self, batch: u64) -> Option<Done> {
        self.open.get_mut(&batch)?.is_sealed = true;
        self.take_done(batch)
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    fn take_done(&mut self, id: u64) -> Option<Done> {
        let batch = self.open.get(&id)?;
        if !batch.is_sealed || batch.due > 0 {
            return None;
        }
        let Batch { route, answers, .. } = self.open.remove(&id)?;
        let text = (!answers.is_empty()).then(|| [b"[".as_slice(), &answers, b"]"].concat());
        Some(Done { route, text })
    }
}
