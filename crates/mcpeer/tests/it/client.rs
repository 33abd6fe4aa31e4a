//! Clients: what they send, and what they make of what comes.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mcpeer::{
    client::{Client, Policy},
    handler::Context,
    model::logging::Level,
    server::{Args, Server},
    transport::{Once, memory},
    version::{Era, Revision},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peers::{RawServer, builder, connect, connect_raw};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

fn server() -> Server {
    Server::builder("adder", "1.0.0")
        .title("Adder")
        .instructions("Add up.")
        .tool("add", async |cx: Context, Args(add): Args<Add>| {
            cx.progress(1.0, Some(2.0), None).await;
            cx.progress(2.0, Some(2.0), None).await;
            (add.a + add.b).to_string()
        })
        .tool("fail", async || Err::<(), _>("out of numbers"))
        .build()
        .unwrap()
}

#[tokio::test]
async fn every_verb_works_in_every_revision() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        assert_eq!(client.server_info().unwrap().name, "adder");
        assert_eq!(client.instructions().as_deref(), Some("Add up."));
        assert!(client.capabilities().tools.is_some());
        let tools = client.tools().all().await.unwrap();
        assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["add", "fail"]);
        let sum = client.call("add").arguments(&json!({"a": 1, "b": 2})).await.unwrap();
        assert_eq!((sum.as_text().as_ref(), sum.is_failed()), ("3", false), "{revision}");
    }
}

#[tokio::test]
async fn a_tool_that_failed_is_a_result() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        let result = client.call("fail").await.unwrap();
        assert_eq!((result.as_text().as_ref(), result.is_failed()), ("out of numbers", true), "{revision}");
        let error = client.call("none").await.unwrap_err();
        assert_eq!(error.rpc().unwrap().code, -32602, "{revision}");
        assert_eq!(error.method(), Some("tools/call"));
    }
}

#[tokio::test]
async fn progress_comes_in_order_and_then_the_result() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        let call = client.call("add").arguments(&json!({"a": 1, "b": 2}));
        let mut call = call.with_progress().send();
        let mut steps = Vec::new();
        while let Some(progress) = call.progress().await {
            steps.push((progress.progress, progress.total));
        }
        assert_eq!(steps, [(1.0, Some(2.0)), (2.0, Some(2.0))], "{revision}");
        assert_eq!(call.await.unwrap().as_text(), "3");

        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = heard.clone();
        let call = client.call("add").arguments(&json!({"a": 1, "b": 2}));
        call.on_progress(move |progress| ears.lock().unwrap().push(progress.progress)).await.unwrap();
        assert_eq!(*heard.lock().unwrap(), [1.0, 2.0], "{revision}");
    }
}

#[tokio::test]
async fn a_call_sends_what_it_was_given() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a \"b\"").arguments(&json!({"x": [1]})).meta("example.com/trace", &7).send();
        let request = server.expect("tools/call").await;
        assert_eq!(request["params"]["name"], "a \"b\"");
        assert_eq!(request["params"]["arguments"], json!({"x": [1]}));
        assert_eq!(request["params"]["_meta"]["example.com/trace"], 7);
        assert!(request["params"]["_meta"].get("progressToken").is_none());
        let result = json!({"content": [], "example": true});
        server.answer(&request["id"], result.clone()).await;
        assert_eq!(call.await.unwrap().content, []);

        let call = client.call("b").with_progress().raw().send();
        let request = server.expect("tools/call").await;
        assert!(request["params"].get("arguments").is_none());
        assert!(request["params"]["_meta"].get("progressToken").is_some());
        server.answer(&request["id"], result.clone()).await;
        let raw: Value = call.await.unwrap().decode().unwrap();
        assert_eq!(raw, result, "{revision}");
    }
}

#[tokio::test]
async fn cancelling_tells_the_server_why() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("slow").send();
        let request = server.expect("tools/call").await;
        call.cancel("the user went home");
        assert!(call.await.unwrap_err().is_cancelled());
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], request["id"], "{revision}");
        assert_eq!(cancelled["params"]["reason"], "the user went home");
    }
}

#[tokio::test]
async fn dropping_a_call_cancels_it() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("slow").send();
        let request = server.expect("tools/call").await;
        drop(call);
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], request["id"], "{revision}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_not_sent() {
    let (client, mut server) = connect_raw(builder(), Revision::V2026_07_28).await;
    let error = client.call("a").arguments(&[1, 2]).await.unwrap_err();
    assert!(error.is_misuse(), "{error:?}");
    assert_eq!(error.to_string(), "the arguments of a tool are a JSON object: give a struct or a map");
    drop(client);
    assert_eq!(server.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_answered_in_time_fails_and_is_cancelled() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder().timeout(Duration::from_secs(7)), revision).await;
        for (call, limit) in [(client.call("a").timeout(Duration::from_secs(2)), 2), (client.call("a"), 7)] {
            let start = tokio::time::Instant::now();
            assert!(call.await.unwrap_err().is_timeout());
            assert_eq!(start.elapsed().as_secs(), limit, "{revision}");
            let request = server.expect("tools/call").await;
            let cancelled = server.expect("notifications/cancelled").await;
            assert_eq!(cancelled["params"]["requestId"], request["id"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn progress_can_restart_the_timeout_up_to_a_limit() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").timeout(Duration::from_secs(2)).reset_on_progress();
        let call = call.max_total(Duration::from_secs(5)).send();
        let start = tokio::time::Instant::now();
        let request = server.expect("tools/call").await;
        let token = request["params"]["_meta"]["progressToken"].clone();
        assert!(!token.is_null());
        let steps = tokio::spawn(async move {
            for step in 1..=10 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let params = json!({"progressToken": token, "progress": step});
                server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
            }
        });
        assert!(call.await.unwrap_err().is_timeout());
        assert_eq!(start.elapsed().as_secs(), 5, "{revision}");
        steps.abort();
    }
}

/// Answers `tools/list` with one tool named by the cursor, and the cursor that follows.
async fn list_pages(server: &mut RawServer, next: impl Fn(Option<&str>) -> Option<String>) {
    while let Some(request) = server.receive().await {
        let cursor = request["params"]["cursor"].as_str();
        let mut page = json!({
            "tools": [{"name": format!("{cursor:?}"), "inputSchema": {"type": "object"}}],
            "ttlMs": 0,
            "cacheScope": "private",
        });
        if let Some(next) = next(cursor) {
            page["nextCursor"] = next.into();
        }
        server.answer(&request["id"], page).await;
    }
}

#[tokio::test]
async fn all_pages_of_a_list_are_gathered_and_an_empty_cursor_is_one() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        tokio::spawn(async move {
            let next = |cursor: Option<&str>| match cursor {
                None => Some(String::new()),
                Some("") => Some("b".to_owned()),
                _ => None,
            };
            list_pages(&mut server, next).await;
        });
        let tools = client.tools().all().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["None", "Some(\"\")", "Some(\"b\")"], "{revision}");

        let first = client.tools().page(None).await.unwrap();
        assert_eq!(first.next_cursor.as_deref(), Some(""));
        let second = client.tools().page(Some("")).await.unwrap();
        assert_eq!(second.next_cursor.as_deref(), Some("b"));
    }
}

#[tokio::test]
async fn a_list_that_comes_back_to_a_page_ends_with_an_error() {
    let (client, mut server) = connect_raw(builder(), Revision::V2025_11_25).await;
    tokio::spawn(async move { list_pages(&mut server, |_| Some("again".to_owned())).await });
    let mut tools = client.tools().stream();
    assert!(tools.next().await.unwrap().is_ok());
    let error = loop {
        if let Err(error) = tools.next().await.unwrap() {
            break error;
        }
    };
    assert!(error.is_peer_misbehaved());
    assert!(error.to_string().contains(r#"the list does not end: it comes to the cursor "again" again"#));
    assert!(tools.next().await.is_none());
}

#[tokio::test]
async fn a_list_of_too_many_pages_ends_with_an_error() {
    let (client, mut server) = connect_raw(builder(), Revision::V2026_07_28).await;
    tokio::spawn(async move {
        let next = |cursor: Option<&str>| Some((cursor.unwrap_or("0").parse::<u32>().unwrap() + 1).to_string());
        list_pages(&mut server, next).await;
    });
    let error = client.tools().max_pages(5).all().await.unwrap_err();
    assert!(error.to_string().contains("the list has more than 5 pages"), "{error}");
}

#[tokio::test]
async fn one_bad_tool_hides_no_other() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let answering = tokio::spawn(async move {
            let request = server.expect("tools/list").await;
            let tools = json!([{"name": "bad"}, 7, {"name": "good", "inputSchema": {"type": "object"}}]);
            let page = json!({"tools": tools, "ttlMs": 0, "cacheScope": "private"});
            server.answer(&request["id"], page).await;
            server
        });
        let tools = client.tools().all().await.unwrap();
        assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["good"], "{revision}");
        answering.await.unwrap();
    }
}

#[tokio::test]
async fn a_server_that_asks_for_input_is_told_from_one_that_fails() {
    let (client, mut server) = connect_raw(builder(), Revision::V2026_07_28).await;
    let call = client.call("ask").send();
    let request = server.expect("tools/call").await;
    let asked = json!({"where": {"method": "roots/list"}});
    let result = json!({"resultType": "input_required", "inputRequests": asked, "requestState": "s"});
    server.answer(&request["id"], result).await;
    let error = call.await.unwrap_err();
    assert!(error.is_input_required() && !error.is_peer_misbehaved(), "{error:?}");
    let asked: Value = error.raw().unwrap().decode().unwrap();
    assert_eq!(asked["requestState"], "s");
}

#[tokio::test]
async fn a_result_that_does_not_fit_names_the_member() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("odd").send();
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], json!({"content": "text"})).await;
        let error = call.await.unwrap_err();
        assert!(error.is_peer_misbehaved(), "{error:?}");
        assert!(error.to_string().contains("content"), "{error}");
    }
}

#[tokio::test]
async fn ping_is_of_the_stateful_era() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        let outcome = client.ping().await;
        match revision.era() {
            Era::Legacy => assert!(outcome.is_ok(), "{revision}"),
            Era::Modern => {
                let error = outcome.unwrap_err();
                assert!(error.is_misuse());
                assert!(error.to_string().contains("2026-07-28 does not have `ping`"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn discover_is_of_the_stateless_era() {
    for revision in Revision::ALL {
        let client = connect(builder(), &server(), revision).await;
        let outcome = client.discover().await;
        match revision.era() {
            Era::Modern => assert!(outcome.unwrap().supported_versions.iter().any(|version| version == "2026-07-28")),
            Era::Legacy => assert!(outcome.unwrap_err().is_misuse(), "{revision}"),
        }
    }
}

#[tokio::test]
async fn log_messages_and_notifications_reach_their_hooks() {
    for revision in Revision::ALL {
        let (sink, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let other = sink.clone();
        let builder = builder()
            .on_log(move |message| sink.send(message.data.to_string()).unwrap())
            .on_notification(move |notification| other.send(notification.method.into_owned()).unwrap());
        let (client, mut server) = connect_raw(builder, revision).await;
        let params = json!({"level": "error", "data": "smoke"});
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})).await;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/com.example/news"})).await;
        assert_eq!(heard.recv().await.unwrap(), "\"smoke\"", "{revision}");
        assert_eq!(heard.recv().await.unwrap(), "notifications/com.example/news");
        drop(client);
    }
}

#[tokio::test]
async fn the_log_level_goes_to_the_server_as_the_era_has_it() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let level = || async { client.set_log_level(Level::Warning).await.unwrap() };
        let answering = async {
            if revision.era() == Era::Legacy {
                let request = server.expect("logging/setLevel").await;
                assert_eq!(request["params"]["level"], "warning");
                server.answer(&request["id"], json!({})).await;
            }
        };
        tokio::join!(level(), answering);
        let call = client.call("a").send();
        let request = server.expect("tools/call").await;
        let by_request = &request["params"]["_meta"]["io.modelcontextprotocol/logLevel"];
        assert_eq!(by_request == "warning", revision.era() == Era::Modern, "{request}");
        drop(call);
    }
}

#[tokio::test]
async fn the_last_clone_closes_the_connection() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let clone = client.clone();
        drop(client);
        let call = clone.call("a").send();
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], json!({"content": []})).await;
        assert!(call.await.is_ok());
        drop(clone);
        assert_eq!(server.receive().await, None, "{revision}");
    }
}

#[tokio::test]
async fn a_call_on_its_way_keeps_the_connection_open() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").send();
        drop(client);
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], json!({"content": []})).await;
        assert!(call.await.is_ok(), "{revision}");
        assert_eq!(server.receive().await, None);

        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").send();
        drop(client);
        let request = server.expect("tools/call").await;
        drop(call);
        let cancelled = server.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], request["id"], "{revision}");
        assert_eq!(server.receive().await, None);
    }
}

#[tokio::test]
async fn a_call_after_the_end_says_so() {
    for revision in Revision::ALL {
        let (client, server) = connect_raw(builder(), revision).await;
        drop(server);
        client.peer().closed().await;
        assert!(client.call("a").await.unwrap_err().is_closed(), "{revision}");
    }
}

#[tokio::test]
async fn a_server_that_leaves_during_the_opening_fails_the_connection() {
    for policy in [Policy::ModernOnly, Policy::LegacyOnly, Policy::Auto] {
        let (ours, theirs) = memory::pair();
        drop(theirs);
        let error = builder().policy(policy.clone()).connect(Once::new(ours)).await.unwrap_err();
        assert!(error.is_closed(), "{policy:?}: {error:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_ends_at_its_start_leaves_its_last_words() {
    use std::error::Error as _;

    use mcpeer::transport::child::{Command, Stderr};

    for policy in [Policy::ModernOnly, Policy::LegacyOnly, Policy::Auto] {
        let command = Command::new("sh").args(["-c", "echo 'no licence found' >&2; exit 3"]).stderr(Stderr::Capture);
        let error = builder().policy(policy.clone()).connect(command).await.unwrap_err();
        assert!(error.is_closed(), "{policy:?}: {error:?}");
        let text = error.to_string();
        assert!(text.contains("has ended with exit status: 3"), "{policy:?}: {text}");
        assert_eq!(text.matches("no licence found").count(), 1, "{policy:?}: {text}");
    }

    let error = builder().connect(Command::new("/there/is/no/such/server")).await.unwrap_err();
    assert!(error.is_closed());
    assert_eq!(error.to_string(), "the server cannot be reached");
    assert!(error.source().unwrap().to_string().contains("/there/is/no/such/server"), "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_dies_leaves_its_last_words_to_the_calls_that_waited() {
    use mcpeer::transport::child::{Command, Stderr};

    // It answers the handshake, and dies at the first call.
    let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "frail", "version": "1"}});
    let script = format!(
        "read -r initialize; echo '{}'; read -r initialized; read -r call; echo 'out of memory' >&2; exit 9",
        json!({"jsonrpc": "2.0", "id": 1, "result": result})
    );
    let command = Command::new("sh").args(["-c", &script]).stderr(Stderr::Capture);
    let client = builder().policy(Policy::LegacyOnly).connect(command).await.unwrap();
    let waited = client.call("first").await.unwrap_err();
    let ended = client.peer().closed().await;
    let late = client.call("second").await.unwrap_err();
    for error in [waited, ended, late] {
        assert!(error.is_closed(), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("has ended with exit status: 9"), "{text}");
        assert_eq!(text.matches("out of memory").count(), 1, "{text}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_never_speaks_fails_the_connection_in_time_and_is_told_of() {
    use mcpeer::transport::child::{Command, Stderr};

    let command = Command::new("sh")
        .args(["-c", "echo 'waiting for a licence' >&2; exec sleep 1000"])
        .stderr(Stderr::Capture)
        .exit_timeout(Duration::ZERO);
    let monitor = command.monitor();
    let connecting =
        builder().policy(Policy::LegacyOnly).handshake_timeout(Duration::from_millis(500)).connect(command);
    let error = connecting.await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    let text = error.to_string();
    assert!(text.starts_with("`initialize` failed: no answer came within 500ms; `sh` (process "), "{text}");
    assert!(text.ends_with(" is running; its standard error ends with:\n  waiting for a licence"), "{text}");
    // Nobody closed anything: that the connection failed is enough.
    while monitor.exit_status().is_none() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_verdict_saves_the_question() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let (client, _server) = connect_raw(builder(), revision).await;
        let verdict = client.verdict().expect("an answer is a sure verdict");
        let (mut server, transport) = RawServer::new(revision);
        let builder = builder().policy(Policy::Remembered(verdict));
        let asking = tokio::spawn(async move { client_call(builder.connect_with(transport).await.unwrap()).await });
        let first = server.receive().await.unwrap();
        match revision.era() {
            Era::Legacy => assert_eq!(first["method"], "initialize"),
            Era::Modern => assert_eq!(first["method"], "tools/call"),
        }
        asking.abort();
    }
}

async fn client_call(client: Client) {
    drop(client.call("a").await);
}
