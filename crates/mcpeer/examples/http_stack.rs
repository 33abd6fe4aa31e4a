//! A client that sends by an HTTP stack of its own: hyper's, whose pool another part of the program may use, too.
//!
//! `cargo run --example http_stack --features http-client,http-server`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use http::{Request, Response};
use hyper_util::{
    client::legacy::{Client as Hyper, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use mcpeer::{
    Client, Server,
    client::Policy,
    driver::BoxFuture,
    transport::http::{
        self as streamable,
        client::{HttpClient, ResponseBody},
    },
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Sends by hyper, and counts what it sends.
#[derive(Clone)]
struct Counting {
    hyper: Hyper<HttpConnector, http_body_util::Full<Bytes>>,
    sent: Arc<AtomicUsize>,
}

impl HttpClient for Counting {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<io::Result<Response<ResponseBody>>> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        // Neither redirects nor cookies: hyper leaves both alone. What is dropped is hung up.
        let sending = self.hyper.request(request.map(Into::into));
        Box::pin(async move { Ok(sending.await.map_err(io::Error::other)?.map(ResponseBody::new)) })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let server = Server::builder("clock", "1.0.0").tool("now", async || "12:00").build()?;
    let bound = server.http().bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", bound.local_addr());
    let (end, ending) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async { drop(ending.await) }));

    let hyper = Hyper::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build_http();
    let stack = Counting { hyper, sent: Arc::default() };
    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        let connector = streamable::client(&url).stack(stack.clone());
        let client = Client::builder("me", "1.0.0").policy(policy).connect(connector).await?;
        let now = client.call("now").await?;
        println!("at {}: it is {}", client.revision(), now.as_text());
        assert_eq!(now.as_text(), "12:00");
        client.close().await;
    }
    // A question and a call; a handshake of two messages, the server's own stream, a call, and the end of the session.
    assert_eq!(stack.sent.load(Ordering::Relaxed), 7);
    drop(end);
    Ok(serving.await?)
}
