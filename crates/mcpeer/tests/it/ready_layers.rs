//! The layers that are ready, each around a server and around a tool.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcpeer::{
    handler::Context,
    server::{
        Builder, Prompt, Server, Tool,
        layer::{Around, Audit, ConcurrencyLimit, Outcome, RateLimit, Timeout, Trace},
    },
    version::Revision,
};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use crate::peers::{RawClient, text};

/// What a layer is put around.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Server,
    Tool,
}

impl Place {
    const ALL: [Self; 2] = [Self::Server, Self::Tool];

    /// Gives the builder and the tool with a layer around one of them.
    fn around(self, layer: impl Around) -> (Builder, Tool) {
        let (builder, tool) = (Server::builder("layers", "1"), Tool::new("work"));
        match self {
            Self::Server => (builder.layer(layer), tool),
            Self::Tool => (builder, tool.layer(layer)),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_what_hangs() {
    for (revision, place) in Revision::ALL.into_iter().flat_map(|it| Place::ALL.map(|place| (it, place))) {
        let (builder, tool) = place.around(Timeout::new(Duration::from_secs(5)));
        let hang = async || std::future::pending::<String>().await;
        let server = builder.tool(tool, hang).prompt(Prompt::new("work"), hang).build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("work", json!({})).await), "not done within 5s", "{place:?} {revision}");
        if place == Place::Server {
            let answer = client.request("prompts/get", json!({"name": "work"})).await;
            assert_eq!(answer["error"], json!({"code": -32603, "message": "not done within 5s"}), "{revision}");
        }
    }
}

#[tokio::test]
async fn limits_of_time_may_be_without_an_end() {
    let server = Server::builder("layers", "1").layer(Timeout::new(Duration::MAX));
    let server = server.layer(RateLimit::new(1, Duration::MAX)).tool(Tool::new("work"), || "done").build().unwrap();
    let mut client = RawClient::connect(&server, Revision::V2026_07_28).await;
    assert_eq!(text(&client.call("work", json!({})).await), "done");
    let refused = client.call("work", json!({})).await;
    assert!(text(&refused).starts_with("too many requests"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_refuses_what_is_too_much_and_says_for_how_long() {
    for (revision, place) in Revision::ALL.into_iter().flat_map(|it| Place::ALL.map(|place| (it, place))) {
        let (builder, tool) = place.around(RateLimit::new(1, Duration::from_secs(10)));
        let server = builder.tool(tool, || "done").prompt(Prompt::new("work"), || "done").build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("work", json!({})).await), "done", "{place:?} {revision}");
        let refused = "too many requests; try again in 10001 ms";
        assert_eq!(text(&client.call("work", json!({})).await), refused, "{place:?} {revision}");
        let answer = client.request("prompts/get", json!({"name": "work"})).await;
        match place {
            Place::Server => assert_eq!(answer["error"], json!({"code": -32603, "message": refused}), "{revision}"),
            Place::Tool => assert!(answer["result"].is_object(), "{answer}"),
        }
    }
}

#[tokio::test]
async fn a_concurrency_limit_lets_the_rest_wait() {
    for (revision, place) in Revision::ALL.into_iter().flat_map(|it| Place::ALL.map(|place| (it, place))) {
        let (started, mut starts) = mpsc::unbounded_channel();
        let go = Arc::new(Notify::new());
        let gate = go.clone();
        let (builder, tool) = place.around(ConcurrencyLimit::new(2));
        let work = move |cx: Context| {
            let (started, gate) = (started.clone(), gate.clone());
            async move {
                started.send(cx.id().clone()).unwrap();
                gate.notified().await;
            }
        };
        let server = builder.tool(tool, work).build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(client.start("tools/call", json!({"name": "work"})).await);
        }
        for id in &ids[..2] {
            assert_eq!(starts.recv().await.unwrap(), (*id).into(), "{place:?} {revision}");
        }
        // Whatever is asked now was read after the third call.
        client.request("com.example/none", json!({})).await;
        assert!(starts.try_recv().is_err(), "{place:?} {revision}");
        go.notify_one();
        assert_eq!(starts.recv().await.unwrap(), ids[2].into(), "{place:?} {revision}");
        go.notify_one();
        go.notify_one();
    }
}

#[tokio::test]
async fn an_audit_tells_of_calls_that_were_given_up_too() {
    for (revision, place) in Revision::ALL.into_iter().flat_map(|it| Place::ALL.map(|place| (it, place))) {
        let (heard, mut hears) = mpsc::unbounded_channel();
        let audit = Audit::new(move |entry| {
            let arguments = entry.request.arguments().map(|arguments| arguments.as_str().to_owned());
            heard.send((entry.request.tool().map(String::from), arguments, entry.outcome)).unwrap();
        });
        let (builder, tool) = place.around(audit);
        let (started, mut starts) = mpsc::unbounded_channel();
        let work = move |cx: Context| {
            started.send(()).unwrap();
            async move { cx.cancelled().await }
        };
        let server = builder.tool(tool, work).build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let id = client.start("tools/call", json!({"name": "work", "arguments": {"a": 1}})).await;
        starts.recv().await.unwrap();
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        client.send(&cancelled).await;
        let (tool, arguments, outcome) = hears.recv().await.unwrap();
        assert_eq!((tool.as_deref(), arguments.as_deref()), (Some("work"), Some(r#"{"a":1}"#)), "{place:?} {revision}");
        // The handler saw that nobody waits and returned, or was dropped before.
        assert!(matches!(outcome, Outcome::Completed | Outcome::GivenUp), "{place:?} {revision}");
    }
}

#[tokio::test]
async fn a_trace_names_method_tool_and_outcome_and_no_arguments() {
    for (revision, place) in Revision::ALL.into_iter().flat_map(|it| Place::ALL.map(|place| (it, place))) {
        let told = Told::default();
        let listening = tracing::subscriber::set_default(told.clone());
        let (builder, tool) = place.around(Trace::new());
        let server = builder.tool(tool, || Err::<(), _>("no")).build().unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        client.call("work", json!({"password": "secret"})).await;
        drop(listening);
        let told = told.0.lock().unwrap().join("\n");
        for expected in ["handler method=\"tools/call\" tool=\"work\"", "served outcome=Failed", "elapsed="] {
            assert!(told.contains(expected), "{place:?} {revision}: {told}");
        }
        assert!(!told.contains("secret"), "{told}");
    }
}

/// Writes down what the layer tells.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Told {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("mcpeer::server::layer")
    }

    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut line = Line(attributes.metadata().name().to_owned());
        attributes.record(&mut line);
        self.0.lock().unwrap().push(line.0);
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0.trim_start().to_owned());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// The fields of a span or an event, as text.
struct Line(String);

impl tracing::field::Visit for Line {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        match field.name() {
            "message" => self.0.push_str(&format!(" {value:?}")),
            name => self.0.push_str(&format!(" {name}={value:?}")),
        }
    }
}
