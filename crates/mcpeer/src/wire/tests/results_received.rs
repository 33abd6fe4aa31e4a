use super::{LEGACY, raw};
use crate::{
    version::Revision,
    wire::{Answer, ExtensionRows, Invalid, Registry, ResultType, codec},
};

fn decode(method: &str, result: &str) -> Result<Answer, Invalid> {
    let tasks = ExtensionRows {
        identifier: "io.modelcontextprotocol/tasks".into(),
        rows: (&[]).into(),
        result_types: (&[ResultType { value: "task", methods: &["tools/call"] }]).into(),
    };
    codec(Revision::V2026_07_28).decode_result(&Registry::new(&[tasks]), method, raw(result).borrow())
}

#[test]
fn results_are_sorted_by_their_type() {
    let complete = |text: &str| Ok(Answer::Complete(raw(text)));
    let cases = [
        ("tools/call", r#"{"resultType":"complete","content":[]}"#, complete(r#"{"content":[]}"#)),
        ("tools/call", r#"{"content":[],"resultType":"complete"}"#, complete(r#"{"content":[]}"#)),
        ("tools/call", r#"{"a":1, "resultType" : "complete" ,"b":2}"#, complete(r#"{"a":1 ,"b":2}"#)),
        ("ping", r#"{"resultType":"complete"}"#, complete("{}")),
        ("acme/do", r#"{"resultType":"\u0063omplete"}"#, complete("{}")),
        (
            "tools/call",
            r#"{"resultType":"input_required","requestState":"s"}"#,
            Ok(Answer::InputRequired(raw(r#"{"requestState":"s"}"#))),
        ),
        (
            "prompts/get",
            r#"{"resultType":"input_required","inputRequests":{"k":{}}}"#,
            Ok(Answer::InputRequired(raw(r#"{"inputRequests":{"k":{}}}"#))),
        ),
        (
            "tools/call",
            r#"{"resultType":"task","taskId":"t"}"#,
            Ok(Answer::Extension { result_type: "task".into(), raw: raw(r#"{"taskId":"t"}"#) }),
        ),
    ];
    for (method, result, expected) in cases {
        assert_eq!(decode(method, result), expected, "{result}");
    }
}

#[test]
fn an_absent_type_counts_as_complete_and_caching_hints_may_be_absent() {
    for result in ["{}", r#"{"tools":[]}"#, r#"{"tools":[],"ttlMs":-1.5,"cacheScope":"x"}"#] {
        assert_eq!(decode("tools/list", result), Ok(Answer::Complete(raw(result))));
    }
}

#[test]
fn other_types_make_a_result_invalid() {
    let cases = [
        ("tools/call", r#"{"resultType":"job"}"#, "\"job\""),
        ("prompts/get", r#"{"resultType":"task"}"#, "\"task\""),
        ("tools/call", r#"{"resultType":""}"#, "resultType"),
        ("tools/call", r#"{"resultType":"Complete"}"#, "resultType"),
        ("tools/call", r#"{"resultType":7}"#, "not a string"),
        ("tools/call", r#"{"resultType":null}"#, "not a string"),
        ("tools/list", r#"{"resultType":"input_required","requestState":"s"}"#, "input_required"),
        ("acme/do", r#"{"resultType":"input_required","requestState":"s"}"#, "input_required"),
        ("tools/call", r#"{"resultType":"input_required"}"#, "inputRequests"),
        ("tools/call", r#"{"resultType":"input_required","inputRequests":{}}"#, "inputRequests"),
        ("tools/call", r#"{"resultType":"input_required","inputRequests":[]}"#, "must be an object"),
        ("tools/call", r#"{"resultType":"input_required","requestState":7}"#, "must be a string"),
        ("tools/call", "[]", "not an object"),
        ("tools/call", "null", "not an object"),
        ("tools/call", "\"complete\"", "not an object"),
    ];
    for (method, result, expected) in cases {
        let invalid = decode(method, result).expect_err(result);
        assert!(invalid.to_string().contains(expected), "{result}: {invalid}");
    }
}

#[test]
fn the_stateful_era_ignores_a_foreign_type() {
    for revision in LEGACY {
        let decode =
            |result: &str| codec(revision).decode_result(&Registry::default(), "tools/call", raw(result).borrow());
        for foreign in ["\"complete\"", "\"input_required\"", "\"job\"", "7", "null"] {
            let result = format!(r#"{{"content":[],"resultType":{foreign}}}"#);
            assert_eq!(decode(&result), Ok(Answer::Complete(raw(r#"{"content":[]}"#))));
        }
        for result in ["{}", "[]", "null", r#"{"x":{"resultType":1}}"#] {
            assert_eq!(decode(result), Ok(Answer::Complete(raw(result))));
        }
    }
}
