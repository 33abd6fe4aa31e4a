use http::request;

use crate::proto::io::{Field, Headers};

/// The head of an HTTP request as it arrived, without its body: what `cx.http()` gives.
#[derive(Debug)]
pub struct Parts(pub(super) request::Parts);

impl Parts {
    /// Gives the head.
    pub fn get(&self) -> &request::Parts {
        &self.0
    }
}

impl Headers for Parts {
    fn field(&self, name: &str) -> Field<'_> {
        field(&self.0.headers, name)
    }
}

/// Looks up a header that may stand there once.
pub(super) fn field<'a>(headers: &'a http::HeaderMap, name: &str) -> Field<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Field::Absent,
        (Some(value), None) => Field::read(value.as_bytes()),
        (Some(_), Some(_)) => Field::Unusable,
    }
}
