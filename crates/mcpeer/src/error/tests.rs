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

fn path_in(text: &str) -> String {
    let raw = Raw::trusted(text);
    let source = raw.decode::<Tools>().unwrap_err();
    Error::decode("result", "tools/list", raw, source).path().unwrap().to_owned()
}

#[test]
fn a_decode_error_names_the_place() {
    assert_eq!(path_in(r#"{"tools":[{"name":"a"},{"name":7}]}"#), "tools[1].name");
    assert_eq!(path_in(r#"{"tools":[{"name":"a","size":{"width":"x"}}]}"#), "tools[0].size.width");
    assert_eq!(path_in(r#"{"tools":[{"name":"a","size":{"width":-1}} ]}"#), "tools[0].size.width");
    assert_eq!(path_in(r#"{"tools":{}}"#), "tools");
    assert_eq!(path_in("{\"tools\":[],\n\"notes\":{\"a b\":\n[1]}}"), "notes[\"a b\"]");
    assert_eq!(path_in(r#"{"tools":[],"notes":{"br\"ack}et{":1,"x":300}}"#), "notes.x");
    assert_eq!(path_in("7"), "");
}

#[test]
fn a_missing_member_is_the_fault_of_its_object() {
    assert_eq!(path_in(r#"{"tools":[{"name":"a"},{"size":null}]}"#), "tools[1]");
    assert_eq!(path_in(r#"{"tools":[{"name":"a","size":{"height":{"of":1}}}]}"#), "tools[0].size");
    assert_eq!(path_in(r#"{"notes":{"a":1}}"#), "");
}

#[test]
fn a_decode_error_keeps_the_text_and_does_not_repeat_its_source() {
    let raw = Raw::trusted(r#"{"tools":[{"name":7}]}"#);
    let source = raw.decode::<Tools>().unwrap_err();
    let error = Error::decode("result", "tools/list", raw, source);
    assert_eq!(error.to_string(), "the result of `tools/list` does not fit its type, at `tools[0].name`");
    assert_eq!(error.source().unwrap().to_string(), "invalid type: integer `7`, expected a string");
    assert_eq!(error.raw().unwrap().as_str(), r#"{"tools":[{"name":7}]}"#);
    assert_eq!(error.method(), Some("tools/list"));
    assert!(error.is_peer_misbehaved());
    assert!(!error.is_misuse());
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
    let closed = Error::ended(Closed::Transport { reason: "the pipe broke".into() });
    assert_eq!(closed.to_string(), "the connection has ended: the pipe broke");
    assert!(closed.is_closed());
}
