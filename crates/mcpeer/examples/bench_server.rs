//! A server to be measured: `bench_server stdio`, or `bench_server http PORT`.

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
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("stdio"), None) => Ok(server.serve_stdio().await?),
        (Some("http"), Some(port)) => Ok(server.serve_http(("127.0.0.1", port.parse()?)).await?),
        _ => Err("usage: bench_server stdio, or bench_server http PORT".into()),
    }
}
