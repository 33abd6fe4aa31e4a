//! Tools that ask one or more questions before they answer, each under a key that the suites know.

use mcpeer::{
    Result,
    handler::Context,
    model::sampling::{CreateParams, Message},
    server::{Builder, Tool},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::questions::text_of;

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    color: String,
}

const CAPITAL: &str = "What is the capital of France?";

/// Adds the tools.
pub(crate) fn add(builder: Builder) -> Builder {
    let tool = |name: &str, what: &str| Tool::new(format!("test_input_required_result_{name}")).description(what);
    builder
        .tool(tool("elicitation", "Asks for a name"), greet)
        .tool(tool("sampling", "Has a model answer"), async |cx: Context| capital(&cx).await)
        .tool(tool("list_roots", "Asks for the roots"), async |cx: Context| roots(&cx).await)
        .tool(tool("request_state", "Asks for a yes and remembers the call"), remember)
        .tool(tool("multiple_inputs", "Asks three questions at once"), multiple)
        .tool(tool("multi_round", "Asks one question after the other"), multi_round)
        .tool(tool("tampered_state", "Asks for a yes and trusts nobody"), async |cx: Context| {
            confirmed(&cx).await.map(|is_confirmed| if is_confirmed { "confirmed" } else { "not confirmed" })
        })
        .tool(tool("capabilities", "Asks what this client can answer"), capabilities)
}

async fn greet(cx: Context) -> Result<String> {
    Ok(format!("Hello, {}!", name(&cx, "user_name").await?))
}

/// What the call remembers goes to the client and comes back, sealed.
async fn remember(cx: Context) -> Result<String> {
    let is_confirmed = confirmed(&cx).await?;
    Ok(format!("state-ok, {}", if is_confirmed { "confirmed" } else { "not confirmed" }))
}

async fn name(cx: &Context, key: &str) -> Result<String> {
    let answer = cx.elicit::<Name>("What is your name?").key(key).await?;
    Ok(answer.accepted().map_or_else(|| "stranger".to_owned(), |answer| answer.name))
}

async fn capital(cx: &Context) -> Result<String> {
    let said = cx.sample(CreateParams::new([Message::user(CAPITAL)], 100)).key("capital_question").await?;
    Ok(text_of(&said).to_owned())
}

async fn confirmed(cx: &Context) -> Result<bool> {
    let answer = cx.elicit::<Confirm>("Please confirm").key("confirm").await?;
    Ok(answer.accepted().is_some_and(|answer| answer.ok))
}

async fn roots(cx: &Context) -> Result<String> {
    let roots = cx.roots().key("client_roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(", "))
}

/// Questions that are awaited together go out together.
async fn multiple(cx: Context) -> Result<String> {
    let greeting = CreateParams::new([Message::user("Generate a greeting")], 50);
    let (name, greeting, roots) =
        tokio::join!(name(&cx, "user_name"), async { cx.sample(greeting).key("greeting").await }, async {
            cx.roots().key("client_roots").await
        },);
    Ok(format!("{} {}, at {} roots", text_of(&greeting?), name?, roots?.len()))
}

async fn multi_round(cx: Context) -> Result<String> {
    let name = name(&cx, "step1").await?;
    let color = cx.elicit::<Color>("What is your favorite color?").key("step2").await?;
    let color = color.accepted().map_or_else(|| "nothing".to_owned(), |answer| answer.color);
    Ok(format!("{name} likes {color}"))
}

async fn capabilities(cx: Context) -> Result<String> {
    let client = cx.client_capabilities().unwrap_or_default();
    if client.sampling.is_some() {
        capital(&cx).await
    } else if client.elicitation.is_some() {
        name(&cx, "user_name").await
    } else if client.roots.is_some() {
        roots(&cx).await
    } else {
        Ok("This client answers no questions.".to_owned())
    }
}
