use std::borrow::Cow;

use serde_json::{Value, json};

use super::{INFO, LEGACY, json as read, raw};
use crate::{
    rpc::{Raw, RequestId},
    version::Revision,
    wire::{Claim, ClientEnvelope, OutgoingRequest, classify, codec, meta},
};

const MODERN: Revision = Revision::V2026_07_28;

fn envelope() -> ClientEnvelope {
    ClientEnvelope::new(MODERN, &raw(INFO), &raw(r#"{"roots":{}}"#))
}

fn enveloped() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": read(INFO),
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
    })
}

fn request<'a>(revision: Revision, method: &'a str, params: Option<&'a Raw>) -> OutgoingRequest<'a> {
    OutgoingRequest { revision, method, params, envelope: None, progress_token: None, log_level: None }
}

fn sent(request: &OutgoingRequest<'_>) -> Result<Option<Value>, String> {
    codec(request.revision).encode_request(request).map(|params| params.map(|params| read(params.as_str())))
}

#[test]
fn a_request_of_the_stateless_era_carries_the_envelope() {
    let envelope = envelope();
    for (params, members) in [
        (None, json!({})),
        (Some("{}"), json!({})),
        (Some(r#"{ "name" : "a" }"#), json!({"name": "a"})),
        (Some(r#"{"a":[1],"b":{}}"#), json!({"a": [1], "b": {}})),
    ] {
        let params = params.map(raw);
        let request = OutgoingRequest { envelope: Some(&envelope), ..request(MODERN, "tools/call", params.as_ref()) };
        let mut expected = members;
        expected["_meta"] = enveloped();
        assert_eq!(sent(&request), Ok(Some(expected)));
    }
}

#[test]
fn token_and_log_level_stand_beside_the_envelope() {
    let envelope = envelope();
    let params = raw(r#"{"_meta":{"x":1,"progressToken":"own"},"name":"a"}"#);
    let tokens = [RequestId::from(7), RequestId::from("a\"b")];
    for (token, level) in
        [(None, None), (Some(&tokens[0]), None), (None, Some("info")), (Some(&tokens[1]), Some("debug"))]
    {
        let request = OutgoingRequest {
            envelope: Some(&envelope),
            progress_token: token,
            log_level: level,
            ..request(MODERN, "tools/call", Some(&params))
        };
        let mut expected = enveloped();
        expected["x"] = json!(1);
        expected["progressToken"] = token.map_or(json!("own"), |token| json!(token));
        if let Some(level) = level {
            expected[meta::LOG_LEVEL] = json!(level);
        }
        assert_eq!(sent(&request), Ok(Some(json!({"_meta": expected, "name": "a"}))));
    }
    let request =
        OutgoingRequest { envelope: Some(&envelope), log_level: Some("loud"), ..request(MODERN, "tools/call", None) };
    assert!(sent(&request).unwrap_err().contains("loud"));
}

#[test]
fn a_client_declares_what_the_revision_has_that_it_offers() {
    let all = json!({
        "roots": {"listChanged": true},
        "elicitation": {"form": {}, "url": {}, "x": 1},
        "sampling": {"tools": {}, "context": {}, "x": 1},
        "tasks": {"list": {}},
        "x": {"y": 1},
    });
    let first = json!({"roots": {"listChanged": true}, "sampling": {"x": 1}, "x": {"y": 1}});
    let mut third = first.clone();
    third["elicitation"] = json!({"x": 1});
    let cases = [
        (all.clone(), [first.clone(), first, third, all]),
        (json!({"elicitation": {}}), [json!({}), json!({}), json!({"elicitation": {}}), json!({"elicitation": {}})]),
        (json!({"elicitation": {"url": {}}}), [json!({}), json!({}), json!({}), json!({"elicitation": {"url": {}}})]),
        (json!({"sampling": null}), [(); 4].map(|()| json!({"sampling": null}))),
        (json!([1]), [(); 4].map(|()| json!([1]))),
    ];
    for (declared, expected) in cases {
        for (revision, expected) in LEGACY.into_iter().zip(expected) {
            let params = |capabilities: &Value| json!({"protocolVersion": revision.as_str(), "capabilities": capabilities, "clientInfo": read(INFO)});
            let written = raw(&params(&declared).to_string());
            let sent = sent(&request(revision, "initialize", Some(&written)));
            assert_eq!(sent, Ok(Some(params(&expected))), "{revision}");
        }
    }
}

#[test]
fn a_request_of_the_stateful_era_goes_out_as_it_is() {
    let params = raw(r#"{ "name":"a" , "_meta":{"x":1} }"#);
    for revision in LEGACY {
        let request = OutgoingRequest { log_level: Some("info"), ..request(revision, "tools/call", Some(&params)) };
        let encoded = codec(revision).encode_request(&request).unwrap();
        assert!(matches!(encoded, Some(Cow::Borrowed(same)) if std::ptr::eq(same, &params)));
        assert_eq!(sent(&super::requests::request(revision, "ping", None)), Ok(None));
    }
}

#[test]
fn a_progress_token_is_put_into_the_meta_of_the_stateful_era() {
    let token = RequestId::from(7);
    for (params, expected) in [
        (None, json!({"_meta": {"progressToken": 7}})),
        (Some("{}"), json!({"_meta": {"progressToken": 7}})),
        (Some(r#"{"a":1}"#), json!({"a": 1, "_meta": {"progressToken": 7}})),
        (Some(r#"{"_meta":{"progressToken":"own"},"a":1}"#), json!({"a": 1, "_meta": {"progressToken": 7}})),
        (Some(r#"{"a":1,"_meta":{"x":1}}"#), json!({"a": 1, "_meta": {"x": 1, "progressToken": 7}})),
    ] {
        let params = params.map(raw);
        for revision in LEGACY {
            let request =
                OutgoingRequest { progress_token: Some(&token), ..request(revision, "tools/call", params.as_ref()) };
            assert_eq!(sent(&request), Ok(Some(expected.clone())));
        }
    }
}

#[test]
fn params_that_cannot_go_out_are_a_local_error() {
    let envelope = envelope();
    let token = RequestId::from(7);
    let reserved = [meta::PROTOCOL_VERSION, meta::CLIENT_INFO, meta::CLIENT_CAPABILITIES, meta::LOG_LEVEL];
    let mut cases: Vec<_> = reserved.map(|key| (format!(r#"{{"_meta":{{"x":1,"{key}":null}}}}"#), key)).into();
    cases.extend(["[]", "null", "7", "\"a\""].map(|params| (params.to_owned(), "must be an object")));
    for (params, expected) in &cases {
        let params = raw(params);
        for revision in LEGACY.into_iter().chain([MODERN]) {
            let envelope = (revision == MODERN).then_some(&envelope);
            let request = OutgoingRequest { envelope, ..request(revision, "tools/call", Some(&params)) };
            let reason = sent(&request).unwrap_err();
            assert!(reason.contains(expected), "{params:?} at {revision}: {reason}");
            assert!(codec(revision).encode_notification(Some(&params), envelope).is_err());
        }
    }
    let odd = raw(r#"{"_meta":7}"#);
    let modern = OutgoingRequest { envelope: Some(&envelope), ..request(MODERN, "tools/call", Some(&odd)) };
    let asking = OutgoingRequest { progress_token: Some(&token), ..request(LEGACY[3], "tools/call", Some(&odd)) };
    assert!(sent(&modern).is_err() && sent(&asking).is_err(), "something must go into it");
    assert_eq!(sent(&request(LEGACY[3], "tools/call", Some(&odd))), Ok(Some(json!({"_meta": 7}))));
}

#[test]
fn a_notification_of_a_client_claims_the_stateless_era() {
    let params = raw(r#"{"requestId":1,"_meta":{"x":1}}"#);
    let encoded = codec(MODERN).encode_notification(Some(&params), Some(&envelope())).unwrap().unwrap();
    assert_eq!(classify(Some(encoded.borrow_raw())), Claim::Modern(MODERN));
    let mut expected = enveloped();
    expected["x"] = json!(1);
    assert_eq!(read(encoded.as_str()), json!({"requestId": 1, "_meta": expected}));
    for (revision, envelope) in [(MODERN, None), (LEGACY[3], None), (LEGACY[0], Some(envelope()))] {
        let same = codec(revision).encode_notification(Some(&params), envelope.as_ref()).unwrap();
        assert!(matches!(same, Some(Cow::Borrowed(_))));
        assert!(codec(revision).encode_notification(None, None).unwrap().is_none());
    }
}

/// Spells out the borrow of the `Raw` in a `Cow`, which has a `borrow` of its own.
trait BorrowRaw {
    fn borrow_raw(&self) -> crate::rpc::RawRef<'_>;
}

impl BorrowRaw for Cow<'_, Raw> {
    fn borrow_raw(&self) -> crate::rpc::RawRef<'_> {
        Raw::borrow(self)
    }
}

#[test]
fn sampling_asks_for_what_the_revision_has() {
    let text = json!({"type": "text", "text": "a"});
    let audio = json!({"type": "audio", "data": ""});
    let result = json!({"type": "tool_result", "toolUseId": "1", "content": []});
    let of = |content: &Value| json!({"maxTokens": 1, "messages": [{"role": "user", "content": content, "x": 1}]});
    let split = |blocks: &[&Value]| {
        let messages: Vec<_> = blocks.iter().map(|block| json!({"role": "user", "content": block, "x": 1})).collect();
        json!({"maxTokens": 1, "messages": messages})
    };
    let with_tools = json!({"maxTokens": 1, "messages": [], "tools": []});
    let with_choice = json!({"maxTokens": 1, "messages": [], "toolChoice": {}});
    let lists = of(&json!([text, text]));
    let empty = of(&json!([]));
    let mixed = of(&json!([text, audio]));
    let answered = of(&json!([result]));
    // The params; then what goes out at each revision, or nothing where it cannot.
    let table: [(&Value, [Option<Value>; 4]); 8] = [
        (&of(&text), std::array::from_fn(|_| Some(of(&text)))),
        (&of(&audio), [None, Some(of(&audio)), Some(of(&audio)), Some(of(&audio))]),
        (
            &lists,
            [
                Some(split(&[&text, &text])),
                Some(split(&[&text, &text])),
                Some(split(&[&text, &text])),
                Some(lists.clone()),
            ],
        ),
        (&mixed, [None, Some(split(&[&text, &audio])), Some(split(&[&text, &audio])), Some(mixed.clone())]),
        (&empty, [Some(split(&[])), Some(split(&[])), Some(split(&[])), Some(empty.clone())]),
        (&answered, [None, None, None, Some(answered.clone())]),
        (&with_tools, [None, None, None, Some(with_tools.clone())]),
        (&with_choice, [None, None, None, Some(with_choice.clone())]),
    ];
    for (params, expected) in table {
        let params = raw(&params.to_string());
        for (revision, expected) in LEGACY.into_iter().zip(expected) {
            let encoded = sent(&request(revision, "sampling/createMessage", Some(&params))).ok().flatten();
            assert_eq!(encoded, expected, "{params:?} at {revision}");
        }
    }
}

#[test]
fn a_user_is_sent_to_a_url_where_the_revision_has_that() {
    let url = raw(r#"{"mode":"url","url":"https://example.com","elicitationId":"1","message":"m"}"#);
    let form = raw(r#"{"mode":"form","message":"m","requestedSchema":{}}"#);
    let sends = |revision, params| sent(&request(revision, "elicitation/create", Some(params))).is_ok();
    assert!(!sends(Revision::V2025_06_18, &url));
    assert!(sends(Revision::V2025_11_25, &url));
    assert!(sends(Revision::V2025_06_18, &form));
}

#[test]
fn a_key_can_be_set_in_the_meta_of_anything() {
    let one = raw("1");
    for (before, after) in [
        (None, json!({"_meta": {"k": 1}})),
        (Some("{}"), json!({"_meta": {"k": 1}})),
        (Some("{ }"), json!({"_meta": {"k": 1}})),
        (Some(r#"{"a":2}"#), json!({"_meta": {"k": 1}, "a": 2})),
        (Some(r#"{"_meta":{"k":0,"l":3},"a":2}"#), json!({"_meta": {"k": 1, "l": 3}, "a": 2})),
        (Some(r#"{"a":2,"_meta":{}}"#), json!({"_meta": {"k": 1}, "a": 2})),
        (Some(r#"{"_meta":7}"#), json!({"_meta": {"k": 1}})),
    ] {
        let before = before.map(raw);
        let set = meta::set(before.as_ref().map(Raw::borrow), "k", one.borrow());
        assert_eq!(read(set.as_str()), after);
    }
}
