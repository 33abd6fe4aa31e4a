use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{json, lift_request, raw};
use crate::{
    rpc::{Limits, Message, Raw, RawRef, RequestId, Unreadable},
    version::Revision,
    wire::{Claim, Outline, Params, lift, lift_notification, meta},
};

const ENVELOPE: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}"#;

#[test]
fn the_handler_sees_params_without_the_envelope() {
    let cases = [
        (r#"{"_meta":{E}}"#, "{}"),
        (r#"{"name":"a","_meta":{E}}"#, r#"{"name":"a"}"#),
        (r#"{"_meta":{E},"name":"a"}"#, r#"{"name":"a"}"#),
        (r#"{"name":"a","_meta":{E},"arguments":{"b":[1,2]}}"#, r#"{"name":"a","arguments":{"b":[1,2]}}"#),
        (r#"{"_meta":{E,"progressToken":1},"name":"a"}"#, r#"{"_meta":{"progressToken":1},"name":"a"}"#),
        (r#"{"_meta":{"progressToken":1,E}}"#, r#"{"_meta":{"progressToken":1}}"#),
        (r#"{"_meta":{"x":1,E,"y":2}}"#, r#"{"_meta":{"x":1,"y":2}}"#),
        (r#"{"a":1,"_meta":{"x":1,E,"y":2},"b":2}"#, r#"{"a":1,"_meta":{"x":1,"y":2},"b":2}"#),
        (r#"{"_meta":{E,"io.modelcontextprotocol/logLevel":"info"}}"#, "{}"),
        (
            r#"{"_meta":{E,"traceparent":"00-1","vendor/key":{}}}"#,
            r#"{"_meta":{"traceparent":"00-1","vendor/key":{}}}"#,
        ),
        (r#"{"inputResponses":{"k":1},"name":"a","_meta":{E},"requestState":"s"}"#, r#"{"name":"a"}"#),
        (r#"{"_meta":{E},"requestState":"s","inputResponses":{}}"#, "{}"),
        (r#"{"requestState":"s","_meta":{E,"x":1},"inputResponses":{}}"#, r#"{"_meta":{"x":1}}"#),
    ];
    for (before, after) in cases {
        let before = raw(&before.replace('E', ENVELOPE));
        let lift = lift_request(Some(before.borrow()), true);
        assert_eq!(lift.params.unwrap().borrow().as_str(), after, "{before:?}");
        assert!(lift.lifted.unwrap().envelope.is_some());
    }
}

#[test]
fn blanks_and_escapes_do_not_disturb_the_cut() {
    let before = raw(&format!(
        "{{ \"_meta\" : {{ {} , \"x\" : 1 }} ,\n \"n\\u0061me\" : \"a\" }}",
        ENVELOPE.replace(',', " , ")
    ));
    let lift = lift_request(Some(before.borrow()), true);
    assert_eq!(json(lift.params.unwrap().borrow().as_str()), json(r#"{"_meta":{"x":1},"name":"a"}"#));
    let before = raw(&format!("{{ \"_meta\" : {{ {ENVELOPE} }} }}"));
    assert_eq!(json(lift_request(Some(before.borrow()), true).params.unwrap().borrow().as_str()), json("{}"));
}

#[test]
fn what_was_lifted_can_be_read() {
    let before = raw(&format!(
        r#"{{"_meta":{{{ENVELOPE},"io.modelcontextprotocol/logLevel":"info","x":1}},"requestState":"s","inputResponses":{{"k":1}}}}"#
    ));
    let lifted = lift_request(Some(before.borrow()), true).lifted.unwrap();
    let envelope = lifted.envelope.unwrap();
    assert_eq!(envelope.protocol_version().unwrap().as_str(), r#""2026-07-28""#);
    assert_eq!(envelope.client_info().unwrap().as_str(), r#"{"name":"c","version":"1"}"#);
    assert_eq!(envelope.client_capabilities().unwrap().as_str(), "{}");
    assert_eq!(envelope.log_level().unwrap(), "info");
    assert_eq!(envelope.meta().member("x").unwrap().as_str(), "1");
    assert_eq!(lifted.request_state.unwrap().as_str(), r#""s""#);
    assert_eq!(lifted.input_responses.unwrap().as_str(), r#"{"k":1}"#);
}

#[test]
fn a_message_without_wire_only_material_is_passed_on_as_it_came() {
    let cases = [
        "{}",
        "[1]",
        "null",
        "7",
        r#"{"name":"a","arguments":{}}"#,
        r#"{"_meta":{}}"#,
        r#"{"_meta":{"progressToken":1,"x":2}}"#,
        r#"{"_meta":7,"a":1}"#,
        r#"{"_meta":null}"#,
        r#"{"_meta":["io.modelcontextprotocol/protocolVersion"]}"#,
        r#"{"inputResponses":{},"requestState":"s"}"#,
        r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}"#,
    ];
    for before in cases {
        let before = raw(before);
        let lift = lift_request(Some(before.borrow()), true);
        assert!(matches!(lift.params, Some(Params::Untouched(same)) if std::ptr::eq(same.as_str(), before.as_str())));
        assert!(lift.lifted.is_none());
        assert_eq!(lift.claim, Claim::None);
    }
    assert!(lift_request(None, true).params.is_none());
}

#[test]
fn answers_to_input_requests_stay_where_the_method_needs_no_input() {
    let before = raw(&format!(r#"{{"taskId":"t","inputResponses":{{}},"requestState":"s","_meta":{{{ENVELOPE}}}}}"#));
    for lift in
        [lift_request(Some(before.borrow()), false), lift_notification(Some(before.borrow()), &Outline::default())]
    {
        assert_eq!(lift.params.unwrap().borrow().as_str(), r#"{"taskId":"t","inputResponses":{},"requestState":"s"}"#);
        let lifted = lift.lifted.unwrap();
        assert!(lifted.input_responses.is_none() && lifted.request_state.is_none());
    }
}

#[test]
fn envelope_keys_are_lifted_in_the_stateful_era_too() {
    let before = raw(r#"{"_meta":{"io.modelcontextprotocol/clientInfo":1},"requestState":"s"}"#);
    let lift = lift_request(Some(before.borrow()), true);
    assert_eq!(lift.params.unwrap().borrow().as_str(), r#"{"requestState":"s"}"#);
    assert_eq!(lift.claim, Claim::None);
    assert!(lift.lifted.unwrap().request_state.is_none());
}

#[test]
fn a_progress_token_is_a_string_or_an_integer() {
    let cases = [
        ("1", Some(RequestId::from(1))),
        ("0", Some(RequestId::from(0))),
        ("-9223372036854775808", Some(RequestId::from(i64::MIN))),
        (r#""1""#, Some(RequestId::from("1"))),
        (r#""a\n""#, Some(RequestId::from("a\n"))),
        (r#""""#, Some(RequestId::from(""))),
        ("9223372036854775808", None),
        ("1.5", None),
        ("3.0", None),
        ("1e3", None),
        ("null", None),
        ("true", None),
        ("{}", None),
        ("[1]", None),
    ];
    for (token, expected) in cases {
        for envelope in ["", ENVELOPE] {
            let comma = if envelope.is_empty() { "" } else { "," };
            let before = raw(&format!(r#"{{"_meta":{{"progressToken":{token}{comma}{envelope}}}}}"#));
            assert_eq!(lift_request(Some(before.borrow()), true).progress_token, expected, "{token}");
        }
    }
}

#[test]
fn the_first_of_two_members_of_one_name_counts_and_the_second_stays() {
    let key = meta::PROTOCOL_VERSION;
    let before = raw(&format!(r#"{{"_meta":{{"{key}":1,"{key}":"2026-07-28"}}}}"#));
    let lift = lift_request(Some(before.borrow()), true);
    assert_eq!(lift.claim, Claim::NotAString);
    assert_eq!(lift.params.unwrap().into_raw().as_str(), format!(r#"{{"_meta":{{"{key}":"2026-07-28"}}}}"#));
}

#[test]
fn names_with_escapes_are_the_same_names() {
    for (text, is_drawn) in [
        (r#"{"jsonrpc":"2.0","method":"m","par\u0061ms":{"_meta":{E},"name":"a"}}"#, false),
        (r#"{"jsonrpc":"2.0","method":"m","params":{"_met\u0061":{E},"n\u0061me":"a"}}"#, true),
        (
            r#"{"params":{"name":"a","_meta":{E,"io.modelcontextprotocol\/logLevel":"info"}},"jsonrpc":"2.0","method":"m"}"#,
            true,
        ),
    ] {
        let text = text.replace('E', ENVELOPE);
        let (message, outline) = survey(&text, &Limits::default());
        let Ok(Message::Notification { params, .. }) = message else { panic!("{text}") };
        assert_eq!(outline != Outline::default(), is_drawn, "{text}");
        let lift = lift(params, &outline, true, Some("name"));
        assert_eq!(lift.claim, Claim::Modern(Revision::V2026_07_28), "{text}");
        assert_eq!(lift.subject.map(RawRef::as_str), Some(r#""a""#), "{text}");
        assert_eq!(json(lift.params.unwrap().borrow().as_str()), json(r#"{"name":"a"}"#), "{text}");
    }
}

#[test]
fn params_without_members_and_other_params_have_nothing_to_lift() {
    for params in ["{}", "{ }", r#"{"_meta":{}}"#, r#"{"_meta":{ },"a":1}"#, "[]", "null", "1", r#""_meta""#] {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{params}}}"#);
        let (message, outline) = survey(&text, &Limits::default());
        let Ok(Message::Notification { params: Some(read), .. }) = message else { panic!("{text}") };
        assert_eq!(outline, Outline::of(read), "{params}");
        let lift = lift(Some(read), &outline, true, Some("name"));
        assert!(lift.lifted.is_none() && lift.subject.is_none(), "{params}");
        assert_eq!(lift.params.unwrap().borrow().as_str(), params);
    }
}

/// Reads a message and draws the outline of its params.
fn survey<'a>(text: &'a str, limits: &Limits) -> (Result<Message<'a>, Unreadable>, Outline) {
    let mut outline = Outline::default();
    (Message::survey(text.as_bytes(), limits, &mut outline), outline)
}

/// Any JSON value without floating-point numbers, whose text need not come back the same.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,6}",
        prop::sample::select(vec![
            "_meta",
            "inputResponses",
            "requestState",
            "progressToken",
            "name",
            "uri",
            "taskId",
            meta::PROTOCOL_VERSION,
            meta::CLIENT_INFO,
            meta::CLIENT_CAPABILITIES,
            meta::LOG_LEVEL,
        ])
        .prop_map(str::to_owned),
    ]
}

fn params() -> impl Strategy<Value = Value> {
    let object = || prop::collection::vec((name(), value()), 0..6);
    (object(), prop::option::of(object()), 0..6_usize).prop_map(|(mut members, own, at)| {
        if let Some(own) = own {
            let own = Value::Object(own.into_iter().collect());
            members.insert(at.min(members.len()), ("_meta".to_owned(), own));
        }
        Value::Object(members.into_iter().collect())
    })
}

proptest! {
    #[test]
    fn an_outline_is_the_same_whether_drawn_on_the_way_or_afterwards(params in params(), pretty in any::<bool>()) {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params});
        let text = if pretty { serde_json::to_string_pretty(&message) } else { serde_json::to_string(&message) }.unwrap();
        let (message, outline) = survey(&text, &Limits::default());
        let Ok(Message::Request { params: Some(params), .. }) = message else { panic!("{text}") };
        prop_assert_eq!(&outline, &Outline::of(params));
        for member in ["name", "uri", "taskId"] {
            prop_assert_eq!(lift(Some(params), &outline, true, Some(member)).subject, params.member(member));
        }
        let meta = params.member("_meta").filter(|meta| meta.is_object());
        let token = meta.and_then(|meta| meta.member("progressToken")).and_then(|token| token.decode().ok());
        prop_assert_eq!(lift(Some(params), &outline, true, None).progress_token, token);
    }

    #[test]
    fn a_damaged_message_is_refused_in_the_same_words_whether_or_not_an_outline_is_drawn(
        params in params(),
        at in any::<prop::sample::Index>(),
        byte in 0_u8..128,
        max_depth in 1..7_usize,
    ) {
        let mut text = json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params}).to_string().into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        if let Ok(text) = String::from_utf8(text) {
            let limits = Limits { max_depth, ..Limits::default() };
            prop_assert_eq!(survey(&text, &limits).0, Message::parse(text.as_bytes(), &limits), "{}", text);
        }
    }

    #[test]
    fn what_was_lifted_put_back_gives_the_params_again(before in params(), pretty in any::<bool>(), input in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&before) } else { serde_json::to_string(&before) }.unwrap();
        let before_raw = Raw::parse(text).unwrap();
        let lift = lift_request(Some(before_raw.borrow()), input);
        let mut after = super::json(lift.params.unwrap().borrow().as_str());
        let object = after.as_object_mut().unwrap();
        if let Some(lifted) = lift.lifted {
            if let Some(state) = lifted.request_state {
                prop_assert!(object.insert("requestState".into(), super::json(state.as_str())).is_none());
            }
            if let Some(responses) = lifted.input_responses {
                prop_assert!(object.insert("inputResponses".into(), super::json(responses.as_str())).is_none());
            }
            let envelope = lifted.envelope.unwrap();
            let own = object.entry("_meta").or_insert_with(|| json!({})).as_object_mut().unwrap();
            put_back(own, meta::PROTOCOL_VERSION, envelope.protocol_version());
            put_back(own, meta::CLIENT_INFO, envelope.client_info());
            put_back(own, meta::CLIENT_CAPABILITIES, envelope.client_capabilities());
            let level = envelope.meta().member(meta::LOG_LEVEL);
            put_back(own, meta::LOG_LEVEL, level);
        }
        prop_assert_eq!(after, before);
    }
}

fn put_back(own: &mut Map<String, Value>, key: &str, value: Option<RawRef<'_>>) {
    if let Some(value) = value {
        assert!(own.insert(key.to_owned(), json(value.as_str())).is_none(), "{key} was lifted");
    }
}
