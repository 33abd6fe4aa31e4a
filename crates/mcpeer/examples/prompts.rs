//! Prompts that a person picks, and what their arguments may be while they are typed.
//!
//! `cargo run --example prompts`

use std::error::Error;

use mcpeer::{
    client::Client,
    model::{
        completion::{Argument, Complete, CompleteParams, Context, PromptReference},
        prompts::{Get, GetParams, List, ListParams, Message},
    },
    server::{Args, Completes, Prompt, Server, Typed},
    transport::memory,
    version::Revision,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Review {
    /// The language that the code is written in.
    language: String,
    /// What to look at first.
    aspect: Option<String>,
    /// How many remarks at most.
    remarks: Option<u32>,
}

async fn review(Args(review): Args<Review>) -> Vec<Message> {
    let aspect = review.aspect.as_deref().unwrap_or("everything");
    let request = format!("Review my {}: {aspect}, {} remarks.", review.language, review.remarks.unwrap_or(3));
    vec![Message::user(request), Message::assistant("Show me the code.")]
}

/// What may be looked at depends on the language.
async fn aspects(typed: Typed) -> Vec<String> {
    typed.among(match typed.other("language") {
        Some("rust") => ["ownership", "errors"],
        _ => ["style", "speed"],
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("reviewer", "1.0.0")
        .prompt(Prompt::new("review").description("Has code reviewed"), review)
        .completion(Completes::prompt("review", "language"), async |typed: Typed| typed.among(["ruby", "rust", "zig"]))
        .completion(Completes::prompt("review", "aspect"), aspects)
        .build()?;
    for revision in Revision::ALL {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        let client = Client::builder("editor", "1.0.0").revisions([revision]).connect_with(ours).await?;

        let listed = client.request::<List>(ListParams::new()).await?;
        let arguments: Vec<_> = listed.prompts[0].arguments.iter().flatten().map(|known| &*known.name).collect();
        assert_eq!(arguments, ["language", "aspect", "remarks"]);

        let reference = PromptReference::new("review");
        let params = CompleteParams::new(reference.clone(), Argument::new("language", "ru"));
        assert_eq!(client.request::<Complete>(params).await?.completion.values, ["ruby", "rust"]);
        let known = Context::new().arguments([("language", "rust")]);
        let params = CompleteParams::new(reference, Argument::new("aspect", "o")).context(known);
        assert_eq!(client.request::<Complete>(params).await?.completion.values, ["ownership"]);

        let params = GetParams::new("review").arguments([("language", "rust"), ("remarks", "5")]);
        let messages = client.request::<Get>(params).await?.messages;
        assert_eq!(messages[0].content.as_text(), Some("Review my rust: everything, 5 remarks."));

        let error = client.request::<Get>(GetParams::new("review")).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().message, "the prompt `review` needs the argument `language`");
    }
    Ok(())
}
