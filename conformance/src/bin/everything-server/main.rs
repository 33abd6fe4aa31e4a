//! A server that has something of everything: what the official conformance suites look for, and some tools for trying
//! things out.
//!
//! ```text
//! PORT=3000 cargo run -p mcpeer-conformance --bin everything-server
//! cargo run -p mcpeer-conformance --bin everything-server stdio
//! ```
//!
//! Over HTTP it is found at `http://127.0.0.1:PORT/mcp`; port 0 is any that is free. The address is the first line on
//! standard error.

mod basics;
mod changes;
mod content;
mod headers;
mod jobs;
mod prompts;
mod questions;
mod reports;
mod resources;
mod rounds;
mod skills;

use std::{env, error::Error, process::ExitCode};

use mcpeer::Server;

const USAGE: &str = "usage: everything-server [stdio]";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let server = everything()?;
    match env::args().nth(1).as_deref() {
        Some("stdio") => Ok(server.serve_stdio().await?),
        Some(_) => Err(USAGE.into()),
        None => {
            let port: u16 = env::var("PORT").map_or(Ok(3000), |port| port.parse())?;
            let bound = server.http().bind(("127.0.0.1", port)).await?;
            eprintln!("http://{}/mcp", bound.local_addr());
            bound.serve_until(async { drop(tokio::signal::ctrl_c().await) }).await;
            Ok(())
        }
    }
}

/// Makes the server. The suites call the first tool without arguments, so that is one of `content`.
fn everything() -> Result<Server, Box<dyn Error>> {
    let running = changes::Running::default();
    let builder = Server::builder("everything-server", env!("CARGO_PKG_VERSION"))
        .title("Everything")
        .description("Has something of everything that the protocol knows")
        .logging();
    let builder = content::add(builder);
    let builder = basics::add(builder);
    let builder = reports::add(builder);
    let builder = headers::add(builder);
    let builder = questions::add(builder);
    let builder = rounds::add(builder);
    let builder = changes::add(builder, running.clone());
    let builder = resources::add(builder);
    let builder = prompts::add(builder);
    let builder = jobs::add(builder);
    let server = skills::add(builder)?.build()?;
    if let [disabled, ..] = server.disabled_tools().as_slice() {
        return Err(format!("the tool {} cannot be served: {}", disabled.name, disabled.reason).into());
    }
    running.set(server.clone());
    Ok(server)
}
