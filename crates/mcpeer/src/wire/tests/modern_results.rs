use serde_json::{Value, json};

use super::{INFO, complete, encode_outcome, json as read, plain, raw};
use crate::{
    rpc::Raw,
    version::Revision,
    wire::{
        CacheHint, CacheScope, ClientEnvelope, Encoding, ExtensionRows, Kind, Lookup, Outcome, Refusal, Registry, Row,
        Stamp, codec, registry::ROWS,
    },
};

const MODERN: Revision = Revision::V2026_07_28;

fn encode(method: &str, result: &str) -> Result<Value, Refusal> {
    super::encode(MODERN, method, result)
}

fn info() -> Value {
    json!({"io.modelcontextprotocol/serverInfo": read(INFO)})
}

#[test]
fn a_plain_result_is_spliced_behind_the_stamp() {
    let head = format!(r#"{{"resultType":"complete","_meta":{{"io.modelcontextprotocol/serverInfo":{INFO}}}"#);
    let cases = [
        ("tools/call", r#"{"content":[]}"#, r#","content":[]}"#),
        ("tools/call", "{}", "}"),
        ("tools/call", "{ }", "}"),
        ("acme/do", r#"{ "a":1 }"#, r#","a":1 }"#),
        ("tools/list", r#"{"tools":[]}"#, r#","ttlMs":0,"cacheScope":"private","tools":[]}"#),
        ("resources/read", "{}", r#","ttlMs":0,"cacheScope":"private"}"#),
    ];
    for (method, result, rest) in cases {
        let result = raw(result);
        assert_eq!(encode_outcome(MODERN, method, plain(&result)).unwrap(), format!("{head}{rest}"));
    }
}

#[test]
fn the_room_for_a_plain_result_is_what_it_takes() {
    let result = raw(r#"{"content":[{"type":"text","text":"a"}]}"#);
    for revision in [Revision::V2025_11_25, MODERN] {
        let stamp = Stamp::new(&raw(INFO));
        let encoding = Encoding { revision, row: None, stamp: &stamp, cache: CacheHint::default() };
        let mut text = Vec::new();
        codec(revision).encode_result(&encoding, plain(&result), &mut text).unwrap();
        assert_eq!(codec(revision).room(&encoding, &plain(&result)), text.len(), "{revision}");
        assert!(codec(revision).room(&encoding, &complete(&result)) > text.len(), "{revision}");
    }
}

#[test]
fn looking_into_a_plain_result_gives_the_same() {
    let results = [r#"{"content":[{"type":"text","text":"a"}],"isError":false}"#, r#"{"content":[]}"#];
    for row in ROWS.iter().filter(|row| row.kind == Kind::Request && row.admits(MODERN)) {
        for result in results {
            let result = raw(result);
            let spliced = encode_outcome(MODERN, row.method, plain(&result)).unwrap();
            let looked_into = encode_outcome(MODERN, row.method, complete(&result)).unwrap();
            assert_eq!(read(&spliced), read(&looked_into), "{}", row.method);
        }
    }
}

#[test]
fn every_result_says_its_type_and_its_server() {
    for row in ROWS.iter().filter(|row| row.kind == Kind::Request && row.admits(MODERN)) {
        let encoded = encode(row.method, "{}").unwrap();
        assert_eq!(encoded["resultType"], "complete", "{}", row.method);
        assert_eq!(encoded["_meta"], info(), "{}", row.method);
    }
    assert_eq!(encode("acme/do", "{}").unwrap(), json!({"resultType": "complete", "_meta": info()}));
}

#[test]
fn the_meta_of_the_handler_is_kept_and_wins() {
    let cases = [
        (r#"{"x":1}"#, json!({"x": 1, "io.modelcontextprotocol/serverInfo": read(INFO)})),
        ("{}", info()),
        (
            r#"{"io.modelcontextprotocol/serverInfo":{"name":"own"}}"#,
            json!({"io.modelcontextprotocol/serverInfo": {"name": "own"}}),
        ),
        (
            r#"{"io.modelcontextprotocol/subscriptionId":7}"#,
            json!({"io.modelcontextprotocol/subscriptionId": 7, "io.modelcontextprotocol/serverInfo": read(INFO)}),
        ),
        ("7", json!(7)),
        ("null", Value::Null),
    ];
    for (own, expected) in cases {
        let encoded = encode("prompts/get", &format!(r#"{{"_meta":{own},"messages":[]}}"#)).unwrap();
        assert_eq!(encoded["_meta"], expected, "{own}");
    }
}

#[test]
fn cacheable_results_carry_a_valid_hint_field_by_field() {
    let cases = [
        ("", 0, "private"),
        (r#","ttlMs":5"#, 5, "private"),
        (r#","cacheScope":"public""#, 0, "public"),
        (r#","ttlMs":9007199254740991,"cacheScope":"public""#, 9_007_199_254_740_991_u64, "public"),
        (r#","ttlMs":-1,"cacheScope":"PUBLIC""#, 0, "private"),
        (r#","ttlMs":1.5,"cacheScope":null"#, 0, "private"),
        (r#","ttlMs":"5","cacheScope":7"#, 0, "private"),
        (r#","ttlMs":9007199254740992"#, 0, "private"),
    ];
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "server/discover",
    ] {
        for (hint, ttl, scope) in cases {
            let encoded = encode(method, &format!(r#"{{"a":1{hint}}}"#)).unwrap();
            let expected =
                json!({"a": 1, "resultType": "complete", "_meta": info(), "ttlMs": ttl, "cacheScope": scope});
            assert_eq!(encoded, expected, "{method} {hint}");
        }
    }
}

#[test]
fn what_the_result_does_not_say_about_caching_the_server_says() {
    let registry = Registry::default();
    let Lookup::Here(row) = registry.find("tools/list", Kind::Request, MODERN, true) else { panic!() };
    let stamp = Stamp::new(&raw(INFO));
    let cache = CacheHint { ttl_ms: 60_000, scope: CacheScope::Public };
    let encoding = Encoding { revision: MODERN, row: Some(row), stamp: &stamp, cache };
    let result = raw(r#"{"tools":[],"ttlMs":7}"#);
    for (outcome, ttl) in [(complete(&result), 7), (plain(&raw(r#"{"tools":[]}"#)), 60_000)] {
        let mut out = Vec::new();
        codec(MODERN).encode_result(&encoding, outcome, &mut out).unwrap();
        let encoded = read(std::str::from_utf8(&out).unwrap());
        assert_eq!((&encoded["ttlMs"], &encoded["cacheScope"]), (&json!(ttl), &json!("public")));
    }
}

#[test]
fn other_results_get_no_hint_and_keep_members_of_these_names() {
    for method in ["tools/call", "prompts/get", "completion/complete", "subscriptions/listen", "acme/do"] {
        let encoded = encode(method, "{}").unwrap();
        assert!(encoded.get("ttlMs").is_none() && encoded.get("cacheScope").is_none(), "{method}");
        assert_eq!(encode(method, r#"{"ttlMs":null}"#).unwrap()["ttlMs"], Value::Null, "{method}");
    }
}

#[test]
fn a_tools_result_always_has_content() {
    assert_eq!(encode("tools/call", r#"{"structuredContent":null}"#).unwrap()["content"], json!([]));
    assert_eq!(encode("tools/call", r#"{"structuredContent":[1]}"#).unwrap()["structuredContent"], json!([1]));
}

#[test]
fn what_only_the_stateful_era_has_is_left_out() {
    let encoded = encode("tools/list", r#"{"tools":[{"name":"a","execution":{"taskSupport":"required"},"x":1},7]}"#);
    assert_eq!(encoded.unwrap()["tools"], json!([{"name": "a", "x": 1}, 7]));
    let encoded = encode("server/discover", r#"{"capabilities":{"tasks":{},"tools":{}}}"#);
    assert_eq!(encoded.unwrap()["capabilities"], json!({"tools": {}}));
    let encoded = encode("tools/call", r#"{"content":[],"execution":1,"tasks":2}"#).unwrap();
    assert_eq!((&encoded["execution"], &encoded["tasks"]), (&json!(1), &json!(2)));
}

#[test]
fn numbers_and_strings_come_out_as_they_went_in() {
    let inner = r#"{"big":123456789012345678901234567890,"float":1.10,"text":"\u00e9\/"}"#;
    let result = raw(&format!(r#"{{"_meta":{{}},"content":[],"structuredContent":{inner}}}"#));
    assert!(encode_outcome(MODERN, "tools/call", complete(&result)).unwrap().contains(inner));
}

fn ask(method: &str, result: &str) -> Result<Value, Refusal> {
    let result = raw(result);
    encode_outcome(MODERN, method, Outcome::InputRequired(result.borrow())).map(|text| read(&text))
}

#[test]
fn only_three_methods_may_ask_for_input() {
    let asks = r#"{"inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"s"}"#;
    for row in ROWS.iter().filter(|row| row.kind == Kind::Request && row.admits(MODERN)) {
        assert_eq!(ask(row.method, asks).is_ok(), row.may_need_input, "{}", row.method);
    }
    assert!(ask("acme/do", asks).is_err());
    let encoded = ask("resources/read", asks).unwrap();
    assert_eq!(encoded["resultType"], "input_required");
    assert_eq!(encoded["_meta"], info());
    let hint = asks.replacen('{', r#"{"ttlMs":5,"cacheScope":"public","#, 1);
    let encoded_hint = ask("resources/read", &hint).unwrap();
    assert_eq!(encoded_hint, encoded, "it cannot be cached");
    assert_eq!(encoded["requestState"], "s");
}

#[test]
fn a_result_that_asks_for_input_asks_for_something_that_a_client_answers() {
    let cases = [
        (r#"{"requestState":"s"}"#, true),
        (r#"{"inputRequests":{"k":{"method":"roots/list"}}}"#, true),
        (r#"{"inputRequests":{},"requestState":"s"}"#, true),
        ("{}", false),
        (r#"{"inputRequests":{}}"#, false),
        (r#"{"inputRequests":[]}"#, false),
        (r#"{"requestState":7}"#, false),
        (r#"{"inputRequests":{"k":{"method":"tools/call"}}}"#, false),
        (r#"{"inputRequests":{"k":{}}}"#, false),
        (r#"{"inputRequests":{"k":7}}"#, false),
    ];
    for (result, is_good) in cases {
        assert_eq!(ask("tools/call", result).is_ok(), is_good, "{result}");
    }
}

#[test]
fn a_result_that_contradicts_its_type_is_refused() {
    assert!(encode("tools/call", r#"{"resultType":"complete","content":[]}"#).is_ok());
    for result in [r#"{"content":[],"resultType":"input_required"}"#, r#"{"resultType":7}"#, "[]", "null", "7"] {
        assert!(encode("tools/call", result).is_err(), "{result}");
    }
    assert!(encode_outcome(MODERN, "tools/call", plain(&raw("null"))).is_err());
}

#[test]
fn results_of_extensions_carry_their_type() {
    let result = raw(r#"{"taskId":"t","ttlMs":null,"status":"working"}"#);
    let outcome = Outcome::Extension { result_type: "task", raw: result.borrow() };
    let rows = [Row::request("acme/task", crate::wire::Direction::ToServer, MODERN, None)];
    let extension =
        ExtensionRows { identifier: "acme/x".into(), rows: rows.to_vec().into(), result_types: (&[]).into() };
    let registry = Registry::new(&[extension]);
    let Lookup::Here(row) = registry.find("acme/task", Kind::Request, MODERN, true) else { panic!() };
    let stamp = Stamp::new(&raw(INFO));
    let encoding = Encoding { revision: MODERN, row: Some(row), stamp: &stamp, cache: CacheHint::default() };
    let mut out = Vec::new();
    codec(MODERN).encode_result(&encoding, outcome, &mut out).unwrap();
    let encoded = read(std::str::from_utf8(&out).unwrap());
    assert_eq!(
        encoded,
        json!({"resultType": "task", "taskId": "t", "ttlMs": null, "status": "working", "_meta": info()})
    );
}

#[test]
fn a_client_declares_no_tasks_of_the_stateful_era() {
    let envelope = ClientEnvelope::new(MODERN, &raw(INFO), &raw(r#"{"tasks":{"list":{}},"roots":{}}"#));
    let members: Value = read(&format!("{{{}}}", envelope.members()));
    assert_eq!(
        members,
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": read(INFO),
            "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
        })
    );
    let _: Raw = raw(&format!("{{{}}}", envelope.members()));
}

#[test]
fn a_stamp_of_the_handlers_own_is_the_only_one() {
    let result = raw(r#"{"_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{"name":"own"}}}"#);
    let text = encode_outcome(MODERN, "acme/do", complete(&result)).unwrap();
    assert_eq!(text.matches("io.modelcontextprotocol/serverInfo").count(), 1, "{text}");
}
