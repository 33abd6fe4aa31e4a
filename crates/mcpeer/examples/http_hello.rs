//! A server and its client over Streamable HTTP, in one process, once in each era.
//!
//! `cargo run --example http_hello --features http-client,http-server`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use mcpeer::{
    Client, Server,
    client::Policy,
    handler::Context,
    server::{Args, Tool},
    transport::http,
};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
}

async fn greet(cx: Context, Args(greet): Args<Greet>) -> String {
    // What is told before the answer makes the response a stream of events.
    cx.progress(1.0, Some(2.0), Some("thinking of a name")).await;
    cx.progress(2.0, Some(2.0), Some("shaping the words")).await;
    format!("Hello, {}!", greet.name)
}

async fn talk(url: &str, policy: Policy) -> Outcome {
    let client = Client::builder("hello", "1.0.0").policy(policy).connect(http::client(url)).await?;
    println!("connected at {}", client.revision());

    let mut call = client.call("greet").arguments(&json!({"name": "world"})).with_progress().send();
    let mut steps = 0;
    while let Some(progress) = call.progress().await {
        println!("  … {}", progress.message.unwrap_or_default());
        steps += 1;
    }
    let greeting = call.await?;
    println!("  the tool says: {}", greeting.as_text());
    assert_eq!((steps, greeting.as_text()), (2, "Hello, world!".into()));

    // Each request has a stream of its own: none waits behind another, and to cancel one is to hang up.
    let waiting = client.call("wait").send();
    let greeting = client.call("greet").arguments(&json!({"name": "again"})).await?;
    assert_eq!(greeting.as_text(), "Hello, again!");
    waiting.cancel("enough");
    assert!(waiting.await.unwrap_err().is_cancelled());
    client.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let server = Server::builder("hello", "1.0.0")
        .tool(Tool::new("greet").description("Says hello"), greet)
        .tool(Tool::new("wait").description("Waits until it is cancelled"), async |cx: Context| cx.cancelled().await)
        .build()?;
    let bound = server.http().bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", bound.local_addr());
    let (end, ending) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(ending.await) }));

    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        talk(&url, policy).await?;
    }
    drop(end);
    Ok(serving.await?)
}
