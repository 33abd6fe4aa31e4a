//! A server to be measured: `bench_server stdio`.

use mcpeer::{
    handler::Context,
    server::{Args, Json, Server},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Echo {
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
struct Burst {
    n: u32,
}

async fn burst(cx: Context, Args(burst): Args<Burst>) -> &'static str {
    for step in 1..=burst.n {
        cx.progress(step.into(), Some(burst.n.into()), None).await;
    }
    "done"
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("bench", "1.0.0")
        .tool("echo", |Args(echo): Args<Echo>| echo.text)
        .tool("add", |Args(add): Args<Add>| Json(Sum { sum: add.a + add.b }))
        .tool("burst", burst)
        .build()?;
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => Ok(server.serve_stdio().await?),
        _ => Err("usage: bench_server stdio".into()),
    }
}
