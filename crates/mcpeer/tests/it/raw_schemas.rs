//! Tools whose JSON Schemas are written by hand.

use mcpeer::{
    model::tools::CallResult,
    server::{Args, Server, Tool},
    version::Revision,
};
use schemars::{Schema, json_schema};
use serde_json::{Value, json};

use crate::peers::{RawClient, plain, text};

fn order() -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "count": {"type": "integer", "maximum": 10},
            "lines": {"type": "array", "items": {"type": "object", "required": ["text"]}},
        },
        "required": ["count"],
        "additionalProperties": false,
    })
}

fn things() -> Schema {
    json_schema!({
        "type": "object",
        "properties": {"things": {"type": "array", "items": {"type": "string"}}},
        "required": ["things"],
    })
}

fn server() -> Server {
    Server::builder("raw", "1")
        .tool(Tool::raw("order", order()), async |Args(order): Args<Value>| order["count"].to_string())
        .tool(Tool::raw("things", json_schema!({})).output_schema(things()), async |Args(what): Args<Value>| {
            let result = CallResult::text("what was asked for");
            match what.get("structured") {
                Some(structured) => result.structured_content(structured.clone()),
                None => result,
            }
            .is_error(what["fails"] == true)
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn schemas_are_advertised_as_they_are() {
    let mut client = RawClient::connect(&server(), Revision::V2026_07_28).await;
    let list = client.request("tools/list", json!({})).await;
    let tools = &list["result"]["tools"];
    assert_eq!(tools[0]["inputSchema"], order().to_value());
    assert_eq!(tools[1]["inputSchema"], json!({"type": "object"}));
    assert_eq!(tools[1]["outputSchema"], things().to_value());
}

#[tokio::test]
async fn arguments_are_checked_before_the_handler_sees_them() {
    let table = [
        (json!({"count": "x"}), "`arguments.count`: the value is not of type \"integer\""),
        (json!({"count": 11}), "`arguments.count`: the value is greater than the maximum of 10"),
        (json!({}), "`arguments`: \"count\" is a required property"),
        (json!({"count": 1, "lines": [{"text": ""}, {}]}), "`arguments.lines[1]`: \"text\" is a required property"),
    ];
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (arguments, reason) in &table {
            let answer = client.call("order", arguments.clone()).await;
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            assert_eq!(text(&answer), format!("the arguments do not fit the tool `order`: {reason}"), "{revision}");
        }
        let answer = client.request("tools/call", json!({"name": "order"})).await;
        assert!(text(&answer).ends_with("\"count\" is a required property"), "{answer}");
        assert_eq!(text(&client.call("order", json!({"count": 3.0})).await), "3.0");
        let answer = client.call("order", json!([3])).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[tokio::test]
async fn results_are_checked_unless_they_tell_of_a_failure() {
    let fitting = json!({"things": ["a"]});
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let result = plain(client.call("things", json!({"structured": fitting})).await);
        let expected = (revision >= Revision::V2025_06_18).then_some(&fitting);
        assert_eq!(result.get("structuredContent"), expected, "{revision}");

        for arguments in [json!({"structured": {"err": "no"}}), json!({"structured": null}), json!({})] {
            let answer = client.call("things", arguments).await;
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            assert_eq!(answer["error"]["message"], "the tool's result does not fit its output schema");
        }
        let failed = client.call("things", json!({"structured": {"err": "no"}, "fails": true})).await;
        assert_eq!(failed["result"]["isError"], true, "{failed}");
        assert_eq!(text(&failed), "what was asked for");
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_disables_its_tool_alone() {
    let deep = (0..70).fold(json!({}), |inner, _| json!({"allOf": [inner]}));
    let bad = [
        ("no schema", json_schema!({"type": "object", "properties": {"a": {"type": "strin"}}})),
        ("not of objects", json_schema!({"type": "string"})),
        ("nothing fits", false.into()),
        ("fetched", json_schema!({"type": "object", "properties": {"a": {"$ref": "http://169.254.169.254/x"}}})),
        ("unknown dialect", json_schema!({"$schema": "https://example.com/own", "type": "object"})),
        ("too deep", deep.try_into().unwrap()),
    ];
    let builder = Server::builder("bad", "1").tool("good", async || "good");
    let builder = bad.iter().fold(builder, |builder, (name, schema)| {
        let output = Tool::raw(format!("{name} out"), json_schema!({})).output_schema(schema.clone());
        let builder = builder.tool(Tool::raw(*name, schema.clone()), async || "bad");
        // As an output anything may be described.
        if *name == "not of objects" || *name == "nothing fits" {
            builder
        } else {
            builder.tool(output, async || "bad")
        }
    });
    let server = builder.build().unwrap();
    let disabled = server.disabled_tools();
    assert_eq!(disabled.len(), 10, "{disabled:?}");
    assert_eq!(disabled[0].name, "no schema");
    assert!(disabled[0].reason.starts_with("its input schema: the JSON Schema is not valid: at `/properties/a/type`"));
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let list = client.request("tools/list", json!({})).await;
        let names: Vec<_> = list["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["good"], "{revision}");
        assert_eq!(text(&client.call("good", json!({})).await), "good");
        assert_eq!(client.call("no schema", json!({})).await["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_server_whose_every_tool_is_disabled_lists_none() {
    let server = Server::builder("bad", "1").tool(Tool::raw("bad", false.into()), async || "bad").build().unwrap();
    let mut client = RawClient::connect(&server, Revision::V2025_11_25).await;
    assert_eq!(plain(client.request("tools/list", json!({})).await), json!({"tools": []}));
}

#[tokio::test]
async fn typed_tools_can_be_checked_too() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Percent {
        #[schemars(range(max = 100))]
        percent: u8,
    }
    let server = Server::builder("typed", "1")
        .tool(Tool::new("half").validated(), async |Args(whole): Args<Percent>| (whole.percent / 2).to_string())
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("half", json!({"percent": 100})).await), "50");
        let answer = client.call("half", json!({"percent": 101})).await;
        assert!(
            text(&answer).contains("`arguments.percent`: the value is greater than the maximum of 100"),
            "{answer}"
        );
    }
}
