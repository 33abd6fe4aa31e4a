//! A server for any host: `cargo run --example hello_server` as its command.

use mcpeer::server::{Args, Server, Tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
    /// How often; once unless given.
    times: Option<u8>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let greet = Tool::new("greet").description("Says hello").read_only();
    let server = Server::builder("hello", "1.0.0")
        .instructions("Greet people by their names.")
        .tool(greet, async |Args(greet): Args<Greet>| match greet.times.unwrap_or(1) {
            0 => Err("greet at least once"),
            times => Ok(format!("Hello, {}! ", greet.name).repeat(times.into())),
        })
        .build()?;
    Ok(server.serve_stdio().await?)
}
