//! Layers around requests and tools.

use std::{
    convert::Infallible,
    fmt,
    sync::{Arc, Mutex},
    task::{Context as TaskContext, Poll},
    time::Duration,
};

use mcpeer::{
    handler::{Context, Reply},
    rpc,
    server::{
        Args, Server, State, Tool,
        layer::{Audit, BoxError, ConcurrencyLimit, Next, Outcome, RateLimit, Request, Serving, Timeout, Trace},
    },
    version::Revision,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tower_layer::layer_fn;
use tower_service::Service;

use crate::peers::{RawClient, text};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

/// Writes its name down, for each request that passes.
#[derive(Clone)]
struct Noting {
    name: &'static str,
    notes: Arc<Mutex<Vec<String>>>,
    next: Next,
}

impl Service<Request> for Noting {
    type Response = Reply;
    type Error = Infallible;
    type Future = Serving;

    fn poll_ready(&mut self, cx: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        self.next.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Serving {
        self.notes.lock().unwrap().push(format!("{} {}", self.name, request.method()));
        self.next.call(request)
    }
}

#[derive(Clone)]
struct Failing(Arc<dyn Fn() -> BoxError + Send + Sync>);

impl Service<Request> for Failing {
    type Response = Reply;
    type Error = BoxError;
    type Future = std::future::Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request) -> Self::Future {
        std::future::ready(Err((self.0)()))
    }
}

#[derive(Debug)]
struct Secret;

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the secret is 42")
    }
}

impl std::error::Error for Secret {}

#[tokio::test]
async fn the_first_layer_is_the_outermost_and_those_of_a_tool_are_inside() {
    for revision in Revision::ALL {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let noting = |name| {
            let notes = notes.clone();
            layer_fn(move |next| Noting { name, notes: notes.clone(), next })
        };
        let server = Server::builder("layers", "1")
            .layer(noting("first"))
            .layer(noting("second"))
            .state("shared")
            .tool(
                Tool::new("echo").layer(noting("third")).layer(noting("fourth")),
                async |Args(echo): Args<Echo>, State(state): State<&'static str>| format!("{} {state}", echo.text),
            )
            .tool("plain", async || "plain")
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("echo", json!({"text": "say \"it\""})).await), "say \"it\" shared");
        let taken = || std::mem::take(&mut *notes.lock().unwrap());
        assert_eq!(taken(), ["first", "second", "third", "fourth"].map(|name| format!("{name} tools/call")));
        assert_eq!(text(&client.call("plain", json!({})).await), "plain");
        assert_eq!(taken(), ["first tools/call", "second tools/call"]);
        client.request("tools/list", json!({})).await;
        assert_eq!(taken(), ["first tools/list", "second tools/list"], "{revision}");
    }
}

#[tokio::test]
async fn layers_are_around_each_run_of_a_handler_that_asks() {
    use mcpeer::{
        client::Client,
        model::{
            input::{InputRequired, RootsRequest},
            roots::Root,
        },
        server::{IntoToolResult, ToolResult},
        version::Era,
    };
    for revision in Revision::ALL {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let noted = notes.clone();
        let server = Server::builder("layers", "1")
            .layer(layer_fn(move |next| Noting { name: "layer", notes: noted.clone(), next }))
            .tool("awaits", async |cx: Context| cx.roots().await.map(|roots| roots.len().to_string()))
            .tool("by hand", async |cx: Context| -> ToolResult {
                match cx.input_responses() {
                    Some(responses) => responses.len().to_string().into_tool_result(),
                    None => InputRequired::new().ask("roots", RootsRequest::new()).into_tool_result(),
                }
            })
            .build()
            .unwrap();
        let rounds = if revision.era() == Era::Modern { 2 } else { 1 };
        for (tool, runs) in [("awaits", rounds), ("by hand", 2)] {
            let host = Client::builder("host", "1").roots([Root::new("file:///a")]);
            let client = crate::peers::connect(host, &server, revision).await;
            assert_eq!(client.call(tool).await.unwrap().as_text(), "1", "{tool} {revision}");
            assert_eq!(std::mem::take(&mut *notes.lock().unwrap()).len(), runs, "{tool} {revision}");
        }
    }
}

#[tokio::test]
async fn errors_of_layers_tell_nothing_unless_they_are_of_the_protocol() {
    let failing = |error: fn() -> BoxError| layer_fn(move |_: Next| Failing(Arc::new(error)));
    let server = Server::builder("layers", "1")
        .tool(Tool::new("secret").layer(failing(|| Box::new(Secret))), async || "never")
        .tool(Tool::new("told").layer(failing(|| Box::new(rpc::Error::new(-32602, "told")))), async || "never")
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let answer = client.call("secret", json!({})).await;
        assert_eq!(answer["error"], json!({"code": -32603, "message": "internal error"}), "{revision}");
        let answer = client.call("told", json!({})).await;
        assert_eq!(answer["error"], json!({"code": -32602, "message": "told"}), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_takes_too_long_is_dropped_and_the_model_hears_why() {
    for revision in Revision::ALL {
        let (alive, mut dropped) = mpsc::channel::<()>(1);
        let alive = Mutex::new(Some(alive));
        let server = Server::builder("timeout", "1")
            .layer(Timeout::new(Duration::from_secs(30)))
            .tool("hangs", move || {
                let alive = alive.lock().unwrap().take();
                async move {
                    let _alive = alive;
                    std::future::pending::<()>().await;
                }
            })
            .tool("now", async || "now")
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let answer = client.call("hangs", json!({})).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(text(&answer), "not done within 30s", "{revision}");
        assert_eq!(dropped.recv().await, None);
        assert_eq!(text(&client.call("now", json!({})).await), "now");
    }
}

#[tokio::test]
async fn only_so_many_handlers_run_at_once_and_the_others_wait() {
    for revision in Revision::ALL {
        let (started, mut starts) = mpsc::unbounded_channel();
        let (go, gone) = watch::channel(0_usize);
        let limit = ConcurrencyLimit::new(1);
        let handler = move |Args(echo): Args<Echo>| {
            let (started, mut gone) = (started.clone(), gone.clone());
            async move {
                started.send(echo.text.clone()).unwrap();
                gone.wait_for(|gone| *gone > 0).await.unwrap();
                echo.text
            }
        };
        let server = Server::builder("limit", "1")
            .tool(Tool::new("one").layer(limit.clone()), handler.clone())
            .tool(Tool::new("other").layer(limit), handler)
            .tool("now", async || "now")
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let first = client.start("tools/call", json!({"name": "one", "arguments": {"text": "a"}})).await;
        let second = client.start("tools/call", json!({"name": "other", "arguments": {"text": "b"}})).await;
        assert_eq!(text(&client.call("now", json!({})).await), "now");
        assert_eq!(starts.recv().await.unwrap(), "a");
        assert!(starts.try_recv().is_err(), "{revision}");
        go.send(1).unwrap();
        assert_eq!(text(&client.answer(first).await), "a");
        assert_eq!(text(&client.answer(second).await), "b");
        assert_eq!(starts.recv().await.unwrap(), "b");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_rate_are_told_when_to_come_again() {
    for revision in Revision::ALL {
        let server = Server::builder("rate", "1")
            .tool(Tool::new("now").layer(RateLimit::new(2, Duration::from_secs(10))), async || "now")
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        for _ in 0..2 {
            assert_eq!(text(&client.call("now", json!({})).await), "now");
        }
        let refused = client.call("now", json!({})).await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        assert_eq!(text(&refused), "too many requests; try again in 5001 ms");
        tokio::time::advance(Duration::from_millis(5001)).await;
        assert_eq!(text(&client.call("now", json!({})).await), "now", "{revision}");
    }
}

#[tokio::test]
async fn an_audit_hears_of_every_call_with_its_arguments_and_outcome() {
    for revision in Revision::ALL {
        let (heard, mut hears) = mpsc::unbounded_channel();
        let audit = Audit::new(move |entry| {
            let arguments = entry.request.arguments().map(|arguments| arguments.as_str().to_owned());
            heard.send((entry.request.tool().map(|name| name.into_owned()), arguments, entry.outcome)).unwrap();
        });
        let server = Server::builder("audit", "1")
            .layer(Trace::new())
            .layer(audit)
            .tool("echo", async |Args(echo): Args<Echo>| echo.text)
            .tool("panics", async || -> String { panic!("no") })
            .tool("wait", async |cx: Context| cx.cancelled().await)
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        client.call("echo", json!({"text": "a"})).await;
        let expected = (Some("echo".to_owned()), Some(r#"{"text":"a"}"#.to_owned()));
        assert_eq!(hears.recv().await.unwrap(), (expected.0, expected.1, Outcome::Completed), "{revision}");
        client.call("echo", json!({})).await;
        assert_eq!(hears.recv().await.unwrap().2, Outcome::Failed);
        client.call("missing", json!({})).await;
        assert_eq!(hears.recv().await.unwrap().2, Outcome::Refused);
        client.call("panics", json!({})).await;
        assert_eq!(hears.recv().await.unwrap().2, Outcome::GivenUp);
        client.request("tools/list", json!({})).await;
        assert_eq!(hears.recv().await.unwrap(), (None, None, Outcome::Completed));
    }
}
