//! What servers in the field offer and answer, and what ours offer to the clients that are there.

use mcpeer::{
    server::{Args, Server},
    version::Revision,
};
use serde_json::{Value, json};

use crate::{
    peers::{RawClient, builder, connect_raw, connect_raw_that_offers, text},
    warnings::Warnings,
};

#[tokio::test]
async fn a_tool_without_arguments_says_so_and_a_client_takes_less() {
    let server = Server::builder("plain", "1").tool("now", async || "12:00").build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let listed = client.request("tools/list", json!({})).await;
        let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(listed["result"]["tools"][0]["inputSchema"], expected, "{revision}");

        let (client, mut server) = connect_raw(builder(), revision).await;
        for schema in [json!({}), json!({"type": "object"}), json!({"type": "object", "title": "EmptyObject"})] {
            let tools = client.tools();
            let listing = tokio::spawn(async move { tools.all().await });
            let request = server.expect("tools/list").await;
            server.answer(&request["id"], json!({"tools": [{"name": "now", "inputSchema": schema}]})).await;
            let tools = listing.await.unwrap().unwrap();
            assert_eq!(serde_json::to_value(&tools[0].input_schema).unwrap(), schema, "{revision}");
        }
    }
}

#[tokio::test]
async fn names_of_every_shape_are_looked_up_as_they_are() {
    let long = "x".repeat(200);
    let names = ["add", "Add", "say hello", "constructor", "__proto__", "toString", "", "für", &long];
    let warnings = Warnings::default();
    let listening = tracing::subscriber::set_default(warnings.clone());
    let server = names.iter().fold(Server::builder("names", "1"), |builder, &name| {
        let said = format!("<{name}>");
        builder.tool(name, move || {
            let said = said.clone();
            async move { said }
        })
    });
    let server = server.build().unwrap();
    drop(listening);
    // Of the blank, the empty name, the letter that is not of ASCII, and the length.
    assert_eq!(warnings.count(), 4);
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let listed = client.request("tools/list", json!({})).await;
        let listed: Vec<_> = listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert_eq!(listed, names, "{revision}");
        for name in names {
            assert_eq!(text(&client.call(name, json!({})).await), format!("<{name}>"), "{revision}");
        }
        for name in ["ADD", "add ", "valueOf", "hasOwnProperty"] {
            assert_eq!(client.call(name, json!({})).await["error"]["code"], -32602, "{name} at {revision}");
        }
    }
}

#[tokio::test]
async fn a_client_lists_and_calls_tools_of_any_name() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let names = ["say hello", "", "two", "two", "für"];
        let tool = |(at, name)| json!({"name": name, "title": format!("{at}"), "inputSchema": {}});
        let tools: Vec<Value> = names.iter().enumerate().map(tool).collect();
        let tools = json!({"tools": tools});
        let list = client.tools();
        let listing = tokio::spawn(async move { list.all().await });
        let request = server.expect("tools/list").await;
        server.answer(&request["id"], tools).await;
        let listed = listing.await.unwrap().unwrap();
        // Of two with one name the first is meant.
        let listed: Vec<_> = listed.iter().map(|tool| (tool.title.as_deref(), &*tool.name)).collect();
        let expected = [(Some("0"), "say hello"), (Some("1"), ""), (Some("2"), "two"), (Some("4"), "für")];
        assert_eq!(listed, expected, "{revision}");
        for name in names {
            let call = tokio::spawn(client.call(name).send());
            let request = server.expect("tools/call").await;
            assert_eq!(request["params"]["name"], name, "{revision}");
            server.answer(&request["id"], json!({"content": []})).await;
            call.await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn a_result_may_lack_its_content_or_all_of_it() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        for result in [
            json!({"structuredContent": {"a": 1}}),
            json!({"content": null, "structuredContent": {"a": 1}}),
            json!({"content": []}),
            json!({}),
        ] {
            let call = tokio::spawn(client.call("a").send());
            let request = server.expect("tools/call").await;
            server.answer(&request["id"], result.clone()).await;
            let called = call.await.unwrap().unwrap();
            assert!(called.content.is_empty(), "{revision}: {result}");
            let structured = called.structured_content.map(|structured| structured.as_str().to_owned());
            let expected = result.get("structuredContent").map(Value::to_string);
            assert_eq!(structured, expected, "{revision}: {result}");
        }
        // Lists and numbers as structured content are of 2026-07-28, and harm nobody before.
        for structured in [json!([1, 2]), json!(7), json!("a"), Value::Null] {
            let call = tokio::spawn(client.call("a").send());
            let request = server.expect("tools/call").await;
            server.answer(&request["id"], json!({"content": [], "structuredContent": structured})).await;
            let called = call.await.unwrap().unwrap();
            assert_eq!(called.structured_content.unwrap().as_str(), structured.to_string(), "{revision}");
        }
    }
}

#[tokio::test]
async fn a_prompt_of_another_shape_is_read_as_far_as_it_goes() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw_that_offers(json!({"prompts": {}}), builder(), revision).await;
        let messages = json!([
            {"role": "system", "content": {"type": "text", "text": "a"}},
            {"role": "user", "content": [{"type": "text", "text": "b"}]},
            {"role": "user", "content": {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}},
        ]);
        let call = client.prompt("p", &json!({})).send();
        let request = server.expect("prompts/get").await;
        server.answer(&request["id"], json!({"messages": messages})).await;
        let got = call.await.unwrap();
        assert_eq!(got.messages[0].content.as_text(), Some("a"), "{revision}");
        assert_eq!(serde_json::to_value(&got.messages).unwrap(), messages, "{revision}");

        let call = client.prompt("p", &json!({})).send();
        let request = server.expect("prompts/get").await;
        server.answer(&request["id"], json!({"messages": [{"content": {"type": "text", "text": "b"}}]})).await;
        let error = call.await.unwrap_err();
        assert_eq!(error.path(), Some("result.messages[0].role"), "{revision}: {error}");
    }
}

#[tokio::test]
async fn optional_arguments_may_be_absent_or_null_and_no_schema_says_so() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Odd {
        name: Option<String>,
        big: Option<u64>,
        tags: Option<Vec<String>>,
        any: Option<Value>,
        nested: Option<Inner>,
    }
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Inner {
        share: Option<f32>,
    }
    let server = Server::builder("plain", "1")
        .tool("odd", async |Args(odd): Args<Odd>| {
            let share = odd.nested.and_then(|inner| inner.share);
            format!("{:?} {:?} {:?} {:?} {share:?}", odd.name, odd.big, odd.tags, odd.any)
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let listed = client.request("tools/list", json!({})).await;
        let schema = listed["result"]["tools"][0]["inputSchema"].to_string();
        for odd in ["null", "$ref", "$defs", "anyOf", "\"format\"", ":true", "\"type\":["] {
            assert!(!schema.contains(odd), "{odd} at {revision}: {schema}");
        }
        let nothing = "None None None None None";
        assert_eq!(text(&client.call("odd", json!({})).await), nothing, "{revision}");
        let nulls = json!({"name": null, "big": null, "tags": null, "any": null, "nested": {"share": null}});
        assert_eq!(text(&client.call("odd", nulls).await), nothing, "{revision}");
    }
}
