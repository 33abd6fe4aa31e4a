//! Rules of conversations with a model.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcpeer::{
    handler::Context,
    model::{
        Content,
        content::Role,
        sampling::{CreateParams, CreateResult, Message, ToolResult, ToolUse},
    },
    server::Server,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::{
    ask::peer::talk,
    peers::{RawClient, builder, connect_raw, text},
};

fn used(id: &str) -> Message {
    Message::assistant(ToolUse::new(id, "add", [("a", 1)]))
}

fn result(id: &str) -> Message {
    Message::user(ToolResult::new(id, [Content::text("3")]))
}

/// Conversations, and what is wrong with each.
fn conversations() -> Vec<(Vec<Message>, Option<&'static str>)> {
    let both = |content: Vec<mcpeer::model::sampling::Content>| Message::new(Role::User, content);
    let block = |message: Message| message.content.as_slice()[0].clone();
    let two = Message::new(Role::Assistant, vec![block(used("1")), block(used("2"))]);
    vec![
        (vec![Message::user("a"), used("1"), result("1"), Message::assistant("b")], None),
        (vec![two.clone(), both(vec![block(result("2")), block(result("1"))])], None),
        (vec![used("1"), result("1"), used("1"), result("1")], None),
        (vec![used("1"), Message::user("a")], Some("`messages[1]` must be the results")),
        (vec![used("1"), result("2")], Some("`messages[1]` must be the results")),
        (vec![two, result("1")], Some("`messages[1]` must be the results")),
        (vec![Message::user("a"), used("1")], Some("`messages[1]` uses are missing")),
        (vec![result("1")], Some("`messages[0]` has results of tools that the message before does not use")),
        (vec![used("1"), both(vec![block(result("1")), "and".into()])], Some("a user says these and nothing else")),
        (vec![used("1"), Message::assistant(block(result("1")))], Some("a user says these and nothing else")),
    ]
}

#[tokio::test]
async fn a_client_refuses_a_conversation_in_which_results_of_tools_are_missing_or_mixed_with_others() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let revision = Revision::V2025_11_25;
    let answering = builder().sampling_tools().on_sample(move |_: CreateParams| {
        count.fetch_add(1, Ordering::Relaxed);
        async { CreateResult::new(Role::Assistant, "Hi", "small-1") }
    });
    let (_client, mut server) = connect_raw(answering, revision).await;
    for (messages, fault) in conversations() {
        let before = asked.load(Ordering::Relaxed);
        let params = CreateParams::new(messages, 9);
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params});
        server.send(&question).await;
        let answer = server.receive().await.unwrap();
        match fault {
            None => assert_eq!(answer["result"]["model"], "small-1", "{answer}"),
            Some(fault) => {
                assert_eq!(answer["error"]["code"], -32602, "{answer}");
                assert!(answer["error"]["message"].as_str().unwrap().contains(fault), "{answer}");
            }
        }
        assert_eq!(asked.load(Ordering::Relaxed) - before, usize::from(fault.is_none()));
    }
}

#[tokio::test]
async fn what_a_model_is_asked_names_its_limit() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let answering =
            builder().on_sample(async |_: CreateParams| CreateResult::new(Role::Assistant, "Hi", "small-1"));
        let (_client, mut server) = connect_raw(answering, revision).await;
        for (params, place) in [
            (json!({"messages": []}), "`params.maxTokens` is missing"),
            (json!({"messages": [], "maxTokens": "9"}), "`params.maxTokens`"),
            (json!({"maxTokens": 9}), "`params.messages` is missing"),
            (json!({"messages": [{"role": "user"}], "maxTokens": 9}), "`params.messages[0].content` is missing"),
        ] {
            let question = json!({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params});
            server.send(&question).await;
            let answer = server.receive().await.unwrap();
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(place), "{revision}: {answer}");
        }
    }
}

/// A server that asks a model what it is told to.
fn asking() -> Server {
    let conversations = Arc::new(conversations());
    Server::builder("asking", "1")
        .tool("say", move |call: mcpeer::server::Args<Said>, cx: Context| {
            let messages = conversations[call.0.number].0.clone();
            async move { cx.sample(CreateParams::new(messages, 9)).await.map(|answer| answer.model) }
        })
        .tool("context", async |cx: Context| {
            let params = CreateParams::new([Message::user("Hello")], 9).include_context("thisServer");
            cx.sample(params).await.map(|answer| answer.model)
        })
        .build()
        .unwrap()
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Said {
    number: usize,
}

fn answer() -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "small-1"})
}

#[tokio::test]
async fn a_server_does_not_send_such_a_conversation() {
    let capabilities = json!({"sampling": {"tools": {}}});
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut client = RawClient::connect_as(&asking(), revision, capabilities.clone()).await;
        for (number, (_, fault)) in conversations().into_iter().enumerate() {
            let params = json!({"name": "say", "arguments": {"number": number}});
            let talk = talk(&mut client, revision, params, |_, _| answer()).await;
            assert_eq!(talk.rounds.is_empty(), fault.is_some(), "{number} at {revision}: {}", talk.answer);
            let said = text(&talk.answer);
            assert!(said.contains(fault.unwrap_or("small-1")), "{number} at {revision}: {said}");
        }
    }
}

#[tokio::test]
async fn context_of_servers_is_asked_for_only_of_clients_that_declare_it() {
    for revision in Revision::ALL {
        for capabilities in [json!({"sampling": {}}), json!({"sampling": {"context": {}}})] {
            let is_declared = capabilities["sampling"].get("context").is_some();
            let mut client = RawClient::connect_as(&asking(), revision, capabilities).await;
            let talk = talk(&mut client, revision, json!({"name": "context"}), |_, _| answer()).await;
            // Before 2025-11-25 there is no such capability.
            if is_declared || !revision.has_sampling_tools() {
                assert_eq!(talk.asked()[0].1["includeContext"], "thisServer", "{revision}");
                assert_eq!(text(&talk.answer), "small-1", "{revision}");
                continue;
            }
            assert!(talk.rounds.is_empty(), "{revision}");
            match revision.era() {
                Era::Legacy => assert!(text(&talk.answer).contains("`sampling.context`"), "{}", talk.answer),
                Era::Modern => {
                    let data = json!({"requiredCapabilities": {"sampling": {"context": {}}}});
                    assert_eq!((&talk.answer["error"]["code"], &talk.answer["error"]["data"]), (&json!(-32021), &data));
                }
            }
        }
    }
}
