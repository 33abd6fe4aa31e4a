use std::{collections::HashMap, error::Error as _};

use serde::Deserialize;

use super::Error;
use crate::{
    proto::io::{Closed, Failure, Misuse, SendFailure},
    rpc::{self, Raw},
    version::Revision,
};

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoding is tested")]
struct Tools {
    tools: Vec<Tool>,
    #[serde(default)]
    notes: HashMap<String, u8>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoding is tested")]
struct Tool {
    name: String,
    size: Option<Size>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoding is tested")]
struct Size {
    width: u32,
}

fn decode_error(text: &str) -> Error {
    let raw = Raw::trusted(text);
    let source = raw.decode::<Tools>().unwrap_err();
    Error::decode("result", "tools/list", raw, &source)
}

#[test]
fn a_decode_error_names_method_and_path_and_keeps_the_text() {
    let text = r#"{"tools":[{"name":"a"},{"name":7}]}"#;
    let error = decode_error(text);
    assert_eq!(
        error.to_string(),
        "the result of `tools/list` does not fit: `result.tools[1].name`: expected a string, found integer `7`"
    );
    assert_eq!(error.path(), Some("result.tools[1].name"));
    assert_eq!(error.method(), Some("tools/list"));
    assert_eq!(error.raw().unwrap().as_str(), text);
    assert!(error.source().is_none());
    assert!(error.is_peer_misbehaved());
    assert!(!error.is_misuse());
}

#[test]
fn a_decode_error_names_what_is_missing() {
    let error = decode_error(r#"{"tools":[{"name":"a"},{"size":{"height":1}}]}"#);
    assert_eq!(error.path(), Some("result.tools[1].size.width"));
    assert_eq!(decode_error(r#"{"notes":{}}"#).path(), Some("result.tools"));
}

#[test]
fn each_failure_answers_to_one_predicate() {
    let cases = [
        (
            Failure::Timeout { after: std::time::Duration::from_secs(1), is_total: false },
            [true, false, false, false, false],
        ),
        (Failure::Cancelled { reason: "x".into() }, [false, true, false, false, false]),
        (Failure::Closed { reason: "x".into() }, [false, false, true, false, false]),
        (Failure::Misuse(Misuse::Closed), [false, false, true, false, false]),
        (Failure::Invalid { reason: "x".into(), raw: None }, [false, false, false, true, false]),
        (Failure::Misuse(Misuse::Limit { what: "x" }), [false, false, false, false, true]),
        (Failure::Rpc(rpc::Error::new(1, "x")), [false; 5]),
        (Failure::Send(SendFailure { status: Some(500), reason: "x".into() }), [false; 5]),
    ];
    for (failure, expected) in cases {
        let error = Error::failed("ping", failure);
        let found = [
            error.is_timeout(),
            error.is_cancelled(),
            error.is_closed(),
            error.is_peer_misbehaved(),
            error.is_misuse(),
        ];
        assert_eq!(found, expected, "{error:?}");
    }
}

#[test]
fn the_text_is_a_lower_case_sentence_that_says_what_to_do() {
    let misuse = Misuse::NotInRevision { method: "roots/list".into(), revision: Revision::V2026_07_28 };
    assert_eq!(
        Error::failed("roots/list", Failure::Misuse(misuse)).to_string(),
        "revision 2026-07-28 does not have `roots/list`; look at `revision()` before using it"
    );
    let timeout = Failure::Timeout { after: std::time::Duration::from_secs(60), is_total: false };
    assert_eq!(Error::failed("tools/call", timeout).to_string(), "`tools/call` failed: no answer came within 60s");
    let closed = Error::ended(Closed::Transport { reason: "the pipe broke".into() }, None);
    assert_eq!(closed.to_string(), "the connection has ended: the pipe broke");
    assert!(closed.is_closed());
}
