//! A server mounted in axum, under a nested path and behind a layer that says who asks.
//!
//! `cargo run --example http_axum --features http-client,http-server`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use mcpeer::{
    Client, Server,
    client::Policy,
    server::{Claims, Principal},
    transport::{self, http},
};
use serde::Deserialize;
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Deserialize)]
struct Token {
    scope: String,
}

async fn who(Principal(name): Principal, Claims(token): Claims<Token>) -> String {
    let scope = token.map_or_else(|| "nothing".to_owned(), |token| token.scope);
    format!("{} may {scope}", name.unwrap_or_else(|| "somebody".to_owned()))
}

/// Where a real server verifies a token, this one knows its only user. Sessions, answers that are kept and tasks belong
/// to the principal; claims are for handlers to read.
async fn authorize(mut request: Request, next: Next) -> Response {
    let key = request.headers().get(header::AUTHORIZATION);
    if key.is_none_or(|key| key != "Bearer secret") {
        return (StatusCode::UNAUTHORIZED, "who are you?").into_response();
    }
    request.extensions_mut().insert(transport::Principal("ada".into()));
    if let Ok(claims) = transport::Claims::new(&json!({"sub": "ada", "scope": "read"})) {
        request.extensions_mut().insert(claims);
    }
    next.run(request).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let server = Server::builder("who", "1.0.0").tool("who", who).build()?;
    let service = server.http().service();
    let tools = Router::new().route_service("/mcp", service.clone()).layer(middleware::from_fn(authorize));
    let app = Router::new().nest("/api/v1", tools);

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/api/v1/mcp", listener.local_addr()?);
    let (end, ending) = tokio::sync::oneshot::channel::<()>();
    let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
        drop(ending.await);
        // Streams that wait for changes end with their result; without this they would go on.
        service.shut();
    });
    let serving = tokio::spawn(serving.into_future());

    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        let connector = http::client(&url).header("authorization", "Bearer secret");
        let client = Client::builder("me", "1.0.0").policy(policy).connect(connector).await?;
        let said = client.call("who").await?;
        println!("at {}: {}", client.revision(), said.as_text());
        assert_eq!(said.as_text(), "ada may read");
        client.close().await;
    }
    let stranger = Client::builder("me", "1.0.0").connect(http::client(&url)).await;
    assert_eq!(stranger.unwrap_err().http_status(), Some(401));
    drop(end);
    Ok(serving.await??)
}
