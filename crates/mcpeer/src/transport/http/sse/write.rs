use std::{fmt::Display, io::Write, time::Duration};

use memchr::memchr2;

/// Writes a message as an event that has an id.
pub(in super::super) fn write_numbered(id: impl Display, message: &[u8], out: &mut Vec<u8>) {
    // A vector takes whatever is written.
    let _ = writeln!(out, "id: {id}");
    write_message(message, out);
}

/// Writes an event that says how to come back, and when, and nothing else.
pub(in super::super) fn write_priming(id: impl Display, retry: Duration, out: &mut Vec<u8>) {
    let _ = write!(out, "id: {id}\nretry: {}\ndata: \n\n", retry.as_millis());
}

/// Writes when to come back.
pub(in super::super) fn write_retry(retry: Duration, out: &mut Vec<u8>) {
    let _ = write!(out, "retry: {}\n\n", retry.as_millis());
}

/// Writes a message as an event.
pub(in super::super) fn write_message(message: &[u8], out: &mut Vec<u8>) {
    write_event("message", message, out);
}

/// Writes an event of a kind.
pub(in super::super) fn write_event(kind: &str, data: &[u8], out: &mut Vec<u8>) {
    out.reserve(data.len() + 32);
    for part in ["event: ", kind, "\ndata: "] {
        out.extend_from_slice(part.as_bytes());
    }
    let mut rest = data;
    // JSON may have line breaks between its tokens; the reader joins the lines again.
    while let Some(at) = memchr2(b'\n', b'\r', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"\ndata: ");
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(b"\n\n");
}

/// A line that readers skip, so that nobody in between takes the stream for dead.
pub(in super::super) const KEEP_ALIVE: &[u8] = b": keep-alive\n\n";

#[cfg(test)]
mod tests {
    use super::write_message;

    #[test]
    fn a_message_is_one_event_whatever_breaks_its_lines() {
        let mut out = Vec::new();
        write_message(b"{\"a\":\r\n1}", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "event: message\ndata: {\"a\":\ndata: \ndata: 1}\n\n");
    }
}
