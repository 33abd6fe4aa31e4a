//! Offers the skills of a folder over standard input and output.
//!
//! ```text
//! cargo run --example skills_server --features skills -- FOLDER
//! ```

use std::error::Error;

use mcpeer::{server::Server, skills::Skills};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder that holds skills")?;
    let server = Server::builder("skills_server", "1.0.0").extension(Skills::folder(folder)?).build()?;
    Ok(server.serve_stdio().await?)
}
