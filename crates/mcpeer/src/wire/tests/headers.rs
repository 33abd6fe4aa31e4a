use crate::{
    rpc::{Raw, RawRef},
    wire::{
        Outline, codes,
        headers::{Field, Headers, ParamHeaders, agree, sentinel, source_of_name},
        lift,
        registry::ROWS,
    },
};

fn raw(text: &str) -> Raw {
    Raw::parse(text).unwrap()
}

fn headers(fields: &[(&str, &str)]) -> Vec<(String, String)> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn values_are_written_so_that_every_recipient_reads_the_same() {
    for (value, text) in [
        ("plain", "plain"),
        ("with blank", "with blank"),
        ("", ""),
        (" before", "=?base64?IGJlZm9yZQ==?="),
        ("after ", "=?base64?YWZ0ZXIg?="),
        ("a\tb", "=?base64?YQli?="),
        ("a\nb", "=?base64?YQpi?="),
        ("Zürich", "=?base64?WsO8cmljaA==?="),
        ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
    ] {
        assert_eq!(sentinel::encode(value), text, "{value:?}");
        assert_eq!(sentinel::decode(text).as_deref(), Some(value), "{text}");
    }
}

#[test]
fn base64_that_is_none_is_no_value() {
    for text in
        ["=?base64?YQ?=", "=?base64?YQ=?=", "=?base64?Y===?=", "=?base64?Y!==?=", "=?base64?YR==?=", "=?base64?/w==?="]
    {
        assert_eq!(sentinel::decode(text), None, "{text}");
    }
    for text in ["=?BASE64?YQ==?=", "=?base64?YQ==", "YQ==?=", "=?utf-8?YQ==?="] {
        assert_eq!(sentinel::decode(text).as_deref(), Some(text));
    }
}

#[test]
fn a_field_is_absent_one_value_or_unusable() {
    let headers = headers(&[("One", " value\t"), ("two", "a"), ("TWO", "a"), ("odd", "ä")]);
    for (name, field) in
        [("none", Field::Absent), ("one", Field::Value("value")), ("two", Field::Unusable), ("odd", Field::Unusable)]
    {
        assert_eq!(headers.field(name), field);
    }
}

const SCHEMA: &str = r#"{"type":"object","properties":{
    "city":{"type":"string","x-mcp-header":"City"},
    "place":{"type":"object","properties":{"floor":{"type":"integer","x-mcp-header":"Floor"}}},
    "fast":{"type":"boolean","x-mcp-header":"Fast"},
    "x-mcp-header":{"type":"string"},
    "other":{"enum":["x-mcp-header",{"x-mcp-header":7}]}}}"#;

#[test]
fn arguments_are_repeated_in_headers() {
    let wanted = ParamHeaders::read(raw(SCHEMA).borrow()).unwrap();
    let write = |arguments: &str| wanted.write(Some(raw(arguments).borrow()));
    let all = write(r#"{"city":"Zürich","place":{"floor":-3},"fast":true,"more":1}"#).unwrap();
    let expected =
        [("Mcp-Param-City", "=?base64?WsO8cmljaA==?="), ("Mcp-Param-Floor", "-3"), ("Mcp-Param-Fast", "true")];
    let mut all: Vec<_> = all.iter().map(|(name, value)| (&**name, &**value)).collect();
    all.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(all, expected);
    assert_eq!(write(r#"{"city":null,"place":{}}"#).unwrap(), []);
    assert_eq!(write(r#"{"city":""}"#).unwrap(), headers(&[("Mcp-Param-City", "")]));
    assert_eq!(write(r#"{"place":{"floor":42.0}}"#).unwrap(), headers(&[("Mcp-Param-Floor", "42")]));
    assert!(write(r#"{"place":{"floor":9007199254740992}}"#).unwrap_err().contains("place.floor"));
    assert_eq!(wanted.write(None).unwrap(), []);
}

#[test]
fn headers_that_repeat_arguments_must_agree_with_them() {
    let wanted = ParamHeaders::read(raw(SCHEMA).borrow()).unwrap();
    let check = |fields: &[(&str, &str)], arguments: &str| {
        wanted.check(&headers(fields), Some(raw(arguments).borrow())).map_err(|error| error.code)
    };
    let mismatch = Err(codes::HEADER_MISMATCH);
    for (fields, arguments, outcome) in [
        (&[][..], "{}", Ok(())),
        (&[("mcp-param-city", "Bern")], r#"{"city":"Bern"}"#, Ok(())),
        (&[("MCP-PARAM-CITY", "=?base64?QmVybg==?=")], r#"{"city":"Bern"}"#, Ok(())),
        (&[("mcp-param-city", "bern")], r#"{"city":"Bern"}"#, mismatch),
        (&[("mcp-param-city", "=?base64?QmVybg?=")], r#"{"city":"Bern"}"#, mismatch),
        (&[], r#"{"city":"Bern"}"#, mismatch),
        (&[], r#"{"city":null}"#, Ok(())),
        (&[("mcp-param-city", "Bern")], r#"{"city":null}"#, mismatch),
        (&[("mcp-param-city", "Bern")], "{}", mismatch),
        (&[("mcp-param-city", "Bern"), ("mcp-param-city", "Bern")], r#"{"city":"Bern"}"#, mismatch),
        (&[("mcp-param-floor", "42.0")], r#"{"place":{"floor":42}}"#, Ok(())),
        (&[("mcp-param-floor", "42")], r#"{"place":{"floor":42.0}}"#, Ok(())),
        (&[("mcp-param-floor", "43")], r#"{"place":{"floor":42}}"#, mismatch),
        (&[("mcp-param-fast", "true")], r#"{"fast":true}"#, Ok(())),
        (&[("mcp-param-fast", "TRUE")], r#"{"fast":true}"#, mismatch),
        // An argument of another type is the tool's to refuse.
        (&[("mcp-param-fast", "yes")], r#"{"fast":"yes"}"#, Ok(())),
        (&[("mcp-param-unknown", "x")], "{}", Ok(())),
    ] {
        assert_eq!(check(fields, arguments), outcome, "{fields:?} {arguments}");
    }
    assert_eq!(wanted.check(&headers(&[]), None::<RawRef<'_>>), Ok(()));
}

#[test]
fn a_schema_that_misuses_the_keyword_says_where() {
    for (schema, part) in [
        (r#"{"x-mcp-header":"A"}"#, "may only stand on properties"),
        (r#"{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}"#, "\"a\""),
        (r#"{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}"#, "may only stand on properties"),
        (r#"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#, "\"a\""),
        (r#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#, "must be a string"),
        (r#"{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}"#, "must be a string"),
        (r#"{"properties":{"a":{"x-mcp-header":"A"}}}"#, "must be a string"),
        (r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#, "must be the name of a header"),
        (r#"{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}"#, "must be the name of a header"),
        (r#"{"properties":{"a":{"type":"string","x-mcp-header":7}}}"#, "must be the name of a header"),
        (
            r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
            "two properties",
        ),
    ] {
        let reason = ParamHeaders::read(raw(schema).borrow()).unwrap_err();
        assert!(reason.contains(part), "{schema}: {reason}");
    }
    assert!(ParamHeaders::read(raw("{}").borrow()).unwrap().is_empty());
}

#[test]
fn a_name_that_looks_like_base64_is_repeated_in_base64() {
    for (said, repeated, agrees) in [
        ("echo", "echo", true),
        ("echo", "=?base64?ZWNobw==?=", true),
        ("=?base64?ZWNobw==?=", "=?base64?PT9iYXNlNjQ/WldOb2J3PT0/PQ==?=", true),
        ("=?base64?ZWNobw==?=", "=?base64?ZWNobw==?=", false),
        ("=?base64?echo", "=?base64?echo", true),
        ("echo", "ECHO", false),
    ] {
        let headers = headers(&[("mcp-method", "tools/call"), ("mcp-name", repeated)]);
        let subject = raw(&format!("\"{said}\""));
        let agreed = agree(&headers, "tools/call", Some(subject.borrow()));
        assert_eq!(agreed.is_ok(), agrees, "{said} {repeated}: {agreed:?}");
    }
}

#[test]
fn every_member_that_a_header_repeats_is_found_in_params() {
    let methods = ROWS.iter().map(|row| row.method).chain(["tasks/update"]);
    let members: std::collections::BTreeSet<_> = methods.filter_map(source_of_name).collect();
    assert!(members.len() >= 3, "{members:?}");
    for member in members {
        let params = raw(&format!(r#"{{"other":1,"{member}":"it"}}"#));
        let found = lift(Some(params.borrow()), &Outline::default(), true, Some(member)).subject;
        assert_eq!(found.map(RawRef::as_str), Some(r#""it""#), "{member}");
    }
}
