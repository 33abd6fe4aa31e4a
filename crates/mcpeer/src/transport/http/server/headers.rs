use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request};

use super::{Settings, refuse::Refused};
use crate::{
    proto::io::{Field, Headers},
    wire::headers::{METHOD, NAME, PROTOCOL_VERSION},
};

/// The head of an HTTP request as it arrived, without its body: what `cx.http()` gives.
#[derive(Debug)]
pub struct Parts {
    head: request::Parts,
    version: Found,
    method: Found,
    name: Found,
}

/// What there is of one header.
#[derive(Clone, Debug, Default)]
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

impl Parts {
    pub(super) fn new(head: request::Parts) -> Self {
        let [mut version, mut method, mut name] = <[Found; 3]>::default();
        for (known, value) in &head.headers {
            let found = match known.as_str() {
                PROTOCOL_VERSION => &mut version,
                METHOD => &mut method,
                NAME => &mut name,
                _ => continue,
            };
            found.note(value);
        }
        Self { head, version, method, name }
    }

    /// Gives the head.
    pub fn get(&self) -> &request::Parts {
        &self.head
    }
}

impl Headers for Parts {
    fn field(&self, name: &str) -> Field<'_> {
        match name {
            PROTOCOL_VERSION => self.version.field(),
            METHOD => self.method.field(),
            NAME => self.name.field(),
            name => {
                let mut values = self.head.headers.get_all(name).iter();
                match (values.next(), values.next()) {
                    (None, _) => Field::Absent,
                    (Some(value), None) => read(value),
                    (Some(_), Some(_)) => Field::Unusable,
                }
            }
        }
    }
}

fn read(value: &HeaderValue) -> Field<'_> {
    value.to_str().map_or(Field::Unusable, |text| Field::Value(text.trim_matches([' ', '\t'])))
}

/// The headers that are looked at on every request, found in one walk.
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

    fn note(&mut self, value: &'a HeaderValue) {
        self.is_repeated = self.value.replace(value).is_some();
    }
}

impl<'a> Seen<'a> {
    pub(super) fn of(headers: &'a HeaderMap) -> Self {
        let mut seen = Self::default();
        for (name, value) in headers {
            seen.count += 1;
            seen.bytes += name.as_str().len() + value.len();
            if let Some(sight) = seen.sight(name) {
                sight.note(value);
            }
        }
        seen
    }

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
