use serde_json::{Value, json};

use super::{LEGACY, complete, encode, encode_outcome, json as read, plain, raw};
use crate::{
    version::Revision,
    wire::{Kind, Outcome, registry::ROWS},
};

/// Checks a rule at every revision of the stateful era: what goes in, and what comes out from the oldest on.
fn check(method: &str, before: &Value, after: [&Value; 4]) {
    for (revision, after) in LEGACY.into_iter().zip(after) {
        let encoded = encode(revision, method, &before.to_string()).unwrap();
        assert_eq!(encoded, *after, "{method} at {revision}");
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn a_plain_result_is_copied() {
    let result = raw(r#"{ "content":[] }"#);
    for revision in LEGACY {
        assert_eq!(encode_outcome(revision, "tools/call", plain(&result)).unwrap(), result.as_str());
        assert_eq!(encode_outcome(revision, "acme/do", plain(&result)).unwrap(), result.as_str());
    }
}

#[test]
fn results_of_the_users_own_methods_are_copied() {
    for result in [r#"{"resultType":"x","ttlMs":1,"tools":[{"execution":1}]}"#, "[1]", "null"] {
        for revision in LEGACY {
            assert_eq!(encode(revision, "acme/do", result).unwrap(), read(result));
        }
    }
}

#[test]
fn the_vocabulary_of_the_stateless_era_never_goes_out() {
    let result = r#"{"resultType":"complete","a":1,"ttlMs":5,"cacheScope":"public"}"#;
    for revision in LEGACY {
        for row in ROWS.iter().filter(|row| row.kind == Kind::Request && row.admits(revision)) {
            let encoded = encode(revision, row.method, result).unwrap();
            for member in ["resultType", "ttlMs", "cacheScope"] {
                assert!(encoded.get(member).is_none(), "{member} of {} at {revision}", row.method);
            }
            assert_eq!(encoded["a"], 1);
            let other = encode(revision, row.method, r#"{"resultType":"input_required"}"#);
            assert!(other.unwrap_err().to_string().contains("input_required"));
            assert!(encode(revision, row.method, "[]").is_err());
        }
        let asks = raw(r#"{"requestState":"s"}"#);
        assert!(encode_outcome(revision, "tools/call", Outcome::InputRequired(asks.borrow())).is_err());
        let task = Outcome::Extension { result_type: "task", raw: asks.borrow() };
        assert!(encode_outcome(revision, "tools/call", task).is_err());
        assert!(encode_outcome(revision, "tools/call", plain(&raw("null"))).is_err());
    }
}

#[test]
fn the_meta_and_unknown_members_are_kept() {
    let result = json!({"_meta": {"x": 1}, "content": [], "acme": [1], "isError": true});
    check("tools/call", &result, [&result; 4]);
}

#[test]
fn tools_results_have_only_the_content_that_the_revision_knows() {
    let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    let link = json!({"type": "resource_link", "uri": "a:b", "name": "n"});
    let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
    let vendor = json!({"type": "acme", "x": 1});
    let of = |blocks: &[&Value]| json!({ "content": blocks });
    check(
        "tools/call",
        &of(&[&audio, &image, &link, &text("t"), &vendor, &audio]),
        [
            &of(&[&image, &text("t"), &vendor]),
            &of(&[&audio, &image, &text("t"), &vendor, &audio]),
            &of(&[&audio, &image, &link, &text("t"), &vendor, &audio]),
            &of(&[&audio, &image, &link, &text("t"), &vendor, &audio]),
        ],
    );
    let nothing = of(&[]);
    check("tools/call", &of(&[&audio]), [&nothing, &of(&[&audio]), &of(&[&audio]), &of(&[&audio])]);
}

#[test]
fn structured_content_is_an_object_or_stands_in_the_text() {
    let object = json!({"content": [text("t")], "structuredContent": {"a": 1}});
    let dropped = json!({"content": [text("t")]});
    check("tools/call", &object, [&dropped, &dropped, &object, &object]);

    let list = json!({"content": [text("t")], "structuredContent": [1, 2]});
    let wrapped = json!({"content": [text("t")], "structuredContent": {"result": [1, 2]}});
    check("tools/call", &list, [&dropped, &dropped, &wrapped, &wrapped]);

    let null = json!({"structuredContent": null, "content": []});
    let in_text = json!({"content": [text("null")]});
    let both = json!({"content": [text("null")], "structuredContent": {"result": null}});
    check("tools/call", &null, [&in_text, &in_text, &both, &both]);
}

#[test]
fn structured_content_that_is_left_out_is_told_as_text_where_none_stands() {
    let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
    let before = json!({"content": [image], "structuredContent": {"a": "\""}});
    let told = json!({"content": [image, text(r#"{"a":"\""}"#)]});
    check("tools/call", &before, [&told, &told, &before, &before]);
    let before = json!({"structuredContent": {"a": 1}});
    let told = json!({"content": [text(r#"{"a":1}"#)]});
    let kept = json!({"content": [], "structuredContent": {"a": 1}});
    check("tools/call", &before, [&told, &told, &kept, &kept]);
}

#[test]
fn structured_content_of_a_wrapped_schema_is_always_wrapped() {
    let result = raw(r#"{"content":[],"structuredContent":{"a":1}}"#);
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let outcome = Outcome::Complete { raw: result.borrow(), is_plain: false, wraps_output: true };
        let encoded = read(&encode_outcome(revision, "tools/call", outcome).unwrap());
        assert_eq!(encoded["structuredContent"], json!({"result": {"a": 1}}));
        assert_eq!(encoded["content"], json!([text(r#"{"a":1}"#)]));
    }
}

#[test]
fn a_tools_result_has_content_unless_it_is_a_task() {
    for revision in LEGACY {
        assert_eq!(encode(revision, "tools/call", "{}").unwrap(), json!({"content": []}));
    }
    let task = r#"{"task":{"taskId":"t"}}"#;
    assert_eq!(encode(Revision::V2025_11_25, "tools/call", task).unwrap(), read(task));
    let result = r#"{"structuredContent":7,"content":[]}"#;
    let encoded = encode(Revision::V2025_11_25, "tasks/result", result).unwrap();
    assert_eq!(encoded["structuredContent"], json!({"result": 7}));
}

#[test]
fn tools_are_listed_as_the_revision_knows_them() {
    let of = |tool: Value| json!({"tools": [tool], "nextCursor": ""});
    let input = json!({"type": "object"});
    let output = json!({"type": "object", "properties": {"a": {}}});
    check(
        "tools/list",
        &of(
            json!({"name": "a", "title": "A", "icons": [], "_meta": {}, "annotations": {}, "inputSchema": input, "outputSchema": output, "execution": {"taskSupport": "optional"}, "x": 1}),
        ),
        [
            &of(
                json!({"name": "a", "title": "A", "icons": [], "_meta": {}, "annotations": {}, "inputSchema": input, "x": 1}),
            ),
            &of(
                json!({"name": "a", "title": "A", "icons": [], "_meta": {}, "annotations": {}, "inputSchema": input, "x": 1}),
            ),
            &of(
                json!({"name": "a", "title": "A", "icons": [], "_meta": {}, "annotations": {}, "inputSchema": input, "outputSchema": output, "x": 1}),
            ),
            &of(
                json!({"name": "a", "title": "A", "icons": [], "_meta": {}, "annotations": {}, "inputSchema": input, "outputSchema": output, "execution": {"taskSupport": "optional"}, "x": 1}),
            ),
        ],
    );
    let first_goes = json!({"tools": [{"execution": {}, "outputSchema": {"type": "object"}, "name": "a"}, {}, 7]});
    let without = json!({"tools": [{"name": "a"}, {}, 7]});
    let output_only = json!({"tools": [{"outputSchema": {"type": "object"}, "name": "a"}, {}, 7]});
    check("tools/list", &first_goes, [&without, &without, &output_only, &first_goes]);
}

#[test]
fn schemas_that_a_revision_does_not_know_are_written_in_another_way() {
    let of = |key: &str, schema: Value| json!({"tools": [{ key: schema }]});
    let odd = json!({"type": "object", "properties": {"any": true, "none": false, "x": {"anyOf": [true]}}});
    let even = json!({"type": "object", "properties": {"any": {}, "none": {"not": {}}, "x": {"anyOf": [true]}}});
    check("tools/list", &of("inputSchema", odd.clone()), [&of("inputSchema", even.clone()); 4]);
    let nothing = json!({"tools": [{}]});
    let even = of("outputSchema", even);
    check("tools/list", &of("outputSchema", odd), [&nothing, &nothing, &even, &even]);
    let wrapped = json!({"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]});
    let wrapped = of("outputSchema", wrapped);
    check("tools/list", &of("outputSchema", json!({"type": "array"})), [&nothing, &nothing, &wrapped, &wrapped]);
}

#[test]
fn a_message_of_a_prompt_keeps_its_one_block() {
    let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    let link = json!({"type": "resource_link", "uri": "a:b", "name": "n"});
    let of = |blocks: [&Value; 2]| {
        let message = |block: &Value| json!({"role": "user", "content": block, "x": 1});
        json!({"description": "d", "messages": [message(blocks[0]), message(blocks[1])]})
    };
    check(
        "prompts/get",
        &of([&audio, &link]),
        [
            &of([&text("[audio/wav]"), &text("n: a:b")]),
            &of([&audio, &text("n: a:b")]),
            &of([&audio, &link]),
            &of([&audio, &link]),
        ],
    );
    let same = of([&text("a"), &json!(7)]);
    check("prompts/get", &same, [&same; 4]);
}

#[test]
fn a_server_declares_tasks_where_they_belong_to_the_core() {
    let before = json!({"capabilities": {"tools": {}, "tasks": {}, "extensions": {}}, "protocolVersion": "x"});
    let without = json!({"capabilities": {"tools": {}, "extensions": {}}, "protocolVersion": "x"});
    check("initialize", &before, [&without, &without, &without, &before]);
}

#[test]
fn what_a_model_answers_is_one_block_before_2025_11_25() {
    let of = |content: &Value| json!({"role": "assistant", "model": "m", "content": content}).to_string();
    let audio = json!({"type": "audio", "data": ""});
    let tool_use = json!({"type": "tool_use", "id": "1", "name": "n", "input": {}});
    let one = text("a");
    let joined = text("a\nb");
    let lists = json!([one, text("b")]);
    let alone = json!([one]);
    let several = json!([one, audio]);
    let nothing = json!([]);
    // The content; then what becomes of it at each revision, or nothing where it is refused.
    let table: [(&Value, [Option<&Value>; 4]); 8] = [
        (&one, [Some(&one); 4]),
        (&alone, [Some(&one), Some(&one), Some(&one), Some(&alone)]),
        (&lists, [Some(&joined), Some(&joined), Some(&joined), Some(&lists)]),
        (&audio, [None, Some(&audio), Some(&audio), Some(&audio)]),
        (&several, [None, None, None, Some(&several)]),
        (&nothing, [None, None, None, Some(&nothing)]),
        (&tool_use, [None, None, None, Some(&tool_use)]),
        (&json!([tool_use]), [None, None, None, Some(&json!([tool_use]))]),
    ];
    for (content, expected) in table {
        for (revision, expected) in LEGACY.into_iter().zip(expected) {
            let encoded = encode(revision, "sampling/createMessage", &of(content)).ok();
            assert_eq!(encoded.as_ref().map(|encoded| &encoded["content"]), expected, "{content} at {revision}");
        }
    }
}

#[test]
fn answers_of_a_user_are_no_lists_before_2025_11_25() {
    let lists = r#"{"action":"accept","content":{"a":["x"]}}"#;
    let plain = r#"{"action":"accept","content":{"a":"x","b":1,"c":true}}"#;
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        assert_eq!(encode(revision, "elicitation/create", plain).unwrap(), read(plain));
        let is_good = revision == Revision::V2025_11_25;
        assert_eq!(encode(revision, "elicitation/create", lists).is_ok(), is_good);
    }
}

#[test]
fn looking_into_a_result_does_not_change_its_text() {
    let result = raw(
        r#"{"content":[{"type":"text","text":"\u00e9\/"}],"x":123456789012345678901234567890,"y":1.10,"\ud83d\ude00":0}"#,
    );
    for revision in LEGACY {
        assert_eq!(encode_outcome(revision, "tools/call", complete(&result)).unwrap(), result.as_str());
    }
}
