//! Tools that ask the client, as its user or its model, and use what it says. The same handler asks in both eras: by a
//! request in the stateful one, by a round in the stateless one.

use mcpeer::{
    Result,
    handler::{Context, ask::Elicited},
    model::{
        Entries,
        elicitation::{
            Choice, Choices, FieldSchema, MultiSelectSchema, NamedSelectSchema, RequestedSchema, SelectSchema,
            TitledMultiSelectSchema, TitledSelectSchema, Words,
        },
        sampling::{self, CreateParams, Message},
    },
    server::{Args, Builder, Tool},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    /// What the model is asked
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// What the user is asked
    message: String,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct User {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

/// A form with something in every field.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(default)]
struct Profile {
    /// The name
    name: String,
    /// The age in years
    age: i32,
    /// The score
    score: f64,
    /// What the user is doing
    status: Status,
    /// Whether somebody looked at it
    verified: bool,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

impl Default for Profile {
    fn default() -> Self {
        Self { name: "John Doe".to_owned(), age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Name {
    name: String,
}

/// Adds the tools.
pub(crate) fn add(builder: Builder) -> Builder {
    builder
        .tool(Tool::new("test_sampling").description("Has a model answer"), sampling)
        .tool(Tool::new("test_elicitation").description("Has the user fill in a form"), elicitation)
        .tool(Tool::new("test_elicitation_sep1034_defaults").description("Shows a form that is filled in"), defaults)
        .tool(Tool::new("test_elicitation_sep1330_enums").description("Shows every kind of choice"), choices)
        .tool(Tool::new("test_missing_capability").description("Needs a client that has a model"), hello)
        .tool(Tool::new("test_streaming_elicitation").description("Asks for a name"), name)
}

async fn hello(cx: Context) -> Result<String> {
    let said = cx.sample(CreateParams::new([Message::user("Hello")], 10)).await?;
    Ok(text_of(&said).to_owned())
}

async fn name(cx: Context) -> Result<String> {
    Ok(shown(&cx.elicit::<Name>("What is your name?").await?))
}

async fn sampling(cx: Context, Args(asked): Args<Prompt>) -> Result<String> {
    let said = cx.sample(CreateParams::new([Message::user(asked.prompt)], 100)).await?;
    Ok(format!("LLM response: {}", text_of(&said)))
}

/// Gives the text of what a model said.
pub(crate) fn text_of(said: &sampling::CreateResult) -> &str {
    said.content.as_slice().iter().find_map(sampling::Content::as_text).unwrap_or("nothing")
}

async fn elicitation(cx: Context, Args(asked): Args<Asked>) -> Result<String> {
    Ok(shown(&cx.elicit::<User>(asked.message).await?))
}

async fn defaults(cx: Context) -> Result<String> {
    Ok(shown(&cx.elicit::<Profile>("Is this you?").await?))
}

/// A form that no type makes, because it has a choice as it was written before there were titles.
async fn choices(cx: Context) -> Result<String> {
    let words = |prefix: &str| -> Vec<String> { (1..=3).map(|at| format!("{prefix}{at}")).collect() };
    let titled = || {
        ["First", "Second", "Third"]
            .into_iter()
            .zip(1..)
            .map(|(title, at)| Choice::new(format!("value{at}"), format!("{title} Option")))
    };
    let names = ["Option One", "Option Two", "Option Three"].map(str::to_owned);
    let mut fields = Entries::<FieldSchema>::new();
    fields.insert("untitledSingle", SelectSchema::new(words("option")));
    fields.insert("titledSingle", TitledSelectSchema::new(titled().collect::<Vec<_>>()));
    fields.insert("legacyEnum", NamedSelectSchema::new(words("opt"), names));
    fields.insert("untitledMulti", MultiSelectSchema::new(Words::new(words("option"))));
    fields.insert("titledMulti", TitledMultiSelectSchema::new(Choices::new(titled().collect::<Vec<_>>())));
    Ok(shown(&cx.elicit_form("Choose.", RequestedSchema::new(fields)).await?))
}

/// Says what the user did.
fn shown(answer: &Elicited<impl Serialize>) -> String {
    match answer {
        Elicited::Accept(content) => match serde_json::to_string(content) {
            Ok(content) => format!("User response: accept {content}"),
            Err(error) => format!("User response: accept, and it cannot be shown: {error}"),
        },
        Elicited::Decline => "User response: decline".to_owned(),
        Elicited::Cancel => "User response: cancel".to_owned(),
    }
}
