//! HTTP+SSE: our client with our own server, and with servers that follow a script.

use std::sync::{Arc, Mutex};

use mcpeer::{
    Client, Server,
    client::{Builder, Policy},
    handler::Context,
    model::roots::Root,
    server::Args,
    transport::http,
    version::Revision,
};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::script::{Asked, Script, initialized, said};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Say {
    text: String,
}

fn client() -> Builder {
    Client::builder("test", "1")
}

/// Our server by both transports at one address, until the test ends.
async fn bind(server: &Server) -> String {
    let bound = server.http().path("/mcp").sse("/sse", "/messages").bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", bound.local_addr());
    tokio::spawn(bound.serve());
    url
}

#[tokio::test]
async fn our_client_and_our_server_speak_every_stateful_revision() {
    let (waits, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begun, over) = (waits.clone(), ended.clone());
    let server = Server::builder("test", "1")
        .tool("say", async |Args(say): Args<Say>| say.text)
        .tool("count", async |cx: Context| {
            for step in 1..=3 {
                cx.progress(f64::from(step), Some(3.0), None).await;
            }
            "3"
        })
        .tool("roots", async |cx: Context| match cx.peer().request_raw("roots/list", None).await {
            Ok(answer) => answer.as_str().to_owned(),
            Err(error) => format!("failed: {error}"),
        })
        .tool("wait", move |cx: Context| {
            let (begun, over) = (begun.clone(), over.clone());
            async move {
                begun.notify_one();
                cx.cancelled().await;
                over.notify_one();
            }
        })
        .build()
        .unwrap();
    let url = bind(&server).await;
    let stateful = [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];
    for revision in stateful {
        let builder = client().revisions([revision]).roots([Root::new("file:///a")]);
        let client = builder.connect(http::sse_client(&format!("{url}/sse"))).await.unwrap();
        assert_eq!(client.revision(), revision);
        assert_eq!(client.tools().all().await.unwrap().len(), 4);
        let waiting = client.call("wait").send();
        waits.notified().await;
        let text = "x".repeat(1 << 20);
        let said = client.call("say").arguments(&json!({"text": text})).await.unwrap();
        assert!(said.as_text() == text);
        let mut counting = client.call("count").with_progress().send();
        let mut steps = 0;
        while counting.progress().await.is_some() {
            steps += 1;
        }
        assert_eq!((steps, &*counting.await.unwrap().as_text()), (3, "3"));
        let roots = client.call("roots").await.unwrap();
        assert!(roots.as_text().contains("file:///a"), "{roots:?}");
        assert_eq!(client.call("missing").await.unwrap_err().rpc().unwrap().code, -32602);
        waiting.cancel("enough");
        ended.notified().await;
        // What runs ends with the client.
        let waiting = client.call("wait").send();
        waits.notified().await;
        client.close().await;
        assert!(waiting.await.unwrap_err().is_closed());
        ended.notified().await;
    }
    let both = client().connect(http::sse_client(&format!("{url}/sse"))).await.unwrap();
    assert_eq!(both.revision(), Revision::V2025_11_25);
    let modern = client().policy(Policy::ModernOnly).connect(http::sse_client(&format!("{url}/sse"))).await;
    assert!(modern.unwrap_err().to_string().contains("stateful era alone"));
}

#[tokio::test]
async fn where_streamable_http_is_refused_our_client_goes_on_by_the_other() {
    let server = Server::builder("test", "1").tool("now", async || "12:00").build().unwrap();
    let url = bind(&server).await;
    // That address has the other transport alone.
    let old = client().connect(http::client(&format!("{url}/sse")).or_sse()).await.unwrap();
    assert_eq!(old.revision(), Revision::V2025_11_25);
    assert_eq!(old.call("now").await.unwrap().as_text(), "12:00");
    old.close().await;
    assert!(client().connect(http::client(&format!("{url}/sse"))).await.is_err());
    let new = client().connect(http::client(&format!("{url}/mcp")).or_sse()).await.unwrap();
    assert_eq!(new.revision(), Revision::V2026_07_28);
}

/// What a scripted server says on its stream, once that is open.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Option<mpsc::UnboundedSender<Option<String>>>>>);

impl Said {
    /// Serves a stream: first where messages go, then what is said, to its end.
    async fn serve(&self, mut asked: Asked, endpoint: &str) {
        let (says, mut said) = mpsc::unbounded_channel();
        *self.0.lock().unwrap() = Some(says);
        asked.open_events().await;
        asked.write(&format!(": hello\n\nevent: endpoint\ndata: {endpoint}\n\n")).await;
        while let Some(Some(text)) = said.recv().await {
            asked.write(&text).await;
        }
    }

    fn text(&self, text: &str) {
        self.0.lock().unwrap().as_ref().unwrap().send(Some(text.to_owned())).unwrap();
    }

    fn message(&self, message: &Value) {
        self.text(&format!("event: message\ndata: {message}\n\n"));
    }

    fn end(&self) {
        self.0.lock().unwrap().as_ref().unwrap().send(None).unwrap();
    }

    /// Accepts a message, and answers it on the stream.
    async fn answer(&self, asked: Asked, result: &Value) {
        let answer = asked.result_of(result);
        asked.accept().await;
        self.message(&answer);
    }
}

/// A server of 2024-11-05 that sends messages to this address and whose tools do what a test says.
async fn old<F, Serving>(endpoint: &'static str, serve: F) -> Script
where
    F: Fn(Said, Asked) -> Serving + Clone + Send + 'static,
    Serving: Future<Output = ()> + Send,
{
    let said = Said::default();
    Script::new(move |asked: Asked| {
        let (said, serve) = (said.clone(), serve.clone());
        async move {
            match (asked.method(), &*asked.seen.path) {
                ("GET", "/mcp") => said.serve(asked, endpoint).await,
                (_, "/mcp") => asked.answer(405, "allow: GET\r\n", "").await,
                ("initialize", _) => said.answer(asked, &initialized("2024-11-05")).await,
                ("tools/call", _) => serve(said, asked).await,
                _ => asked.accept().await,
            }
        }
    })
    .await
}

fn name(asked: &Asked) -> String {
    asked.seen.body["params"]["name"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_server_of_2024_11_05_is_spoken_to_as_one_of_that_revision() {
    let script = old("/messages/?session_id=7", |said_, asked| async move {
        said_.answer(asked, &said("done")).await;
    })
    .await;
    let connector = http::sse_client(&script.url()).header("authorization", "Bearer secret");
    let client = client().connect(connector).await.unwrap();
    assert_eq!(client.revision(), Revision::V2024_11_05);
    assert_eq!(client.call("now").await.unwrap().as_text(), "done");
    assert_eq!(script.methods(), ["GET", "initialize", "notifications/initialized", "tools/call"]);
    for seen in script.seen() {
        assert_eq!(seen.header("authorization"), Some("Bearer secret"), "{seen:?}");
        let (path, accept) = match seen.method() {
            "GET" => ("/mcp", Some("text/event-stream")),
            _ => ("/messages/?session_id=7", None),
        };
        assert_eq!(seen.path, path);
        assert!(accept.is_none() || seen.header("accept") == accept, "{seen:?}");
    }
}

#[tokio::test]
async fn who_falls_back_asks_first_by_streamable_http() {
    let script = old("messages", |said_, asked| async move { said_.answer(asked, &said("done")).await }).await;
    let client = client().connect(http::client(&script.url()).or_sse()).await.unwrap();
    assert_eq!(client.revision(), Revision::V2024_11_05);
    assert_eq!(client.call("now").await.unwrap().as_text(), "done");
    let methods = ["server/discover", "initialize", "GET", "initialize", "notifications/initialized", "tools/call"];
    assert_eq!(script.methods(), methods);
    client.close().await;
    assert_eq!(script.methods(), methods);
}

#[tokio::test]
async fn only_a_refusal_of_the_request_leads_to_the_other_transport() {
    for (status, body, falls_back) in [
        (400, "", true),
        (404, "<h1>Not Found</h1>", true),
        (405, "{}", true),
        (400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#, true),
        (401, "", false),
        (403, "", false),
        (429, "", false),
        (500, "", false),
        (503, "", false),
    ] {
        let script = Script::new(move |asked: Asked| async move {
            match asked.method() {
                "GET" => asked.answer(404, "", "").await,
                _ => asked.answer(status, "content-type: application/json\r\n", body).await,
            }
        })
        .await;
        let legacy = client().policy(Policy::LegacyOnly);
        let error = legacy.connect(http::client(&script.url()).or_sse()).await.unwrap_err();
        // What is told is the refusal, and not what came of the attempt.
        let code = error.rpc().map(|error| error.code);
        assert!(error.http_status() == Some(status) || code == Some(-32600), "{status}: {error}");
        assert_eq!(script.methods().contains(&"GET".to_owned()), falls_back, "{status} {body}");
    }
    let script = Script::new(|asked: Asked| async move {
        let mut body = asked.error_of(-32022);
        body["error"]["data"] = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
        asked.json(400, &body).await;
    })
    .await;
    let legacy = client().policy(Policy::LegacyOnly);
    legacy.connect(http::client(&script.url()).or_sse()).await.unwrap_err();
    assert_eq!(script.methods(), ["initialize"]);
}

#[tokio::test]
async fn messages_are_never_sent_to_another_origin() {
    let foreign = Script::new(|asked: Asked| async move { asked.accept().await }).await;
    let endpoint: &'static str = Box::leak(foreign.url().into_boxed_str());
    let script = old(endpoint, |_, _| async {}).await;
    for connector in [http::sse_client(&script.url()), http::client(&script.url()).or_sse()] {
        let connector = connector.header("authorization", "Bearer secret");
        client().policy(Policy::LegacyOnly).connect(connector).await.unwrap_err();
    }
    let error = client().connect(http::sse_client(&script.url())).await.unwrap_err();
    assert!(error.to_string().contains("another origin"), "{error}");
    assert!(foreign.seen().is_empty());
}

#[tokio::test]
async fn what_is_no_such_stream_is_no_connection() {
    for (kind, text, wanted) in [
        ("text/event-stream", "data: {}\n\n", "no `endpoint`"),
        ("text/event-stream", ": nothing\n\n", "before it named"),
        ("text/event-stream", "event: endpoint\ndata: \n\n", "no address"),
        ("text/html", "event: endpoint\ndata: /messages\n\n", "no event stream"),
    ] {
        let script = Script::new(move |asked: Asked| async move {
            asked.answer(200, &format!("content-type: {kind}\r\n"), text).await;
        })
        .await;
        let error = client().connect(http::sse_client(&script.url())).await.unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let script = Script::new(|asked: Asked| async move { asked.answer(401, "", "").await }).await;
    let error = client().connect(http::sse_client(&script.url())).await.unwrap_err();
    assert_eq!(error.http_status(), Some(401), "{error}");
}

#[tokio::test]
async fn the_end_of_the_stream_fails_what_waits_at_once() {
    for ending in ["end", "break", "long"] {
        let script = old("/messages", move |said, asked| async move {
            match (&*name(&asked), ending) {
                ("wait", _) => asked.accept().await,
                (_, "long") => {
                    asked.accept().await;
                    said.text(&format!("data: {}", "x".repeat(2000)));
                }
                (_, "break") => {
                    asked.accept().await;
                    said.text("data: {\"jsonrpc\"");
                    said.end();
                }
                _ => said.end(),
            }
        })
        .await;
        let client = client().connect(http::sse_client(&script.url()).max_message(1000)).await.unwrap();
        let waiting = client.call("wait").send();
        let error = client.call("last").await.unwrap_err();
        assert!(error.is_closed() || ending == "end", "{ending}: {error}");
        let error = waiting.await.unwrap_err();
        assert!(error.is_closed(), "{ending}: {error}");
        assert!(client.call("later").await.unwrap_err().is_closed());
    }
}

#[tokio::test]
async fn a_message_that_is_refused_fails_its_request_alone() {
    let script = old("/messages", |said_, asked| async move {
        match &*name(&asked) {
            "gone" => asked.answer(404, "", "no such session").await,
            "busy" => asked.answer(503, "content-type: text/html\r\n", "<h1>secret</h1>").await,
            "wrong" => {
                let body = asked.error_of(-32602);
                asked.json(400, &body).await;
            }
            _ => said_.answer(asked, &said("done")).await,
        }
    })
    .await;
    let client = client().connect(http::sse_client(&script.url())).await.unwrap();
    assert_eq!(client.call("gone").await.unwrap_err().http_status(), Some(404));
    assert_eq!(client.call("busy").await.unwrap_err().http_status(), Some(503));
    assert_eq!(client.call("wrong").await.unwrap_err().rpc().unwrap().code, -32602);
    assert_eq!(client.call("right").await.unwrap().as_text(), "done");
}

#[tokio::test]
async fn answers_come_in_any_order_and_may_be_faster_than_what_accepts_their_requests() {
    let waiting = Arc::<Mutex<Vec<Asked>>>::default();
    let script = old("/messages", move |said_, asked| {
        let waiting = waiting.clone();
        async move {
            waiting.lock().unwrap().push(asked);
            if waiting.lock().unwrap().len() < 3 {
                return;
            }
            let all = std::mem::take(&mut *waiting.lock().unwrap());
            for asked in all.iter().rev() {
                said_.message(&asked.result_of(&said(&name(asked))));
            }
            for asked in all {
                asked.accept().await;
            }
        }
    })
    .await;
    let client = client().connect(http::sse_client(&script.url())).await.unwrap();
    let calls = ["a", "b", "c"].map(|name| (name, client.call(name).send()));
    for (name, call) in calls {
        assert_eq!(call.await.unwrap().as_text(), name);
    }
}

#[tokio::test]
async fn a_client_that_closes_hangs_up_the_stream() {
    let hung_up = Arc::new(Notify::new());
    let (script, over) = (Said::default(), hung_up.clone());
    let script = Script::new(move |mut asked: Asked| {
        let (said, over) = (script.clone(), over.clone());
        async move {
            match asked.method() {
                "GET" => {
                    let (says, mut hears) = mpsc::unbounded_channel();
                    *said.0.lock().unwrap() = Some(says);
                    asked.open_events().await;
                    asked.write("event: endpoint\ndata: /messages\n\n").await;
                    let text = hears.recv().await.flatten().unwrap();
                    asked.write(&text).await;
                    asked.hung_up().await;
                    over.notify_one();
                }
                "initialize" => said.answer(asked, &initialized("2024-11-05")).await,
                _ => asked.accept().await,
            }
        }
    })
    .await;
    let client = client().connect(http::sse_client(&script.url())).await.unwrap();
    client.close().await;
    hung_up.notified().await;
}
