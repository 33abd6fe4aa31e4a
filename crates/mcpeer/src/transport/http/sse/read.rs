use std::time::Duration;

use memchr::memchr2;

/// Reads events out of a stream of bytes, however it is cut into pieces.
#[derive(Debug)]
pub(in super::super) struct Reader {
    /// How many bytes an event may have, the line that is being read included.
    limit: usize,
    /// The start of a line whose end has not come yet.
    line: Vec<u8>,
    data: Vec<u8>,
    kind: Vec<u8>,
    id: Option<Vec<u8>>,
    last_id: Option<Vec<u8>>,
    retry: Option<Duration>,
    is_first_line: bool,
    /// Whether the last byte was a carriage return, so that a line feed right behind it ends no further line.
    after_return: bool,
}

/// An event.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Event {
    /// What `event` says; nothing where it is not there.
    pub(in super::super) kind: Vec<u8>,
    /// The lines of `data`.
    pub(in super::super) data: Vec<u8>,
}

/// An event has more bytes than it may have.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct TooLong;

impl Event {
    /// Whether it carries a message: events of other kinds, and those without data, say nothing.
    pub(in super::super) fn is_message(&self) -> bool {
        matches!(&*self.kind, b"" | b"message") && !self.data.is_empty()
    }
}

impl Reader {
    pub(in super::super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            kind: Vec::new(),
            id: None,
            last_id: None,
            retry: None,
            is_first_line: true,
            after_return: false,
        }
    }

    /// The id by which the stream can be taken up again: that of the last event that was complete.
    pub(in super::super) fn last_id(&self) -> Option<&[u8]> {
        self.last_id.as_deref().filter(|id| !id.is_empty())
    }

    /// How long to wait before the stream is taken up again, if the other side said so.
    pub(in super::super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Takes the next piece and gives the events that end in it.
    ///
    /// # Errors
    ///
    /// An event is too long. Nothing after it can be read.
    pub(in super::super) fn feed(&mut self, mut piece: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        while !piece.is_empty() {
            if std::mem::take(&mut self.after_return)
                && let Some(rest) = piece.strip_prefix(b"\n")
            {
                piece = rest;
                continue;
            }
            let end = memchr2(b'\n', b'\r', piece);
            let part = &piece[..end.unwrap_or(piece.len())];
            if self.line.len() + self.data.len() + part.len() > self.limit {
                return Err(TooLong);
            }
            let Some(end) = end else {
                self.line.extend_from_slice(part);
                break;
            };
            self.after_return = piece[end] == b'\r';
            piece = &piece[end + 1..];
            if self.line.is_empty() {
                events.extend(self.end_line(part));
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(part);
                events.extend(self.end_line(&line));
                line.clear();
                self.line = line;
            }
        }
        Ok(events)
    }

    fn end_line(&mut self, line: &[u8]) -> Option<Event> {
        let is_first = std::mem::take(&mut self.is_first_line);
        let line = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| is_first).unwrap_or(line);
        if line.is_empty() {
            return self.end_event();
        }
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.kind = value.to_vec(),
            b"id" if !value.contains(&0) => self.id = Some(value.to_vec()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let digits = std::str::from_utf8(value).unwrap_or_default();
                self.retry = Some(Duration::from_millis(digits.parse().unwrap_or(u64::MAX)));
            }
            // Comments, which have no name, and what later standards may add.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        if let Some(id) = self.id.take() {
            self.last_id = Some(id);
        }
        let kind = std::mem::take(&mut self.kind);
        let mut data = std::mem::take(&mut self.data);
        // Without its last line break; no data at all is no event.
        data.pop().map(|_| Event { kind, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds and data of the events in a text that comes in two pieces, wherever it is cut, and byte by byte.
    fn read(text: &[u8]) -> Vec<(String, String)> {
        let whole = read_pieces(&[text]);
        for at in 0..=text.len() {
            assert_eq!(read_pieces(&[&text[..at], &text[at..]]), whole, "cut at {at}");
        }
        assert_eq!(read_pieces(&text.chunks(1).collect::<Vec<_>>()), whole);
        whole
    }

    fn read_pieces(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut reader = Reader::new(1 << 20);
        let events = pieces.iter().flat_map(|piece| reader.feed(piece).unwrap());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        events.map(|event| (text(event.kind), text(event.data))).collect()
    }

    #[test]
    fn events_are_read_however_they_are_cut() {
        let table: &[(&str, &[(&str, &str)])] = &[
            ("data: a\n\n", &[("", "a")]),
            ("data: a\r\n\r\n", &[("", "a")]),
            ("data: a\r\r", &[("", "a")]),
            ("data: a\r\n\ndata:b\n\r\n", &[("", "a"), ("", "b")]),
            ("data:a\n\ndata:  b\n\n", &[("", "a"), ("", " b")]),
            ("event: message\ndata: {\ndata: }\n\n", &[("message", "{\n}")]),
            ("\u{feff}data: a\n\n\u{feff}data: b\n\n", &[("", "a")]),
            (": comment\n\n:\n\ndata: a\n: inside\n\n", &[("", "a")]),
            ("data\n\ndata:\n\n", &[("", ""), ("", "")]),
            ("data\ndata\n\n", &[("", "\n")]),
            ("event: ping\ndata: x\n\nevent: lonely\n\ndata: y\n\n", &[("ping", "x"), ("", "y")]),
            ("unknown: 1\nid: 7\nretry: 10\ndata: a: b\n\n", &[("", "a: b")]),
            ("data: h\u{e9}ll\u{f6} \u{1f600}\u{4e16}\n\n", &[("", "h\u{e9}ll\u{f6} \u{1f600}\u{4e16}")]),
            (" data: a\n\nDATA: b\n\n", &[]),
            ("data: without an end\n", &[]),
            ("", &[]),
        ];
        for (text, wanted) in table {
            let wanted: Vec<_> = wanted.iter().map(|(kind, data)| ((*kind).to_owned(), (*data).to_owned())).collect();
            assert_eq!(read(text.as_bytes()), wanted, "{text:?}");
        }
    }

    #[test]
    fn only_messages_with_data_are_messages() {
        let mut reader = Reader::new(100);
        let text = b"data: a\n\nevent: message\ndata: b\n\nevent: other\ndata: c\n\ndata:\n\n";
        let events = reader.feed(text).unwrap();
        assert_eq!(events.iter().map(Event::is_message).collect::<Vec<_>>(), [true, true, false, false]);
    }

    #[test]
    fn the_last_id_is_that_of_the_last_event_that_was_complete() {
        let table: &[(&str, Option<&str>)] = &[
            ("id: 1\ndata: a\n\n", Some("1")),
            ("id: 1\ndata:\n\n", Some("1")),
            // The event that only names an id and says when to come back.
            ("id: 1\nretry: 5\n\n", Some("1")),
            ("id: 1\n\nid: 2\ndata: a\n", Some("1")),
            ("id: 1\n\ndata: b\n\n", Some("1")),
            ("id: 1\n\nid\n\n", None),
            ("id: a\u{0}b\n\n", None),
        ];
        for (text, wanted) in table {
            for at in 0..=text.len() {
                let mut reader = Reader::new(100);
                let (first, second) = text.as_bytes().split_at(at);
                reader.feed(first).unwrap();
                reader.feed(second).unwrap();
                assert_eq!(reader.last_id(), wanted.map(str::as_bytes), "{text:?} cut at {at}");
            }
        }
    }

    #[test]
    fn retry_is_a_number_of_milliseconds() {
        let table = [("500", Some(500)), ("0", Some(0)), ("-1", None), ("1.5", None), ("1s", None), ("", None)];
        for (text, wanted) in table {
            let mut reader = Reader::new(100);
            reader.feed(format!("retry: {text}\n").as_bytes()).unwrap();
            assert_eq!(reader.retry(), wanted.map(Duration::from_millis), "{text:?}");
        }
        let mut reader = Reader::new(100);
        reader.feed(b"retry: 99999999999999999999999\n").unwrap();
        assert_eq!(reader.retry(), Some(Duration::from_millis(u64::MAX)));
    }

    #[test]
    fn an_event_has_its_limit_and_those_before_it_do_not_count() {
        let mut reader = Reader::new(32);
        for _ in 0..10 {
            assert_eq!(reader.feed(b"data: 0123456789\n\n").unwrap().len(), 1);
        }
        assert!(reader.feed(b"data: 0123456789\ndata: 0123456").is_ok());
        assert_eq!(reader.feed(b"789abcdef"), Err(TooLong));
        let mut reader = Reader::new(32);
        assert_eq!(reader.feed(&[b'x'; 33]), Err(TooLong));
    }
}
