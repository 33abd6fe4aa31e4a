//! How the servers are started that other programs talk to: the revisions that are named, or all, on standard input and
//! output, or over HTTP where the command line ends in `http PORT`.

use std::error::Error;

use mcpeer::{server::Server, version::Revision};

/// What the command line asks for.
pub(crate) struct Asked {
    /// The revisions to serve.
    pub(crate) revisions: Vec<Revision>,
    port: Option<u16>,
}

impl Asked {
    /// Reads the command line.
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let (named, port) = match &*words {
            [named @ .., http, port] if http == "http" => (named, Some(port.parse()?)),
            named => (named, None),
        };
        let named = named.iter().map(|name| name.parse()).collect::<Result<Vec<Revision>, _>>()?;
        Ok(Self { revisions: if named.is_empty() { Revision::ALL.to_vec() } else { named }, port })
    }

    /// Serves, and says over HTTP where: `listening on URL`, a line on standard output.
    pub(crate) async fn serve(self, server: &Server) -> Result<(), Box<dyn Error>> {
        let Some(port) = self.port else { return Ok(server.serve_stdio().await?) };
        let bound = server.http().max_body(64 << 20).bind(("127.0.0.1", port)).await?;
        println!("listening on http://{}/mcp", bound.local_addr());
        bound.serve().await;
        Ok(())
    }
}
