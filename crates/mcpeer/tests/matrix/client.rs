//! The bodies: what our client does, whatever the link.

use std::{
    future::ready,
    sync::{Arc, Mutex},
};

use mcpeer::{
    Client,
    client::{self, Builder, Change},
    model::{
        completion::{Argument, CompleteParams, PromptReference},
        elicitation::{CreateResult, FormParams},
        logging::Level,
        roots::Root,
        subscriptions::Filter,
    },
    version::Era,
};
use serde_json::{Value, json};

use crate::{
    link::At,
    server::{Double, HUGE, Sum},
    table::Body,
};

fn builder() -> Builder {
    Client::builder("test", "1")
}

/// Does one thing in one cell.
pub(crate) async fn run(body: Body, at: &At) {
    match body {
        Body::Tools => tools(at).await,
        Body::Resources => resources(at).await,
        Body::Templates => templates(at).await,
        Body::Prompts => prompts(at).await,
        Body::Completion => completion(at).await,
        Body::Progress => progress(at).await,
        Body::Cancellation => cancellation(at).await,
        Body::Logging => logging(at).await,
        Body::Changes => changes(at).await,
        Body::Pagination => pagination(at).await,
        Body::Errors => errors(at).await,
        Body::OwnMethods => own_methods(at).await,
        Body::Questions => questions(at).await,
        Body::Roots => roots(at).await,
        Body::Tasks => tasks(at).await,
        Body::Skills => skills(at).await,
        Body::Extensions => extensions(at).await,
        Body::Middleware => middleware(at).await,
        Body::Cache => cache(at).await,
        Body::Panics => panics(at).await,
        Body::Hangs => hangs(at).await,
        Body::Floods => floods(at).await,
        Body::Huge => huge(at).await,
    }
}

async fn tools(at: &At) {
    let client = at.ours(builder()).await;
    let tools = client.tools().all().await.unwrap();
    let add = tools.iter().find(|tool| tool.name == "add").unwrap();
    assert_eq!(add.output_schema.is_some(), at.revision.has_structured_content());
    let result = client.call("add").arguments(&json!({"a": 5, "b": 3})).await.unwrap();
    assert_eq!(result.as_text(), r#"{"sum":8}"#);
    let structured = serde_json::to_value(&result).unwrap()["structuredContent"].clone();
    assert_eq!(structured == json!({"sum": 8}), at.revision.has_structured_content(), "{structured}");
    let result = client.call("add").arguments(&json!({"a": "5", "b": 3})).await.unwrap();
    assert!(result.is_failed() && result.as_text().contains("arguments.a"), "{result:?}");
    client.close().await;
}

async fn resources(at: &At) {
    let client = at.ours(builder()).await;
    let uris: Vec<_> = client.resources().all().await.unwrap().into_iter().map(|resource| resource.uri).collect();
    assert!(uris.contains(&"a://b".to_owned()) && uris.contains(&"a://bytes".to_owned()), "{uris:?}");
    let read = async |uri: &str| serde_json::to_value(client.read(uri).await.unwrap()).unwrap()["contents"][0].clone();
    assert_eq!(read("a://b").await, json!({"uri": "a://b", "mimeType": "text/plain", "text": "text"}));
    assert_eq!(read("a://bytes").await, json!({"uri": "a://bytes", "mimeType": "image/png", "blob": "AQID"}));
    client.close().await;
}

async fn templates(at: &At) {
    let client = at.ours(builder()).await;
    let templates = client.resource_templates().all().await.unwrap();
    assert!(templates.iter().any(|template| template.uri_template == "x://e/{topic}"));
    for (uri, topic) in [("x://e/tea", "tea"), ("x://e/foo%2Fbar", "foo/bar"), ("x://e/caf%C3%A9", "café")] {
        let read = serde_json::to_value(client.read(uri).await.unwrap()).unwrap();
        assert_eq!((&read["contents"][0]["text"], &read["contents"][0]["uri"]), (&json!(topic), &json!(uri)));
    }
    client.close().await;
}

async fn prompts(at: &At) {
    let client = at.ours(builder()).await;
    let prompts = client.prompts().all().await.unwrap();
    assert_eq!(prompts[0].name, "review");
    let prompt = client.prompt("review", &json!({"name": "Ada"})).await.unwrap();
    assert_eq!(serde_json::to_value(&prompt).unwrap()["messages"][0]["content"]["text"], "Review Ada");
    for (name, arguments) in [("review", json!({})), ("none", json!({}))] {
        let error = client.prompt(name, &arguments).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, -32602, "{error}");
    }
    client.close().await;
}

async fn completion(at: &At) {
    let client = at.ours(builder()).await;
    let params = CompleteParams::new(PromptReference::new("review"), Argument::new("name", "a"));
    let completed = client.complete(params).await.unwrap();
    assert_eq!(completed.completion.values, ["ada", "alan"]);
    client.close().await;
}

async fn progress(at: &At) {
    let client = at.ours(builder()).await;
    let mut call = client.call("count").with_progress().send();
    let mut steps = Vec::new();
    while let Some(progress) = call.progress().await {
        assert_eq!(progress.message.is_some(), at.revision.has_progress_messages());
        steps.push(progress.progress);
    }
    assert_eq!(steps, [1.0, 2.0, 3.0]);
    assert_eq!(call.await.unwrap().as_text(), "counted");
    client.close().await;
}

async fn cancellation(at: &At) {
    let client = at.ours(builder()).await;
    let mut call = client.call("hangs").with_progress().send();
    assert!(call.progress().await.is_some());
    drop(call);
    // The handler hears of it.
    assert_eq!(client.call("ended").await.unwrap().as_text(), "ended");
    let mut call = client.call("hangs").with_progress().send();
    assert!(call.progress().await.is_some());
    call.cancel("enough");
    assert!(call.await.unwrap_err().is_cancelled());
    assert_eq!(client.call("ended").await.unwrap().as_text(), "ended");
    client.close().await;
}

async fn logging(at: &At) {
    let heard = Arc::<Mutex<Vec<Value>>>::default();
    let log = heard.clone();
    let builder = builder().on_log(move |message| log.lock().unwrap().push(serde_json::to_value(&message).unwrap()));
    let client = at.ours(builder).await;
    client.set_log_level(Level::Error).await.unwrap();
    assert_eq!(client.call("logs").await.unwrap().as_text(), "logged");
    client.set_log_level(Level::Info).await.unwrap();
    assert_eq!(client.call("logs").await.unwrap().as_text(), "logged");
    let levels: Vec<Value> = heard.lock().unwrap().iter().map(|message| message["level"].clone()).collect();
    assert_eq!(levels, ["error", "info", "error"]);
    client.close().await;
}

async fn changes(at: &At) {
    let client = at.ours(builder()).await;
    let filter = Filter::new().tools_list_changed(true).resource_subscriptions(["a://b".to_owned()]);
    let mut watch = client.watch(filter).await.unwrap();
    for _ in 0..2 {
        assert_eq!(client.call("change").await.unwrap().as_text(), "changed");
        let changes = [watch.next().await.unwrap(), watch.next().await.unwrap()];
        assert!(changes.contains(&Change::Tools), "{changes:?}");
        assert!(changes.contains(&Change::Resource { uri: "a://b".to_owned() }), "{changes:?}");
    }
    client.close().await;
    while watch.next().await.is_some() {}
}

async fn pagination(at: &At) {
    let client = at.ours(builder()).await;
    let page = client.tools().page(None).await.unwrap();
    assert_eq!(page.tools.len(), 4);
    let all = client.tools().all().await.unwrap();
    assert!(all.len() > 8 && all.len() % 4 != 0, "{}", all.len());
    let error = client.tools().page(Some("none")).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32602);
    client.close().await;
}

async fn errors(at: &At) {
    let client = at.ours(builder()).await;
    assert!(client.call("fails").await.unwrap().is_failed());
    for (name, code) in [("refuses", 8), ("none", -32602)] {
        assert_eq!(client.call(name).await.unwrap_err().rpc().unwrap().code, code, "{name}");
    }
    let error = client.read("a://none").await.unwrap_err();
    let code = if at.revision.era() == Era::Legacy { -32002 } else { -32602 };
    assert_eq!(error.rpc().unwrap().code, code);
    client.close().await;
}

async fn own_methods(at: &At) {
    let client = at.ours(builder()).await;
    assert_eq!(client.request::<Double>(&Sum { sum: 21 }).await.unwrap().sum, 42);
    let error = client.request::<Double>(&Sum { sum: -1 }).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, 7);
    let error = client.request_raw("com.example/none", None).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32601);
    client.close().await;
}

async fn questions(at: &At) {
    let builder = builder().on_elicit(|_: FormParams| ready(CreateResult::accept([("name", "Ada")])));
    let client = at.ours(builder).await;
    assert_eq!(client.call("greet").await.unwrap().as_text(), "Ada");
    client.close().await;
    let client = at.ours(self::builder().on_elicit(|_: FormParams| ready(CreateResult::decline()))).await;
    assert_eq!(client.call("greet").await.unwrap().as_text(), "nobody");
    client.close().await;
}

async fn roots(at: &At) {
    let client = at.ours(builder().roots([Root::new("file:///home/ada")])).await;
    assert_eq!(client.call("roots").await.unwrap().as_text(), "file:///home/ada");
    client.close().await;
}

async fn tasks(at: &At) {
    for builder in [builder(), builder().extension(client::tasks::Tasks::new())] {
        let client = at.ours(builder).await;
        assert_eq!(client.call("slow").await.unwrap().as_text(), "done");
        client.close().await;
    }
}

async fn skills(at: &At) {
    let client = at.ours(builder()).await;
    let skills = client.skills().all().await.unwrap();
    assert_eq!(skills[0].frontmatter.name, "tidy");
    client.close().await;
}

async fn extensions(at: &At) {
    let client = at.ours(builder()).await;
    for name in ["io.modelcontextprotocol/tasks", "io.modelcontextprotocol/skills"] {
        assert!(client.server_extension(name).is_some(), "{name}");
    }
    assert!(client.server_extension("com.example/none").is_none());
    client.close().await;
}

/// How often the server was asked something.
async fn counted(client: &Client, method: &str) -> u64 {
    let counts: Value = serde_json::from_str(&client.call("counts").await.unwrap().as_text()).unwrap();
    counts[method].as_u64().unwrap_or_default()
}

async fn middleware(at: &At) {
    let client = at.ours(builder()).await;
    for _ in 0..2 {
        client.call("add").arguments(&json!({"a": 5, "b": 3})).await.unwrap();
    }
    client.read("a://b").await.unwrap();
    assert_eq!((counted(&client, "tools/call").await, counted(&client, "resources/read").await), (3, 1));
    client.close().await;
}

async fn cache(at: &At) {
    let client = at.ours(builder()).await;
    for _ in 0..3 {
        assert_eq!(client.prompts().all().await.unwrap().len(), 1);
    }
    // Only one era says how long a result may be kept.
    let asked = if at.revision.has_cache_hints() { 1 } else { 3 };
    assert_eq!(counted(&client, "prompts/list").await, asked);
    client.close().await;
}

async fn is_served(client: &Client) {
    assert_eq!(client.call("fails").await.unwrap().as_text(), "the disk is full");
}

async fn panics(at: &At) {
    let client = at.ours(builder()).await;
    for _ in 0..3 {
        assert_eq!(client.call("panics").await.unwrap_err().rpc().unwrap().code, -32603);
        is_served(&client).await;
    }
    client.close().await;
}

async fn hangs(at: &At) {
    let client = at.ours(builder()).await;
    let hangs: Vec<_> = (0..10).map(|_| client.call("hangs").send()).collect();
    for _ in 0..3 {
        is_served(&client).await;
    }
    drop(hangs);
    is_served(&client).await;
    client.close().await;
}

async fn floods(at: &At) {
    let client = at.ours(builder()).await;
    let mut floods = client.call("floods").with_progress().send();
    for _ in 0..3 {
        assert!(floods.progress().await.is_some());
        is_served(&client).await;
    }
    drop(floods);
    is_served(&client).await;
    client.close().await;
}

async fn huge(at: &At) {
    let mut raw = at.raw(json!({})).await;
    let huge = raw.start("tools/call", json!({"name": "huge"})).await;
    let small = raw.start("tools/call", json!({"name": "fails"})).await;
    let told = raw.until(|message| message["id"] == small || message["id"] == huge).await;
    let other = raw.until(|message| message["id"] == small || message["id"] == huge).await;
    let (huge, small) = if told["id"] == huge { (told, other) } else { (other, told) };
    assert_eq!(huge["result"]["content"][0]["text"].as_str().unwrap().len(), HUGE);
    assert_eq!(small["result"]["isError"], true);
    assert_eq!(raw.call("fails").await["result"]["isError"], true);
    raw.close().await;
    // Ours takes no message of that length, and says so.
    let client = at.ours(builder()).await;
    let error = client.call("huge").await.unwrap_err();
    assert!(error.rpc().is_none() && !error.is_timeout(), "{error}");
    is_served(&client).await;
    client.close().await;
}
