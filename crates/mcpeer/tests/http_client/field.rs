//! What goes wrong in the field with clients: servers that are silent, careless, or behind something that is.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use mcpeer::{
    Client, Error,
    client::{Builder, Policy},
    model::tools::CallResult,
    transport::{Connect, TransportExt, http, memory},
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify};

use crate::{
    script::{Asked, Script, discovered, initialized, said},
    sessions::session,
};

fn test() -> Builder {
    Client::builder("test", "1")
}

const ERAS: [(Policy, &str); 2] = [(Policy::ModernOnly, "server/discover"), (Policy::LegacyOnly, "initialize")];

/// A server of both eras whose calls are the test's.
async fn server<F, Serving>(serve: F) -> Script
where
    F: Fn(Asked) -> Serving + Clone + Send + 'static,
    Serving: Future<Output = ()> + Send,
{
    session("2025-06-18", move |asked: Asked| {
        let serve = serve.clone();
        async move {
            match asked.method() {
                "server/discover" => asked.result(&discovered()).await,
                "tools/call" => serve(asked).await,
                _ => asked.accept().await,
            }
        }
    })
    .await
}

/// Calls the tool `x` of a server, in an era.
async fn call(script: &Script, policy: Policy) -> Result<CallResult, Error> {
    let client = test().policy(policy).connect(http::client(&script.url())).await.unwrap();
    let called = client.call("x").await;
    if called.is_err() {
        assert!(!client.peer().is_closed(), "one call is no connection");
    }
    called
}

#[tokio::test]
async fn a_refusal_that_says_nothing_of_the_era_means_the_stateful_one() {
    for (status, body) in
        [(400, ""), (400, "<h1>Bad Request</h1>"), (404, "not found"), (405, ""), (415, "no"), (422, "no session")]
    {
        let script = Script::new(move |asked: Asked| async move {
            match asked.method() {
                "server/discover" => asked.answer(status, "content-type: text/plain\r\n", body).await,
                "initialize" => asked.result(&initialized("2025-03-26")).await,
                "tools/call" => asked.text("done").await,
                "GET" => asked.answer(405, "", "").await,
                _ => asked.accept().await,
            }
        })
        .await;
        let client = test().connect(http::client(&script.url())).await.unwrap();
        assert_eq!(client.era(), Era::Legacy, "{status} {body:?}");
        assert_eq!(client.call("x").await.unwrap().as_text(), "done");
    }
}

#[tokio::test]
async fn a_question_for_the_era_that_is_not_answered_is_let_go_before_the_other_is_tried() {
    let hung_up = Arc::new(Notify::new());
    let tell = hung_up.clone();
    let script = Script::new(move |mut asked: Asked| {
        let tell = tell.clone();
        async move {
            match asked.method() {
                "server/discover" => {
                    asked.hung_up().await;
                    tell.notify_one();
                }
                "initialize" => asked.result(&initialized("2025-06-18")).await,
                "tools/call" => asked.text("done").await,
                "GET" => asked.answer(405, "", "").await,
                _ => asked.accept().await,
            }
        }
    })
    .await;
    let client = test().probe_timeout(Duration::from_millis(50)).connect(http::client(&script.url())).await.unwrap();
    hung_up.notified().await;
    assert_eq!(client.revision(), Revision::V2025_06_18);
    assert_eq!(client.call("x").await.unwrap().as_text(), "done");
}

#[tokio::test]
async fn a_limit_passes_though_no_head_of_a_response_comes() {
    for (policy, _) in ERAS {
        let hung_up = Arc::new(Notify::new());
        let tell = hung_up.clone();
        let script = server(move |mut asked: Asked| {
            let tell = tell.clone();
            async move {
                asked.hung_up().await;
                tell.notify_one();
            }
        })
        .await;
        let client = test().policy(policy.clone()).connect(http::client(&script.url())).await.unwrap();
        let start = Instant::now();
        let error = client.call("x").timeout(Duration::from_millis(50)).await.unwrap_err();
        assert!(error.is_timeout() && start.elapsed() < Duration::from_secs(20), "{error}");
        hung_up.notified().await;
        // In a session the server is told; without one, hanging up tells it.
        client.close().await;
        client.peer().closed().await;
        let is_told = script.methods().contains(&"notifications/cancelled".to_owned());
        assert_eq!(is_told, matches!(policy, Policy::LegacyOnly));
    }
}

#[tokio::test]
async fn whatever_a_server_says_to_a_notification_the_connection_goes_on() {
    let answers: [(u16, &str, &str); 10] = [
        (200, "content-type: application/json\r\n", "null"),
        (200, "content-type: application/json\r\n", ""),
        (200, "content-type: text/plain\r\n", "ok"),
        (204, "", ""),
        (200, "content-type: text/event-stream\r\n", ""),
        (200, "content-type: application/json\r\n", r#"{"jsonrpc":"2.0","id":null,"result":{}}"#),
        (202, "", "accepted"),
        // These are refusals, and there is nobody to tell.
        (
            400,
            "content-type: application/json\r\n",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}"#,
        ),
        (404, "", ""),
        (500, "content-type: text/html\r\n", "<h1>oops</h1>"),
    ];
    for (status, headers, body) in answers {
        let script = Script::new(move |asked: Asked| async move {
            match asked.method() {
                "initialize" => asked.result(&initialized("2025-06-18")).await,
                "notifications/initialized" => asked.answer(status, headers, body).await,
                "tools/call" => asked.text("done").await,
                _ => asked.answer(405, "", "").await,
            }
        })
        .await;
        assert_eq!(call(&script, Policy::LegacyOnly).await.unwrap().as_text(), "done", "{status} {headers}{body}");
    }
}

#[tokio::test]
async fn a_chunked_answer_without_anything_in_it_accepts_a_notification() {
    let script = Script::new(|mut asked: Asked| async move {
        match asked.method() {
            "initialize" => asked.result(&initialized("2025-06-18")).await,
            "notifications/initialized" => {
                asked.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n").await;
            }
            "tools/call" => asked.text("done").await,
            _ => asked.answer(405, "", "").await,
        }
    })
    .await;
    assert_eq!(call(&script, Policy::LegacyOnly).await.unwrap().as_text(), "done");
}

#[tokio::test]
async fn requests_do_not_wait_for_the_heads_of_other_responses() {
    for (policy, _) in ERAS {
        let both = Arc::new(Barrier::new(2));
        // Neither is answered before the other is there.
        let script = server(move |asked: Asked| {
            let both = both.clone();
            async move {
                both.wait().await;
                asked.text("done").await;
            }
        })
        .await;
        let client = test().policy(policy).connect(http::client(&script.url())).await.unwrap();
        let (one, other) = (client.call("x").send(), client.call("x").send());
        assert_eq!((one.await.unwrap().as_text(), other.await.unwrap().as_text()), ("done".into(), "done".into()));
    }
}

#[tokio::test]
async fn a_success_without_an_answer_that_can_be_read_fails_its_request_at_once() {
    let cases: [(u16, &str, &str); 11] = [
        (202, "", ""),
        (204, "", ""),
        (200, "", ""),
        (200, "content-type: application/json\r\n", ""),
        (200, "content-type: application/json\r\n", "{}"),
        (200, "content-type: application/json\r\n", "[]"),
        (200, "content-type: application/json\r\n", r#"{"jsonrpc":"2.0","id":"other","result":{}}"#),
        (200, "content-type: application/json\r\n", r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#),
        (200, "content-type: application/json\r\ncontent-encoding: gzip\r\n", "\u{1f}\u{8b}\u{8}"),
        (200, "content-type: text/html\r\n", "<h1>log in</h1>"),
        (200, "content-type: text/event-stream\r\n", "data: no\n\n"),
    ];
    for (policy, _) in ERAS {
        for (status, headers, body) in cases {
            let script = server(move |asked: Asked| asked.answer(status, headers, body)).await;
            let error = call(&script, policy.clone()).await.unwrap_err();
            assert!(!error.is_timeout() && !error.is_closed(), "{status} {headers}{body}: {error}");
        }
    }
}

#[tokio::test]
async fn a_malformed_error_fails_the_call_that_it_names() {
    let errors = [json!({"code": -1}), json!({"code": "-1", "message": "x"}), json!("boom"), json!({}), json!(null)];
    for (policy, _) in ERAS {
        for status in [200, 400, 404, 500] {
            for error in &errors {
                let error = error.clone();
                let script = server(move |asked: Asked| {
                    let body = json!({"jsonrpc": "2.0", "id": asked.seen.body["id"], "error": error});
                    async move { asked.json(status, &body).await }
                })
                .await;
                let failed = call(&script, policy.clone()).await.unwrap_err();
                assert!(!failed.is_timeout(), "{status}: {failed}");
            }
        }
    }
}

#[tokio::test]
async fn progress_before_an_answer_is_heard_and_after_it_is_not() {
    for (policy, _) in ERAS {
        let script = server(|mut asked: Asked| async move {
            let token = asked.seen.body["params"]["_meta"]["progressToken"].clone();
            let progress = |progress: u32| {
                let params = json!({"progressToken": token, "progress": progress});
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            };
            let answer = asked.result_of(&said("done"));
            asked.open_events().await;
            // In one write.
            asked.write(&format!("data: {}\n\ndata: {answer}\n\ndata: {}\n\n", progress(1), progress(2))).await;
        })
        .await;
        let client = test().policy(policy).connect(http::client(&script.url())).await.unwrap();
        let mut calling = client.call("x").with_progress().send();
        let mut heard = Vec::new();
        while let Some(progress) = calling.progress().await {
            heard.push(progress.progress);
        }
        assert_eq!(heard, [1.0]);
        assert_eq!(calling.await.unwrap().as_text(), "done");
        assert_eq!(client.call("x").await.unwrap().as_text(), "done");
    }
}

#[tokio::test]
async fn an_event_is_read_however_it_is_written() {
    // The answer stands where `@` is, in two parts where `@1` and `@2` are.
    let forms = [
        "data: @\r\n\r\n",
        "data: @\r\r",
        "data:@\n\n",
        "data: @1\ndata: @2\n\n",
        ": ping\n\n:\n\ndata: @\n\n",
        "\u{feff}data: @\n\n",
        "event: ping\ndata: {}\n\ndata: @\n\n",
        "retry: 50\n\ndata: @\n\n",
        "id: a\0b\ndata: @\n\n",
        "id: 1\ndata:\n\ndata: @\n\n",
        "id: 1\ndata: \n\nevent: message\ndata: @\n\n",
        "unknown: field\ndata: @\n\n",
    ];
    for (policy, _) in ERAS {
        for form in forms {
            for by_bytes in [false, true] {
                let script = server(move |mut asked: Asked| async move {
                    let answer = asked.result_of(&said("dôné")).to_string();
                    let (start, end) = answer.split_at(answer.find(',').unwrap());
                    let text = form.replace("@1", start).replace("@2", end).replace('@', &answer);
                    asked.open_events().await;
                    if !by_bytes {
                        return asked.write(&text).await;
                    }
                    for byte in text.into_bytes() {
                        asked.write_bytes(&[byte]).await;
                        tokio::task::yield_now().await;
                    }
                })
                .await;
                assert_eq!(call(&script, policy.clone()).await.unwrap().as_text(), "dôné", "{form:?} {by_bytes}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_that_the_server_does_not_go_on_with_fails_its_request() {
    for status in [400, 404, 405, 501] {
        let script = Script::new(move |mut asked: Asked| async move {
            match asked.method() {
                "initialize" => asked.result(&initialized("2025-11-25")).await,
                "tools/call" => {
                    asked.open_events().await;
                    asked.write("id: e1\nretry: 1\ndata:\n\n").await;
                }
                "GET" if asked.seen.header("last-event-id") == Some("e1") => asked.answer(status, "", "").await,
                "GET" => asked.answer(405, "", "").await,
                _ => asked.accept().await,
            }
        })
        .await;
        let error = call(&script, Policy::LegacyOnly).await.unwrap_err();
        assert_eq!(error.http_status(), Some(status), "{error}");
    }
}

#[tokio::test]
async fn a_wrong_address_is_told_and_asked_only_as_often_as_there_are_eras() {
    let script = Script::new(|asked: Asked| asked.answer(404, "", "no such page")).await;
    let error = test().connect(http::client(&script.url())).await.unwrap_err();
    assert_eq!(error.http_status(), Some(404), "{error}");
    let messages = script.methods().into_iter().filter(|method| method != "GET").count();
    assert_eq!(messages, 2, "{:?}", script.methods());
}

#[tokio::test]
async fn a_server_that_wants_to_be_asked_later_says_when() {
    for (policy, _) in ERAS {
        for status in [429, 503] {
            let script = server(move |asked: Asked| asked.answer(status, "retry-after: 7\r\n", "")).await;
            let error = call(&script, policy.clone()).await.unwrap_err();
            assert_eq!(error.http_status(), Some(status));
            assert!(error.to_string().contains("wait 7 s"), "{error}");
        }
    }
}

#[tokio::test]
async fn whatever_a_server_says_to_the_end_of_a_session_it_is_over() {
    for status in [200, 204, 400, 404, 405, 500] {
        let script = Script::new(move |asked: Asked| async move {
            match asked.method() {
                "initialize" => {
                    let body = asked.result_of(&initialized("2025-06-18"));
                    asked.json_with(200, "mcp-session-id: s-1\r\n", &body).await;
                }
                "DELETE" => asked.answer(status, "", "").await,
                "GET" => asked.answer(405, "", "").await,
                _ => asked.accept().await,
            }
        })
        .await;
        let client = test().policy(Policy::LegacyOnly).connect(http::client(&script.url())).await.unwrap();
        client.close().await;
        client.peer().closed().await;
        let error = client.call("x").await.unwrap_err();
        assert!(error.is_closed(), "{status}: {error}");
        assert_eq!(script.methods().iter().filter(|method| *method == "DELETE").count(), 1);
    }
}

#[tokio::test]
async fn redirects_are_followed_from_the_first_message_on() {
    for (policy, first) in ERAS {
        let script = Script::new(move |asked: Asked| async move {
            match (&*asked.seen.path.clone(), asked.method()) {
                ("/mcp", _) => asked.answer(307, "location: /v2/mcp\r\n", "").await,
                (_, "server/discover") => asked.result(&discovered()).await,
                (_, "initialize") => asked.result(&initialized("2025-06-18")).await,
                (_, "tools/call") => asked.text("done").await,
                (_, "GET") => asked.answer(405, "", "").await,
                _ => asked.accept().await,
            }
        })
        .await;
        assert_eq!(call(&script, policy).await.unwrap().as_text(), "done");
        assert_eq!(script.methods()[..2], [first, first]);
    }
}

/// Passes messages on between a pipe and a server over HTTP, unread, until the client leaves.
async fn bridge(mut pipe: memory::Memory, url: String) {
    let mut server = http::client(&url).connect().await.unwrap();
    loop {
        tokio::select! {
            text = pipe.receive_text() => match text.unwrap() {
                Some(text) => server.send_text(text).await.unwrap(),
                None => break,
            },
            text = server.receive_text() => pipe.send_text(text.unwrap().unwrap()).await.unwrap(),
        }
    }
    server.close().await.unwrap();
}

#[tokio::test]
async fn a_bridge_from_a_pipe_to_http_passes_on_every_message() {
    for revision in Revision::ALL {
        let cancelled = Arc::new(Notify::new());
        let tell = cancelled.clone();
        let server = mcpeer::Server::builder("behind", "1")
            .tool("roots", async |cx: mcpeer::handler::Context| -> mcpeer::Result<String> {
                cx.progress(1.0, None, None).await;
                Ok(cx.roots().await?.into_iter().map(|root| root.uri).collect())
            })
            .tool("wait", move |cx: mcpeer::handler::Context| {
                let tell = tell.clone();
                async move {
                    cx.progress(1.0, None, None).await;
                    cx.cancelled().await;
                    tell.notify_one();
                }
            });
        let bound = server.build().unwrap().http().bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", bound.local_addr());
        tokio::spawn(bound.serve());
        let (ours, theirs) = memory::pair();
        let bridging = tokio::spawn(bridge(theirs, url));
        let client = test().revisions([revision]).roots([mcpeer::model::roots::Root::new("file:///home/me")]);
        let client = client.connect_with(ours).await.unwrap();
        assert_eq!(client.revision(), revision);

        let mut call = client.call("roots").with_progress().send();
        assert_eq!(call.progress().await.unwrap().progress, 1.0, "{revision}");
        assert_eq!(call.await.unwrap().as_text(), "file:///home/me", "{revision}");
        let mut call = client.call("wait").with_progress().send();
        call.progress().await.unwrap();
        drop(call);
        cancelled.notified().await;
        client.close().await;
        bridging.await.unwrap();
    }
}

#[tokio::test]
async fn members_that_nobody_knows_pass_a_bridge() {
    let result = json!({
        "resultType": "complete", "acme": 1,
        "content": [{"type": "text", "text": "t", "acme": {"x": 1.50}, "annotations": {"priority": 1, "acme": []}}],
        "structuredContent": {"error": "kept"}, "isError": true, "_meta": {"acme/x": 12345678901234567890_u64},
    });
    let answer = result.clone();
    let script = server(move |asked: Asked| {
        let answer = answer.clone();
        async move { asked.result(&answer).await }
    })
    .await;
    let (mut ours, theirs) = memory::pair();
    tokio::spawn(bridge(theirs, script.url()));
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": "x", "acme": {"y": 2}, "_meta": meta});
    let call = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params});
    ours.send_text(call.to_string()).await.unwrap();
    let told: Value = serde_json::from_str(&ours.receive_text().await.unwrap().unwrap()).unwrap();
    assert_eq!(told, json!({"jsonrpc": "2.0", "id": "a", "result": result}));
    assert_eq!(script.seen()[0].body, call);
}

#[tokio::test]
async fn a_connector_that_is_used_twice_makes_two_connections() {
    let opened = Arc::new(AtomicUsize::new(0));
    let count = opened.clone();
    let script = Script::new(move |asked: Asked| {
        let count = count.clone();
        async move {
            match asked.method() {
                "initialize" => {
                    let number = count.fetch_add(1, Ordering::SeqCst);
                    let body = asked.result_of(&initialized("2025-06-18"));
                    asked.json_with(200, &format!("mcp-session-id: s-{number}\r\n"), &body).await;
                }
                "tools/call" => {
                    let session = asked.seen.header("mcp-session-id").unwrap().to_owned();
                    asked.text(&session).await;
                }
                "GET" => asked.answer(405, "", "").await,
                _ => asked.accept().await,
            }
        }
    })
    .await;
    let mut connector = http::client(&script.url());
    let mut connected = Vec::new();
    for _ in 0..2 {
        let transport = connector.connect().await.unwrap();
        connected.push(test().policy(Policy::LegacyOnly).connect_with(transport).await.unwrap());
    }
    let [one, other] = &connected[..] else { panic!() };
    one.close().await;
    assert_eq!(other.call("x").await.unwrap().as_text(), "s-1");
}
