//! Who may ask: `Origin` and `Host`.
//!
//! A page in a browser can reach a server on the same machine under a name of its own making. The browser says truly
//! which name that was, and from which page it came.

use http::{StatusCode, Uri, uri::Authority};

use super::{
    headers::{Seen, Sight},
    refuse::Refused,
};
use crate::proto::io::Field;

/// The hosts and origins that may ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    pub(super) hosts: Vec<String>,
    pub(super) allows_any_host: bool,
    pub(super) origins: Vec<String>,
}

impl Policy {
    /// Checks where a request goes and where it comes from.
    pub(super) fn check(&self, seen: &Seen<'_>, uri: &Uri) -> Result<(), Refused> {
        self.check_origin(seen.origin)?;
        // HTTP/2 says it in the address, and so may HTTP/1.1.
        let addressed = uri.authority().map(Authority::as_str);
        if addressed.is_none() && seen.host.once().is_some_and(is_loopback) {
            return Ok(());
        }
        let named = match seen.host.field() {
            Field::Value(host) => Some(host),
            Field::Absent => None,
            Field::Unusable => return Err(Refused::new(StatusCode::BAD_REQUEST, "the `Host` header is no one name")),
        };
        if self.allows_any_host {
            return Ok(());
        }
        if named.or(addressed).is_none() {
            return Err(Refused::new(StatusCode::BAD_REQUEST, "the `Host` header is missing"));
        }
        match named.into_iter().chain(addressed).find(|host| !self.allows_host(host)) {
            None => Ok(()),
            Some(host) => Err(foreign_host(host)),
        }
    }

    fn allows_host(&self, host: &str) -> bool {
        is_loopback(host.as_bytes()) || self.hosts.iter().any(|allowed| is_host(host, allowed))
    }

    fn check_origin(&self, origin: Sight<'_>) -> Result<(), Refused> {
        match origin.field() {
            Field::Absent => Ok(()),
            Field::Value(origin) if self.allows_origin(origin) => Ok(()),
            found => {
                let origin = found.value().unwrap_or("that stands there twice");
                let message =
                    format!("the origin {origin:?} may not use this server; `allow_origin` on the endpoint allows it");
                Err(Refused::new(StatusCode::FORBIDDEN, message))
            }
        }
    }

    /// Whether pages of this origin may ask: those that were named, and those of this machine.
    pub(super) fn allows_origin(&self, origin: &str) -> bool {
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| is_loopback(host.as_bytes()))
    }
}

fn foreign_host(host: &str) -> Refused {
    let message = format!("the host {host:?} is not served here; `allow_host` on the endpoint allows it");
    Refused::new(StatusCode::FORBIDDEN, message)
}

/// Whether a host, with or without a port, is this machine by a name that nobody else can have.
fn is_loopback(host: &[u8]) -> bool {
    let by_address = host.strip_prefix(b"127.0.0.1").or_else(|| host.strip_prefix(b"[::1]"));
    by_address.or_else(|| after_localhost(host)).is_some_and(is_port)
}

fn after_localhost(host: &[u8]) -> Option<&[u8]> {
    let (start, rest) = host.split_at_checked("localhost".len())?;
    start.eq_ignore_ascii_case(b"localhost").then_some(rest)
}

/// Whether behind the name of a host there is nothing, or a port.
fn is_port(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [colon, port @ ..] => *colon == b':' && port.iter().all(u8::is_ascii_digit),
    }
}

/// Whether a host is an allowed one: with a port if that has one, else with any.
fn is_host(host: &str, allowed: &str) -> bool {
    host.eq_ignore_ascii_case(allowed) || without_port(host).eq_ignore_ascii_case(allowed)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Uri};

    use super::{super::headers::look, Policy};

    fn allows(policy: &Policy, host: &str, origin: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert("origin", HeaderValue::from_static(origin));
        }
        policy.check(&look(&headers).0, &Uri::from_static("/mcp")).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_are_served_unless_others_are_named() {
        let mut policy = Policy::default();
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]", "[::1]:9000"] {
            assert!(allows(&policy, host, None), "{host}");
        }
        for host in ["localhost.evil.com", "evil.com:80", "127.0.0.1.evil.com", "0.0.0.0", "127.0.0.1:80:80", "::1"] {
            assert!(!allows(&policy, host, None), "{host}");
        }
        policy.hosts.push("api.example.com".into());
        assert!(allows(&policy, "API.example.com:443", None));
        assert!(!allows(&policy, "example.com", None));
        policy.hosts = vec!["api.example.com:8443".into()];
        assert!(allows(&policy, "api.example.com:8443", None));
        assert!(!allows(&policy, "api.example.com:443", None));
    }

    #[test]
    fn pages_of_other_machines_are_refused_unless_they_are_named() {
        let mut policy = Policy::default();
        for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:1"] {
            assert!(allows(&policy, "localhost", Some(origin)), "{origin}");
        }
        for origin in ["null", "https://evil.com", "http://localhost.evil.com", "file://", "http://localhost@evil.com"]
        {
            assert!(!allows(&policy, "localhost", Some(origin)), "{origin}");
        }
        policy.origins.push("https://app.example.com".into());
        assert!(allows(&policy, "localhost", Some("https://app.example.com")));
        assert!(!allows(&policy, "localhost", Some("https://app.example.com:444")));
    }

    #[test]
    fn a_header_that_stands_there_twice_is_refused() {
        let policy = Policy::default();
        for name in ["host", "origin"] {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("localhost"));
            headers.append(name, HeaderValue::from_static("localhost"));
            headers.append(name, HeaderValue::from_static("localhost"));
            assert!(policy.check(&look(&headers).0, &Uri::from_static("/mcp")).is_err(), "{name}");
        }
    }
}
