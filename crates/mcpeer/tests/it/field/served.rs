//! The server that all of these tests talk to.

use mcpeer::{
    handler::Context,
    server::{Args, Server},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Cancelled {
    at_least: u32,
}

/// A server whose tools greet, wait until they are cancelled, and tell how many were cancelled.
pub(crate) fn server() -> Server {
    let cancellations = watch::Sender::new(0_u32);
    let counted = cancellations.clone();
    Server::builder("field", "1.0.0")
        .tool("greet", async |Args(greet): Args<Greet>| format!("Hello, {}!", greet.name))
        .tool("wait", move |cx: Context| {
            let cancellations = cancellations.clone();
            async move {
                cx.progress(0.5, Some(1.0), Some("waiting")).await;
                cx.cancelled().await;
                cancellations.send_modify(|count| *count += 1);
            }
        })
        .tool("cancelled", move |Args(cancelled): Args<Cancelled>| {
            let mut counted = counted.subscribe();
            async move { counted.wait_for(|count| *count >= cancelled.at_least).await.map(|count| count.to_string()) }
        })
        .build()
        .unwrap()
}
