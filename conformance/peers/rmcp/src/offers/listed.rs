//! What the server lists and completes.

use serde_json::{Value, json};

use crate::made::object;

const ASKING: [&str; 3] = ["form", "address", "interview"];
const OTHERS: [&str; 6] = ["log", "roots_changed", "change", "sample", "use_tools", "roots"];

pub fn has_tool(name: &str, is_extended: bool) -> bool {
    let names = tools(is_extended);
    names["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
}

pub fn tools(is_extended: bool) -> Value {
    let how = object(json!({"how": {"type": "string"}}));
    let mut tools: Vec<Value> =
        OTHERS.iter().map(|name| json!({"name": name, "inputSchema": object(json!({}))})).collect();
    tools.extend(ASKING.iter().map(|name| json!({"name": name, "inputSchema": how})));
    tools.push(json!({"name": "extend", "inputSchema": object(json!({"what": {"type": "string"}}))}));
    if is_extended {
        tools.push(json!({"name": "added", "inputSchema": object(json!({}))}));
    }
    json!({"tools": tools})
}

pub fn resources(is_extended: bool) -> Value {
    let mut resources = vec![
        json!({"uri": "test://greeting", "name": "greeting", "mimeType": "text/plain"}),
        json!({"uri": "test://bytes", "name": "bytes", "mimeType": "application/octet-stream"}),
        json!({"uri": "test://counter", "name": "counter", "mimeType": "text/plain"}),
    ];
    if is_extended {
        resources.push(json!({"uri": "test://added", "name": "added"}));
    }
    json!({"resources": resources})
}

pub fn templates() -> Value {
    json!({"resourceTemplates": [
        {"uriTemplate": "test://item/{id}", "name": "item", "mimeType": "text/plain"},
        {"uriTemplate": "test://asked/{how}", "name": "asked"},
    ]})
}

pub fn prompts(is_extended: bool) -> Value {
    let greet = json!([{"name": "name", "required": true}, {"name": "style", "required": false}]);
    let mut prompts = vec![
        json!({"name": "greet", "arguments": greet}),
        json!({"name": "asked", "arguments": [{"name": "how", "required": true}]}),
    ];
    if is_extended {
        prompts.push(json!({"name": "added"}));
    }
    json!({"prompts": prompts})
}

/// Completes an argument as a request says it.
pub fn completion(params: &Value) -> Value {
    let known: &[&str] = match (params["ref"]["type"].as_str(), params["argument"]["name"].as_str()) {
        (Some("ref/resource"), _) => &["alpha", "alps", "beta"],
        (_, Some("name")) => &["ada", "alan", "grace"],
        _ if params["context"]["arguments"]["name"] == "ada" => &["formal", "friendly"],
        _ => &["plain"],
    };
    let typed = params["argument"]["value"].as_str().unwrap_or_default();
    let values: Vec<&str> = known.iter().copied().filter(|value| value.starts_with(typed)).collect();
    json!({"completion": {"values": values, "total": values.len(), "hasMore": false}})
}
