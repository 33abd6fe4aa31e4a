//! What goes wrong with connections, over sockets.

mod bodies;
#[cfg(unix)]
mod crowd;
mod half_open;
mod hang_up;
mod heads;
#[cfg(feature = "http-client")]
mod killed;
mod limits;
#[cfg(all(feature = "testing", unix))]
mod many_sessions;
mod origins;
mod program;
mod shutdown;
mod slow_reader;
mod trickle;
mod twins;

use http::Request;
use mcpeer::{
    handler::Context,
    server::{Args, Server},
};
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::timeout,
};

use crate::{
    line::{Line, PATIENCE, Served},
    sessions::{Client, initialize},
    web::modern,
};

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Size {
    /// How many bytes, or messages.
    size: usize,
}

#[derive(serde::Deserialize, mcpeer::schemars::JsonSchema)]
#[schemars(crate = "mcpeer::schemars")]
struct Hold {
    /// Whether it says something first.
    says: bool,
}

/// What handlers tell a test.
struct Told(UnboundedReceiver<&'static str>);

impl Told {
    async fn hears(&mut self, wanted: &str) {
        let heard = timeout(PATIENCE, self.0.recv()).await.expect("no handler says anything");
        assert_eq!(heard, Some(wanted));
    }

    #[track_caller]
    fn heard_nothing(&mut self) {
        assert!(self.0.try_recv().is_err());
    }
}

/// That a handler runs; dropped, it has stopped.
struct Running(UnboundedSender<&'static str>);

impl Running {
    fn new(tell: &UnboundedSender<&'static str>) -> Self {
        let _ = tell.send("started");
        Self(tell.clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.send("stopped");
    }
}

/// A server whose handlers tell when they start and when they stop.
fn server() -> (Server, Told) {
    let (tell, told) = unbounded_channel();
    let (holds, floods) = (tell.clone(), tell);
    let server = Server::builder("test", "1")
        .tool("echo", async || "done")
        .tool("big", async |Args(big): Args<Size>| "x".repeat(big.size))
        .tool("hold", move |cx: Context, Args(hold): Args<Hold>| {
            let tell = holds.clone();
            async move {
                if hold.says {
                    cx.progress(1.0, None, None).await;
                }
                let _running = Running::new(&tell);
                cx.cancelled().await;
                "cancelled"
            }
        })
        .tool("flood", move |cx: Context, Args(flood): Args<Size>| {
            let tell = floods.clone();
            async move {
                let _running = Running::new(&tell);
                let text = "x".repeat(64 << 10);
                for step in 1..=flood.size {
                    cx.progress(step as f64, None, Some(&text)).await;
                }
                "done"
            }
        })
        .build()
        .unwrap();
    (server, Told(told))
}

/// A call of the stateless era.
fn call(name: &str, arguments: &Value) -> Request<String> {
    modern(1, "tools/call", &json!({"name": name, "arguments": arguments, "_meta": {"progressToken": 1}}))
}

fn echo() -> Request<String> {
    call("echo", &json!({}))
}

fn listen() -> Request<String> {
    modern("s", "subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}}))
}

/// Begins a session over a socket.
async fn begin(served: &Served, line: &mut Line, version: &'static str) -> Client {
    let nobody = Client { service: served.service.clone(), version, session: String::new(), name: None };
    let begun = line.call(&nobody.post(&initialize(version))).await;
    let client = Client { session: begun.header("mcp-session-id").to_owned(), ..nobody };
    assert!(!client.session.is_empty(), "{begun:?}");
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(line.call(&client.post(&ready)).await.status, 202);
    client
}
