//! What peers write that no type knows, and what they write wrongly.

use std::fmt::Debug;

use mcpeer::model::{
    Content, EmptyParams, Items, RawJson, RawMap, Token,
    capabilities::{ClientCapabilities, ServerCapabilities},
    completion::Reference,
    content::Role,
    initialize::InitializeResult,
    input::InputRequired,
    legacy, logging, prompts, resources, sampling, tasks,
    tools::{CallParams, CallResult, ListParams, ListResult, Tool},
};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::schema::built;

fn decode<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Checks that a text is the same after it went through a type.
fn survives<T: DeserializeOwned + Serialize + Debug>(text: &str) -> T {
    let decoded = decode(text);
    assert_eq!(serde_json::to_string(&decoded).unwrap(), text, "{decoded:?}");
    decoded
}

#[test]
fn structured_content_keeps_every_digit() {
    let result: CallResult = survives(
        r#"{"content":[],"structuredContent":{"y":18446744073709551615,"x":123456789012345678901234567890,"z":1e400}}"#,
    );
    let text = result.structured_content.unwrap();
    assert_eq!(text.as_str(), r#"{"y":18446744073709551615,"x":123456789012345678901234567890,"z":1e400}"#);
}

#[test]
fn arguments_schemas_and_unknown_members_keep_every_digit() {
    let params: CallParams = survives(r#"{"name":"a","arguments":{"x":0.10000000000000000000001},"new":1e400}"#);
    assert_eq!(params.arguments.unwrap().as_str(), r#"{"x":0.10000000000000000000001}"#);
    survives::<Tool>(r#"{"name":"a","inputSchema":{"type":"object","maxProperties":1e1,"x-mine":[1.0]}}"#);
}

#[test]
fn null_is_structured_content_and_absence_is_none() {
    let null: CallResult = survives(r#"{"content":[],"structuredContent":null}"#);
    assert!(null.structured_content.unwrap().is_null());
    assert!(decode::<CallResult>(r#"{"content":[]}"#).structured_content.is_none());
}

#[test]
fn a_result_may_lack_its_content() {
    for text in [r#"{"structuredContent":{"a":1}}"#, r#"{"content":null}"#, r#"{"content":[]}"#, "{}"] {
        let result: CallResult = decode(text);
        assert!(result.content.is_empty());
        assert!(serde_json::to_string(&result).unwrap().starts_with(r#"{"content":[]"#));
    }
    assert!(serde_json::from_str::<CallResult>(r#"{"content":"text"}"#).is_err());
}

#[test]
fn one_bad_tool_does_not_hide_the_others() {
    for bad in [
        r#"{"name":"bad"}"#,
        r#"{"name":"bad","inputSchema":true}"#,
        r#"{"name":"bad","inputSchema":null}"#,
        r#"{"inputSchema":{"type":"object"}}"#,
        "null",
        "7",
    ] {
        let good = r#"{"name":"good","inputSchema":{"type":"object"}}"#;
        for text in [format!(r#"{{"tools":[{bad},{good}]}}"#), format!(r#"{{"tools":[{good},{bad},{good}]}}"#)] {
            let list: ListResult = survives(&text);
            assert!(list.tools.iter().all(|tool| tool.name == "good"));
            assert_eq!(list.tools.skipped().len(), 1);
            assert_eq!(list.tools.skipped()[0].raw.as_str(), bad);
            assert!(!list.tools.skipped()[0].reason.is_empty());
        }
    }
}

#[test]
fn skipped_items_are_written_even_where_the_good_ones_were_taken_out() {
    let mut items: Items<u8> = decode(r#"["a",1,"b",2,"c"]"#);
    let skipped: Vec<_> = items.skipped().iter().map(|skipped| skipped.position).collect();
    assert_eq!(skipped, [0, 2, 4]);
    items.extend([3]);
    assert_eq!(serde_json::to_string(&items).unwrap(), r#"["a",1,"b",2,"c",3]"#);
}

#[test]
fn an_optional_member_of_the_wrong_type_counts_as_absent_and_stays() {
    let tool: Tool = survives(
        r#"{"name":"a","inputSchema":{"type":"object"},"title":5,"annotations":{"title":"A","readOnlyHint":"yes"},"icons":[{"src":"https://example.com/a.png","sizes":"48x48"}]}"#,
    );
    assert_eq!(tool.title, None);
    assert_eq!(tool.extra.get("title").unwrap().as_str(), "5");
    let annotations = tool.annotations.unwrap();
    assert_eq!((annotations.read_only_hint, annotations.title.as_deref()), (None, Some("A")));
    assert_eq!(tool.icons.unwrap()[0].sizes, None);
    let tool: Tool = survives(r#"{"name":"a","inputSchema":{},"outputSchema":true}"#);
    assert_eq!(tool.output_schema.unwrap().as_str(), "true");
}

#[test]
fn a_member_that_is_set_replaces_what_did_not_fit() {
    let tool: Tool = decode(r#"{"name":"a","inputSchema":{},"title":5}"#);
    let tool = tool.title("A");
    assert_eq!(serde_json::to_string(&tool).unwrap(), r#"{"name":"a","inputSchema":{},"title":"A"}"#);
}

#[test]
fn an_initialize_result_is_strict_in_what_it_needs_and_lenient_in_the_rest() {
    let base = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":"yes"},"resources":null}"#;
    let result: InitializeResult = decode(&format!(
        r#"{base},"serverInfo":{{"name":"a","version":"1","icons":[{{"src":"x","sizes":"48x48"}}]}}}}"#
    ));
    let tools = result.capabilities.tools.unwrap();
    assert_eq!(tools.list_changed, None);
    assert_eq!(tools.extra.get("listChanged").unwrap().as_str(), r#""yes""#);
    assert!(result.capabilities.resources.is_none());
    let error = serde_json::from_str::<InitializeResult>(&format!("{base}}}")).unwrap_err();
    assert!(error.to_string().contains("serverInfo"), "{error}");
}

#[test]
fn unknown_content_is_kept_beside_what_is_known() {
    let content = r#"[{"type":"text","text":"a"},{"type":"video","data":"AA"},{"data":1,"type":"text"},7]"#;
    let result: CallResult = survives(&format!(r#"{{"content":{content}}}"#));
    assert_eq!(result.content[0].as_text(), Some("a"));
    assert!(result.content[1..].iter().all(|content| matches!(content, Content::Unknown(_))));
    survives::<sampling::Message>(r#"{"role":"user","content":[{"type":"video","data":"AA"}]}"#);
    survives::<resources::ReadResult>(r#"{"contents":[{"uri":"a","text":"b"},{"uri":"a"},{"uri":"b","blob":"AA=="}]}"#);
}

#[test]
fn a_type_may_stand_anywhere_in_its_object() {
    let content: Content = decode(r#"{"text":"a","_meta":{"type":"b"},"type":"text"}"#);
    assert_eq!(content.as_text(), Some("a"));
}

#[test]
fn unknown_words_survive() {
    assert_eq!(survives::<Role>(r#""system""#), Role::Other("system".into()));
    survives::<logging::MessageParams>(r#"{"level":"loud","data":null}"#);
    let task = r#"{"taskId":"1","status":"paused","createdAt":"a","lastUpdatedAt":"b","ttl":null}"#;
    survives::<tasks::Task>(task);
    survives::<CallResult>(r#"{"content":[],"resultType":"task"}"#);
    survives::<ListResult>(r#"{"tools":[],"cacheScope":"team"}"#);
    let text = r#"{"role":"tool","content":{"type":"text","text":"a"},"model":"m","stopReason":"refusal"}"#;
    survives::<sampling::CreateResult>(text);
    survives::<Reference>(r#"{"type":"ref/tool","name":"a"}"#);
}

#[test]
fn capabilities_are_open() {
    survives::<ServerCapabilities>(r#"{"tools":{"listChanged":true,"fast":1},"streams":{"deep":[1]}}"#);
    survives::<ClientCapabilities>(r#"{"roots":{"listChanged":true},"extensions":{"a/b":{"c":null}},"x":[]}"#);
}

#[test]
fn a_prompt_message_of_another_shape_does_not_lose_the_result() {
    let text = r#"{"messages":[{"role":"system","content":[{"type":"text","text":"a"}]},{"role":"user","content":{"type":"text","text":"b"}}]}"#;
    let result: prompts::GetResult = survives(text);
    assert!(matches!(result.messages[0].content, Content::Unknown(_)));
    assert_eq!(result.messages[1].content.as_text(), Some("b"));
}

#[test]
fn an_empty_cursor_is_a_cursor_and_null_is_none() {
    let list: ListResult = survives(r#"{"tools":[],"nextCursor":""}"#);
    assert_eq!(list.next_cursor.as_deref(), Some(""));
    assert_eq!(decode::<ListResult>(r#"{"tools":[],"nextCursor":null}"#).next_cursor, None);
    assert_eq!(survives::<ListParams>(r#"{"cursor":""}"#).cursor.as_deref(), Some(""));
}

#[test]
fn what_a_request_asks_for_is_not_guessed() {
    assert!(serde_json::from_str::<CallParams>(r#"{"name":"a","arguments":[]}"#).is_err());
    assert!(serde_json::from_str::<CallParams>(r#"{"arguments":{}}"#).unwrap_err().to_string().contains("name"));
    assert!(serde_json::from_str::<ListParams>(r#"{"cursor":5}"#).is_err());
    assert!(serde_json::from_str::<ListParams>("[1]").is_err());
    assert!(serde_json::from_str::<prompts::GetParams>(r#"{"name":"a","arguments":{"b":1}}"#).is_err());
    assert!(serde_json::from_str::<InputRequired>(r#"{"resultType":"complete"}"#).is_err());
}

#[test]
fn a_member_that_decides_what_is_done_stands_there_once() {
    for text in [
        r#"{"name":"a","name":"b"}"#,
        r#"{"name":"a","arguments":{},"arguments":{"b":1}}"#,
        r#"{"name":"a","n\u0061me":"b"}"#,
    ] {
        let error = serde_json::from_str::<CallParams>(text).unwrap_err();
        assert!(error.to_string().contains("duplicate"), "{error}");
    }
    assert!(serde_json::from_str::<CallResult>(r#"{"structuredContent":1,"structuredContent":2}"#).is_err());
    let tool: Tool = decode(r#"{"name":"a","inputSchema":{},"title":"A","title":"B"}"#);
    assert_eq!(tool.title.as_deref(), Some("A"));
}

#[test]
fn tokens_keep_their_type() {
    for text in ["0", "-7", "9223372036854775807", r#""1""#, r#""""#] {
        survives::<Token>(text);
    }
    for text in ["1.5", "3.0", "9223372036854775808", "true", "null", "{}"] {
        assert!(serde_json::from_str::<Token>(text).is_err(), "{text}");
    }
}

#[test]
fn a_message_stays_on_one_line() {
    let tool = Tool::new("a", mcpeer::model::RawObject::parse("{\r\n  \"type\": \"object\"\n}").unwrap());
    assert!(!serde_json::to_string(&tool).unwrap().contains(['\n', '\r']));
    let result: CallResult = decode("{\"content\":[],\"structuredContent\":{\n\"a\":1\n},\"new\":[\n]}");
    assert!(!serde_json::to_string(&result).unwrap().contains('\n'));
}

#[test]
fn only_text_and_images_are_plain() {
    assert!(CallResult::text("a").with(Content::image("AA==", "image/png")).is_plain());
    assert!(CallResult::error("a").is_plain());
    for text in [
        r#"{"content":[],"_meta":{}}"#,
        r#"{"content":[],"new":1}"#,
        r#"{"content":[],"resultType":"complete"}"#,
        r#"{"content":[],"structuredContent":null}"#,
        r#"{"content":[{"type":"text","text":"a","new":1}]}"#,
        r#"{"content":[{"type":"text","text":"a","annotations":{}}]}"#,
        r#"{"content":[{"type":"audio","data":"","mimeType":""}]}"#,
        r#"{"content":[7]}"#,
    ] {
        assert!(!decode::<CallResult>(text).is_plain(), "{text}");
    }
}

#[test]
fn levels_are_ordered_by_how_grave_they_are() {
    let severities: Vec<_> = logging::Level::ALL.iter().map(|level| level.severity().unwrap()).collect();
    assert_eq!(severities, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn the_same_value_comes_from_a_text_and_from_a_tree() {
    for (name, value) in built() {
        let from_text: RawMap = match serde_json::from_str(&value.to_string()) {
            Ok(map) => map,
            Err(_) => continue,
        };
        assert_eq!(serde_json::from_value::<RawMap>(value.clone()).unwrap(), from_text, "{name}");
    }
    let value = json!({"name": "a", "arguments": {"b": [1, 2]}, "new": null});
    assert_eq!(serde_json::from_value::<CallParams>(value.clone()).unwrap(), decode(&value.to_string()));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Puts a member into the object with this number, counted through the whole value; objects whose members are all of
/// one type are passed over. Gives what is left of the number.
fn put(into: &mut Value, at: usize, name: &str, member: &Value) -> Option<usize> {
    let mut at = at;
    match into {
        Value::Array(elements) => {
            for element in elements {
                at = put(element, at, name, member)?;
            }
        }
        Value::Object(members) => {
            if at == 0 {
                members.insert(name.to_owned(), member.clone());
                return None;
            }
            at -= 1;
            for (key, inner) in members {
                if key != "arguments" {
                    at = put(inner, at, name, member)?;
                }
            }
        }
        _ => {}
    }
    Some(at)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_survives_as_text(value in any_json()) {
        let text = value.to_string();
        let raw: RawJson = survives(&text);
        prop_assert_eq!(raw.as_str(), &text);
        let carried = format!(r#"{{"_meta":{{"a":{text}}},"b":{text}}}"#);
        survives::<EmptyParams>(&carried);
    }

    #[test]
    fn an_unknown_member_survives_anywhere(at in 0usize..12, name in "x-[a-z]{1,8}", member in any_json()) {
        for (definition, mut value) in built() {
            if definition.starts_with("JSONRPC") || definition.ends_with("Error") {
                continue;
            }
            put(&mut value, at, &name, &member);
            for version in ["2025-11-25", "2026-07-28"] {
                if let Some(encoded) = crate::schema::pass(definition, version, &value) {
                    prop_assert_eq!(encoded, Ok(value.clone()), "{} {}", version, definition);
                }
            }
        }
    }

    #[test]
    fn no_optional_member_fails_a_tool(member in any_json()) {
        for name in ["title", "description", "outputSchema", "annotations", "icons", "execution", "_meta"] {
            let text = json!({"name": "a", "inputSchema": {}, name: member}).to_string();
            let tool: Tool = decode(&text);
            let encoded = serde_json::to_value(&tool).unwrap();
            let kept = encoded.get(name).unwrap_or(&Value::Null);
            // A null deep inside stands for an absent member and goes.
            prop_assert!(kept == &member || member.to_string().contains("null"), "{} became {}", text, encoded);
        }
    }

    #[test]
    fn a_subscription_survives_whatever_its_address(uri in any::<String>()) {
        let params = legacy::SubscribeParams::new(uri.as_str());
        let text = serde_json::to_string(&params).unwrap();
        prop_assert_eq!(decode::<legacy::SubscribeParams>(&text), params);
    }
}
