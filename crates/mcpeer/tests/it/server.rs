//! Servers: what they say of themselves, and how connections begin and end.

use mcpeer::{
    handler::Context,
    server::{Params, Server},
    transport::{TransportExt, memory},
    version::{Era, Revision},
};
use serde_json::json;

use crate::peers::{RawClient, builder, connect, text};

#[tokio::test]
async fn a_server_says_what_it_is() {
    let server = Server::builder("clock", "1.2.3")
        .title("Clock")
        .description("Tells the time")
        .website_url("https://example.com")
        .instructions("Ask often.")
        .logging()
        .tool("now", async || "12:00")
        .build()
        .unwrap();
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let client = connect(builder(), &server, revision).await;
        let info = serde_json::to_value(client.server_info().unwrap()).unwrap();
        let expected = json!({
            "name": "clock",
            "version": "1.2.3",
            "title": "Clock",
            "description": "Tells the time",
            "websiteUrl": "https://example.com",
        });
        assert_eq!(info, expected, "{revision}");
        assert_eq!(client.instructions().as_deref(), Some("Ask often."));
        let capabilities = serde_json::to_value(client.capabilities()).unwrap();
        assert_eq!(capabilities, json!({"logging": {}, "tools": {"listChanged": true}}), "{revision}");
    }
}

#[tokio::test]
async fn a_client_that_leaves_without_a_word_is_no_error() {
    let server = Server::builder("quiet", "1").build().unwrap();
    let (ours, theirs) = memory::pair();
    drop(ours);
    server.serve(theirs).await.unwrap();
}

#[tokio::test]
async fn running_calls_are_answered_after_the_input_has_ended() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let (go, gone) = tokio::sync::watch::channel(false);
        let server = Server::builder("slow", "1")
            .tool("slow", move || {
                let mut gone = gone.clone();
                async move {
                    gone.wait_for(|gone| *gone).await.unwrap();
                    "done"
                }
            })
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let id = client.start("tools/call", json!({"name": "slow"})).await;
        client.end_input().await;
        go.send(true).unwrap();
        assert_eq!(text(&client.answer(id).await), "done", "{revision}");
        assert_eq!(client.receive().await, None);
    }
}

#[tokio::test]
async fn one_server_serves_many_connections_at_once() {
    let (first, mut waiting) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::builder("many", "1")
        .tool("wait", move |cx: Context| {
            let first = first.clone();
            async move {
                first.send(()).unwrap();
                cx.cancelled().await;
            }
        })
        .tool("now", async || "now")
        .build()
        .unwrap();
    let mut slow = RawClient::connect(&server, Revision::V2026_07_28).await;
    slow.start("tools/call", json!({"name": "wait"})).await;
    waiting.recv().await.unwrap();
    for revision in Revision::ALL {
        let mut quick = RawClient::connect(&server, revision).await;
        assert_eq!(text(&quick.call("now", json!({})).await), "now");
    }
    // And on the busy connection too.
    assert_eq!(text(&slow.call("now", json!({})).await), "now");
}

#[tokio::test]
async fn only_the_named_revisions_are_served() {
    let server = Server::builder("new", "1").revisions([Revision::V2026_07_28]).build().unwrap();
    let (mut ours, theirs) = memory::pair();
    tokio::spawn(async move { server.serve(theirs).await });
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    ours.send_text(request.to_string()).await.unwrap();
    let answer = ours.receive_text().await.unwrap().unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));

    let server = Server::builder("old", "1").revisions([Revision::V2025_06_18]).build().unwrap();
    let client = connect(builder(), &server, Revision::V2025_06_18).await;
    assert_eq!(client.era(), Era::Legacy);
}

#[test]
fn a_server_of_no_revision_is_refused() {
    let error = Server::builder("none", "1").revisions([]).build().unwrap_err();
    assert_eq!(error.to_string(), "no revision is served: name at least one");
}

/// A method that no specification knows.
enum Double {}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Number {
    number: i32,
}

impl mcpeer::model::Request for Double {
    const METHOD: &'static str = "com.example/double";
    type Params = Number;
    type Result = Number;
}

async fn double(Params(Number { number }): Params<Number>, _: Context) -> Result<Number, mcpeer::rpc::Error> {
    let message = "too large to double";
    let error = || mcpeer::rpc::Error::new(mcpeer::rpc::Error::INVALID_PARAMS, message);
    number.checked_mul(2).map(|number| Number { number }).ok_or_else(error)
}

#[tokio::test]
async fn methods_of_ones_own_are_served_in_both_eras() {
    let server = Server::builder("own", "1").method::<Double, _>(double).build().unwrap();
    for revision in Revision::ALL {
        let client = connect(builder(), &server, revision).await;
        assert_eq!(client.request::<Double>(&Number { number: 4 }).await.unwrap(), Number { number: 8 }, "{revision}");
        let error = client.request::<Double>(&Number { number: i32::MAX }).await.unwrap_err();
        assert_eq!(error.rpc().unwrap().message, "too large to double", "{revision}");
        let params = mcpeer::rpc::Raw::parse(r#"{"number":"4"}"#).unwrap();
        let error = client.peer().request_raw("com.example/double", Some(params)).await.unwrap_err();
        let error = error.rpc().unwrap();
        assert_eq!(error.code, mcpeer::rpc::Error::INVALID_PARAMS, "{revision}");
        assert_eq!(
            error.message, "`params.number`: expected an integer from -2147483648 to 2147483647, found string \"4\"",
            "{revision}"
        );
    }
}

#[test]
fn methods_of_the_protocol_and_names_that_are_taken_are_no_methods_of_ones_own() {
    enum Listing {}

    impl mcpeer::model::Request for Listing {
        const METHOD: &'static str = "tools/list";
        type Params = Number;
        type Result = Number;
    }

    let error = Server::builder("own", "1").method::<Listing, _>(double).build().unwrap_err();
    let expected = "`tools/list` is a method of the protocol: put a domain of yours in front of its name";
    assert_eq!(error.to_string(), expected);
    let twice = Server::builder("own", "1").method::<Double, _>(double).method::<Double, _>(double);
    assert_eq!(twice.build().unwrap_err().to_string(), "two methods are named `com.example/double`: rename one");
}
