//! What a handler learns from its context.

use serde_json::json;
use tokio::sync::mpsc;

use crate::{
    driver::{
        Run,
        tests::support::{Closures, ERAS, done, request, server},
    },
    handler::Context,
    model::logging::Level,
    version::{Era, Revision},
};

#[tokio::test(start_paused = true)]
async fn the_context_tells_who_asks_and_how() {
    for era in ERAS {
        let (contexts, mut seen) = mpsc::unbounded_channel();
        let service = Closures::sync(move |request, cx| {
            contexts.send((request, cx)).unwrap();
            Run::Ready(done())
        });
        let (_side, mut wire) = server(era, service).await;
        wire.send(request(era, "seven", "test/x", json!({"a": 1, "_meta": {"mine": 2}}))).await;
        wire.receive().await;
        let (request, cx): (_, Context) = seen.recv().await.unwrap();
        assert_eq!(cx.id(), &"seven".into());
        assert_eq!(cx.method(), "test/x");
        assert_eq!(cx.era(), era);
        let expected = if era == Era::Legacy { Revision::V2025_06_18 } else { Revision::V2026_07_28 };
        assert_eq!(cx.revision(), expected);
        assert_eq!(cx.client_info().unwrap().name, "wire");
        assert_eq!(cx.client_capabilities().unwrap().sampling.is_some(), era == Era::Legacy);
        assert_eq!(cx.principal(), None);
        // The envelope is not among the params, the caller's own `_meta` is.
        let params: serde_json::Value = request.params.unwrap().decode().unwrap();
        assert_eq!(params, json!({"a": 1, "_meta": {"mine": 2}}));
    }
}

#[tokio::test(start_paused = true)]
async fn log_messages_go_out_by_the_rules_of_the_era() {
    for era in ERAS {
        let service = Closures::of(|_, cx: Context| async move {
            cx.log_as("disk", Level::Warning, &json!({"free": 0})).await;
            cx.log(Level::Debug, "details").await;
            done()
        });
        let (_side, mut wire) = server(era, service).await;
        // A session hears all unless it says otherwise; without a session a request hears what it asks for.
        let mut message = request(era, 1, "test/x", json!({}));
        if era == Era::Modern {
            message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
        }
        wire.send(message).await;
        let messages = wire.drain().await;
        let logged: Vec<_> = messages.iter().filter(|message| message["method"] == "notifications/message").collect();
        assert_eq!(logged.len(), if era == Era::Legacy { 2 } else { 1 }, "{messages:?}");
        assert_eq!(logged[0]["params"]["level"], "warning");
        assert_eq!(logged[0]["params"]["logger"], "disk");
        assert_eq!(logged[0]["params"]["data"], json!({"free": 0}));
        wire.send(request(era, 2, "test/x", json!({}))).await;
        let count = wire.drain().await.len();
        assert_eq!(count, if era == Era::Legacy { 3 } else { 1 });
    }
}
