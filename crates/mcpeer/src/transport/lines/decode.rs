//! Bytes into lines, without IO.

use std::ops::Range;

use memchr::memchr;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// The size of the buffer at first.
const FIRST: usize = 8 * 1024;
/// The size up to which the buffer is kept between messages.
pub(super) const KEPT: usize = 64 * 1024;
/// With less room than this a read is not worth its cost.
const LEAST_ROOM: usize = 2 * 1024;
/// How much of a skipped line is shown.
const EXCERPT: usize = 256;

/// Collects bytes and gives out lines.
///
/// Each byte is looked at once and moved a bounded number of times, however small the pieces are that it comes in.
#[derive(Debug)]
pub(super) struct Decoder {
    /// All of it is initialised; `start..end` is what was read and not yet given out.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Up to here there is no newline.
    scanned: usize,
    limit: usize,
    skipping: Option<Skipped>,
    is_ended: bool,
    /// The last read filled all the room, so that there is more to read at once.
    is_busy: bool,
    #[cfg(test)]
    pub(super) work: Work,
}

/// What was done, in bytes.
#[cfg(test)]
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) scanned: usize,
    pub(super) moved: usize,
}

/// A line that was found.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Where its text lies; valid until the decoder is used again.
    Text(Range<usize>),
    /// It is longer than the limit.
    TooLong(Skipped),
}

/// A line that is not kept.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Skipped {
    /// Its start.
    pub(super) excerpt: Vec<u8>,
    /// Its length, without its end.
    pub(super) bytes: usize,
    ends_in_return: bool,
}

impl Decoder {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            scanned: 0,
            limit,
            skipping: None,
            is_ended: false,
            is_busy: false,
            #[cfg(test)]
            work: Work::default(),
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(super) fn text(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Gives the next line that is complete and not blank.
    pub(super) fn next_line(&mut self) -> Option<Line> {
        loop {
            let fresh = &self.buffer[self.scanned..self.end];
            let newline = memchr(b'\n', fresh);
            #[cfg(test)]
            {
                self.work.scanned += newline.map_or(fresh.len(), |at| at + 1);
            }
            let line = match newline {
                Some(offset) => {
                    let end = self.scanned + offset;
                    self.scanned = end + 1;
                    std::mem::replace(&mut self.start, end + 1)..end
                }
                None => {
                    self.scanned = self.end;
                    if !self.is_ended {
                        self.skip_if_too_long();
                        return None;
                    }
                    if self.start == self.end && self.skipping.is_none() {
                        return None;
                    }
                    std::mem::replace(&mut self.start, self.end)..self.end
                }
            };
            if let Some(line) = self.finish(line) {
                return Some(line);
            }
        }
    }

    /// Gives room to read into; it is never empty.
    pub(super) fn room(&mut self) -> &mut [u8] {
        let held = self.end - self.start;
        let size = self.buffer.len();
        // A line that fits the limit fits this, together with its end and a byte order mark.
        let most = self.limit.saturating_add(KEPT);
        if held == 0 {
            (self.start, self.scanned, self.end) = (0, 0, 0);
            if size > KEPT || size == 0 {
                self.buffer = vec![0; FIRST];
            } else if self.is_busy && size < KEPT {
                self.buffer = vec![0; size * 2];
            }
        } else if size > KEPT && held < size / 4 {
            self.move_to(KEPT.max(held * 2));
        } else if size - self.end < LEAST_ROOM {
            if self.start >= size / 2 || (size >= most && self.start > 0) {
                self.move_to_front();
            } else if size < most {
                self.move_to((size * 2).min(most));
            }
        }
        self.is_busy = false;
        &mut self.buffer[self.end..]
    }

    /// Says that so many bytes were read into the room.
    pub(super) fn filled(&mut self, bytes: usize) {
        self.end += bytes;
        self.is_busy = self.end == self.buffer.len();
    }

    /// Says that nothing more will come: what is left is the last line.
    pub(super) fn set_ended(&mut self) {
        self.is_ended = true;
    }

    fn finish(&mut self, line: Range<usize>) -> Option<Line> {
        if let Some(mut skipped) = self.skipping.take() {
            skipped.extend(&self.buffer[line]);
            return Some(Line::TooLong(skipped.finish()));
        }
        let mut text = self.without_mark(line);
        let raw = text.clone();
        if self.buffer[text.clone()].ends_with(b"\r") {
            text.end -= 1;
        }
        if text.len() > self.limit {
            let mut skipped = Skipped::default();
            skipped.extend(&self.buffer[raw]);
            return Some(Line::TooLong(skipped.finish()));
        }
        let is_blank = self.buffer[text.clone()].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        (!is_blank).then_some(Line::Text(text))
    }

    /// Lets go of the start of a line that is already too long, and of what follows it up to its end.
    fn skip_if_too_long(&mut self) {
        let line = self.start..self.end;
        if let Some(skipped) = &mut self.skipping {
            skipped.extend(&self.buffer[line]);
            self.start = self.end;
            return;
        }
        if line.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&self.buffer[line.clone()]) {
            return;
        }
        let text = self.without_mark(line);
        // The carriage return of a line end that is half read does not count.
        let is_end_half_read = text.len() == self.limit + 1 && self.buffer[self.end - 1] == b'\r';
        if text.len() > self.limit && !is_end_half_read {
            let mut skipped = Skipped::default();
            skipped.extend(&self.buffer[text]);
            self.skipping = Some(skipped);
            self.start = self.end;
        }
    }

    fn without_mark(&self, mut line: Range<usize>) -> Range<usize> {
        if self.buffer[line.clone()].starts_with(BYTE_ORDER_MARK) {
            line.start += BYTE_ORDER_MARK.len();
        }
        line
    }

    fn move_to(&mut self, size: usize) {
        let held = self.end - self.start;
        let mut buffer = vec![0; size];
        buffer[..held].copy_from_slice(&self.buffer[self.start..self.end]);
        self.buffer = buffer;
        self.moved(held);
    }

    fn move_to_front(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.moved(self.end - self.start);
    }

    fn moved(&mut self, held: usize) {
        #[cfg(test)]
        {
            self.work.moved += held;
        }
        self.scanned -= self.start;
        self.start = 0;
        self.end = held;
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}

impl Skipped {
    fn extend(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        let shown = bytes.len().min(EXCERPT - self.excerpt.len());
        self.excerpt.extend_from_slice(&bytes[..shown]);
        self.bytes += bytes.len();
        self.ends_in_return = *last == b'\r';
    }

    fn finish(mut self) -> Self {
        if std::mem::take(&mut self.ends_in_return) {
            self.bytes -= 1;
            self.excerpt.truncate(self.bytes);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line's text, or the length and the start of one that was skipped.
    type Found = Result<Vec<u8>, (usize, Vec<u8>)>;

    /// Feeds `input` in pieces of at most `piece` bytes, then the end of the stream.
    fn decode(input: &[u8], piece: usize, limit: usize) -> Vec<Found> {
        let mut decoder = Decoder::new(limit);
        let mut found = Vec::new();
        let mut rest = input;
        loop {
            while let Some(line) = decoder.next_line() {
                found.push(match line {
                    Line::Text(range) => Ok(decoder.text(range).to_vec()),
                    Line::TooLong(skipped) => Err((skipped.bytes, skipped.excerpt)),
                });
            }
            if decoder.is_ended() {
                return found;
            }
            let room = decoder.room();
            let count = room.len().min(piece).min(rest.len());
            room[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            if count == 0 { decoder.set_ended() } else { decoder.filled(count) }
        }
    }

    fn texts(input: &[u8], piece: usize) -> Vec<String> {
        let lines = decode(input, piece, 1024);
        lines.into_iter().map(|line| String::from_utf8(line.unwrap()).unwrap()).collect()
    }

    #[test]
    fn line_ends_blank_lines_and_byte_order_marks_are_tolerated() {
        for piece in 1..40 {
            assert_eq!(texts(b"\xEF\xBB\xBF{\"a\":1}\r\n\n   \n\t\r\n\r\n{}\n", piece), ["{\"a\":1}", "{}"]);
            assert_eq!(texts(b"\xEF\xBB\xBF\n1\n", piece), ["1"]);
        }
    }

    #[test]
    fn the_end_of_the_stream_ends_the_last_line() {
        for piece in 1..20 {
            assert_eq!(texts(b"1\n{\"last\":true}", piece), ["1", "{\"last\":true}"]);
            assert_eq!(texts(b"1\n2\r", piece), ["1", "2"]);
            assert_eq!(texts(b"1\n  ", piece), ["1"]);
            assert_eq!(texts(b"", piece), [""; 0]);
        }
    }

    #[test]
    fn noise_is_passed_on() {
        assert_eq!(texts(b"Content-Length: 46\r\n\r\n{}\nLOG: {}\n", 7), ["Content-Length: 46", "{}", "LOG: {}"]);
        assert_eq!(decode(b"\xFF\xFE{\n", 2, 9), [Ok(b"\xFF\xFE{".to_vec())]);
    }

    #[test]
    fn the_limit_gives_the_same_answer_for_any_chunking() {
        let ends: [&[u8]; 3] = [b"\n", b"\r\n", b""];
        let marks: [&[u8]; 2] = [b"", BYTE_ORDER_MARK];
        for limit in [1, 2, 3, 7, 300] {
            for length in 1..=limit + 3 {
                for (end, mark) in ends.iter().flat_map(|end| marks.map(|mark| (*end, mark))) {
                    let text = vec![b'x'; length];
                    let mut input = [mark, &text, end].concat();
                    let mut expected =
                        vec![if length <= limit { Ok(text) } else { Err((length, vec![b'x'; length.min(EXCERPT)])) }];
                    if !end.is_empty() {
                        input.extend_from_slice(b"y\n");
                        expected.push(Ok(b"y".to_vec()));
                    }
                    for piece in [1, 2, 3, 5, 64, 1000] {
                        assert_eq!(decode(&input, piece, limit), expected, "{limit} {length} {piece} {end:?} {mark:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_carriage_return_inside_a_long_line_counts() {
        for piece in 1..9 {
            assert_eq!(decode(b"abcd\rx\n1\n", piece, 4), [Err((6, b"abcd\rx".to_vec())), Ok(b"1".to_vec())]);
        }
    }

    #[test]
    fn a_giant_line_in_small_pieces_takes_linear_work() {
        const SIZE: usize = 64 * 1024 * 1024;
        let mut decoder = Decoder::new(SIZE);
        let mut sent = 0;
        while sent < SIZE {
            assert_eq!(decoder.next_line(), None);
            let room = decoder.room();
            let count = room.len().min(1024).min(SIZE - sent);
            room[..count].fill(b'a');
            decoder.filled(count);
            sent += count;
        }
        assert_eq!(decoder.next_line(), None);
        decoder.room()[0] = b'\n';
        decoder.filled(1);
        assert_eq!(decoder.next_line(), Some(Line::Text(0..SIZE)));
        assert_eq!(decoder.work.scanned, SIZE + 1);
        assert!(decoder.work.moved <= 2 * SIZE, "{} bytes were moved", decoder.work.moved);
        assert!(decoder.capacity() <= SIZE + KEPT);
        decoder.room();
        assert!(decoder.capacity() <= KEPT);
    }

    #[test]
    fn many_lines_in_pieces_that_cut_them_take_linear_work() {
        let line = [vec![b'a'; 3000], b"\n".to_vec()].concat();
        let input = line.repeat(500);
        let mut decoder = Decoder::new(1 << 20);
        let (mut rest, mut found) = (&input[..], 0);
        while !rest.is_empty() {
            let room = decoder.room();
            let count = room.len().min(1000).min(rest.len());
            room[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            decoder.filled(count);
            while decoder.next_line().is_some() {
                found += 1;
            }
        }
        assert_eq!(found, 500);
        assert_eq!(decoder.work.scanned, input.len());
        assert!(decoder.work.moved <= input.len(), "{} bytes were moved", decoder.work.moved);
        assert!(decoder.capacity() <= KEPT);
    }

    #[test]
    fn a_line_beyond_the_limit_takes_no_more_memory_than_the_limit() {
        let mut decoder = Decoder::new(KEPT);
        for _ in 0..1024 {
            assert_eq!(decoder.next_line(), None);
            let room = decoder.room();
            room.fill(b'a');
            let count = room.len();
            decoder.filled(count);
            assert!(decoder.capacity() <= 2 * KEPT);
        }
    }
}
