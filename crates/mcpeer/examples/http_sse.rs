//! A server that clients of 2024-11-05 find, too, by HTTP+SSE, and a client that finds servers of that age.
//!
//! `cargo run --example http_sse --features http-client,http-server,http-sse`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use mcpeer::{Client, Server, handler::Context, transport::http, version::Era};

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn count(cx: Context) -> &'static str {
    for step in 1..=3 {
        cx.progress(f64::from(step), Some(3.0), None).await;
    }
    "counted"
}

async fn talk(client: &Client) -> Outcome {
    let mut call = client.call("count").with_progress().send();
    let mut steps = 0;
    while call.progress().await.is_some() {
        steps += 1;
    }
    println!("  counted in {steps} steps at {}", client.revision());
    assert_eq!((steps, call.await?.as_text()), (3, "counted".into()));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let server = Server::builder("counter", "1.0.0").tool("count", count).build()?;
    // Streamable HTTP at /mcp, and the older transport: its streams at /sse, its messages at /messages.
    let bound = server.http().sse("/sse", "/messages").bind("127.0.0.1:0").await?;
    let address = bound.local_addr();
    let (end, ending) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(ending.await) }));

    println!("a client that knows nothing newer, or that is told what the server speaks:");
    let old = Client::builder("old", "1.0.0").connect(http::sse_client(&format!("http://{address}/sse"))).await?;
    assert_eq!(old.revision().era(), Era::Legacy);
    talk(&old).await?;

    println!("a client that finds out, at an address that has the older transport alone:");
    let either =
        Client::builder("new", "1.0.0").connect(http::client(&format!("http://{address}/sse")).or_sse()).await?;
    assert_eq!(either.revision().era(), Era::Legacy);
    talk(&either).await?;

    println!("the same client where the server speaks Streamable HTTP:");
    let new = Client::builder("new", "1.0.0").connect(http::client(&format!("http://{address}/mcp")).or_sse()).await?;
    assert_eq!(new.revision().era(), Era::Modern);
    talk(&new).await?;

    for client in [old, either, new] {
        client.close().await;
    }
    drop(end);
    Ok(serving.await?)
}
