//! What a foreign client finds at our server, the example `features_server`.

use mcpeer::version::{Era, Revision};
use serde_json::{Value, json};

use crate::{foreign::Sdk, served::Over};

/// The outcome of each step of `conformance/peers/features.mjs`, in order.
pub(super) fn steps(over: Over, sdk: Sdk, spoken: Revision) -> Vec<(&'static str, Value)> {
    let mut steps = vec![("connect", value(spoken.as_str()))];
    steps.extend(resources(sdk, spoken));
    steps.extend(prompts());
    steps.extend(logs(spoken));
    steps.extend(questions(spoken));
    if spoken.era() == Era::Legacy {
        steps.push(("roots changed", value("1")));
    }
    steps.extend(changes(spoken));
    // How the server ended, where that is the client's affair.
    steps.push(("close", value((over == Over::Pipe).then_some(0))));
    steps
}

fn resources(sdk: Sdk, spoken: Revision) -> Vec<(&'static str, Value)> {
    let listed = json!([
        {"uri": "test://greeting", "name": "greeting", "mimeType": "text/plain"},
        {"uri": "test://bytes", "name": "bytes", "mimeType": "application/octet-stream"},
        {"uri": "test://counter", "name": "counter", "mimeType": "text/plain"},
    ]);
    // This SDK makes -32602 of the stateful era's -32002 before it hands it over.
    let is_translated = matches!(sdk, Sdk::TypeScript2);
    let missing = if spoken == Revision::V2026_07_28 || is_translated { -32602 } else { -32002 };
    let missing = error(missing, "resource not found: test://missing", json!({"uri": "test://missing"}));
    let templates = json!([
        {"uriTemplate": "test://item/{id}", "name": "item"},
        {"uriTemplate": "test://asked/{how}", "name": "asked"},
    ]);
    let text = |uri: &str, text: &str| value(json!([{"uri": uri, "mimeType": "text/plain", "text": text}]));
    vec![
        ("resources", value(listed)),
        ("read test://greeting", text("test://greeting", "hello")),
        (
            "read test://bytes",
            value(json!([{"uri": "test://bytes", "mimeType": "application/octet-stream", "blob": "AAEC/w=="}])),
        ),
        ("read test://item/alpha", text("test://item/alpha", "item alpha")),
        ("read test://missing", missing),
        ("templates", value(templates)),
        ("complete id", completion(&["alpha", "alps"])),
    ]
}

fn prompts() -> Vec<(&'static str, Value)> {
    let greet = json!([{"name": "name", "required": true}, {"name": "style", "required": false}]);
    let asked = json!([{"name": "how", "required": true}]);
    let listed = json!([{"name": "greet", "arguments": greet}, {"name": "asked", "arguments": asked}]);
    let messages = |text: &str| {
        value(json!([
            {"role": "user", "content": {"type": "text", "text": text}},
            {"role": "assistant", "content": {"type": "text", "text": "With pleasure."}},
        ]))
    };
    vec![
        ("prompts", value(listed)),
        ("prompt", messages("Greet Ada, formal")),
        ("prompt without style", messages("Greet Ada, plain")),
        ("prompt without name", error(-32602, "the prompt `greet` needs the argument `name`", Value::Null)),
        ("complete name", completion(&["ada", "alan"])),
        ("complete style", completion(&["formal", "friendly"])),
    ]
}

fn logs(spoken: Revision) -> Vec<(&'static str, Value)> {
    let all = json!([
        ["debug", "features", "quiet"],
        ["info", "features", {"step": 1}],
        ["warning", "features", "careful"],
        ["error", "features", "broken"],
    ]);
    let grave = json!([["warning", "features", "careful"], ["error", "features", "broken"]]);
    let mut steps = vec![("logs from warning", value(grave)), ("logs from debug", value(all))];
    if spoken == Revision::V2026_07_28 {
        steps.push(("logs not asked for", value(json!([]))));
    }
    steps
}

fn questions(spoken: Revision) -> Vec<(&'static str, Value)> {
    let (has_forms, has_addresses) = (spoken >= Revision::V2025_06_18, spoken >= Revision::V2025_11_25);
    let reason = |capability: &str| {
        format!("this needs a client with the capability `{capability}`, which protocol version {spoken} does not have")
    };
    let lacking = |capability: &str| value(json!({"text": reason(capability), "isError": true}));
    let said = |text: &str| value(json!({"text": text, "isError": false}));
    let elsewhere = |text: &str| match has_forms {
        true => value(text),
        false => error(-32603, &reason("elicitation"), Value::Null),
    };
    let form = |text: &str| if has_forms { said(text) } else { lacking("elicitation") };
    let address = |text: &str| match (has_forms, has_addresses) {
        (_, true) => said(text),
        (true, false) => lacking("elicitation.url"),
        (false, false) => lacking("elicitation"),
    };
    let filled = r#"{"action":"accept","content":{"name":"Ada","age":36,"member":false,"colour":"blue"}}"#;
    vec![
        ("form, accept", form(filled)),
        ("form, decline", form(r#"{"action":"decline"}"#)),
        ("form, cancel", form(r#"{"action":"cancel"}"#)),
        ("form asked for", value(if has_forms { requested(has_addresses) } else { Value::Null })),
        ("address, accept", address("accept")),
        ("address, decline", address("decline")),
        ("address asked for", value(has_addresses.then_some("https://example.com/login"))),
        ("sample", said("small-1: Be brief. Hello!")),
        ("use tools", if has_addresses { said("It is a drink, says look_up") } else { lacking("sampling.tools") }),
        ("roots", said("file:///work work, file:///play -")),
        ("interview", form("Ada at file:///work: Greet Ada!")),
        ("interview asked for", value(if has_forms { 3 } else { 0 })),
        ("prompt that asks, accept", elsewhere("You are Ada")),
        ("resource that asks, accept", elsewhere("You are Ada")),
        ("prompt that asks, decline", elsewhere("You are nobody")),
        ("resource that asks, decline", elsewhere("You are nobody")),
    ]
}

/// What a client is told that declares nothing.
pub(super) fn refusals(spoken: Revision) -> Vec<(&'static str, Value)> {
    let refused = |step: &'static str, capabilities: &str, missing: Value| {
        let text = match capabilities.split_once(' ') {
            Some((one, other)) => {
                format!("this needs a client that declares the capabilities `{one}` and `{other}`")
            }
            None => format!("this needs a client that declares the capability `{capabilities}`"),
        };
        let refusal = match spoken.era() {
            Era::Modern => error(-32021, &text, json!({"requiredCapabilities": missing})),
            Era::Legacy if step.ends_with("that asks") => error(-32603, &text, Value::Null),
            Era::Legacy => value(json!({"text": text, "isError": true})),
        };
        (step, refusal)
    };
    let forms = || json!({"elicitation": {}});
    vec![
        ("connect", value(spoken.as_str())),
        refused("form", "elicitation", forms()),
        refused("address", "elicitation.url", json!({"elicitation": {"url": {}}})),
        refused("sample", "sampling", json!({"sampling": {}})),
        refused("use tools", "sampling.tools", json!({"sampling": {"tools": {}}})),
        refused("roots", "roots", json!({"roots": {}})),
        // It asks two questions at once.
        refused("interview", "elicitation roots", json!({"elicitation": {}, "roots": {}})),
        refused("prompt that asks", "elicitation", forms()),
        refused("resource that asks", "elicitation", forms()),
    ]
}

/// The form as the revision writes it: choices have titles in two ways.
fn requested(is_newer: bool) -> Value {
    let colour = if is_newer {
        let choices = json!([{"const": "blue", "title": "As the sky"}, {"const": "red", "title": "As a rose"}]);
        json!({"type": "string", "oneOf": choices})
    } else {
        json!({"type": "string", "enum": ["blue", "red"], "enumNames": ["As the sky", "As a rose"]})
    };
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "age": {"type": "integer", "minimum": 0, "maximum": 255},
            "member": {"type": "boolean", "default": false},
            "colour": colour,
        },
        "required": ["name", "age", "colour"],
    })
}

fn changes(spoken: Revision) -> Vec<(&'static str, Value)> {
    let honoured = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["test://counter"],
    });
    vec![
        ("watch", value(if spoken == Revision::V2026_07_28 { honoured } else { Value::Null })),
        ("update", value(json!({"counted": "1", "read": "1", "updates": ["test://counter"]}))),
        ("tool added", value(true)),
        ("prompt added", value(true)),
        ("resource added", value(true)),
        ("call what was added", value("added")),
        ("no more updates", value(1)),
    ]
}

fn completion(values: &[&str]) -> Value {
    value(json!({"values": values, "total": values.len(), "hasMore": false}))
}

fn value(value: impl serde::Serialize) -> Value {
    json!({"value": value})
}

fn error(code: i32, message: &str, data: Value) -> Value {
    json!({"error": {"code": code, "message": message, "data": data}})
}
