//! Layers around requests: ready ones, and one of one's own that lets pass only those who know the word.
//!
//! `cargo run --example middleware --features tower`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use std::{
    convert::Infallible,
    task::{Context, Poll},
    time::Duration,
};

use mcpeer::{
    client::Client,
    driver::BoxFuture,
    handler::Reply,
    server::{
        Server, Tool,
        layer::{Audit, Next, RateLimit, Request, Timeout},
    },
    transport::memory,
};
use serde_json::json;
use tower_layer::layer_fn;
use tower_service::Service;

/// Lets only calls pass whose arguments have the word.
#[derive(Clone)]
struct Guard(Next);

impl Service<Request> for Guard {
    type Response = Reply;
    type Error = Infallible;
    type Future = BoxFuture<Result<Reply, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let word = request.arguments().and_then(|arguments| arguments.member("word")?.as_string());
        if word.as_deref() == Some("please") {
            Box::pin(self.0.call(request))
        } else {
            let reply = request.refuse("say the word");
            Box::pin(async { Ok(reply) })
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let audit = Audit::new(|entry| {
        let arguments = entry.request.arguments().map(|arguments| arguments.as_str());
        println!("{} {}: {:?}", entry.request.method(), arguments.unwrap_or_default(), entry.outcome);
    });
    let door = Tool::new("open").layer(layer_fn(Guard)).layer(RateLimit::new(2, Duration::from_secs(3600)));
    let server = Server::builder("door", "1.0.0")
        .layer(audit)
        .layer(Timeout::new(Duration::from_secs(30)))
        .tool(door, async || "the door is open")
        .build()?;

    let (ours, theirs) = memory::pair();
    tokio::spawn(async move { server.serve(theirs).await });
    let client = Client::builder("guest", "1.0.0").connect_with(ours).await?;

    assert_eq!(client.call("open").await?.as_text(), "say the word");
    for _ in 0..2 {
        let opened = client.call("open").arguments(&json!({"word": "please"})).await?;
        assert_eq!(opened.as_text(), "the door is open");
    }
    let refused = client.call("open").arguments(&json!({"word": "please"})).await?;
    println!("the tool says: {}", refused.as_text());
    assert!(refused.is_failed() && refused.as_text().starts_with("too many requests; try again in "));
    Ok(())
}
