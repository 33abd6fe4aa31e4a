//! The address to which messages are sent.

use http::Uri;

use super::super::send::{has_same_origin, resolve};

/// Reads the address that the first event of a stream names. What is sent there may hold secrets, so it must be of the
/// origin of the stream.
///
/// # Errors
///
/// It is none, or of another origin.
pub(super) fn read(stream: &Uri, data: &[u8]) -> Result<Uri, String> {
    let text = String::from_utf8_lossy(data);
    let none = || format!("the server names no address for messages: {text:?}");
    let found = resolve(stream, text.trim()).ok_or_else(none)?;
    if !has_same_origin(stream, &found) {
        return Err(format!("the server wants messages to be sent to another origin, {found}; that is refused"));
    }
    // Nothing but the path is its to choose.
    let mut parts = stream.clone().into_parts();
    parts.path_and_query = Some(found.path_and_query().ok_or_else(none)?.clone());
    Uri::from_parts(parts).map_err(|_| none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_to_the_origin_of_the_stream_alone() {
        let stream: Uri = "http://example.com:8080/api/sse?key=1".parse().unwrap();
        let table = [
            ("/messages?session_id=1", Some("http://example.com:8080/messages?session_id=1")),
            ("messages", Some("http://example.com:8080/api/messages")),
            ("?session_id=1", Some("http://example.com:8080/api/sse?session_id=1")),
            (" /messages\n", Some("http://example.com:8080/messages")),
            ("http://EXAMPLE.com:8080/messages", Some("http://example.com:8080/messages")),
            ("http://user:secret@example.com:8080/messages", Some("http://example.com:8080/messages")),
            ("/messages?next=http://evil.org/", Some("http://example.com:8080/messages?next=http://evil.org/")),
            ("http://example.com/messages", None),
            ("https://example.com:8080/messages", None),
            ("http://evil.org:8080/messages", None),
            ("http://example.com:8080@evil.org/messages", None),
            ("http://example.com.evil.org:8080/messages", None),
            ("//evil.org:8080/messages", None),
            ("file:///etc/passwd", None),
            ("/messages with spaces", None),
            ("", None),
        ];
        for (text, wanted) in table {
            let found = read(&stream, text.as_bytes());
            assert_eq!(found.as_ref().ok().map(ToString::to_string).as_deref(), wanted, "{text:?}: {found:?}");
        }
    }
}
