//! A server for clients written in other languages that has something of everything: resources, prompts, completion,
//! log messages, questions to the client, changes. It offers what the servers in `conformance/peers` do.
//!
//! ```text
//! cargo run --example features_server --features http-server -- [REVISION…] [http PORT]
//! ```
//!
//! It serves the revisions that are named, or all, on standard input and output or over HTTP.
#![allow(clippy::print_stdout, reason = "it says where it listens")]

mod peer;

use std::{
    error::Error,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use mcpeer::{
    handler::{Context, ask::Elicited},
    model::{
        RawObject,
        content::Content,
        legacy::RootsListChanged,
        logging::Level,
        prompts::Message,
        sampling::{self, CreateParams},
        tools,
    },
    server::{
        Args, BuildError, Builder, Completes, Prompt, Resource, ResourceTemplate, Server, State, Tool, Typed, Variables,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;

const COUNTER: &str = "test://counter";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let asked = peer::Asked::read()?;
    let changing = Changing::default();
    let roots = changing.roots.clone();
    let builder = Server::builder("features_server", "1.0.0")
        .revisions(asked.revisions.iter().copied())
        .page_size(2)
        .logging()
        .state(changing.clone())
        .tool(Tool::new("log").description("Logs at several levels"), log)
        .tool(Tool::new("roots_changed").description("Waits until the roots have changed"), roots_changed)
        .on_notification::<RootsListChanged>(move |_, _| roots.send_modify(|count| *count += 1));
    let server = changes(questions(prompts(resources(builder)))).build()?;
    let _ = changing.server.set(server.clone());
    asked.serve(&server).await
}

fn resources(builder: Builder) -> Builder {
    #[derive(Deserialize)]
    struct Item {
        id: String,
    }

    let item = "test://item/{id}";
    builder
        .resource(Resource::new("test://greeting", "greeting").mime_type("text/plain"), async || "hello")
        .resource(Resource::new("test://bytes", "bytes").mime_type("application/octet-stream"), async || {
            vec![0, 1, 2, 255]
        })
        .resource_template(
            ResourceTemplate::new(item, "item").mime_type("text/plain"),
            async |Variables(item): Variables<Item>| format!("item {}", item.id),
        )
        .completion(Completes::template(item, "id"), async |typed: Typed| typed.among(["alpha", "alps", "beta"]))
}

fn prompts(builder: Builder) -> Builder {
    #[derive(Deserialize, JsonSchema)]
    struct Greet {
        name: String,
        style: Option<String>,
    }

    builder
        .prompt(Prompt::new("greet").description("Has somebody greeted"), async |Args(greet): Args<Greet>| {
            let style = greet.style.as_deref().unwrap_or("plain");
            [Message::user(format!("Greet {}, {style}", greet.name)), Message::assistant("With pleasure.")]
        })
        .completion(Completes::prompt("greet", "name"), async |typed: Typed| typed.among(["ada", "alan", "grace"]))
        .completion(Completes::prompt("greet", "style"), async |typed: Typed| match typed.other("name") {
            Some("ada") => typed.among(["formal", "friendly"]),
            _ => typed.among(["plain"]),
        })
}

async fn roots_changed(State(changing): State<Changing>) -> Result<String, watch::error::RecvError> {
    Ok(changing.roots.subscribe().wait_for(|count| *count > 0).await?.to_string())
}

async fn log(cx: Context) -> &'static str {
    cx.log_as("features", Level::Debug, "quiet").await;
    cx.log_as("features", Level::Info, &json!({"step": 1})).await;
    cx.log_as("features", Level::Warning, "careful").await;
    cx.log_as("features", Level::Error, "broken").await;
    "logged"
}

/// What a tool that asks is told: what the user is to do. The client reads it off the end of the question.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    how: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Who {
    #[schemars(length(min = 1))]
    name: String,
    age: u8,
    #[serde(default)]
    member: bool,
    colour: Colour,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    /// As the sky
    Blue,
    /// As a rose
    Red,
}

fn questions(builder: Builder) -> Builder {
    builder
        .tool(Tool::new("form").description("Has a form filled in"), form)
        .tool(Tool::new("address").description("Has an address opened"), address)
        .tool(Tool::new("sample").description("Has a model answer"), sample)
        .tool(Tool::new("use_tools").description("Has a model use a tool"), use_tools)
        .tool(Tool::new("roots").description("Asks for the roots"), roots)
        .tool(Tool::new("interview").description("Asks two questions at once, then one more"), interview)
        .prompt(Prompt::new("asked"), async |cx: Context, Args(wanted): Args<Wanted>| answer(cx, wanted).await)
        .resource_template(
            ResourceTemplate::new("test://asked/{how}", "asked"),
            async |cx: Context, Variables(wanted): Variables<Wanted>| answer(cx, wanted).await,
        )
}

async fn answer(cx: Context, wanted: Wanted) -> mcpeer::Result<String> {
    let answer = cx.elicit::<Who>(format!("Who are you? ({})", wanted.how)).await?;
    Ok(format!("You are {}", answer.accepted().map_or_else(|| "nobody".to_owned(), |who| who.name)))
}

async fn form(cx: Context, Args(wanted): Args<Wanted>) -> mcpeer::Result<String> {
    let answer = match cx.elicit::<Who>(format!("Who are you? ({})", wanted.how)).await? {
        Elicited::Accept(who) => json!({"action": "accept", "content": who}),
        Elicited::Decline => json!({"action": "decline"}),
        Elicited::Cancel => json!({"action": "cancel"}),
    };
    Ok(answer.to_string())
}

async fn address(cx: Context, Args(wanted): Args<Wanted>) -> mcpeer::Result<&'static str> {
    let answer = cx.elicit_url(format!("Sign in ({})", wanted.how), "https://example.com/login").await?;
    Ok(match answer {
        Elicited::Accept(()) => "accept",
        Elicited::Decline => "decline",
        Elicited::Cancel => "cancel",
    })
}

async fn sample(cx: Context) -> mcpeer::Result<String> {
    let params = CreateParams::new([sampling::Message::user("Hello")], 100).system_prompt("Be brief. ");
    let said = cx.sample(params).await?;
    Ok(format!("{}: {}", said.model, text_of(&said)))
}

async fn use_tools(cx: Context) -> mcpeer::Result<String> {
    let schema: RawObject =
        serde_json::from_value(json!({"type": "object", "properties": {"word": {"type": "string"}}}))
            .expect("an object");
    let tools = [tools::Tool::new("look_up", schema).description("Looks a word up")];
    let question = sampling::Message::user("What is tea?");
    let first = cx.sample(CreateParams::new([question.clone()], 100).tools(tools.clone())).await?;
    let [sampling::Content::ToolUse(used)] = first.content.as_slice() else { return Ok("no tool".to_owned()) };
    let found = sampling::ToolResult::new(&*used.id, [Content::text(format!("a drink, says {}", used.name))]);
    let answered = [question, sampling::Message::assistant(first.content.clone()), sampling::Message::user(found)];
    let said = cx.sample(CreateParams::new(answered, 100).tools(tools)).await?;
    Ok(text_of(&said).to_owned())
}

async fn roots(cx: Context) -> mcpeer::Result<String> {
    let roots = cx.roots().await?.into_iter();
    let roots: Vec<_> = roots.map(|root| format!("{} {}", root.uri, root.name.as_deref().unwrap_or("-"))).collect();
    Ok(roots.join(", "))
}

async fn interview(cx: Context, Args(wanted): Args<Wanted>) -> mcpeer::Result<String> {
    let asked = cx.elicit::<Who>(format!("Who are you? ({})", wanted.how));
    let (who, roots) = tokio::join!(asked, cx.roots());
    let Some(who) = who?.accepted() else { return Ok("nobody".to_owned()) };
    let said = cx.sample(CreateParams::new([sampling::Message::user(format!("Greet {}", who.name))], 100)).await?;
    Ok(format!("{} at {}: {}", who.name, roots?[0].uri, text_of(&said)))
}

fn text_of(said: &sampling::CreateResult) -> &str {
    match said.content.as_slice() {
        [sampling::Content::Text(text)] => &text.text,
        _ => "no text",
    }
}

/// What changes: a counter, and what the server offers.
#[derive(Clone, Default)]
struct Changing {
    counter: Arc<AtomicU64>,
    /// How often the client's roots did.
    roots: watch::Sender<u64>,
    server: Arc<OnceLock<Server>>,
}

impl Changing {
    fn server(&self) -> &Server {
        self.server.get().expect("it is set before the server serves")
    }
}

fn changes(builder: Builder) -> Builder {
    #[derive(Deserialize, JsonSchema)]
    struct Extend {
        what: String,
    }

    builder
        .resource(
            Resource::new(COUNTER, "counter").mime_type("text/plain"),
            async |State(changing): State<Changing>| changing.counter.load(Ordering::SeqCst).to_string(),
        )
        .tool(Tool::new("change").description("Changes the counter"), async |State(changing): State<Changing>| {
            let count = changing.counter.fetch_add(1, Ordering::SeqCst) + 1;
            changing.server().resource_updated(COUNTER);
            count.to_string()
        })
        .tool(
            Tool::new("extend").description("Adds a tool, a prompt, a resource or nothing, and tells of it"),
            async |State(changing): State<Changing>, Args(extend): Args<Extend>| {
                let server = changing.server();
                match &*extend.what {
                    "tool" => server.tools().add(Tool::new("added").description("New"), async || "added")?,
                    "prompt" => server.prompts().add(Prompt::new("added"), async || "added")?,
                    "resource" => server.resources().add(Resource::new("test://added", "added"), async || "added")?,
                    _ => server.tools_changed(),
                }
                Ok::<_, BuildError>(extend.what)
            },
        )
}
