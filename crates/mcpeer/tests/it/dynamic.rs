//! Servers that change what they offer while they run.

use mcpeer::{
    model::prompts::Argument,
    server::{BuildError, Completes, Prompt, Resource, ResourceTemplate, Server},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::{RawClient, text};

/// Follows everything that a filter names, in the way of the revision.
async fn follow(client: &mut RawClient, revision: Revision, filter: Value) {
    if revision.era() == Era::Legacy {
        for uri in filter["resourceSubscriptions"].as_array().into_iter().flatten() {
            let answer = client.request("resources/subscribe", json!({"uri": uri})).await;
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
        return;
    }
    client.start("subscriptions/listen", json!({"notifications": filter})).await;
    let acknowledged = client.receive().await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    assert_eq!(acknowledged["params"]["notifications"], filter, "{acknowledged}");
}

#[tokio::test]
async fn a_change_is_told_to_every_connection_in_the_way_of_its_era() {
    let server = Server::builder("changes", "1").tool("now", async || "now").build().unwrap();
    let mut clients = Vec::new();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        follow(&mut client, revision, json!({"toolsListChanged": true})).await;
        // What came before is done once this is answered.
        client.request("tools/list", json!({})).await;
        clients.push(client);
    }
    // What is not declared is not told.
    server.prompts_changed();
    server.tools_changed();
    server.tools_changed();
    for mut client in clients {
        let told = client.receive().await.unwrap();
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
        client.request("tools/list", json!({})).await;
        assert_eq!(client.notifications, Vec::<Value>::new(), "changes that are the same are told once");
    }
}

/// Gives the names or addresses of what is listed.
async fn listed(client: &mut RawClient, method: &str, member: &str, name: &str) -> Vec<Value> {
    let answer = client.request(method, json!({})).await;
    answer["result"][member].as_array().unwrap().iter().map(|item| item[name].clone()).collect()
}

#[tokio::test]
async fn tools_are_added_replaced_disabled_and_removed_while_connections_live() {
    for revision in Revision::ALL {
        let server = Server::builder("dynamic", "1").tool("a", async || "1").tool("b", async || "b").build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let tools = server.tools();
        tools.add("c", async || "c").unwrap();
        tools.replace("a", async || "2").unwrap();
        assert_eq!(listed(&mut client, "tools/list", "tools", "name").await, ["a", "b", "c"], "{revision}");
        assert_eq!(text(&client.call("a", json!({})).await), "2");
        tools.disable("a").unwrap();
        tools.replace("a", async || "3").unwrap();
        assert_eq!(listed(&mut client, "tools/list", "tools", "name").await, ["b", "c"], "{revision}");
        assert_eq!(client.call("a", json!({})).await["error"]["code"], -32602);
        tools.enable("a").unwrap();
        assert_eq!(text(&client.call("a", json!({})).await), "3");
        assert!(tools.remove("b"));
        assert_eq!(client.call("b", json!({})).await["error"]["code"], -32602);
        assert_eq!(listed(&mut client, "tools/list", "tools", "name").await, ["a", "c"], "{revision}");
        assert_eq!(tools.add("a", async || "4").unwrap_err(), BuildError::DuplicateTool { name: "a".into() });
        let missing = BuildError::Missing { kind: "tool", name: "b".into() };
        assert_eq!(tools.replace("b", async || "b").unwrap_err(), missing);
        assert_eq!(tools.disable("b").unwrap_err(), missing);
    }
}

#[tokio::test]
async fn resources_and_prompts_are_changed_as_tools_are() {
    for revision in Revision::ALL {
        let server = Server::builder("dynamic", "1").dynamic_resources().dynamic_prompts().build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let resources = server.resources();
        resources.add(Resource::new("x://a", "a"), async || "a").unwrap();
        resources.add_template(ResourceTemplate::new("x://t/{b}", "t"), async || "t").unwrap();
        let read = async |client: &mut RawClient, uri: &str| {
            let answer = client.request("resources/read", json!({"uri": uri})).await;
            answer["result"]["contents"][0]["text"].clone()
        };
        assert_eq!(read(&mut client, "x://a").await, "a");
        assert_eq!(read(&mut client, "x://t/1").await, "t");
        resources.replace(Resource::new("x://a", "a"), async || "a2").unwrap();
        resources.replace_template(ResourceTemplate::new("x://t/{b}", "t"), async || "t2").unwrap();
        assert_eq!(read(&mut client, "x://a").await, "a2");
        assert_eq!(read(&mut client, "x://t/1").await, "t2");
        for uri in ["x://a", "x://t/{b}"] {
            resources.disable(uri).unwrap();
        }
        assert_eq!(read(&mut client, "x://a").await, Value::Null);
        assert_eq!(read(&mut client, "x://t/1").await, Value::Null);
        for uri in ["x://a", "x://t/{b}"] {
            resources.enable(uri).unwrap();
        }
        assert_eq!(listed(&mut client, "resources/list", "resources", "uri").await, ["x://a"], "{revision}");
        assert!(resources.remove("x://a") && resources.remove("x://t/{b}") && !resources.remove("x://a"));
        assert_eq!(read(&mut client, "x://t/1").await, Value::Null);

        let prompts = server.prompts();
        prompts.add(Prompt::new("p"), async || "1").unwrap();
        prompts.replace(Prompt::new("p"), async || "2").unwrap();
        let answer = client.request("prompts/get", json!({"name": "p"})).await;
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], "2", "{revision}");
        prompts.disable("p").unwrap();
        assert_eq!(listed(&mut client, "prompts/list", "prompts", "name").await, Vec::<Value>::new());
        prompts.enable("p").unwrap();
        assert!(prompts.remove("p"));
        assert_eq!(client.request("prompts/get", json!({"name": "p"})).await["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_kind_that_was_not_declared_cannot_be_added() {
    let server = Server::builder("bare", "1").build().unwrap();
    assert_eq!(server.tools().add("a", async || "").unwrap_err(), BuildError::NotDeclared { kind: "tools" });
    let error = server.prompts().add(Prompt::new("p"), async || "").unwrap_err();
    assert_eq!(error, BuildError::NotDeclared { kind: "prompts" });
    let error = server.resources().add(Resource::new("x://a", "a"), async || "").unwrap_err();
    let message = "the server did not declare resources: add one before `build`, or call `dynamic_resources` there";
    assert_eq!(error.to_string(), message);
    let template = ResourceTemplate::new("x://{a}", "a");
    assert_eq!(server.resources().add_template(template, async || "").unwrap_err().to_string(), message);
}

#[tokio::test]
async fn a_change_of_what_is_offered_is_told_once_for_each_list() {
    for revision in Revision::ALL {
        let server = Server::builder("told", "1").tool("a", async || "").dynamic_resources().dynamic_prompts();
        let server = server.build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let filter = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
        follow(&mut client, revision, filter).await;
        client.request("tools/list", json!({})).await;
        // Nothing changes by these.
        server.tools().enable("a").unwrap();
        assert!(!server.tools().remove("b") && !server.resources().remove("x://a") && !server.prompts().remove("p"));
        client.request("tools/list", json!({})).await;
        assert_eq!(client.notifications, Vec::<Value>::new(), "{revision}");
        server.tools().disable("a").unwrap();
        server.tools().enable("a").unwrap();
        server.resources().add(Resource::new("x://a", "a"), async || "").unwrap();
        server.resources().disable("x://a").unwrap();
        server.prompts().add(Prompt::new("p"), async || "").unwrap();
        client.request("tools/list", json!({})).await;
        client.request("tools/list", json!({})).await;
        let mut told: Vec<_> = client.notifications.iter().map(|told| told["method"].as_str().unwrap()).collect();
        told.sort_unstable();
        let expected = ["prompts", "resources", "tools"].map(|list| format!("notifications/{list}/list_changed"));
        assert_eq!(told, expected, "{revision}");
    }
}

#[tokio::test]
async fn an_update_of_a_resource_reaches_those_who_follow_it() {
    for revision in Revision::ALL {
        let server =
            Server::builder("updates", "1").resource(Resource::new("x://a", "a"), async || "").build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        follow(&mut client, revision, json!({"resourceSubscriptions": ["x://a"]})).await;
        client.request("resources/list", json!({})).await;
        server.resource_updated("x://b");
        server.resource_updated("x://a/part");
        client.request("resources/list", json!({})).await;
        client.request("resources/list", json!({})).await;
        let told: Vec<_> = client.notifications.iter().map(|told| &told["params"]["uri"]).collect();
        assert_eq!(told, ["x://a/part"], "{revision}");
        assert_eq!(client.notifications[0]["method"], "notifications/resources/updated");
    }
}

#[tokio::test]
async fn what_whoever_asks_may_not_see_is_neither_listed_nor_found() {
    let server = Server::builder("vault", "1")
        .tool("open tool", async || "")
        .tool("secret tool", async || "")
        .resource(Resource::new("x://open", "open"), async || "")
        .resource(Resource::new("x://secret", "secret"), async || "")
        .resource_template(ResourceTemplate::new("x://t/{secret}", "secret template"), async || "")
        .list_resources(async |_| Ok(vec![Resource::new("x://1", "one"), Resource::new("x://2", "secret two")]))
        .prompt(Prompt::new("secret prompt").arguments([Argument::new("a")]), async || "")
        .completion(Completes::prompt("secret prompt", "a"), async || ["x"])
        .visible(|item, cx| !item.name().starts_with("secret") || cx.principal() == Some("admin"))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(listed(&mut client, "tools/list", "tools", "name").await, ["open tool"], "{revision}");
        assert_eq!(listed(&mut client, "resources/list", "resources", "uri").await, ["x://open", "x://1"]);
        let templates = listed(&mut client, "resources/templates/list", "resourceTemplates", "name").await;
        assert_eq!(templates, Vec::<Value>::new());
        assert_eq!(listed(&mut client, "prompts/list", "prompts", "name").await, Vec::<Value>::new());
        assert_eq!(text(&client.call("open tool", json!({})).await), "");
        let hidden = client.call("secret tool", json!({})).await;
        assert_eq!(hidden["error"]["message"], "unknown tool `secret tool`: `tools/list` names the tools");
        for uri in ["x://secret", "x://t/1"] {
            let answer = client.request("resources/read", json!({"uri": uri})).await;
            assert_eq!(answer["error"]["data"], json!({"uri": uri}), "{answer}");
        }
        assert_eq!(client.request("prompts/get", json!({"name": "secret prompt"})).await["error"]["code"], -32602);
        let reference = json!({"type": "ref/prompt", "name": "secret prompt"});
        let params = json!({"ref": reference, "argument": {"name": "a", "value": ""}});
        assert_eq!(client.request("completion/complete", params).await["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_call_goes_on_when_its_tool_is_removed_by_itself() {
    let slot = std::sync::Arc::new(std::sync::OnceLock::<Server>::new());
    let own = slot.clone();
    let server = Server::builder("self", "1")
        .tool("leave", move || {
            let own = own.clone();
            async move { own.get().unwrap().tools().remove("leave").to_string() }
        })
        .build()
        .unwrap();
    slot.set(server.clone()).unwrap();
    let mut client = RawClient::connect(&server, Revision::V2026_07_28).await;
    assert_eq!(text(&client.call("leave", json!({})).await), "true");
    assert_eq!(client.call("leave", json!({})).await["error"]["code"], -32602);
}
