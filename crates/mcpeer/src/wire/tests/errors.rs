use super::{LEGACY, json, raw};
use crate::{
    rpc::Error,
    version::Revision,
    wire::{codec, codes},
};

const MODERN: Revision = Revision::V2026_07_28;

fn encoded(revision: Revision, method: &str, code: i64, data: &str) -> Error {
    let error = Error::new(code, "what happened").with_data(raw(data));
    codec(revision).encode_error(revision, method, error, true)
}

#[test]
fn codes_of_handlers_become_those_of_the_era() {
    // Code; then what becomes of it at 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28.
    let internal = [-32603; 5];
    let passes = |code: i64| [code; 5];
    let table: &[(i64, [i64; 5])] = &[
        (-32002, [-32002, -32002, -32002, -32002, -32602]),
        (-32042, [-32603, -32603, -32603, -32042, -32603]),
        (-32020, [-32603, -32603, -32603, -32603, -32020]),
        (-32021, [-32603, -32603, -32603, -32603, -32021]),
        (-32022, [-32603, -32603, -32603, -32603, -32022]),
        (-32023, internal),
        (-32041, internal),
        (-32043, internal),
        (-32098, internal),
        (-32099, internal),
        (-32100, passes(-32100)),
        (-32019, passes(-32019)),
        (-32001, passes(-32001)),
        (-32000, passes(-32000)),
        (-32600, passes(-32600)),
        (-32601, passes(-32601)),
        (-32602, passes(-32602)),
        (-32603, passes(-32603)),
        (-32700, passes(-32700)),
        (-1, passes(-1)),
        (0, passes(0)),
        (42, passes(42)),
        (i64::MIN, passes(i64::MIN)),
        (i64::MAX, passes(i64::MAX)),
    ];
    for (code, expected) in table {
        for (revision, expected) in LEGACY.into_iter().chain([MODERN]).zip(expected) {
            let error = encoded(revision, "tools/call", *code, r#"{"a":1}"#);
            assert_eq!(error.code, *expected, "{code} at {revision}");
            assert_eq!(error.message, "what happened");
            let keeps_data = expected == code || *expected == -32602;
            assert_eq!(error.data.is_some(), keeps_data, "data goes with the code that gave it a form: {code}");
        }
    }
}

#[test]
fn errors_of_the_core_keep_their_code() {
    for revision in LEGACY.into_iter().chain([MODERN]) {
        for code in [-32002, -32020, -32021, -32022, -32042, -32050, -32602] {
            let error = Error::new(code, "m").with_data(raw(r#"{"uri":"a:b"}"#));
            assert_eq!(codec(revision).encode_error(revision, "resources/read", error.clone(), false), error);
        }
    }
}

#[test]
fn a_resource_that_does_not_exist_has_the_code_of_the_era() {
    let uri = r#"{"uri":"file:///a"}"#;
    for revision in LEGACY {
        assert_eq!(encoded(revision, "resources/read", -32602, uri).code, codes::RESOURCE_NOT_FOUND);
        assert_eq!(encoded(revision, "resources/read", -32602, uri).data, Some(raw(uri)));
        for other in ["{}", "null", r#"{"uri":7}"#, r#"{"uri":"a:b","reason":"x"}"#, r#"{"cursor":"x"}"#] {
            assert_eq!(encoded(revision, "resources/read", -32602, other).code, -32602, "{other}");
        }
        assert_eq!(encoded(revision, "tools/call", -32602, uri).code, -32602);
    }
    assert_eq!(encoded(MODERN, "resources/read", -32602, uri).code, -32602);
    assert_eq!(encoded(MODERN, "resources/read", codes::RESOURCE_NOT_FOUND, uri).data, Some(raw(uri)));
}

#[test]
fn an_unsupported_version_is_answered_with_those_that_are() {
    let error = codes::unsupported_version([MODERN, Revision::V2025_11_25], "20\"99");
    assert_eq!(error.code, -32022);
    assert_eq!(
        json(error.data.unwrap().as_str()),
        json(r#"{"supported":["2026-07-28","2025-11-25"],"requested":"20\"99"}"#)
    );
    assert_eq!(codes::version_not_a_string().code, -32602);
}
