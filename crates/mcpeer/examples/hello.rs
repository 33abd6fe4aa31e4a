//! Both sides of a conversation: this program starts itself as a server and talks to it, once in each era.
//!
//! `cargo run --example hello`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use mcpeer::{
    client::{Client, Policy},
    handler::Context,
    server::{Args, Server, Tool},
    transport::child::Command,
};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
}

async fn greet(cx: Context, Args(greet): Args<Greet>) -> String {
    cx.progress(1.0, Some(2.0), Some("thinking of a name")).await;
    cx.progress(2.0, Some(2.0), Some("shaping the words")).await;
    format!("Hello, {}!", greet.name)
}

async fn serve() -> Outcome {
    let server = Server::builder("hello", "1.0.0")
        .tool(Tool::new("greet").description("Says hello"), greet)
        .tool(Tool::new("wait").description("Waits until it is cancelled"), async |cx: Context| cx.cancelled().await)
        .build()?;
    Ok(server.serve_stdio().await?)
}

async fn talk(policy: Policy) -> Outcome {
    let server = Command::new(std::env::current_exe()?).arg("serve");
    let client = Client::builder("hello", "1.0.0").policy(policy).connect(server).await?;
    println!("connected at {}, where there are", client.revision());

    let tools = client.tools().all().await?;
    tools.iter().for_each(|tool| println!("  {}: {}", tool.name, tool.description.as_deref().unwrap_or_default()));
    assert_eq!(tools.len(), 2);

    let mut call = client.call("greet").arguments(&json!({"name": "world"})).with_progress().send();
    while let Some(progress) = call.progress().await {
        println!("  … {}", progress.message.unwrap_or_default());
    }
    let greeting = call.await?;
    println!("  the tool says: {}", greeting.as_text());
    assert_eq!(greeting.as_text(), "Hello, world!");

    let call = client.call("wait").send();
    call.cancel("enough");
    let error = call.await.unwrap_err();
    println!("  the client says: {error}");
    assert!(error.is_cancelled());
    client.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve().await;
    }
    talk(Policy::ModernOnly).await?;
    talk(Policy::LegacyOnly).await
}
