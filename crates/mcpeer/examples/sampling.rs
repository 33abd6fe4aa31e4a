//! A tool that has the client's model answer, and lets the model use a tool of its own on the way.
//!
//! `cargo run --example sampling`

use std::error::Error;

use mcpeer::{
    Client, Server,
    handler::Context,
    model::{
        self,
        content::Role,
        sampling::{Content, CreateParams, CreateResult, Message, ToolResult, ToolUse},
        tools::Tool,
    },
    transport::memory,
    version::Revision,
};
use serde_json::{Value, json};

async fn translate(cx: Context) -> mcpeer::Result<String> {
    let mut messages = vec![Message::user("Translate: Guten Tag")];
    // Each turn of the model is a question of its own, and a bound keeps a model from going on for ever.
    for _ in 0..4 {
        let schema = json!({"type": "object", "properties": {"word": {"type": "string"}}});
        let dictionary = Tool::new("look_up", serde_json::from_value::<model::RawObject>(schema).expect("an object"));
        let said = cx.sample(CreateParams::new(messages.clone(), 100).tools([dictionary])).await?;
        let found: Vec<Content> = said.content.as_slice().iter().filter_map(look_up).collect();
        if found.is_empty() {
            return Ok(said.content.as_slice().iter().filter_map(Content::as_text).collect());
        }
        messages.push(Message::assistant(said.content));
        // An answer to tools has nothing but what they said.
        messages.push(Message::user(found));
    }
    Ok("the model came to no end".to_owned())
}

/// Looks a word up where the model wants that.
fn look_up(content: &Content) -> Option<Content> {
    let Content::ToolUse(using) = content else { return None };
    let input: Value = using.input.decode().ok()?;
    let meaning = if input["word"] == "Tag" { "day" } else { "good" };
    Some(ToolResult::new(using.id.clone(), [model::Content::text(meaning)]).into())
}

/// A model that looks two words up before it answers.
async fn small(question: CreateParams) -> CreateResult {
    match question.messages.last().map(|last| last.content.as_slice()) {
        Some([Content::ToolResult(good), Content::ToolResult(day)]) => {
            let words = [good, day].map(|result| result.content[0].as_text().unwrap_or_default());
            CreateResult::new(Role::Assistant, words.join(" "), "small-1")
        }
        _ => {
            assert_eq!(question.tools.as_ref().map(|tools| tools.len()), Some(1));
            let using = |id: &str, word: &str| Content::from(ToolUse::new(id, "look_up", [("word", word)]));
            CreateResult::new(Role::Assistant, vec![using("1", "Guten"), using("2", "Tag")], "small-1")
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("translator", "1.0.0").tool("translate", translate).build()?;
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_sampling_tools()) {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        let host = Client::builder("host", "1.0.0").revisions([revision]).on_sample(small).sampling_tools();
        let client = host.connect_with(ours).await?;
        assert_eq!(client.call("translate").await?.as_text(), "good day", "{revision}");
    }
    Ok(())
}
