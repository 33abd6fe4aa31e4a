//! One direction of the wire: bytes on their way, and the part of a line that has arrived.

use std::collections::VecDeque;

#[derive(Default)]
pub(crate) struct Wire {
    travelling: VecDeque<u8>,
    arrived: Vec<u8>,
    /// Nothing more is sent; the receiver sees the end once all has arrived.
    pub(crate) ended: bool,
    /// The receiver has seen the end.
    pub(crate) end_seen: bool,
}

impl Wire {
    pub(crate) fn send(&mut self, line: &[u8]) {
        if !self.ended {
            assert!(!line.contains(&b'\n'), "a message holds a line end");
            self.travelling.extend(line);
            self.travelling.push_back(b'\n');
        }
    }

    /// A wire that nothing gets through, and whose receiver knows it.
    pub(crate) fn cut() -> Self {
        Self { ended: true, end_seen: true, ..Self::default() }
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.travelling.len()
    }

    /// Moves bytes along and gives the lines that are complete now.
    pub(crate) fn deliver(&mut self, bytes: usize) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for byte in self.travelling.drain(..bytes.min(self.travelling.len())) {
            if byte == b'\n' {
                lines.push(std::mem::take(&mut self.arrived));
            } else {
                self.arrived.push(byte);
            }
        }
        lines
    }
}
