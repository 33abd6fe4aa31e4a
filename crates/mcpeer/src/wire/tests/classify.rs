use super::{lift_request, raw};
use crate::{
    version::Revision,
    wire::{Claim, classify, headers::VersionHeader},
};

#[test]
fn the_key_of_the_protocol_version_claims_the_stateless_era_whatever_its_type() {
    let unserved = |requested: &str| Claim::Unserved { requested: requested.to_owned() };
    let cases = [
        (r#""2026-07-28""#, Claim::Modern(Revision::V2026_07_28)),
        (r#""2026-07\u002d28""#, Claim::Modern(Revision::V2026_07_28)),
        (r#""2025-11-25""#, unserved("2025-11-25")),
        (r#""2099-01-01""#, unserved("2099-01-01")),
        (r#""""#, unserved("")),
        (r#""a\nb""#, unserved("a\nb")),
        ("20260728", Claim::NotAString),
        ("null", Claim::NotAString),
        ("true", Claim::NotAString),
        ("{}", Claim::NotAString),
        (r#"["2026-07-28"]"#, Claim::NotAString),
    ];
    for (value, expected) in cases {
        let params = raw(&format!(r#"{{"a":1,"_meta":{{"b":2,"io.modelcontextprotocol/protocolVersion":{value}}}}}"#));
        assert_eq!(classify(Some(params.borrow())), expected, "{value}");
        assert_eq!(lift_request(Some(params.borrow()), true).claim, expected, "{value}");
        assert!(expected.is_some());
    }
}

#[test]
fn nothing_else_claims_anything() {
    let cases = [
        "{}",
        "[]",
        "null",
        r#""io.modelcontextprotocol/protocolVersion""#,
        r#"{"_meta":null}"#,
        r#"{"_meta":["io.modelcontextprotocol/protocolVersion"]}"#,
        r#"{"_meta":{"io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{}}}"#,
        r#"{"_meta":{"protocolVersion":"2026-07-28"}}"#,
        r#"{"protocolVersion":"2026-07-28"}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        r#"{"a":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"_meta":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#,
    ];
    for params in cases {
        let params = raw(params);
        assert_eq!(classify(Some(params.borrow())), Claim::None, "{params:?}");
        assert_eq!(lift_request(Some(params.borrow()), true).claim, Claim::None, "{params:?}");
    }
    assert_eq!(classify(None), Claim::None);
    assert_eq!(lift_request(None, true).claim, Claim::None);
}

#[test]
fn escapes_in_the_key_do_not_hide_a_claim() {
    let params = raw(r#"{"\u005fmeta":{"io.modelcontextprotocol\/protocolVersion":"2026-07-28"}}"#);
    assert_eq!(classify(Some(params.borrow())), Claim::Modern(Revision::V2026_07_28));
}

#[test]
fn a_version_header_is_a_stateful_revision_a_stateless_date_or_neither() {
    let cases = [
        (None, VersionHeader::Absent),
        (Some("2025-06-18"), VersionHeader::Legacy(Revision::V2025_06_18)),
        (Some(" 2024-11-05\t"), VersionHeader::Legacy(Revision::V2024_11_05)),
        (Some("2026-07-28"), VersionHeader::Modern),
        (Some("2099-12-31"), VersionHeader::Modern),
        (Some("2026-07-27"), VersionHeader::Unknown),
        (Some("2025-01-01"), VersionHeader::Unknown),
        (Some("zzz"), VersionHeader::Unknown),
        (Some("9999999999"), VersionHeader::Unknown),
        (Some("2026-07-28x"), VersionHeader::Unknown),
        (Some(""), VersionHeader::Unknown),
    ];
    for (value, expected) in cases {
        assert_eq!(VersionHeader::read(value), expected, "{value:?}");
    }
}
