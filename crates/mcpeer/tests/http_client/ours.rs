//! Our client and our server, in both eras.

use std::{
    future::ready,
    sync::{Arc, Mutex},
};

use mcpeer::{
    Client, Server,
    client::{Builder, Change, Policy},
    handler::Context,
    model::{
        elicitation::{CreateResult, FormParams},
        subscriptions::Filter,
    },
    server::{Args, Tool},
    transport::http,
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

/// Serves at a free port, until the test ends.
async fn bind(server: &Server) -> String {
    let bound = server.http().bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", bound.local_addr());
    tokio::spawn(bound.serve());
    url
}

fn at(revision: Revision) -> Builder {
    Client::builder("test", "1").revisions([revision])
}

#[tokio::test]
async fn tools_are_listed_and_called_at_every_revision() {
    let server = Server::builder("test", "1").tool(Tool::new("add"), async |Args(add): Args<Add>| {
        Ok::<_, std::convert::Infallible>((add.a + add.b).to_string())
    });
    let url = bind(&server.build().unwrap()).await;
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&url)).await.unwrap();
        assert_eq!(client.revision(), revision);
        assert_eq!(client.tools().all().await.unwrap()[0].name, "add");
        let sum = client.call("add").arguments(&json!({"a": 5, "b": 3})).await.unwrap();
        assert_eq!(sum.as_text(), "8");
        let error = client.call("missing").await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, -32602, "{revision}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_client_that_speaks_both_eras_finds_the_stateless_one() {
    let url = bind(&Server::builder("test", "1").build().unwrap()).await;
    let client = Client::builder("test", "1").connect(http::client(&url)).await.unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
}

#[tokio::test]
async fn progress_comes_by_the_stream_of_its_request() {
    let server = Server::builder("test", "1").tool("count", async |cx: Context| {
        for step in 1..=3 {
            cx.progress(f64::from(step), Some(3.0), Some("counting")).await;
        }
        "counted"
    });
    let url = bind(&server.build().unwrap()).await;
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&url)).await.unwrap();
        let mut call = client.call("count").with_progress().send();
        let mut steps = Vec::new();
        while let Some(progress) = call.progress().await {
            steps.push(progress.progress);
        }
        assert_eq!(steps, [1.0, 2.0, 3.0], "{revision}");
        assert_eq!(call.await.unwrap().as_text(), "counted");
    }
}

/// Tells when it is dropped.
struct Told(Option<oneshot::Sender<()>>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.take().unwrap().send(());
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_its_handler() {
    for revision in Revision::ALL {
        let (ended, hears) = oneshot::channel();
        let (told, started) = (Mutex::new(Some(Told(Some(ended)))), Arc::new(Notify::new()));
        let starts = started.clone();
        let server = Server::builder("test", "1").tool("wait", move |cx: Context| {
            let (told, starts) = (told.lock().unwrap().take(), starts.clone());
            async move {
                let _told = told;
                starts.notify_one();
                cx.cancelled().await;
                "never read"
            }
        });
        let url = bind(&server.build().unwrap()).await;
        let client = at(revision).connect(http::client(&url)).await.unwrap();
        let call = client.call("wait").send();
        started.notified().await;
        drop(call);
        hears.await.expect("the handler says when it ends");
    }
}

#[tokio::test]
async fn a_slow_answer_holds_up_nobody() {
    let (go, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (waits, starts) = (go.clone(), gate.clone());
    let server = Server::builder("test", "1")
        .tool("slow", move || {
            let (waits, starts) = (waits.clone(), starts.clone());
            async move {
                starts.notify_one();
                waits.notified().await;
                "slow"
            }
        })
        .tool("quick", async || "quick");
    let url = bind(&server.build().unwrap()).await;
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&url)).await.unwrap();
        let slow = client.call("slow").send();
        gate.notified().await;
        for _ in 0..20 {
            assert_eq!(client.call("quick").await.unwrap().as_text(), "quick");
        }
        go.notify_one();
        assert_eq!(slow.await.unwrap().as_text(), "slow");
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

#[tokio::test]
async fn questions_are_answered_in_rounds() {
    let server = Server::builder("test", "1").tool("greet", async |cx: Context| {
        let first = cx.elicit::<Name>("Who are you?").await?;
        let second = cx.elicit::<Name>("And who else?").await?;
        let name = |said: mcpeer::handler::ask::Elicited<Name>| match said {
            mcpeer::handler::ask::Elicited::Accept(name) => name.name,
            _ => "nobody".to_owned(),
        };
        Ok::<_, mcpeer::Error>(format!("{} and {}", name(first), name(second)))
    });
    let url = bind(&server.build().unwrap()).await;
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let client = at(revision).on_elicit(|form: FormParams| {
            let form: Value = serde_json::to_value(&form).unwrap();
            let is_first = form["message"] == "Who are you?";
            ready(CreateResult::accept([("name", if is_first { "Ada" } else { "Bob" })]))
        });
        let client = client.connect(http::client(&url)).await.unwrap();
        assert_eq!(client.call("greet").await.unwrap().as_text(), "Ada and Bob", "{revision}");
    }
}

#[tokio::test]
async fn changes_are_watched_by_a_stream() {
    let server = Server::builder("test", "1").tool("now", async || "12:00").build().unwrap();
    let url = bind(&server).await;
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&url)).await.unwrap();
        let mut watch = client.watch(Filter::new().tools_list_changed(true)).await.unwrap();
        for _ in 0..3 {
            server.tools_changed();
            assert_eq!(watch.next().await, Some(Change::Tools), "{revision}");
        }
        // The other requests go on beside it.
        assert_eq!(client.call("now").await.unwrap().as_text(), "12:00");
        client.close().await;
        while watch.next().await.is_some() {}
    }
}

#[tokio::test]
async fn large_messages_go_both_ways_and_have_a_limit() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Echo {
        text: String,
    }
    let server = Server::builder("test", "1").tool("echo", async |cx: Context, Args(echo): Args<Echo>| {
        cx.progress(1.0, None, None).await;
        echo.text
    });
    let url = bind(&server.build().unwrap()).await;
    let text = "\u{4e16}\u{1f600}".repeat(100_000);
    for revision in Revision::ALL {
        for with_progress in [false, true] {
            let client = at(revision).connect(http::client(&url)).await.unwrap();
            let call = client.call("echo").arguments(&json!({"text": text}));
            let call = if with_progress { call.with_progress() } else { call };
            assert_eq!(call.await.unwrap().as_text(), text);

            let client = at(revision).connect(http::client(&url).max_message(64 << 10)).await.unwrap();
            let call = client.call("echo").arguments(&json!({"text": text}));
            let call = if with_progress { call.with_progress() } else { call };
            let error = call.await.unwrap_err().to_string();
            assert!(error.contains("65536 bytes"), "{error}");
            assert!(client.call("echo").arguments(&json!({"text": "a"})).await.is_ok());
        }
    }
}

#[tokio::test]
async fn arguments_are_repeated_in_headers_once_the_tool_is_known() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}, "count": {"type": "integer", "x-mcp-header": "Count"}
    }});
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let script = crate::script::Script::new(move |asked: crate::script::Asked| {
        let (schema, log) = (schema.clone(), log.clone());
        async move {
            match asked.method() {
                "server/discover" => asked.result(&crate::script::discovered()).await,
                "tools/list" => {
                    let bad = json!({"type": "object", "properties": {"a": {"type": "array", "x-mcp-header": "A"}}});
                    let tools = json!([{"name": "bad", "inputSchema": bad}, {"name": "query", "inputSchema": schema}]);
                    let list = json!({
                        "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"
                    });
                    asked.result(&list).await;
                }
                _ => {
                    let header = |name: &str| asked.seen.header(name).map(str::to_owned);
                    log.lock().unwrap().push([header("mcp-param-region"), header("mcp-param-count")]);
                    asked.text("done").await;
                }
            }
        }
    })
    .await;
    let client = Client::builder("test", "1").connect(http::client(&script.url())).await.unwrap();
    assert_eq!(client.revision().era(), Era::Modern);
    let names: Vec<_> = client.tools().all().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["query"]);
    client.call("query").arguments(&json!({"region": "Köln", "count": 7})).await.unwrap();
    client.call("query").arguments(&json!({"region": "us west 1", "count": null})).await.unwrap();
    let wanted = [[Some("=?base64?S8O2bG4=?="), Some("7")], [Some("us west 1"), None]];
    assert_eq!(*seen.lock().unwrap(), wanted.map(|row| row.map(|value| value.map(str::to_owned))));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Where {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

#[tokio::test]
async fn a_tool_that_was_never_listed_is_called_with_its_headers_after_all() {
    let mut server = Server::builder("test", "1").page_size(2);
    for number in 0..5 {
        server = server.tool(format!("other{number}"), async || "other");
    }
    let server = server.tool("where", async |Args(place): Args<Where>| place.region).build().unwrap();
    let url = bind(&server).await;
    let client = at(Revision::V2026_07_28).connect(http::client(&url)).await.unwrap();
    for _ in 0..2 {
        let call = client.call("where").arguments(&json!({"region": "K\u{f6}ln"}));
        assert_eq!(call.await.unwrap().as_text(), "K\u{f6}ln");
    }
}

#[tokio::test]
async fn a_mismatch_that_no_list_explains_is_the_answer() {
    use crate::script::{Asked, Script, discovered};
    let script = Script::new(|asked: Asked| async move {
        match asked.method() {
            "server/discover" => asked.result(&discovered()).await,
            "tools/list" => {
                assert_eq!(asked.seen.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
                let tools = json!([{"name": "x", "inputSchema": {"type": "object"}}]);
                let list = json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"});
                asked.result(&list).await;
            }
            _ => {
                let body = asked.error_of(-32020);
                asked.json(400, &body).await;
            }
        }
    })
    .await;
    let client = Client::builder("test", "1").connect(http::client(&script.url())).await.unwrap();
    let error = client.call("x").await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32020);
    assert_eq!(script.methods(), ["server/discover", "tools/call", "tools/list"]);
}

#[tokio::test]
async fn the_policy_counts_over_http_too() {
    let url = bind(&Server::builder("test", "1").build().unwrap()).await;
    let client = Client::builder("test", "1").policy(Policy::LegacyOnly).connect(http::client(&url)).await.unwrap();
    assert_eq!(client.revision(), Revision::V2025_11_25);
}

#[tokio::test]
async fn headers_of_a_call_reach_the_handler() {
    let server = Server::builder("test", "1").tool("tenant", async |cx: Context| {
        let head = cx.http().expect("it came over HTTP");
        head.headers.get("x-tenant").map_or("nobody", |value| value.to_str().unwrap()).to_owned()
    });
    let url = bind(&server.build().unwrap()).await;
    for revision in Revision::ALL {
        let client = at(revision).connect(http::client(&url)).await.unwrap();
        assert_eq!(client.call("tenant").header("X-Tenant", "acme").await.unwrap().as_text(), "acme", "{revision}");
        assert_eq!(client.call("tenant").await.unwrap().as_text(), "nobody", "{revision}");
    }
}
