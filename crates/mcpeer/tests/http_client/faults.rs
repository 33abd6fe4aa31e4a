//! Servers that do what they should not.

use mcpeer::{
    Client,
    client::{Builder, Policy},
    transport::http,
    version::Era,
};
use serde_json::json;
use tokio::net::TcpListener;

use crate::script::{Asked, Script, discovered, initialized, said};

fn modern() -> Builder {
    Client::builder("test", "1").policy(Policy::ModernOnly)
}

/// A server of the stateless era whose tools do what a test says.
async fn tools<F, Serving>(serve: F) -> (Script, Client)
where
    F: Fn(Asked) -> Serving + Clone + Send + 'static,
    Serving: Future<Output = ()> + Send,
{
    let script = Script::new(move |asked: Asked| {
        let serve = serve.clone();
        async move {
            match asked.method() {
                "server/discover" => asked.result(&discovered()).await,
                "tools/call" => serve(asked).await,
                method => panic!("{method} was not to be sent"),
            }
        }
    })
    .await;
    let client = modern().connect(http::client(&script.url())).await.unwrap();
    (script, client)
}

#[tokio::test]
async fn requests_say_in_headers_what_they_say_in_their_bodies() {
    let (script, client) = tools(|asked| asked.text("done")).await;
    client.call("add").await.unwrap();
    for (seen, method, name) in script
        .seen()
        .iter()
        .zip(["server/discover", "tools/call"])
        .zip([None, Some("add")])
        .map(|((a, b), c)| (a, b, c))
    {
        assert_eq!(seen.verb, "POST");
        assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(seen.header("mcp-method"), Some(method));
        assert_eq!(seen.header("mcp-name"), name);
        assert_eq!(seen.header("mcp-session-id"), None);
    }
}

#[tokio::test]
async fn a_stream_that_ends_without_its_answer_fails_its_request_at_once() {
    let (_script, client) = tools(|mut asked: Asked| async move {
        let name = asked.seen.body["params"]["name"].as_str().unwrap().to_owned();
        match &*name {
            "empty" => asked.open_events().await,
            "progress" => {
                asked.open_events().await;
                // An id changes nothing: in this era nothing can be taken up again.
                asked.write("id: 1\nretry: 1\ndata:\n\n").await;
                let params = json!({"progressToken": asked.seen.body["id"], "progress": 1});
                asked.event(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
            }
            "half" => {
                asked.open_events().await;
                asked.write("data: {\"jsonrpc\":\"2.0\",").await;
            }
            "other" => {
                asked.open_events().await;
                asked.event(&json!({"jsonrpc": "2.0", "id": 4711, "result": said("not this one")})).await;
            }
            "short" => {
                asked.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{").await
            }
            "nothing" => {}
            "accepted" => asked.accept().await,
            "text" => asked.answer(200, "content-type: text/html\r\n", "<p>hello</p>").await,
            name => asked.text(name).await,
        }
    })
    .await;
    let whole = client.call("whole").send();
    for name in ["empty", "progress", "half", "other", "short", "nothing", "accepted", "text"] {
        let error = client.call(name).with_progress().await.unwrap_err();
        assert!(!error.is_timeout() && error.rpc().is_none(), "{name}: {error}");
    }
    assert_eq!(whole.await.unwrap().as_text(), "whole");
    assert_eq!(client.call("after").await.unwrap().as_text(), "after");
}

#[tokio::test]
async fn errors_of_the_protocol_are_that_under_any_status_of_a_refusal() {
    let (_script, client) = tools(|asked: Asked| async move {
        let name = asked.seen.body["params"]["name"].as_str().unwrap().to_owned();
        let (status, form) = name.split_once(' ').unwrap();
        let mut body = asked.error_of(-32602);
        match form {
            "null" => body["id"] = json!(null),
            "none" => drop(body.as_object_mut().unwrap().remove("id")),
            "other" => body["id"] = json!("other"),
            _ => {}
        }
        asked.json(status.parse().unwrap(), &body).await;
    })
    .await;
    for name in ["200 id", "400 id", "404 id", "429 id", "400 null", "400 none", "404 none", "500 id"] {
        let error = client.call(name).await.unwrap_err();
        assert_eq!(error.rpc().map(|error| error.code), Some(-32602), "{name}: {error}");
    }
    for (name, status) in [("400 other", 400), ("401 id", 401), ("403 none", 403), ("401 null", 401)] {
        let error = client.call(name).await.unwrap_err();
        assert_eq!((error.http_status(), error.rpc()), (Some(status), None), "{name}: {error}");
        assert!(error.to_string().contains("refused"), "{error}");
    }
}

#[tokio::test]
async fn statuses_without_a_message_fail_the_request_with_the_status() {
    let (_script, client) = tools(|asked: Asked| async move {
        let status = asked.seen.body["params"]["name"].as_str().unwrap().parse().unwrap();
        asked.answer(status, "content-type: text/html\r\n", "<h1>secret</h1>").await;
    })
    .await;
    for status in [302, 400, 401, 403, 404, 413, 429, 500, 502, 503] {
        let error = client.call(&*status.to_string()).await.unwrap_err();
        assert_eq!(error.http_status(), Some(status), "{error}");
        // What stands in there is not for whoever reads errors.
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn refusals_of_access_and_outages_say_nothing_about_the_era() {
    for status in [401, 403, 500, 502, 503] {
        for has_body in [false, true] {
            let script = Script::new(move |asked: Asked| async move {
                let body = if has_body { asked.error_of(-32601) } else { json!("no message") };
                asked.json(status, &body).await;
            })
            .await;
            let error = Client::builder("test", "1").connect(http::client(&script.url())).await.unwrap_err();
            assert_eq!(error.http_status(), Some(status), "{error}");
            assert_eq!(script.methods(), ["server/discover"]);
        }
    }
}

#[tokio::test]
async fn refusals_of_the_first_message_mean_the_stateful_era() {
    let bodies =
        [json!("no message"), json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "x"}})];
    for (status, body) in
        [400, 404, 405, 406].into_iter().flat_map(|status| bodies.iter().map(move |body| (status, body)))
    {
        let body = body.clone();
        let script = Script::new(move |asked: Asked| {
            let body = body.clone();
            async move {
                match asked.method() {
                    "server/discover" => asked.json(status, &body).await,
                    "initialize" => asked.result(&initialized("2025-06-18")).await,
                    "tools/call" => asked.text("done").await,
                    "GET" => asked.answer(405, "", "").await,
                    _ => asked.accept().await,
                }
            }
        })
        .await;
        let client = Client::builder("test", "1").connect(http::client(&script.url())).await.unwrap();
        assert_eq!(client.revision().era(), Era::Legacy, "{status}");
        assert_eq!(client.call("x").await.unwrap().as_text(), "done");
    }
}

#[tokio::test]
async fn a_server_that_names_its_revision_is_asked_at_it() {
    let script = Script::new(|asked: Asked| async move {
        if asked.method() == "server/discover" && asked.seen.body["id"] == json!(1) {
            let mut body = asked.error_of(-32022);
            body["error"]["data"] = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
            asked.json(400, &body).await;
        } else {
            asked.result(&discovered()).await;
        }
    })
    .await;
    let client = Client::builder("test", "1").connect(http::client(&script.url())).await.unwrap();
    assert_eq!(client.revision().era(), Era::Modern);
    assert_eq!(script.methods(), ["server/discover", "server/discover"]);
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_fails_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::builder("test", "1").connect(http::client(&url)).await.unwrap_err();
    assert!(error.to_string().to_lowercase().contains("refused"), "{error}");
    for url in ["", "/mcp", "ftp://example.com/", "localhost:80/mcp", "http://"] {
        assert!(Client::builder("test", "1").connect(http::client(url)).await.is_err(), "{url:?}");
    }
}

#[tokio::test]
async fn redirects_stay_within_the_origin() {
    let other = Script::new(|asked: Asked| asked.text("stolen")).await;
    let elsewhere = other.url();
    let (script, client) = tools(move |asked: Asked| {
        let elsewhere = elsewhere.clone();
        async move {
            match (&*asked.seen.path, asked.seen.body["params"]["name"].as_str().unwrap()) {
                ("/mcp", "here") => asked.answer(308, "location: /moved\r\n", "").await,
                ("/mcp", "away") => asked.answer(307, &format!("location: {elsewhere}\r\n"), "").await,
                ("/mcp", "other") => asked.answer(303, "location: /moved\r\n", "").await,
                ("/mcp", _) => asked.answer(307, "location: /mcp\r\n", "").await,
                _ => asked.text("moved").await,
            }
        }
    })
    .await;
    assert_eq!(client.call("here").await.unwrap().as_text(), "moved");
    for (name, status) in [("away", Some(307)), ("other", Some(303)), ("round", None)] {
        assert_eq!(client.call(name).await.unwrap_err().http_status(), status, "{name}");
    }
    assert_eq!(other.methods(), Vec::<String>::new());
    assert!(script.seen().len() < 15);
}

#[tokio::test]
async fn what_is_no_message_on_a_stream_is_skipped() {
    let (_script, client) = tools(|mut asked: Asked| async move {
        asked.open_events().await;
        let answer = asked.result_of(&said("done")).to_string();
        // Between two members: a line break within a word would change it.
        let (start, end) = answer.split_at(answer.find(',').unwrap());
        asked
            .write("\u{feff}: hello\r\n\r\nevent: ping\r\ndata: {}\r\n\r\ndata:\r\n\r\nid: 3\r\nretry: 1\r\n\r\n")
            .await;
        asked.write(&format!("event: message\r\ndata: {start}\r")).await;
        asked.write(&format!("\ndata: {end}\r\n\r\n")).await;
        // Some never end their streams.
        asked.hung_up().await;
    })
    .await;
    for _ in 0..3 {
        assert_eq!(client.call("x").await.unwrap().as_text(), "done");
    }
}

#[tokio::test]
async fn giving_up_is_hanging_up() {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let (_script, client) = tools(move |mut asked: Asked| {
        let tell = tell.clone();
        async move {
            let streams = asked.seen.body["params"]["name"] == "stream";
            if streams {
                asked.open_events().await;
            }
            tell.send("started").unwrap();
            asked.hung_up().await;
            tell.send("over").unwrap();
        }
    })
    .await;
    for name in ["stream", "silent"] {
        let call = client.call(name).send();
        assert_eq!(told.recv().await, Some("started"));
        drop(call);
        assert_eq!(told.recv().await, Some("over"), "{name}");
    }
}

#[tokio::test]
async fn own_headers_go_along_and_cannot_replace_those_of_the_protocol() {
    let script = Script::new(|asked: Asked| async move { asked.result(&discovered()).await }).await;
    let connector = http::client(&script.url()).header("Authorization", "Bearer secret").header("x-a", "1");
    let _client = modern().connect(connector).await.unwrap();
    let seen = script.seen();
    assert_eq!(seen[0].header("authorization"), Some("Bearer secret"));
    assert_eq!(seen[0].header("x-a"), Some("1"));
    for (name, value) in [("accept", "*/*"), ("MCP-Method", "x"), ("a b", "1"), ("x", "a\r\nb: c")] {
        let error = modern().connect(http::client(&script.url()).header(name, value)).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains(&name.to_lowercase()) || cause.contains(name), "{cause}");
    }
    assert_eq!(script.seen().len(), 1);
}
