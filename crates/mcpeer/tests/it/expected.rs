//! What is read as what was expected, and what nobody expected is kept: members of other results, roles, contents,
//! levels.

use std::sync::{Arc, Mutex};

use mcpeer::{
    client::Client,
    handler::Context,
    model::{
        Content,
        completion::{Argument, CompleteParams, PromptReference},
        content::{EmbeddedResource, Role},
        elicitation::{FormParams, RequestedSchema, StringSchema},
        logging::MessageParams,
        sampling,
    },
    server::Server,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::{
    ask::peer::{everything, talk},
    peers::{RawClient, RawServer, builder, connect_raw, connect_raw_that_offers, text},
};

/// One object with the members of every result.
fn every_result() -> Value {
    json!({
        "content": [{"type": "text", "text": "content"}],
        "structuredContent": {"a": 1},
        "isError": false,
        "tools": [{"name": "tool", "inputSchema": {"type": "object"}}],
        "resources": [{"uri": "x://resource", "name": "resource"}],
        "resourceTemplates": [{"uriTemplate": "x://{a}", "name": "template"}],
        "contents": [{"uri": "x://contents", "text": "contents"}],
        "prompts": [{"name": "prompt"}],
        "messages": [{"role": "user", "content": {"type": "text", "text": "message"}}],
        "description": "description",
        "completion": {"values": ["value"]},
        "roots": [{"uri": "file:///root"}],
        "action": "accept",
        "role": "assistant",
        "model": "model",
        "stopReason": "endTurn",
        "protocolVersion": "2025-06-18",
        "serverInfo": {"name": "server", "version": "0"},
        "capabilities": {},
        "supportedVersions": ["2025-06-18"],
        "inputRequests": {},
        "requestState": "state",
        "taskId": "task",
        "error": {"code": -1, "message": "error"},
        "method": "ping",
    })
}

async fn answer_with(server: &mut RawServer, method: &str, result: &Value) {
    let request = server.expect(method).await;
    server.answer(&request["id"], result.clone()).await;
}

#[tokio::test]
async fn a_result_is_what_its_request_expects_whatever_else_it_holds() {
    let offers = json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {}});
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw_that_offers(offers.clone(), builder(), revision).await;
        let serving = tokio::spawn(async move {
            for method in [
                "tools/list",
                "tools/call",
                "resources/list",
                "resources/templates/list",
                "resources/read",
                "prompts/list",
                "prompts/get",
                "completion/complete",
            ] {
                answer_with(&mut server, method, &every_result()).await;
            }
        });
        assert_eq!(client.tools().all().await.unwrap()[0].name, "tool", "{revision}");
        let called = client.call("tool").await.unwrap();
        assert_eq!(called.as_text(), "content");
        assert_eq!(called.structured_content.as_ref().unwrap().as_str(), r#"{"a":1}"#);
        // What belongs to other results is not lost.
        let called = serde_json::to_value(&called).unwrap();
        for name in ["tools", "messages", "roots", "model", "inputRequests"] {
            assert_eq!(called[name], every_result()[name], "{revision}");
        }
        assert_eq!(client.resources().all().await.unwrap()[0].name, "resource");
        assert_eq!(client.resource_templates().all().await.unwrap()[0].name, "template");
        let read = client.read("x://contents").await.unwrap();
        assert_eq!(read.contents.len(), 1, "{revision}");
        assert_eq!(client.prompts().all().await.unwrap()[0].name, "prompt");
        let prompt = client.prompt("prompt", &json!({})).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("message"));
        let params = CompleteParams::new(PromptReference::new("prompt"), Argument::new("a", ""));
        assert_eq!(client.complete(params).await.unwrap().completion.values, ["value"]);
        serving.await.unwrap();
    }
}

/// A server with a tool that asks for everything.
fn asking() -> Server {
    Server::builder("asking", "1")
        .tool("model", async |cx: Context| -> mcpeer::Result<String> {
            let answer = cx.sample(sampling::CreateParams::new([sampling::Message::user("Hello")], 9)).await?;
            Ok(serde_json::to_string(&answer).expect("it can be written"))
        })
        .tool("roots", async |cx: Context| -> mcpeer::Result<String> {
            Ok(serde_json::to_string(&cx.roots().await?).expect("it can be written"))
        })
        .tool("user", async |cx: Context| -> mcpeer::Result<String> {
            let form = RequestedSchema::new([("name", StringSchema::new())]);
            let answer = cx.elicit_form("Who?", form).await?;
            Ok(answer.is_accepted().to_string())
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_answer_of_a_client_is_what_its_question_expects_whatever_else_it_holds() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect_as(&asking(), revision, everything()).await;
        let mut ask = async |tool: &str| {
            let talk = talk(&mut client, revision, json!({"name": tool}), |method, _| {
                let mut answer = every_result();
                if method == "elicitation/create" {
                    answer["content"] = json!({"name": "Ada"});
                }
                answer
            });
            let answer = talk.await.answer;
            serde_json::from_str::<Value>(text(&answer)).unwrap_or_else(|_| panic!("{tool} at {revision}: {answer}"))
        };
        assert_eq!(ask("roots").await, json!([{"uri": "file:///root"}]));
        let answer = ask("model").await;
        assert_eq!((&answer["model"], &answer["role"]), (&json!("model"), &json!("assistant")), "{revision}");
        if revision.has_elicitation() {
            assert_eq!(ask("user").await, json!(true), "{revision}");
        }
    }
}

/// Content and a role that no revision has.
fn unknown() -> (Value, Value) {
    (json!("system"), json!({"type": "video", "data": "AA==", "mimeType": "video/mp4"}))
}

#[tokio::test]
async fn roles_and_contents_that_nobody_knows_reach_a_client_as_they_came() {
    let (role, video) = unknown();
    let offers = json!({"tools": {}, "resources": {}, "prompts": {}});
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw_that_offers(offers.clone(), builder(), revision).await;
        let known = json!({"type": "text", "text": "known"});
        let result = json!({"content": [known, video, {"type": 7}, 7]});
        let messages = json!([{"role": role, "content": known}, {"role": "user", "content": video}]);
        let prompt = json!({"messages": messages});
        let contents = json!({"contents": [{"uri": "x://a", "mimeType": "a/b", "stream": "x"}]});
        let serving = tokio::spawn({
            let (result, prompt, contents) = (result.clone(), prompt.clone(), contents.clone());
            async move {
                answer_with(&mut server, "tools/call", &result).await;
                answer_with(&mut server, "prompts/get", &prompt).await;
                answer_with(&mut server, "resources/read", &contents).await;
            }
        });
        let called = client.call("a").await.unwrap();
        assert_eq!(called.content[0].as_text(), Some("known"), "{revision}");
        assert!(called.content[1..].iter().all(|content| matches!(content, Content::Unknown(_))));
        assert_eq!(serde_json::to_value(&called.content).unwrap(), result["content"]);
        let got = client.prompt("a", &json!({})).await.unwrap();
        assert_eq!(got.messages[0].role, Role::Other("system".into()), "{revision}");
        assert_eq!(serde_json::to_value(&got.messages).unwrap(), prompt["messages"]);
        let read = client.read("x://a").await.unwrap();
        assert_eq!(serde_json::to_value(&read.contents).unwrap(), contents["contents"], "{revision}");
        serving.await.unwrap();
    }
}

#[tokio::test]
async fn roles_contents_and_levels_that_nobody_knows_reach_the_handlers_of_a_client() {
    let (role, video) = unknown();
    for revision in Revision::ALL {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = heard.clone();
        let levels = Arc::new(Mutex::new(Vec::new()));
        let on_log = {
            let levels = levels.clone();
            move |message: MessageParams| levels.lock().unwrap().push(message.level.as_str().to_owned())
        };
        let listening = builder().on_log(on_log).on_sample(move |params: sampling::CreateParams| {
            ears.lock().unwrap().push(serde_json::to_value(&params.messages).unwrap());
            async { sampling::CreateResult::new(Role::Other("tool".into()), "Hi", "small-1") }
        });
        let (client, mut server) = connect_raw(listening, revision).await;
        let messages =
            json!([{"role": role, "content": {"type": "text", "text": "a"}}, {"role": "user", "content": video}]);
        let params = json!({"messages": messages, "maxTokens": 9});
        let call = tokio::spawn(client.call("a").send());
        let request = server.expect("tools/call").await;
        let log = json!({"level": "loud", "data": 7});
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": log})).await;
        let (id, answer) = match revision.era() {
            Era::Legacy => {
                let question = json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params});
                server.send(&question).await;
                (request["id"].clone(), server.receive().await.unwrap()["result"].clone())
            }
            Era::Modern => {
                let question = json!({"method": "sampling/createMessage", "params": params});
                let asked = json!({"resultType": "input_required", "inputRequests": {"k": question}});
                server.answer(&request["id"], asked).await;
                let again = server.expect("tools/call").await;
                (again["id"].clone(), again["params"]["inputResponses"]["k"].clone())
            }
        };
        assert_eq!(answer["role"], "tool", "{revision}: {answer}");
        server.answer(&id, json!({"content": []})).await;
        call.await.unwrap().unwrap();
        assert_eq!(*heard.lock().unwrap(), [messages], "{revision}");
        assert_eq!(*levels.lock().unwrap(), ["loud"], "{revision}");
    }
}

#[tokio::test]
async fn roles_and_contents_that_nobody_knows_reach_the_handlers_of_a_server() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect_as(&asking(), revision, everything()).await;
        let (role, video) = unknown();
        let talk = talk(
            &mut client,
            revision,
            json!({"name": "model"}),
            |_, _| json!({"role": role, "content": video, "model": "m", "stopReason": "refusal"}),
        );
        let answer: Value = serde_json::from_str(text(&talk.await.answer)).unwrap();
        let expected = json!({"role": "system", "content": video, "model": "m", "stopReason": "refusal"});
        assert_eq!(answer, expected, "{revision}");
    }
}

#[tokio::test]
async fn a_proxy_loses_nothing() {
    let block = json!({"type": "text", "text": "x", "odd": [1], "annotations": {"more": 2}, "_meta": {"m": 3}});
    let result = json!({"content": [block], "structuredContent": {"a": 1}, "isError": true, "other": {"a": null}});
    for revision in Revision::ALL {
        let (upstream, mut server) = connect_raw(builder(), revision).await;
        let upstream = Arc::new(upstream);
        let proxied = Server::builder("proxy", "1")
            .tool("forward", move |_: Context| {
                let upstream: Arc<Client> = upstream.clone();
                async move { upstream.call("behind").arguments(&json!({"n": 1})).await }
            })
            .build()
            .unwrap();
        let mut client = RawClient::connect(&proxied, revision).await;
        let id = client.start("tools/call", json!({"name": "forward"})).await;
        answer_with(&mut server, "tools/call", &result).await;
        let mut answer = crate::peers::plain(client.answer(id).await);
        if !revision.has_structured_content() {
            answer["structuredContent"] = result["structuredContent"].clone();
        }
        assert_eq!(answer, result, "{revision}");
    }
}

#[test]
fn annotations_of_an_embedded_resource_are_found_in_either_place() {
    let annotations = json!({"priority": 0.5, "audience": ["user"]});
    let contents = [json!({"uri": "x://a", "text": "A"}), json!({"uri": "x://a", "blob": "AA=="})];
    for contents in contents {
        let outside = json!({"type": "resource", "resource": contents, "annotations": annotations});
        let mut within = json!({"type": "resource", "resource": contents});
        within["resource"]["annotations"] = annotations.clone();
        for block in [outside, within] {
            let resource: EmbeddedResource = serde_json::from_value(block.clone()).unwrap();
            let found = resource.any_annotations().unwrap_or_else(|| panic!("{block}"));
            assert_eq!(serde_json::to_value(&found).unwrap(), annotations);
            assert_eq!(serde_json::to_value(&resource).unwrap(), block);
        }
        let neither = json!({"type": "resource", "resource": contents});
        assert!(serde_json::from_value::<EmbeddedResource>(neither).unwrap().any_annotations().is_none());
    }
}

#[test]
fn what_a_form_may_not_have_is_kept() {
    let field = json!({"type": "string", "pattern": "^a", "minLength": 1});
    let colour = json!({"type": "colour"});
    let schema = json!({"type": "object", "properties": {"a": field, "b": colour}, "required": ["a"], "title": "T"});
    let form = json!({"message": "Who?", "requestedSchema": schema, "tools": []});
    let read: FormParams = serde_json::from_value(form.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), form);
}
