//! A server for clients written in other languages: the tests start it under each of them. Its tools are those of the
//! servers in `conformance/peers`.
//!
//! ```text
//! cargo run --example interop_server --features http-server -- [REVISION…] [http PORT]
//! ```
//!
//! It serves the revisions that are named, or all, on standard input and output or over HTTP.
#![allow(clippy::print_stdout, reason = "it says where it listens")]

mod peer;

use std::error::Error;

use mcpeer::{
    handler::Context,
    server::{Args, Json, Server, Tool},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    to: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Cancelled {
    at_least: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Fail {
    message: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cancellations = watch::Sender::new(0);
    let (counting, counted) = (cancellations.clone(), cancellations);
    let asked = peer::Asked::read()?;
    let server = Server::builder("interop_server", "1.0.0")
        .revisions(asked.revisions.iter().copied())
        .tool(Tool::new("echo").description("Answers with the text"), async |Args(echo): Args<Echo>| echo.text)
        .tool(Tool::new("add").description("Adds two numbers").output::<Sum>(), async |Args(add): Args<Add>| {
            Json(Sum { sum: add.a + add.b })
        })
        .tool(Tool::new("count").description("Counts, with progress"), count)
        .tool(
            Tool::new("slow").description("Reports that it has begun, then runs until it is cancelled"),
            move |cx: Context| slow(cx, counting.clone()),
        )
        .tool(
            Tool::new("cancelled").description("Waits until that many calls were cancelled, answers how many were"),
            move |Args(cancelled): Args<Cancelled>| reach(cancelled.at_least, counted.subscribe()),
        )
        .tool(Tool::new("fail").description("Fails with the message"), |Args(fail): Args<Fail>| {
            Err::<(), _>(fail.message)
        })
        .build()?;
    asked.serve(&server).await
}

async fn count(cx: Context, Args(count): Args<Count>) -> String {
    for step in 1..=count.to {
        cx.progress(step.into(), Some(count.to.into()), None).await;
    }
    count.to.to_string()
}

async fn slow(cx: Context, cancellations: watch::Sender<u64>) {
    cx.progress(0.0, None, None).await;
    cx.cancelled().await;
    cancellations.send_modify(|count| *count += 1);
}

async fn reach(at_least: u64, mut cancellations: watch::Receiver<u64>) -> Result<String, watch::error::RecvError> {
    Ok(cancellations.wait_for(|count| *count >= at_least).await?.to_string())
}
