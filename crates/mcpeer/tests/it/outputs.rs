//! Results of tools against the output schemas that the tools advertise.

use mcpeer::{
    client::{Builder, Client, Watch},
    model::subscriptions::Filter,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::{RawServer, builder, connect_raw};

fn structured_revisions() -> impl Iterator<Item = Revision> {
    Revision::ALL.into_iter().filter(|revision| revision.has_structured_content())
}

fn schema() -> Value {
    let lines = json!({"type": "array", "items": {"type": "integer"}});
    json!({"type": "object", "properties": {"lines": lines}, "required": ["lines"]})
}

fn tool(name: &str, schema: Option<Value>) -> Value {
    let mut tool = json!({"name": name, "inputSchema": {"type": "object"}});
    if let Some(schema) = schema {
        tool["outputSchema"] = schema;
    }
    tool
}

async fn list(client: &Client, server: &mut RawServer, tools: Value) {
    let client = client.clone();
    let listing = tokio::spawn(async move { client.tools().page(None).await });
    let request = server.expect("tools/list").await;
    server.answer(&request["id"], json!({"tools": tools, "ttlMs": 0, "cacheScope": "private"})).await;
    listing.await.unwrap().unwrap();
}

async fn listed(builder: Builder, revision: Revision, tools: Value) -> (Client, RawServer) {
    let (client, mut server) = connect_raw(builder, revision).await;
    list(&client, &mut server, tools).await;
    (client, server)
}

/// Has the client hear of changes of tools, and gives the notification of one.
async fn watched(client: &Client, server: &mut RawServer) -> (Option<Watch>, Value) {
    let mut changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    if client.era() == Era::Legacy {
        return (None, changed);
    }
    let filter = Filter::new().tools_list_changed(true);
    let opening = tokio::spawn(client.watch(filter).into_future());
    let listen = server.expect("subscriptions/listen").await;
    let tag = json!({"io.modelcontextprotocol/subscriptionId": listen["id"]});
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": tag});
    let method = "notifications/subscriptions/acknowledged";
    server.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    changed["params"] = json!({"_meta": tag});
    (Some(opening.await.unwrap().unwrap()), changed)
}

async fn call(client: &Client, server: &mut RawServer, name: &str, result: Value) -> mcpeer::Result<String> {
    answered(client.call(name), server, result).await
}

async fn answered(call: mcpeer::client::CallTool, server: &mut RawServer, result: Value) -> mcpeer::Result<String> {
    let call = call.send();
    let request = server.expect("tools/call").await;
    server.answer(&request["id"], result).await;
    call.await.map(|result| result.as_text().into_owned())
}

fn result(structured: Value) -> Value {
    json!({"content": [{"type": "text", "text": "said"}], "structuredContent": structured})
}

fn unstructured() -> Value {
    json!({"content": [{"type": "text", "text": "said"}]})
}

#[tokio::test]
async fn results_that_do_not_fit_are_the_servers_fault_and_say_where() {
    for revision in structured_revisions() {
        let (client, mut server) = listed(builder(), revision, json!([tool("count", Some(schema()))])).await;
        for _ in 0..2 {
            assert_eq!(call(&client, &mut server, "count", result(json!({"lines": [1]}))).await.unwrap(), "said");
        }
        let wrong = result(json!({"lines": [1, "two"]}));
        let error = call(&client, &mut server, "count", wrong.clone()).await.unwrap_err();
        assert!(error.is_peer_misbehaved() && error.is_output_mismatch(), "{error:?}");
        assert_eq!(error.path(), Some("structuredContent.lines[1]"), "{revision}");
        assert_eq!(error.method(), Some("tools/call"));
        let text = error.to_string();
        assert!(
            text.contains("`count`") && text.contains("not of type \"integer\"") && text.contains("unchecked"),
            "{text}"
        );
        assert_eq!(error.raw().unwrap().decode::<Value>().unwrap(), wrong, "{revision}: the result is not lost");

        let error = call(&client, &mut server, "count", unstructured()).await.unwrap_err();
        assert_eq!(error.path(), Some("structuredContent"), "{revision}");
        assert!(error.to_string().contains("`structuredContent` is missing"), "{error}");
        let raw = client.call("count").raw().send();
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], unstructured()).await;
        assert!(raw.await.unwrap_err().is_output_mismatch(), "{revision}");
    }
}

#[tokio::test]
async fn what_need_not_fit_is_taken_as_it_is() {
    for revision in structured_revisions() {
        let tools = json!([tool("count", Some(schema())), tool("plain", None), tool("null", Some(json!(null)))]);
        let (client, mut server) = listed(builder(), revision, tools.clone()).await;
        let mut failed = result(json!({"error": "no"}));
        failed["isError"] = true.into();
        call(&client, &mut server, "count", failed).await.unwrap();
        for name in ["plain", "null", "unlisted"] {
            call(&client, &mut server, name, unstructured()).await.unwrap();
        }
        answered(client.call("count").unchecked(), &mut server, unstructured()).await.unwrap();
        let (client, mut server) = listed(builder().unchecked_outputs(), revision, tools).await;
        call(&client, &mut server, "count", unstructured()).await.unwrap();
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_used_harms_no_other_and_fetches_nothing() {
    for revision in structured_revisions() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let away = json!({"$ref": format!("http://{}/schema.json", listener.local_addr().unwrap())});
        let tools = json!([
            tool("wrong", Some(json!({"type": "strin"}))),
            tool("away", Some(away)),
            tool("odd", Some(json!(7))),
            {"name": 7, "outputSchema": {}},
            9,
            tool("count", Some(schema())),
        ]);
        let (client, mut server) = listed(builder(), revision, tools).await;
        for name in ["wrong", "away", "odd"] {
            for _ in 0..2 {
                call(&client, &mut server, name, unstructured()).await.unwrap();
            }
        }
        assert!(call(&client, &mut server, "count", unstructured()).await.unwrap_err().is_output_mismatch());
        assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }
}

#[tokio::test]
async fn the_newest_word_of_a_tool_counts() {
    for revision in structured_revisions() {
        let (client, mut server) = listed(builder(), revision, json!([tool("count", Some(schema()))])).await;
        // A list that has changed says nothing about a tool until it is asked for again.
        let (_watch, changed) = watched(&client, &mut server).await;
        let early = client.call("count").send();
        let request = server.expect("tools/call").await;
        server.send(&changed).await;
        server.answer(&request["id"], unstructured()).await;
        early.await.unwrap();
        call(&client, &mut server, "count", unstructured()).await.unwrap();

        list(&client, &mut server, json!([tool("count", Some(schema()))])).await;
        assert!(call(&client, &mut server, "count", unstructured()).await.is_err(), "{revision}");
        list(&client, &mut server, json!([tool("count", None)])).await;
        call(&client, &mut server, "count", unstructured()).await.unwrap();
        let other = json!({"type": "object", "required": ["other"]});
        list(&client, &mut server, json!([tool("count", Some(other))])).await;
        call(&client, &mut server, "count", result(json!({"other": 1}))).await.unwrap();
        assert!(call(&client, &mut server, "count", result(json!({"lines": [1]}))).await.is_err(), "{revision}");

        // An answer from before the change teaches nothing.
        let late = client.clone();
        let listing = tokio::spawn(async move { late.tools().page(None).await });
        let request = server.expect("tools/list").await;
        server.send(&changed).await;
        let page = json!({"tools": [tool("count", Some(schema()))], "ttlMs": 0, "cacheScope": "private"});
        server.answer(&request["id"], page).await;
        listing.await.unwrap().unwrap();
        call(&client, &mut server, "count", unstructured()).await.unwrap();
    }
}

#[tokio::test]
async fn revisions_without_structured_content_have_nothing_to_check() {
    for revision in Revision::ALL.into_iter().filter(|revision| !revision.has_structured_content()) {
        let (client, mut server) = listed(builder(), revision, json!([tool("count", Some(schema()))])).await;
        call(&client, &mut server, "count", unstructured()).await.unwrap();
    }
}

#[tokio::test]
async fn content_of_any_kind_is_checked_where_the_revision_has_it() {
    let (client, mut server) =
        listed(builder(), Revision::V2026_07_28, json!([tool("maybe", Some(json!({"type": ["null", "integer"]})))]))
            .await;
    for good in [json!(null), json!(3)] {
        call(&client, &mut server, "maybe", result(good)).await.unwrap();
    }
    for bad in [json!("3"), json!([])] {
        assert!(call(&client, &mut server, "maybe", result(bad)).await.unwrap_err().is_output_mismatch());
    }
    assert!(call(&client, &mut server, "maybe", unstructured()).await.unwrap_err().is_output_mismatch());
}
