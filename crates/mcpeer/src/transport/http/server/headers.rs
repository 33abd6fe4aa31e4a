use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request};

use super::{Settings, refuse::Refused};
use crate::{
    proto::io::{Field, Headers},
    wire::headers::{METHOD, NAME, PROTOCOL_VERSION, VersionHeader},
};

/// The header that names a session.
pub(super) const SESSION: &str = "mcp-session-id";

/// The head of an HTTP request as it arrived, without its body: what `cx.http()` gives.
#[derive(Debug)]
pub struct Parts {
    head: request::Parts,
    known: Known,
    version: VersionHeader,
}

/// The headers of the protocol.
#[derive(Debug, Default)]
pub(super) struct Known {
    version: Found,
    method: Found,
    name: Found,
    session: Found,
}

/// What there is of one header.
#[derive(Debug, Default)]
enum Found {
    #[default]
    Absent,
    One(HeaderValue),
    Several,
}

impl Found {
    fn note(&mut self, value: &HeaderValue) {
        *self = match self {
            Self::Absent => Self::One(value.clone()),
            Self::One(_) | Self::Several => Self::Several,
        };
    }

    fn field(&self) -> Field<'_> {
        match self {
            Self::Absent => Field::Absent,
            Self::One(value) => read(value),
            Self::Several => Field::Unusable,
        }
    }
}

impl Known {
    fn get(&self, name: &str) -> Option<&Found> {
        Some(match name {
            PROTOCOL_VERSION => &self.version,
            METHOD => &self.method,
            NAME => &self.name,
            SESSION => &self.session,
            _ => return None,
        })
    }

    fn note(&mut self, name: &str, value: &HeaderValue) {
        let found = match name {
            PROTOCOL_VERSION => &mut self.version,
            METHOD => &mut self.method,
            NAME => &mut self.name,
            SESSION => &mut self.session,
            _ => return,
        };
        found.note(value);
    }
}

impl Parts {
    pub(super) fn new(head: request::Parts, known: Known) -> Box<Self> {
        let version = VersionHeader::of(known.version.field());
        Box::new(Self { head, known, version })
    }

    /// Gives the memory of the headers, without them.
    pub(super) fn into_spare(self: Box<Self>) -> HeaderMap {
        let mut headers = self.head.headers;
        headers.clear();
        headers
    }

    /// Gives the head.
    pub fn get(&self) -> &request::Parts {
        &self.head
    }

    /// Whether the headers say that the message is of this method.
    pub(super) fn is_of(&self, method: &str) -> bool {
        matches!(&self.known.method, Found::One(value) if value.as_bytes().trim_ascii() == method.as_bytes())
    }

    /// Whether the request names a session.
    pub(super) fn names_session(&self) -> bool {
        !matches!(self.known.session, Found::Absent)
    }
}

impl Headers for Parts {
    fn field(&self, name: &str) -> Field<'_> {
        if let Some(found) = self.known.get(name) {
            return found.field();
        }
        let mut values = self.head.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Field::Absent,
            (Some(value), None) => read(value),
            (Some(_), Some(_)) => Field::Unusable,
        }
    }

    fn says(&self, name: &str, text: &str) -> bool {
        match self.known.get(name) {
            // As it is read, it says the same.
            Some(Found::One(value)) if is_bare(text) && value.as_bytes() == text.as_bytes() => true,
            _ => self.field(name) == Field::Value(text),
        }
    }

    fn version(&self) -> VersionHeader {
        self.version
    }
}

/// Whether a value of a header reads as it stands there.
fn is_bare(text: &str) -> bool {
    !matches!(text.as_bytes(), [b' ' | b'\t', ..] | [.., b' ' | b'\t']) && text.is_ascii()
}

fn read(value: &HeaderValue) -> Field<'_> {
    let Ok(text) = value.to_str() else { return Field::Unusable };
    match text.as_bytes() {
        // Whoever reads a request has mostly taken the blanks off.
        [b' ' | b'\t', ..] | [.., b' ' | b'\t'] => Field::Value(text.trim_matches([' ', '\t'])),
        _ => Field::Value(text),
    }
}

/// Finds the headers that are looked at on every request, in one walk.
pub(super) fn look(headers: &HeaderMap) -> (Seen<'_>, Known) {
    let (mut seen, mut known) = <(Seen<'_>, Known)>::default();
    for (name, value) in headers {
        seen.count += 1;
        seen.bytes += name.as_str().len() + value.len();
        if let Some(sight) = seen.sight(name) {
            sight.note(value);
        } else {
            known.note(name.as_str(), value);
        }
    }
    (seen, known)
}

/// The headers of the edge: what is asked before a message is looked at.
#[derive(Debug, Default)]
pub(super) struct Seen<'a> {
    pub(super) host: Sight<'a>,
    pub(super) origin: Sight<'a>,
    pub(super) accept: Sight<'a>,
    pub(super) content_type: Sight<'a>,
    pub(super) content_encoding: Sight<'a>,
    count: usize,
    bytes: usize,
}

/// What was seen of one header.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sight<'a> {
    pub(super) value: Option<&'a HeaderValue>,
    pub(super) is_repeated: bool,
}

impl<'a> Sight<'a> {
    /// Reads a header that may stand there once.
    pub(super) fn field(self) -> Field<'a> {
        match self.value {
            None => Field::Absent,
            Some(_) if self.is_repeated => Field::Unusable,
            Some(value) => read(value),
        }
    }

    /// Gives the value, as it is, of a header that stands there once.
    pub(super) fn once(self) -> Option<&'a [u8]> {
        self.value.filter(|_| !self.is_repeated).map(HeaderValue::as_bytes)
    }

    fn note(&mut self, value: &'a HeaderValue) {
        self.is_repeated = self.value.replace(value).is_some();
    }
}

impl<'a> Seen<'a> {
    /// Checks that there is not too much.
    pub(super) fn check_size(&self, settings: &Settings) -> Result<(), Refused> {
        let (what, limit, setting) = if self.count > settings.max_headers {
            ("headers", settings.max_headers, "max_headers")
        } else if self.bytes > settings.max_header_bytes {
            ("bytes of headers", settings.max_header_bytes, "max_header_bytes")
        } else {
            return Ok(());
        };
        let message = format!("the request has more than {limit} {what}; `{setting}` on the endpoint allows more");
        Err(Refused::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message))
    }

    fn sight(&mut self, name: &HeaderName) -> Option<&mut Sight<'a>> {
        // Names of the standard compare as numbers.
        Some(match *name {
            header::HOST => &mut self.host,
            header::ACCEPT => &mut self.accept,
            header::CONTENT_TYPE => &mut self.content_type,
            header::ORIGIN => &mut self.origin,
            header::CONTENT_ENCODING => &mut self.content_encoding,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Request};

    use super::{Field, Headers, METHOD, NAME, PROTOCOL_VERSION, Parts, look};

    #[test]
    fn a_header_says_what_it_reads_as_and_nothing_else() {
        let values: [&[u8]; 10] =
            [b"a", b" a", b"a\t", b"a b", b"", b" ", b"\xc3\xa9", b"a\xc3\xa9", b"tools/call", b"TOOLS/CALL"];
        let texts = ["a", " a", "a\t", "a b", "", " ", "\u{e9}", "a\u{e9}", "tools/call", "TOOLS/CALL"];
        for name in [PROTOCOL_VERSION, METHOD, NAME, "mcp-session-id", "mcp-param-city"] {
            for more in [&[][..], &[b"a".as_slice()]] {
                for value in values {
                    let mut headers = HeaderMap::new();
                    for value in more.iter().chain([&value]) {
                        headers.append(name, HeaderValue::from_bytes(value).unwrap());
                    }
                    let known = look(&headers).1;
                    let mut head = Request::new(()).into_parts().0;
                    head.headers = headers;
                    let parts = Parts::new(head, known);
                    for text in texts {
                        let reads = parts.field(name) == Field::Value(text);
                        assert_eq!(parts.says(name, text), reads, "{name}: {value:?} {text:?}");
                    }
                }
            }
        }
    }
}
