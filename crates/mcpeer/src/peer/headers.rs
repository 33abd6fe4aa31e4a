//! Headers of one's own.

/// Checks a header that a caller wants to go along with a request.
pub(super) fn check(name: &str, value: &str) -> Result<(), String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("{name:?} is no name of a header"));
    }
    let lower = name.to_ascii_lowercase();
    let is_taken = lower.starts_with("mcp-")
        || lower.starts_with("content-")
        || matches!(
            &*lower,
            "accept" | "connection" | "host" | "last-event-id" | "te" | "trailer" | "transfer-encoding" | "upgrade"
        );
    if is_taken {
        return Err(format!("the header {name:?} is set by the transport, and by nobody else"));
    }
    // The value is not shown: it may be a secret.
    if !value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
        return Err(format!("the value of the header {name:?} has other than visible ASCII characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn only_headers_that_are_nobody_elses_can_be_set() {
        for (name, value) in [("X-Tenant", "acme"), ("authorization", "Bearer a.b-c"), ("traceparent", "00-1")] {
            assert_eq!(check(name, value), Ok(()));
        }
        for name in ["", "a b", "a:", "\u{e4}", "Mcp-Name", "MCP-Protocol-Version", "Content-Type", "Host", "Accept"] {
            assert!(check(name, "x").is_err(), "{name}");
        }
        let reason = check("X-Key", "secret\r\nEvil: 1").unwrap_err();
        assert!(reason.contains("X-Key") && !reason.contains("secret"), "{reason}");
    }
}
