//! What our client finds at the published server that has everything, as it is.

use std::sync::{Arc, Mutex};

use mcpeer::{
    client::{Change, Client},
    model::{
        completion::{Argument, CompleteParams, Context, PromptReference, ResourceReference},
        content::{Content, Role},
        elicitation::{CreateResult, FormParams, UrlParams},
        logging::Level,
        resources::Contents,
        roots::Root,
        sampling::{self, CreateParams},
        subscriptions::Filter,
        tools::CallResult,
    },
    version::Revision,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    foreign::package,
    started::{text_of, with_child},
};

const EVERYTHING: &str = "@modelcontextprotocol/server-everything/dist/index.js";
const WRITTEN: &str = "demo://resource/dynamic/text/1";

#[tokio::test]
async fn our_client_answers_and_watches_the_everything_server_at_every_stateful_revision() {
    for revision in Revision::ALL.into_iter().filter(|revision| *revision != Revision::V2026_07_28) {
        let Some(server) = package(EVERYTHING, &["stdio"]) else { return };
        let forms = Arc::new(Mutex::new(Vec::new()));
        let (logs, mut logged) = mpsc::unbounded_channel();
        let filled = forms.clone();
        let builder = Client::builder("interop_client", "1.0.0")
            .revisions([revision])
            .on_log(move |message| {
                // The test may be over.
                let _ = logs.send(message.data.as_str().to_owned());
            })
            .on_elicit(move |question: FormParams| {
                filled.lock().expect("no test failed").push(question.requested_schema.properties.iter().count());
                std::future::ready(CreateResult::accept([("name", "Ada")]))
            })
            .on_elicit_url(async |_: UrlParams| CreateResult::accept([] as [(&str, Value); 0]))
            .on_sample(async |question: CreateParams| {
                let [sampling::Content::Text(text)] = question.messages[0].content.as_slice() else {
                    panic!("the question is no text: {question:?}")
                };
                sampling::CreateResult::new(Role::Assistant, format!("You said: {}", text.text), "small-1")
            })
            .roots([Root::new("file:///work").name("work")]);
        with_child(&server, builder, async |client| {
            reads(&client).await;
            prompts(&client).await;
            questions(&client, revision).await;
            watch(&client).await;
            client.set_log_level(Level::Debug).await.expect("the server logs");
            // It logs once at once, then every five seconds until it is called again.
            for _ in 0..2 {
                call(&client, "toggle-simulated-logging", json!({})).await;
            }
            // What it makes up speaks of its level; before that it told of roots and subscriptions.
            while !logged.recv().await.expect("it logs").contains("level") {}
        })
        .await;
        let has_forms = revision >= Revision::V2025_06_18;
        assert_eq!(*forms.lock().expect("no test failed"), if has_forms { vec![13] } else { vec![] });
    }
}

async fn reads(client: &Client) {
    let listed = client.resources().all().await.expect("a list");
    let document = listed.iter().find(|found| found.name == "features.md").expect("it is listed");
    let read = client.read(&document.uri).await.expect("it can be read").contents;
    assert!(matches!(&*read, [Contents::Text(text)] if text.text.contains("Everything")));

    let templates = client.resource_templates().all().await.expect("a list");
    assert!(templates.iter().any(|found| found.uri_template == "demo://resource/dynamic/text/{resourceId}"));
    let read = client.read(WRITTEN).await.expect("it can be read").contents;
    assert!(matches!(&*read, [Contents::Text(text)] if text.text.starts_with("Resource 1: ")));
    let read = client.read("demo://resource/dynamic/blob/1").await.expect("it can be read").contents;
    assert!(matches!(&*read, [Contents::Blob(blob)] if blob.blob.starts_with("UmVzb3VyY2UgMTo")));
    assert!(client.read("demo://resource/none").await.expect_err("there is none").rpc().is_some());
}

async fn prompts(client: &Client) {
    let listed = client.prompts().all().await.expect("a list");
    assert!(listed.iter().any(|found| found.name == "args-prompt"));
    let weather = client.prompt("args-prompt", &json!({"city": "Paris", "state": "Texas"})).await.expect("a prompt");
    assert_eq!(weather.messages[0].content.as_text(), Some("What's weather in Paris, Texas?"));
    let embedded = json!({"resourceType": "Text", "resourceId": "1"});
    let embedded = client.prompt("resource-prompt", &embedded).await.expect("a prompt");
    assert!(embedded.messages.iter().any(|said| matches!(said.content, Content::Resource(_))));

    let template = ResourceReference::new("demo://resource/dynamic/text/{resourceId}");
    let params = CompleteParams::new(template, Argument::new("resourceId", "7"));
    assert_eq!(client.complete(&params).await.expect("a completion").completion.values, ["7"]);
    let params = CompleteParams::new(PromptReference::new("completable-prompt"), Argument::new("name", "F"))
        .context(Context::new().arguments([("department", "Sales")]));
    assert_eq!(client.complete(&params).await.expect("a completion").completion.values, ["Frank"]);
}

async fn questions(client: &Client, revision: Revision) {
    let sampled = call(client, "trigger-sampling-request", json!({"prompt": "hello"})).await;
    assert!(text_of(&sampled).contains("You said: Resource trigger-sampling-request context: hello"));
    let roots = call(client, "get-roots-list", json!({})).await;
    assert!(text_of(&roots).contains("1. work\n   URI: file:///work"), "{}", text_of(&roots));

    // What a client does not declare this server has no tool for.
    let tools = client.tools().all().await.expect("a list");
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    assert_eq!(has("trigger-elicitation-request"), revision >= Revision::V2025_06_18);
    assert_eq!(has("trigger-url-elicitation"), revision >= Revision::V2025_11_25);
    if has("trigger-elicitation-request") {
        let filled = call(client, "trigger-elicitation-request", json!({})).await;
        let raw = filled.content.last().and_then(Content::as_text).expect("the answer as it came");
        let raw: Value = serde_json::from_str(raw.split_once(':').expect("a title").1).expect("JSON");
        let fraction: Value = serde_json::from_str("3.14").expect("a number");
        let mut defaults = json!({
            "name": "Ada",
            "firstLine": "It was a dark and stormy night.",
            "integer": 42,
            "number": fraction,
            "untitledSingleSelectEnum": "Monica",
            "titledSingleSelectEnum": "hero-1",
            "legacyTitledEnum": "pet-1",
        });
        // It shows fields with several words at a revision that has none, too.
        if revision >= Revision::V2025_11_25 {
            defaults["untitledMultipleSelectEnum"] = json!(["Guitar"]);
            defaults["titledMultipleSelectEnum"] = json!(["fish-1"]);
        }
        assert_eq!(raw, json!({"action": "accept", "content": defaults}));
    }
    if has("trigger-url-elicitation") {
        let arguments = json!({"url": "https://example.com/login", "errorPath": true});
        let refused = client.call("trigger-url-elicitation").arguments(&arguments).await.expect_err("not yet");
        assert_eq!(refused.rpc().expect("the server's error").code, -32042);
        let opened = call(client, "trigger-url-elicitation", arguments).await;
        let text = opened.content[0].as_text().expect("a text");
        assert!(text.contains("User completed the URL elicitation flow"), "the text was {text}");
    }
}

async fn watch(client: &Client) {
    let mut watch =
        client.watch(Filter::new().resource_subscriptions([WRITTEN.to_owned()])).await.expect("it can be watched");
    // It tells of a change at once, then every five seconds until it is called again.
    for _ in 0..2 {
        call(client, "toggle-subscriber-updates", json!({})).await;
    }
    assert_eq!(watch.next().await, Some(Change::Resource { uri: WRITTEN.to_owned() }));
}

async fn call(client: &Client, tool: &str, arguments: Value) -> CallResult {
    let result = client.call(tool).arguments(&arguments).await.expect("a result");
    assert!(!result.is_failed(), "{tool} failed: {result:?}");
    result
}
