use std::fmt;

/// Which stream it is: of all that a session ever had, on whichever instance of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamId {
    /// Tells apart what one session had before and after a server took it up again. Random.
    pub(super) epoch: u32,
    pub(super) kind: Kind,
    pub(super) number: u64,
}

/// What a stream is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What belongs to a message of the client.
    Answer,
    /// What belongs to none.
    Own,
}

/// Which event of a stream it is; the number 0 stands for the time before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) stream: StreamId,
    pub(super) sequence: u64,
}

impl EventId {
    /// Reads what a client gives back.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (epoch, stream, sequence) = (parts.next()?, parts.next()?, parts.next()?);
        let (kind, number) = match stream.split_at_checked(1)? {
            ("a", number) => (Kind::Answer, number),
            ("o", number) => (Kind::Own, number),
            _ => return None,
        };
        let epoch = u32::from_str_radix(epoch, 16).ok()?;
        let stream = StreamId { epoch, kind, number: number.parse().ok()? };
        let id = Self { stream, sequence: sequence.parse().ok()? };
        // Only what stands there as it was written.
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Answer => 'a',
            Kind::Own => 'o',
        };
        write!(f, "{:08x}-{kind}{}", self.epoch, self.number)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::{EventId, Kind, StreamId};

    #[test]
    fn an_id_is_read_as_it_was_written_and_nothing_else_is_one() {
        for kind in [Kind::Answer, Kind::Own] {
            let id = EventId { stream: StreamId { epoch: 0xab, kind, number: 7 }, sequence: u64::MAX };
            assert_eq!(EventId::parse(&id.to_string()), Some(id));
        }
        for text in [
            "",
            "7",
            "-",
            "ab-a7-1",
            "000000ab-x7-1",
            "000000ab-a07-1",
            "000000ab-a7-+1",
            "000000ab-a7-1-1",
            "000000ab-ä7-1",
        ] {
            assert_eq!(EventId::parse(text), None, "{text}");
        }
    }
}
