//! Tools for trying things out by hand: what every client calls first, and what a server should survive.

use std::time::Duration;

use mcpeer::{
    handler::Context,
    server::{Args, Builder, Json, Tool},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What comes back
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// For how many milliseconds
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Burst {
    /// How many notifications of progress come before the answer
    n: u32,
}

/// Adds the tools.
pub(crate) fn add(builder: Builder) -> Builder {
    builder
        .tool(Tool::new("echo").description("Gives back a text"), |Args(echo): Args<Echo>| echo.text)
        .tool(Tool::new("add").description("Adds two numbers"), |Args(add): Args<Add>| Json(Sum { sum: add.a + add.b }))
        .tool(Tool::new("sleep").description("Takes its time"), sleep)
        .tool(Tool::new("burst").description("Reports progress as fast as it can"), burst)
        .tool(Tool::new("panic").description("Panics, which fails the call alone"), async || -> &'static str {
            panic!("somebody called the tool `panic`")
        })
}

async fn sleep(Args(sleep): Args<Sleep>) -> String {
    tokio::time::sleep(Duration::from_millis(sleep.ms)).await;
    format!("slept for {} ms", sleep.ms)
}

async fn burst(cx: Context, Args(burst): Args<Burst>) -> &'static str {
    for step in 1..=burst.n {
        cx.progress(step.into(), Some(burst.n.into()), None).await;
    }
    "done"
}
