//! A server mounted in hyper, without any framework around it.
//!
//! `cargo run --example http_hyper --features http-client,http-server`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use std::{convert::Infallible, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{rt::TokioIo, server::graceful::GracefulShutdown};
use mcpeer::{Client, Server, client::Policy, handler::Context, server::HttpService, transport::http};
use tokio::net::TcpListener;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Accepts connections until it is to end, and lets what runs then answer.
async fn serve(listener: TcpListener, mcp: HttpService, mut ending: tokio::sync::oneshot::Receiver<()>) -> Outcome {
    let connections = GracefulShutdown::new();
    loop {
        let (socket, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            _ = &mut ending => break,
        };
        // An answer is small and must not wait for more to be sent with it.
        socket.set_nodelay(true)?;
        let mcp = mcp.clone();
        let service = service_fn(move |request| {
            let mcp = mcp.clone();
            async move { Ok::<_, Infallible>(mcp.handle(request).await) }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service);
        tokio::spawn(connections.watch(connection));
    }
    mcp.shut();
    connections.shutdown().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let server = Server::builder("clock", "1.0.0")
        .tool("now", async || "12:00")
        .tool("wait", async |cx: Context| cx.cancelled().await)
        .build()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    // The service answers at every path that it is given.
    let url = format!("http://{}/", listener.local_addr()?);
    let (end, ending) = tokio::sync::oneshot::channel();
    let serving = serve(listener, server.http().service(), ending);

    let talking = async {
        for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
            let client = Client::builder("me", "1.0.0").policy(policy).connect(http::client(&url)).await?;
            let now = client.call("now").await?;
            println!("at {}: it is {}", client.revision(), now.as_text());
            assert_eq!(now.as_text(), "12:00");
            // Who gives up hangs up, and the handler is dropped.
            let late = client.call("wait").timeout(Duration::from_millis(50)).await;
            assert!(late.unwrap_err().is_timeout());
            client.close().await;
        }
        drop(end);
        Outcome::Ok(())
    };
    let (served, talked) = tokio::join!(serving, talking);
    served?;
    talked
}
