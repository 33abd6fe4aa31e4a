//! What clients answer when servers ask, in both eras.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    client::Builder,
    model::{
        content::Role,
        elicitation::{CreateResult, FormParams, UrlParams},
        input::InputResponses,
        roots::Root,
        sampling,
        trace::TraceContext,
    },
    rpc,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::{RawServer, builder, connect_raw};

const MODERN: Revision = Revision::V2026_07_28;

fn answering() -> Builder {
    builder()
        .on_elicit(async |form: FormParams| match &*form.message {
            "wrong" => CreateResult::accept([("name", 7)]),
            "no" => CreateResult::decline(),
            _ => CreateResult::accept([("name", "Ada")]),
        })
        .on_elicit_url(async |_: UrlParams| CreateResult::accept([("leak", "x")]))
        .on_sample(async |params: sampling::CreateParams| match params.max_tokens {
            0 => Err(rpc::Error::new(-1, "the user refused")),
            _ => Ok(sampling::CreateResult::new(Role::Assistant, "Hi", "small-1")),
        })
        .roots([Root::new("file:///home/me")])
}

fn form(message: &str) -> Value {
    let properties = json!({"name": {"type": "string"}, "age": {"type": "integer", "default": 36}});
    let schema = json!({"type": "object", "properties": properties, "required": ["name"]});
    json!({"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}})
}

fn sample(max_tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": "Hello"}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": max_tokens}})
}

async fn ask(server: &mut RawServer, mut request: Value) -> Value {
    request["jsonrpc"] = "2.0".into();
    request["id"] = "q".into();
    server.send(&request).await;
    let answer = server.receive().await.unwrap();
    assert_eq!(answer["id"], "q", "{answer}");
    answer
}

async fn require(server: &mut RawServer, id: &Value, requests: Value, state: &str) {
    let mut result = json!({"resultType": "input_required", "inputRequests": requests});
    if !state.is_empty() {
        result["requestState"] = state.into();
    }
    server.answer(id, result).await;
}

#[tokio::test]
async fn questions_of_the_stateful_era_are_answered() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let (_client, mut server) = connect_raw(answering(), revision).await;
        let roots = ask(&mut server, json!({"method": "roots/list"})).await;
        assert_eq!(roots["result"], json!({"roots": [{"uri": "file:///home/me"}]}), "{revision}");
        let sampled = ask(&mut server, sample(9)).await;
        assert_eq!(sampled["result"]["model"], "small-1", "{revision}");
        assert_eq!(ask(&mut server, sample(0)).await["error"]["code"], -1, "{revision}");
        let mut with_tools = sample(9);
        with_tools["params"]["toolChoice"] = json!({"mode": "auto"});
        assert_eq!(ask(&mut server, with_tools).await["error"]["code"], -32602, "{revision}");
        if revision == Revision::V2025_06_18 || revision == Revision::V2025_11_25 {
            let filled = ask(&mut server, form("who")).await;
            let expected = json!({"action": "accept", "content": {"name": "Ada", "age": 36}});
            assert_eq!(filled["result"], expected, "{revision}");
            assert_eq!(ask(&mut server, form("no")).await["result"], json!({"action": "decline"}), "{revision}");
            assert_eq!(ask(&mut server, form("wrong")).await["error"]["code"], -32602, "{revision}");
            let address = json!({"mode": "url", "message": "Sign in", "url": "https://a.b/", "elicitationId": "1"});
            let opened = ask(&mut server, json!({"method": "elicitation/create", "params": address})).await;
            match revision.has_url_elicitation() {
                true => assert_eq!(opened["result"], json!({"action": "accept"})),
                false => assert_eq!(opened["error"]["code"], -32602),
            }
        }
    }
}

#[tokio::test]
async fn defaults_that_are_lists_are_answered_where_the_revision_has_lists() {
    for (revision, expected) in [
        (Revision::V2025_06_18, json!({"name": "Ada", "age": 36})),
        (Revision::V2025_11_25, json!({"name": "Ada", "age": 36, "tools": ["saw"]})),
    ] {
        let (_client, mut server) = connect_raw(answering(), revision).await;
        let mut question = form("who");
        question["params"]["requestedSchema"]["properties"]["tools"] =
            json!({"type": "array", "items": {"type": "string", "enum": ["saw", "file"]}, "default": ["saw"]});
        let filled = ask(&mut server, question).await;
        assert_eq!(filled["result"], json!({"action": "accept", "content": expected}), "{revision}");
    }
}

#[tokio::test]
async fn a_mode_that_is_not_served_is_refused() {
    let forms = builder().on_elicit(async |_: FormParams| CreateResult::cancel());
    let (_client, mut server) = connect_raw(forms, Revision::V2025_11_25).await;
    let address = json!({"mode": "url", "message": "Sign in", "url": "https://a.b/", "elicitationId": "1"});
    let answer = ask(&mut server, json!({"method": "elicitation/create", "params": address})).await;
    assert_eq!(answer["error"]["code"], -32602);
    let addresses = builder().on_elicit_url(async |_: UrlParams| CreateResult::cancel());
    let (_client, mut server) = connect_raw(addresses, Revision::V2025_11_25).await;
    assert_eq!(ask(&mut server, form("who")).await["error"]["code"], -32602);
}

#[tokio::test]
async fn what_is_answered_is_declared() {
    let (client, mut server) = connect_raw(answering(), MODERN).await;
    let call = client.call("a").send();
    let request = server.expect("tools/call").await;
    let declared = &request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*declared, json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}));
    drop(call);
}

#[tokio::test]
async fn roots_are_files() {
    let (_server, transport) = RawServer::new(MODERN);
    let error = builder().roots([Root::new("https://a.b/")]).connect_with(transport).await.unwrap_err();
    assert!(error.is_misuse(), "{error}");
}

#[tokio::test]
async fn answers_go_out_with_the_same_request_and_the_state_of_the_last_round() {
    let (client, mut server) = connect_raw(answering(), MODERN).await;
    let mut call = client.call("a").arguments(&json!({"x": 1})).meta("m", &2).with_progress().send();
    let server = tokio::spawn(async move {
        let first = server.expect("tools/call").await;
        let asked = json!({"who": form("who"), "what": sample(9), "where": {"method": "roots/list"}});
        require(&mut server, &first["id"], asked, "s\u{e9}\"1").await;
        let second = server.expect("tools/call").await;
        assert_ne!(second["id"], first["id"]);
        let params = &second["params"];
        assert_eq!(params["requestState"], "s\u{e9}\"1");
        assert_eq!((&params["name"], &params["arguments"]), (&json!("a"), &json!({"x": 1})));
        assert_eq!(params["_meta"]["m"], 2);
        let responses = &params["inputResponses"];
        assert_eq!(responses["who"], json!({"action": "accept", "content": {"name": "Ada", "age": 36}}));
        assert_eq!(responses["what"]["model"], "small-1");
        assert_eq!(responses["where"]["roots"][0]["uri"], "file:///home/me");
        require(&mut server, &second["id"], json!({"again": form("no")}), "").await;
        let third = server.expect("tools/call").await;
        assert!(third["params"].get("requestState").is_none(), "{third}");
        assert_eq!(third["params"]["inputResponses"], json!({"again": {"action": "decline"}}));
        let token = &third["params"]["_meta"]["progressToken"];
        let progress = json!({"progressToken": token, "progress": 3});
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})).await;
        server.answer(&third["id"], json!({"content": [{"type": "text", "text": "done"}]})).await;
    });
    assert_eq!(call.progress().await.unwrap().progress, 3.0);
    assert!(call.progress().await.is_none());
    assert_eq!(call.await.unwrap().as_text(), "done");
    server.await.unwrap();
}

#[tokio::test]
async fn reading_and_prompts_take_rounds_too() {
    let (client, mut server) = connect_raw(answering(), MODERN).await;
    let server = tokio::spawn(async move {
        for (method, result) in [("resources/read", json!({"contents": []})), ("prompts/get", json!({"messages": []}))]
        {
            let first = server.expect(method).await;
            require(&mut server, &first["id"], json!({"k": form("who")}), "s").await;
            let second = server.expect(method).await;
            assert_eq!(second["params"]["inputResponses"]["k"]["action"], "accept");
            server.answer(&second["id"], result).await;
        }
    });
    assert!(client.read("file:///a").await.unwrap().contents.is_empty());
    assert!(client.prompt("p", &json!({"a": "b"})).await.unwrap().messages.is_empty());
    server.await.unwrap();
}

#[tokio::test]
async fn the_first_answer_that_fails_ends_the_call() {
    let (client, mut server) = connect_raw(answering(), MODERN).await;
    for question in [sample(0), form("wrong"), json!({"method": "elicitation/create", "params": {"mode": "odd"}})] {
        let call = client.call("a").send();
        let request = server.expect("tools/call").await;
        require(&mut server, &request["id"], json!({"k": question}), "s").await;
        let error = call.await.unwrap_err();
        assert!(error.is_input_required(), "{error:?}");
        assert!(std::error::Error::source(&error).unwrap().is::<rpc::Error>());
    }
    drop(client);
    assert_eq!(server.receive().await, None);
}

#[tokio::test(start_paused = true)]
async fn rounds_are_bounded_and_those_without_questions_are_paced() {
    let (client, mut server) = connect_raw(answering(), MODERN).await;
    let start = tokio::time::Instant::now();
    let call = tokio::spawn(async move { client.call("a").await });
    for _ in 0..11 {
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], json!({"resultType": "input_required", "requestState": "s"})).await;
    }
    let error = call.await.unwrap().unwrap_err();
    assert!(error.is_peer_misbehaved(), "{error:?}");
    assert_eq!(start.elapsed(), Duration::from_millis(2500));
}

#[tokio::test(start_paused = true)]
async fn the_limit_of_a_call_covers_its_rounds_and_the_answers() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let slow = builder().max_total(Duration::from_secs(5)).on_elicit(move |_: FormParams| {
        let is_first = count.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            tokio::time::sleep(Duration::from_secs(if is_first { 3 } else { 3600 })).await;
            CreateResult::accept([("name", "Ada")])
        }
    });
    let (client, mut server) = connect_raw(slow, MODERN).await;
    let start = tokio::time::Instant::now();
    let call = tokio::spawn(async move { client.call("a").await });
    for _ in 0..2 {
        let request = server.expect("tools/call").await;
        require(&mut server, &request["id"], json!({"k": form("who")}), "s").await;
    }
    assert!(call.await.unwrap().unwrap_err().is_timeout());
    assert_eq!((start.elapsed().as_secs(), asked.load(Ordering::Relaxed)), (5, 2));
}

#[tokio::test]
async fn a_call_can_be_given_up_while_its_questions_are_answered() {
    let never = builder().on_elicit(async |_: FormParams| std::future::pending::<CreateResult>().await);
    let (client, mut server) = connect_raw(never, MODERN).await;
    let mut call = client.call("a").with_progress().send();
    let request = server.expect("tools/call").await;
    require(&mut server, &request["id"], json!({"k": form("who")}), "s").await;
    client.ping().await.unwrap_err();
    tokio::select! {
        biased;
        _ = call.progress() => panic!("the call is over"),
        () = tokio::task::yield_now() => {}
    }
    call.cancel("enough");
    assert!(call.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn rounds_can_be_done_by_hand() {
    let (client, mut server) = connect_raw(answering(), MODERN).await;
    let call = client.call("a").manual_input().send();
    let request = server.expect("tools/call").await;
    require(&mut server, &request["id"], json!({"k": form("who")}), "s").await;
    let error = call.await.unwrap_err();
    assert!(error.is_input_required());
    assert_eq!(error.raw().unwrap().borrow().member("requestState").unwrap().as_str(), "\"s\"");
    let answers: InputResponses = [("k", json!({"action": "cancel"}))].into();
    let call = client.call("a").answers(answers, Some("s")).send();
    let request = server.expect("tools/call").await;
    assert_eq!(request["params"]["inputResponses"], json!({"k": {"action": "cancel"}}));
    assert_eq!(request["params"]["requestState"], "s");
    server.answer(&request["id"], json!({"content": []})).await;
    assert!(call.await.unwrap().content.is_empty());
}

#[tokio::test]
async fn lists_of_what_a_server_does_not_have_are_empty_unless_strict() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        assert!(client.resources().all().await.unwrap().is_empty());
        assert!(client.resource_templates().page(None).await.unwrap().resource_templates.is_empty());
        assert!(client.prompts().all().await.unwrap().is_empty());
        drop(client);
        assert_eq!(server.receive().await, None, "{revision}");
        let (client, _server) = connect_raw(builder().strict_capabilities(), revision).await;
        assert!(client.prompts().all().await.unwrap_err().is_misuse(), "{revision}");
    }
}

#[tokio::test]
async fn a_trace_goes_along_and_unknown_members_come_back() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").trace(&TraceContext::new("00-1-2-01").baggage("user=7")).raw().send();
        let request = server.expect("tools/call").await;
        assert_eq!(request["params"]["_meta"]["traceparent"], "00-1-2-01", "{revision}");
        assert_eq!(request["params"]["_meta"]["baggage"], "user=7");
        let block = json!({"type": "text", "text": "x", "odd": [1], "annotations": {"more": 2}, "_meta": {"m": 3}});
        let result = json!({"content": [block], "other": {"a": null}});
        server.answer(&request["id"], result.clone()).await;
        let raw: Value = call.await.unwrap().decode().unwrap();
        assert_eq!(raw, result, "{revision}");
        let call = client.call("a").send();
        let request = server.expect("tools/call").await;
        server.answer(&request["id"], result.clone()).await;
        let typed = serde_json::to_value(call.await.unwrap()).unwrap();
        assert_eq!(typed["content"], result["content"], "{revision}");
        assert_eq!(typed["other"], result["other"], "{revision}");
    }
}
