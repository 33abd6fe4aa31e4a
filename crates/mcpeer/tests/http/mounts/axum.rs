use std::future::{IntoFuture, Ready, ready};

use axum::{Router, middleware, response::Response};
use http::{Request, StatusCode};
use mcpeer::{server::HttpService, transport};
use serde_json::json;
use tokio::net::TcpListener;

use super::{Tenant, call, check, send, server};

/// Serves at a nested path, behind a layer that says who asks.
fn nested(service: HttpService) -> Router {
    let known = middleware::map_request(|mut request: Request<axum::body::Body>| -> Ready<Request<axum::body::Body>> {
        let extensions = request.extensions_mut();
        extensions.insert(transport::Principal("ada".into()));
        extensions.insert(transport::Claims::new(&json!({"scope": "read"})).unwrap());
        extensions.insert(Tenant("acme"));
        ready(request)
    });
    let known = Router::new().route_service("/mcp", service).layer(known);
    Router::new().nest("/a", Router::new().nest("/{tenant}", known))
}

#[tokio::test]
async fn a_nested_route_of_axum_serves_and_knows_what_layers_found_out() {
    let (server, mut heard) = server();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, nested(server.http().service())).into_future());
    check(address, "/a/b/mcp", &mut heard).await;
    let answer = send(address, "/a/b/mcp", call("who")).await;
    assert!(answer.contains("ada \\\"read\\\" acme"), "{answer}");
    let elsewhere = send(address, "/a/mcp", call("echo")).await;
    assert!(elsewhere.starts_with("HTTP/1.1 404 "), "{elsewhere}");
}

#[tokio::test]
async fn a_whole_subtree_of_axum_may_be_given_to_it() {
    let (server, mut heard) = server();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new()
        .nest_service("/mcp", server.http().service())
        .fallback(async || -> Response { Response::builder().status(StatusCode::GONE).body("".into()).unwrap() });
    tokio::spawn(axum::serve(listener, app).into_future());
    check(address, "/mcp", &mut heard).await;
    assert!(send(address, "/", call("echo")).await.starts_with("HTTP/1.1 410 "));
}
