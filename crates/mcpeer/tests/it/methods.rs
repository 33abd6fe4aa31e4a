//! Prompts, resources and completions made out of the methods of a type: what the macro writes behaves as its twin that
//! is written by hand.

use mcpeer::{
    handler::Context,
    model::{Icon, content::Annotations, prompts::Message},
    server::{
        Args, Completes, Json, Parameter, Prompt, Resource, ResourceTemplate, Server, State, Tool, Typed, Uri, named,
    },
    version::Revision,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peers::RawClient;

type Page = u32;
type Cx = Context;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Strict,
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    topic: String,
}

#[derive(Serialize, JsonSchema)]
struct Load {
    percent: u8,
}

struct Desk {
    version: &'static str,
}

/// Has prompts, resources and tools.
#[mcpeer::server(name = "desk", version = "1")]
impl Desk {
    /// Has code reviewed.
    #[prompt(title = "Review", icon = Icon::new("https://example.com/review.png"))]
    async fn review(
        &self,
        /// The code to review.
        code: String,
        /// How it is said.
        tone: Option<Tone>,
        cx: Cx,
    ) -> Result<[Message; 2], String> {
        assert_eq!(cx.method(), "prompts/get");
        let how = match tone {
            Some(Tone::Kind) => "kindly",
            Some(Tone::Strict) => "strictly",
            None => "somehow",
        };
        Ok([Message::user(format!("Review {how}: {code}")), Message::assistant("I will")])
    }

    #[prompt(name = "talk", description = "Begins a talk")]
    fn begin(Args(about): Args<Topic>) -> String {
        format!("Let us talk about {}", about.topic)
    }

    /// The version.
    #[resource("desk://version", mime_type = "text/plain", size = 1)]
    fn version(&self) -> &'static str {
        self.version
    }

    /// A page of a section.
    #[resource(
        "desk://sections/{section}{?page}",
        name = "sections",
        mime_type = "text/markdown",
        annotations = Annotations::new().priority(0.5)
    )]
    async fn read(&self, section: String, page: Option<Page>, Uri(uri): Uri) -> Option<String> {
        (section != "none").then(|| format!("{section} {} {uri}", page.unwrap_or(1)))
    }

    #[completion(prompt = "review", argument = "tone")]
    fn tones(typed: Typed) -> Vec<String> {
        typed.among(["kind", "strict"])
    }

    #[completion(resource = "desk://sections/{section}{?page}", argument = "page")]
    async fn pages(&self, section: Option<String>, page: String, State(last): State<u32>) -> Vec<String> {
        (1..=last).map(|number| format!("{page}{number} {section:?}")).collect()
    }

    /// How busy it is.
    #[tool(read_only)]
    fn load(&self, State(last): State<u32>) -> Json<Load> {
        Json(Load { percent: last as u8 })
    }
}

/// The same by hand.
fn twin() -> Server {
    let sections = "desk://sections/{section}{?page}";
    Server::builder("desk", "1")
        .description("Has prompts, resources and tools.")
        .state(3_u32)
        .prompt(
            Prompt::new("review")
                .description("Has code reviewed.")
                .title("Review")
                .icons([Icon::new("https://example.com/review.png")]),
            named(
                [
                    Parameter::new("code").description("The code to review."),
                    Parameter::new("tone").description("How it is said."),
                ],
                async |code: String, tone: Option<Tone>| {
                    let how = match tone {
                        Some(Tone::Kind) => "kindly",
                        Some(Tone::Strict) => "strictly",
                        None => "somehow",
                    };
                    [Message::user(format!("Review {how}: {code}")), Message::assistant("I will")]
                },
            ),
        )
        .prompt(Prompt::new("talk").description("Begins a talk"), |Args(about): Args<Topic>| {
            format!("Let us talk about {}", about.topic)
        })
        .resource(
            Resource::new("desk://version", "version").description("The version.").mime_type("text/plain").size(1),
            || "7",
        )
        .resource_template(
            ResourceTemplate::new(sections, "sections")
                .description("A page of a section.")
                .mime_type("text/markdown")
                .annotations(Annotations::new().priority(0.5)),
            named(["section", "page", "uri"], async |section: String, page: Option<Page>, Uri(uri): Uri| {
                (section != "none").then(|| format!("{section} {} {uri}", page.unwrap_or(1)))
            }),
        )
        .completion(Completes::prompt("review", "tone"), |typed: Typed| typed.among(["kind", "strict"]))
        .completion(
            Completes::template(sections, "page"),
            named(["section", "page", "last"], |section: Option<String>, page: String, State(last): State<u32>| {
                (1..=last).map(|number| format!("{page}{number} {section:?}")).collect::<Vec<_>>()
            }),
        )
        .tool(Tool::new("load").description("How busy it is.").read_only(), |State(last): State<u32>| {
            Json(Load { percent: last as u8 })
        })
        .build()
        .unwrap()
}

fn made() -> Server {
    Desk { version: "7" }.server().state(3_u32).build().unwrap()
}

fn requests() -> Vec<(&'static str, Value)> {
    let prompt = json!({"type": "ref/prompt", "name": "review"});
    let template = json!({"type": "ref/resource", "uri": "desk://sections/{section}{?page}"});
    let context = json!({"arguments": {"section": "log"}});
    vec![
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "load"})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "review", "arguments": {"code": "a", "tone": "kind"}})),
        ("prompts/get", json!({"name": "review", "arguments": {"code": "a"}})),
        ("prompts/get", json!({"name": "review", "arguments": {"tone": "kind"}})),
        ("prompts/get", json!({"name": "review", "arguments": {"code": "a", "tone": "loud"}})),
        ("prompts/get", json!({"name": "talk", "arguments": {"topic": "cats"}})),
        ("prompts/get", json!({"name": "talk"})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "desk://version"})),
        ("resources/read", json!({"uri": "desk://sections/log?page=3"})),
        ("resources/read", json!({"uri": "desk://sections/log"})),
        ("resources/read", json!({"uri": "desk://sections/log?page=x"})),
        ("resources/read", json!({"uri": "desk://sections/none"})),
        ("completion/complete", json!({"ref": prompt, "argument": {"name": "tone", "value": "S"}})),
        ("completion/complete", json!({"ref": prompt, "argument": {"name": "code", "value": "S"}})),
        (
            "completion/complete",
            json!({"ref": template, "argument": {"name": "page", "value": "1"}, "context": context}),
        ),
    ]
}

#[tokio::test]
async fn methods_and_what_is_written_by_hand_answer_alike() {
    for revision in Revision::ALL {
        let mut made = RawClient::connect(&made(), revision).await;
        let mut by_hand = RawClient::connect(&twin(), revision).await;
        for (method, params) in requests() {
            let ours = made.request(method, params.clone()).await;
            let theirs = by_hand.request(method, params.clone()).await;
            assert_eq!(ours, theirs, "{method} {params} {revision}");
        }
    }
}

#[tokio::test]
async fn doc_comments_and_options_describe_prompts_and_resources() {
    let mut client = RawClient::connect(&made(), Revision::V2026_07_28).await;
    let list = client.request("prompts/list", json!({})).await;
    let expected = json!([
        {
            "name": "review", "title": "Review", "description": "Has code reviewed.",
            "arguments": [
                {"name": "code", "description": "The code to review.", "required": true},
                {"name": "tone", "description": "How it is said.", "required": false},
            ],
            "icons": [{"src": "https://example.com/review.png"}],
        },
        {"name": "talk", "description": "Begins a talk", "arguments": [{"name": "topic", "required": true}]},
    ]);
    assert_eq!(list["result"]["prompts"], expected);
    let list = client.request("resources/list", json!({})).await;
    let version = json!({
        "uri": "desk://version", "name": "version", "description": "The version.", "mimeType": "text/plain", "size": 1,
    });
    assert_eq!(list["result"]["resources"], json!([version]));
    let list = client.request("resources/templates/list", json!({})).await;
    let sections = json!({
        "uriTemplate": "desk://sections/{section}{?page}", "name": "sections", "description": "A page of a section.",
        "mimeType": "text/markdown", "annotations": {"priority": 0.5},
    });
    assert_eq!(list["result"]["resourceTemplates"], json!([sections]));
}

#[tokio::test]
async fn variables_and_arguments_are_the_parameters_of_their_names() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&made(), revision).await;
        let read = client.request("resources/read", json!({"uri": "desk://sections/log?page=3"})).await;
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["text"], "log 3 desk://sections/log?page=3", "{revision}");
        assert_eq!(contents["mimeType"], "text/markdown", "{revision}");
        let got =
            client.request("prompts/get", json!({"name": "review", "arguments": {"code": "a", "tone": "kind"}})).await;
        assert_eq!(got["result"]["messages"][0]["content"]["text"], "Review kindly: a", "{revision}");
        assert_eq!(got["result"]["messages"][1]["role"], "assistant", "{revision}");
    }
}
