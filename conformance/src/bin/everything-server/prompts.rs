//! Prompts: plain, with arguments that can be completed, with a resource, with an image, and one that asks first.

use mcpeer::{
    Result,
    handler::Context,
    model::{Content, content::EmbeddedResource, prompts::Message, resources::TextContents},
    server::{Args, Builder, Completes, Prompt, Typed},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::content::PNG;

const WITH_ARGUMENTS: &str = "test_prompt_with_arguments";

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The first
    arg1: String,
    /// The second
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct About {
    /// The address of the resource that it is about
    resource_uri: String,
}

#[derive(Deserialize, JsonSchema)]
struct Situation {
    context: String,
}

/// Adds the prompts.
pub(crate) fn add(builder: Builder) -> Builder {
    let prompt = |name: &str, what: &str| Prompt::new(name).description(what);
    builder
        .prompt(prompt("test_simple_prompt", "Says something"), || "This is a simple prompt for testing.")
        .prompt(prompt(WITH_ARGUMENTS, "Says what it is told"), |Args(two): Args<Two>| {
            format!("Prompt with arguments: arg1='{}', arg2='{}'", two.arg1, two.arg2)
        })
        .completion(Completes::prompt(WITH_ARGUMENTS, "arg1"), |typed: Typed| typed.among(["test", "testing", "paris"]))
        .completion(Completes::prompt(WITH_ARGUMENTS, "arg2"), |typed: Typed| typed.among(["one", "two"]))
        .prompt(prompt("test_prompt_with_embedded_resource", "Shows a resource"), |Args(about): Args<About>| {
            let text = TextContents::new(about.resource_uri, "Embedded resource content for testing.");
            let resource = Content::from(EmbeddedResource::new(text.mime_type("text/plain")));
            [Message::user(resource), Message::user("Please process the embedded resource above.")]
        })
        .prompt(prompt("test_prompt_with_image", "Shows an image"), || {
            [Message::user(Content::image(PNG, "image/png")), Message::user("Please analyze the image above.")]
        })
        .prompt(prompt("test_input_required_result_prompt", "Asks what it is about"), situation)
}

async fn situation(cx: Context) -> Result<String> {
    let answer = cx.elicit::<Situation>("What is it about?").key("user_context").await?;
    let context = answer.accepted().map_or_else(|| "nothing".to_owned(), |answer| answer.context);
    Ok(format!("Let us talk about {context}."))
}
