//! A server on rmcp, on stdin and stdout or over HTTP, for both eras. It offers what `../ts1/server.mjs` does.
//!
//! ```text
//! rmcp_server [features] [http PORT]
//! ```

mod calls;
mod json;
mod made;
mod offers;

use axum::serve::ListenerExt as _;
use rmcp::{
    ServerHandler, ServiceExt as _,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};

/// What a message may have: more than the largest that the clients send.
const MAX_BODY: usize = 64 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let port = match &*words {
        [.., http, port] if http == "http" => Some(port.parse()?),
        _ => None,
    };
    match words.first().map(String::as_str) {
        Some("features") => serve(offers::Offers::default(), port).await,
        _ => serve(calls::Calls::default(), port).await,
    }
}

async fn serve(server: impl ServerHandler + Clone, port: Option<u16>) -> anyhow::Result<()> {
    let Some(port) = port else {
        server.serve(rmcp::transport::stdio()).await?.waiting().await?;
        return Ok(());
    };
    let mut config = StreamableHttpServerConfig::default();
    config.max_request_body_bytes = MAX_BODY;
    config.sse_retry = Some(std::time::Duration::from_millis(100));
    let service: StreamableHttpService<_, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(server.clone()), Default::default(), config);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    Ok(axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?)
}
