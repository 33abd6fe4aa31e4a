//! Conversations that another SDK recorded, said to our servers again.
//!
//! Where our servers answer otherwise on purpose, a line says what and why.

use std::fs;

use mcpeer::{
    handler::Context,
    model::{
        Content, Icon,
        content::ResourceLink,
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema},
        input::InputRequired,
        tools::CallResult,
    },
    server::{Args, Builder, IntoToolResult, Json, Prompt, Resource, Server, Tool},
    version::Revision,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{peers::RawClient, spec};

/// What our server says otherwise than the transcript.
struct Difference {
    /// Which message of the transcript's server; all that have the member, where it is none.
    at: Option<usize>,
    /// Where in the message; the whole of it where it is empty.
    pointer: &'static str,
    /// What ours says there; `None` where it says nothing.
    ours: Option<Value>,
    because: &'static str,
}

fn at(at: usize, pointer: &'static str, ours: Option<Value>, because: &'static str) -> Difference {
    Difference { at: Some(at), pointer, ours, because }
}

fn all(pointer: &'static str, ours: Option<Value>, because: &'static str) -> Difference {
    Difference { at: None, pointer, ours, because }
}

/// The whole of a message that says that there is no such method.
fn unknown(id: i64) -> Option<Value> {
    Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601}}))
}

const NO_CACHING: [(&str, &str); 2] = [
    ("/result/ttlMs", "how long a result stays fresh belongs to the stateless era"),
    ("/result/cacheScope", "who may share a result belongs to the stateless era"),
];
const NOT_OFFERED: &str = "what a server does not declare does not exist on it";
const PARAMS: &str = "params that do not fit their method are invalid params";

fn no_caching() -> impl Iterator<Item = Difference> {
    NO_CACHING.into_iter().map(|(pointer, because)| all(pointer, None, because))
}

fn start() -> Builder {
    Server::builder("testServer", "v1.0.0").logging()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Greet {
    #[serde(rename = "Name")]
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inc {
    #[serde(default = "six")]
    x: i64,
}

fn six() -> i64 {
    6
}

#[derive(Serialize, JsonSchema)]
struct Incremented {
    y: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Structured {
    /// the input
    #[serde(rename = "In")]
    input: String,
}

#[derive(Serialize, JsonSchema)]
struct Acknowledged {
    #[serde(rename = "Out")]
    output: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Today {
    #[serde(rename = "Now")]
    now: String,
}

#[derive(Serialize, JsonSchema)]
struct Tomorrow {
    #[serde(rename = "Tomorrow")]
    tomorrow: String,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    #[serde(rename = "Code")]
    code: String,
}

fn icon() -> Icon {
    Icon::new("foobar").mime_type("image/png").sizes(["48x48".to_owned(), "96x96".to_owned()]).theme("light")
}

fn tools() -> Server {
    start()
        .tool(Tool::new("greet").description("say hi"), async |Args(greet): Args<Greet>| format!("hi {}", greet.name))
        .tool(Tool::new("inc").output::<Incremented>(), async |Args(inc): Args<Inc>| Json(Incremented { y: inc.x + 1 }))
        .tool(Tool::new("structured").output::<Acknowledged>(), async |Args(given): Args<Structured>| {
            Json(Acknowledged { output: format!("Ack {}", given.input) })
        })
        .tool(Tool::new("tomorrow").output::<Tomorrow>(), async |Args(today): Args<Today>| {
            Json(Tomorrow { tomorrow: today.now.replace("06-18", "06-19") })
        })
        .build()
        .unwrap()
}

fn icons() -> Server {
    let resource = async |Args(given): Args<Structured>| {
        let uri = format!("https://example.com/resource/{}", given.input);
        let link = ResourceLink::new(uri, "Example Resource Link with Icons").mime_type("text/plain").icons([icon()]);
        CallResult::new([Content::from(link)])
    };
    let described = Tool::new("contentTool").title("contentTool").description("return resourceLink content with Icon");
    start()
        .website_url("https://github.com/modelcontextprotocol/go-sdk")
        .icon(icon())
        .tool(described, resource)
        .tool(Tool::new("greetWithIcon").description("say hi").icon(icon()), async |Args(greet): Args<Greet>| {
            format!("hi {}", greet.name)
        })
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_server_is_discovered_and_initialized_as_recorded() {
    let server = start().build().unwrap();
    let private = "what a server says of itself is private unless it says otherwise";
    replay("discover", &server, [at(0, "/result/cacheScope", Some(json!("private")), private)]).await;
    replay("version-latest", &server, []).await;
    replay("version-older", &server, []).await;
}

#[tokio::test]
async fn the_life_cycle_goes_as_recorded() {
    let refused = "a request before `initialize` is an invalid request; 0 is no code of JSON-RPC";
    let differences = [
        at(0, "/error/code", Some(json!(-32600)), refused),
        at(3, "", unknown(2), NOT_OFFERED),
        at(4, "", unknown(3), NOT_OFFERED),
    ];
    replay("lifecycle", &start().build().unwrap(), differences).await;
}

#[tokio::test]
async fn bad_requests_are_refused_as_recorded() {
    let prompts = "this server offers no prompts";
    let differences = [
        at(0, "/error/code", Some(json!(-32602)), PARAMS),
        at(1, "/result/capabilities/prompts", None, prompts),
        at(2, "/error/code", Some(json!(-32601)), "a notification is no method that can be asked for"),
        at(3, "/error/code", Some(json!(-32602)), PARAMS),
        at(4, "/error/code", Some(json!(-32601)), NOT_OFFERED),
        at(5, "/error/code", Some(json!(-32602)), PARAMS),
    ];
    replay("bad_requests", &start().build().unwrap(), differences).await;
}

#[tokio::test]
async fn tools_are_listed_and_called_as_recorded() {
    let structured = "2024-11-05 has no structured content";
    let schema = "2024-11-05 has no schemas of outputs";
    let words = "the model is told in our words what does not fit";
    let text = |text: &str| Some(json!(format!("the arguments do not fit the tool {text} is missing")));
    let differences = no_caching().chain([
        at(1, "/result/tools/1/outputSchema", None, schema),
        at(1, "/result/tools/2/outputSchema", None, schema),
        at(1, "/result/tools/3/outputSchema", None, schema),
        at(2, "", unknown(3), NOT_OFFERED),
        at(3, "", unknown(4), NOT_OFFERED),
        at(4, "/error/code", Some(json!(-32602)), PARAMS),
        at(5, "", None, "our server does not ask by itself whether the client is there"),
        all("/result/structuredContent", None, structured),
        at(8, "/result/content/0/text", text("`structured`: `arguments.In`"), words),
        at(10, "/result/content/0/text", text("`greet`: `arguments.Name`"), words),
    ]);
    replay("tools", &tools(), differences).await;
}

#[tokio::test]
async fn icons_and_links_go_out_as_recorded() {
    let differences = no_caching().chain([
        at(0, "/result/capabilities/prompts", None, NOT_OFFERED),
        at(0, "/result/capabilities/resources", None, NOT_OFFERED),
        at(2, "", unknown(3), NOT_OFFERED),
        at(3, "", unknown(4), NOT_OFFERED),
    ]);
    replay("spec-sep-973-additional-metadata", &icons(), differences).await;
}

#[tokio::test]
async fn prompts_are_listed_and_refused_as_recorded() {
    let prompt = Prompt::new("code_review").description("do a code review");
    let server = start()
        .prompt(prompt, async |Args(review): Args<Review>| format!("Please review: {}", review.code))
        .build()
        .unwrap();
    let differences =
        no_caching().chain([at(1, "", unknown(2), NOT_OFFERED), at(3, "/error/code", Some(json!(-32602)), PARAMS)]);
    replay("prompts", &server, differences).await;
}

#[tokio::test]
async fn resources_are_listed_and_read_as_recorded() {
    let info = Resource::new("embedded:info", "info").mime_type("text/plain");
    let public = Resource::new("file:///info.txt", "public").mime_type("text/plain");
    let server = start()
        .resource(info, async || "This is the MCP test server.")
        .resource(public, async |cx: Context| {
            // A client that cannot answer is not asked: a question to it would end the request.
            assert!(cx.client_capabilities().is_none_or(|client| client.roots.is_none()));
            b"Contents\n".to_vec()
        })
        .build()
        .unwrap();
    let follows = "whoever reads a resource may follow it";
    let differences = no_caching().chain([
        at(0, "/result/capabilities/resources", Some(json!({"listChanged": true, "subscribe": true})), follows),
        at(3, "", None, "a client that declares no roots is not asked for them"),
        at(5, "/error/code", Some(json!(-32602)), PARAMS),
        at(6, "/error/code", Some(json!(-32602)), PARAMS),
    ]);
    replay("resources", &server, differences).await;
}

#[tokio::test]
async fn a_tool_asks_in_two_rounds_as_recorded() {
    let server = start()
        .tool("confirmThenGreet", async |cx: Context| {
            let answers = cx.input_responses();
            let who = answers.as_ref().and_then(|answers| answers.decode::<CreateResult>("who"));
            match (cx.request_state().as_deref(), who.and_then(|who| who.content)) {
                (Some("step=1"), Some(content)) => {
                    let content: Value = content.decode().unwrap();
                    format!("hello {}", content["name"].as_str().unwrap()).into_tool_result()
                }
                _ => {
                    let form = RequestedSchema::new([("name", StringSchema::new())]);
                    let question = FormParams::new("What is your name?", form).mode("form");
                    InputRequired::new().ask("who", question).request_state("step=1").into_tool_result()
                }
            }
        })
        .build()
        .unwrap();
    let differences = [
        at(0, "/result/content", None, "questions are not content"),
        at(0, "/result/requestState", None, "it is sealed, another one each time, and comes back as it is"),
    ];
    replay("mrtr", &server, differences).await;
}

/// Says to a server what the transcript's client says, and compares what it answers.
async fn replay(name: &str, server: &Server, differences: impl IntoIterator<Item = Difference>) {
    let Some(path) = spec::part(name, &format!("corpus/transcripts/{name}.txtar")) else { return };
    let transcript = fs::read_to_string(path).unwrap();
    let mut client = RawClient::open(server, Revision::V2025_11_25);
    let mut answers = Vec::new();
    for mut message in messages(&transcript, "client") {
        if let Some(state) = message.pointer_mut("/params/requestState") {
            // It is that of the answer before.
            let mut answer: Value = client.receive().await.unwrap();
            *state = answer["result"]["requestState"].take();
            remove(&mut answer, "/result/requestState");
            answers.push(answer);
        }
        client.send(&message).await;
    }
    client.end_input().await;
    while let Some(mut answer) = client.receive().await {
        remove(&mut answer, "/error/message");
        answers.push(answer);
    }

    let mut expected = messages(&transcript, "server");
    for message in &mut expected {
        // Each words its errors in its own way.
        remove(message, "/error/message");
    }
    for Difference { at, pointer, ours, because } in differences {
        let mut is_other = false;
        for (number, message) in expected.iter_mut().enumerate() {
            if at.is_none_or(|at| at == number)
                && message.pointer(pointer).is_some_and(|theirs| ours.as_ref() != Some(theirs))
            {
                is_other = true;
                match &ours {
                    Some(ours) => *message.pointer_mut(pointer).unwrap() = ours.clone(),
                    None if pointer.is_empty() => *message = Value::Null,
                    None => remove(message, pointer),
                }
            }
        }
        assert!(is_other, "{name}: there is no difference at {at:?} {pointer}: {because}");
    }
    expected.retain(|message| !message.is_null());
    assert_eq!(answers, expected, "{name}");
}

fn remove(message: &mut Value, pointer: &str) {
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    if let Some(Value::Object(parent)) = message.pointer_mut(parent) {
        parent.remove(member);
    }
}

#[test]
fn every_transcript_is_replayed() {
    let Some(folder) = spec::part("every_transcript_is_replayed", "corpus/transcripts") else { return };
    let source = include_str!("transcripts.rs");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(source.contains(&format!("replay(\"{name}\"")), "{name}");
    }
}

/// Gives the messages in a section of a transcript.
fn messages(transcript: &str, section: &str) -> Vec<Value> {
    let (_, text) = transcript.split_once(&format!("\n-- {section} --\n")).unwrap();
    let text = text.split("\n-- ").next().unwrap();
    serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().unwrap()
}
