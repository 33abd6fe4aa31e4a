//! Rules of the specification that are easy to miss, each at every revision that has it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    handler::Context,
    model::{
        caching::Scope,
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema, UrlParams},
        roots::Root,
    },
    server::{Resource, Server},
    version::{Era, Revision},
};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::{
    ask::peer::{everything, questions, retry},
    peers::{RawClient, builder, connect, connect_raw, text},
    warnings::Warnings,
};

const MODERN: Revision = Revision::V2026_07_28;

fn asking() -> Server {
    let ask = async |cx: Context| -> mcpeer::Result<String> {
        let form = RequestedSchema::new([("name", StringSchema::new())]);
        let filled = cx.elicit_form("Who?", form).await?;
        Ok(filled.accepted().map_or_else(|| "nobody".to_owned(), |filled| filled.as_str().to_owned()))
    };
    Server::builder("asking", "1")
        .tool("ask", ask)
        .resource(Resource::new("x://ask", "ask"), async |cx: Context| {
            cx.roots().await.map(|roots| roots.len().to_string()).unwrap_or_default()
        })
        .cache("resources/read", Duration::from_secs(60), Scope::Public)
        .build()
        .unwrap()
}

#[tokio::test]
async fn answers_that_nobody_asked_for_are_ignored() {
    let mut client = RawClient::connect_as(&asking(), MODERN, everything()).await;
    let params = json!({"name": "ask"});
    let asked = client.request("tools/call", params.clone()).await;
    let filled = json!({"action": "accept", "content": {"name": "Ada"}});
    let mut next = retry(&params, &asked, |_, _| filled.clone());
    next["inputResponses"]["odd"] = json!({"action": "accept", "content": {"name": "Eve"}});
    next["inputResponses"]["odder"] = json!(7);
    let answer = client.request("tools/call", next).await;
    assert_eq!(text(&answer), r#"{"name":"Ada"}"#);
}

#[tokio::test]
async fn a_result_that_asks_may_not_be_kept_and_the_one_that_follows_may() {
    let mut client = RawClient::connect_as(&asking(), MODERN, everything()).await;
    let params = json!({"uri": "x://ask"});
    let asked = client.request("resources/read", params.clone()).await;
    assert_eq!(questions(&asked).len(), 1);
    for name in ["ttlMs", "cacheScope", "contents"] {
        assert!(asked["result"].get(name).is_none(), "{name}: {asked}");
    }
    let next = retry(&params, &asked, |_, _| json!({"roots": [{"uri": "file:///a"}]}));
    let answer = client.request("resources/read", next).await;
    assert_eq!(answer["result"]["contents"][0]["text"], "1", "{answer}");
    assert!(answer["result"]["ttlMs"].is_u64() && answer["result"]["cacheScope"].is_string(), "{answer}");
}

#[tokio::test]
async fn every_page_of_a_list_may_be_kept_by_the_same() {
    let builder = Server::builder("pages", "1").page_size(2).cache("tools/list", Duration::from_secs(9), Scope::Public);
    let server = (0..5).fold(builder, |builder, n| builder.tool(format!("t{n}"), async || "t")).build().unwrap();
    let mut client = RawClient::connect(&server, MODERN).await;
    let mut cursor = Value::Null;
    let mut pages = 0;
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let result = client.request("tools/list", params).await["result"].take();
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(9000), &json!("public")), "{result}");
        pages += 1;
        cursor = result["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, 3);
}

#[tokio::test]
async fn a_progress_token_of_the_callers_own_goes_along() {
    for revision in Revision::ALL {
        let (client, mut server) = connect_raw(builder(), revision).await;
        let call = client.call("a").meta("progressToken", "mine").send();
        let request = server.expect("tools/call").await;
        assert_eq!(request["params"]["_meta"]["progressToken"], "mine", "{revision}");
        // Nobody here listens to it, and that harms nothing.
        let params = json!({"progressToken": "mine", "progress": 1});
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        server.answer(&request["id"], json!({"content": []})).await;
        call.await.unwrap();
    }
}

#[tokio::test]
async fn the_questions_of_a_round_are_answered_at_the_same_time() {
    let both = Arc::new(Barrier::new(2));
    let answering = builder().on_elicit(move |_: FormParams| {
        let both = both.clone();
        async move {
            both.wait().await;
            CreateResult::decline()
        }
    });
    let (client, mut server) = connect_raw(answering, MODERN).await;
    let call = tokio::spawn(client.call("a").send());
    let request = server.expect("tools/call").await;
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let form = json!({"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": schema}});
    let asked = json!({"resultType": "input_required", "inputRequests": {"one": form, "other": form}});
    server.answer(&request["id"], asked).await;
    let again = server.expect("tools/call").await;
    let decline = json!({"action": "decline"});
    assert_eq!(again["params"]["inputResponses"], json!({"one": decline, "other": decline}));
    server.answer(&again["id"], json!({"content": []})).await;
    call.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_tells_of_changed_roots_where_the_era_has_that() {
    let roots = Arc::new(AtomicUsize::new(1));
    for revision in Revision::ALL {
        let count = roots.clone();
        let changing = builder().on_roots(move || {
            let count = count.load(Ordering::Relaxed);
            async move { (0..count).map(|n| Root::new(format!("file:///{n}"))).collect::<Vec<_>>() }
        });
        let (client, mut server) = connect_raw(changing, revision).await;
        roots.fetch_add(1, Ordering::Relaxed);
        match revision.era() {
            Era::Legacy => {
                client.roots_changed().await.unwrap();
                server.expect("notifications/roots/list_changed").await;
                server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})).await;
                let answer = server.receive().await.unwrap();
                let listed = answer["result"]["roots"].as_array().unwrap().len();
                assert_eq!(listed, roots.load(Ordering::Relaxed), "{revision}");
            }
            // A server asks when it needs them, so nobody is told.
            Era::Modern => {
                client.roots_changed().await.unwrap();
                drop(client);
                assert_eq!(server.receive().await, None);
            }
        }
    }
}

#[tokio::test]
async fn what_a_client_does_not_serve_does_not_exist_on_it() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let (_client, mut server) = connect_raw(builder(), revision).await;
        for method in ["roots/list", "sampling/createMessage", "elicitation/create", "no/such", "tools/list"] {
            server.send(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": {}})).await;
            let answer = server.receive().await.unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(method), &json!(-32601)), "{revision}");
        }
        server.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping"})).await;
        assert_eq!(server.receive().await.unwrap()["result"], json!({}), "{revision}");
    }
}

#[tokio::test]
async fn a_subscription_to_nothing_is_acknowledged_and_stays() {
    let server = Server::builder("changing", "1").tool("a", async || "a").build().unwrap();
    let mut client = RawClient::connect(&server, MODERN).await;
    let id = client.start("subscriptions/listen", json!({"notifications": {}})).await;
    let acknowledged = client.receive().await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    server.tools_changed();
    assert_eq!(text(&client.call("a", json!({})).await), "a");
    assert_eq!(client.notifications, Vec::<Value>::new());
}

#[tokio::test]
async fn a_call_that_belongs_to_one_connection_changes_no_list_of_another() {
    let server = Server::builder("lists", "1").tool("a", async || "a").tool("b", async || "b").build().unwrap();
    for revision in Revision::ALL {
        let mut one = RawClient::connect(&server, revision).await;
        let mut other = RawClient::connect_as(&server, revision, everything()).await;
        let before = one.request("tools/list", json!({})).await["result"].take();
        other.call("b", json!({})).await;
        let after = other.request("tools/list", json!({})).await["result"].take();
        assert_eq!(before, after, "{revision}");
    }
}

#[tokio::test]
async fn a_handler_sees_what_its_own_request_declares() {
    let server = Server::builder("declared", "1")
        .tool("can", async |cx: Context| {
            let declared = cx.client_capabilities().unwrap_or_default();
            format!("{} {}", declared.sampling.is_some(), declared.roots.is_some())
        })
        .build()
        .unwrap();
    // In the stateless era a client may declare other things with each request.
    let mut client = RawClient::connect(&server, MODERN).await;
    for (capabilities, expected) in
        [(json!({"sampling": {}}), "true false"), (json!({}), "false false"), (json!({"roots": {}}), "false true")]
    {
        client.declare(capabilities);
        assert_eq!(text(&client.call("can", json!({})).await), expected);
    }
    let client = connect(builder().roots([Root::new("file:///a")]), &server, Revision::V2025_11_25).await;
    assert_eq!(client.call("can").await.unwrap().as_text(), "false true");
}

#[tokio::test]
async fn calls_at_the_same_time_do_not_mix_their_answers() {
    let answering = builder().on_elicit(async |form: FormParams| CreateResult::accept([("name", form.message)]));
    let (client, mut server) = connect_raw(answering, MODERN).await;
    let calls: Vec<_> = ["a", "b"].map(|name| tokio::spawn(client.call(name).send())).into();
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    for _ in 0..2 {
        let request = server.expect("tools/call").await;
        assert!(request["params"].get("requestState").is_none(), "{request}");
        let name = &request["params"]["name"];
        let form = json!({"method": "elicitation/create", "params": {"message": name, "requestedSchema": schema}});
        let asked = json!({"resultType": "input_required", "inputRequests": {"who": form}, "requestState": name});
        server.answer(&request["id"], asked).await;
    }
    for _ in 0..2 {
        let request = server.expect("tools/call").await;
        let params = &request["params"];
        assert_eq!(params["requestState"], params["name"], "{request}");
        assert_eq!(params["inputResponses"]["who"]["content"]["name"], params["name"], "{request}");
        server.answer(&request["id"], json!({"content": []})).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    // Nor does a later request carry what belonged to them.
    let call = tokio::spawn(client.call("c").send());
    let request = server.expect("tools/call").await;
    for name in ["requestState", "inputResponses"] {
        assert!(request["params"].get(name).is_none(), "{request}");
    }
    server.answer(&request["id"], json!({"content": []})).await;
    call.await.unwrap().unwrap();
}

#[tokio::test]
async fn only_addresses_are_given_to_users_to_open() {
    let server = Server::builder("sign in", "1")
        .tool("open", async |cx: Context| cx.elicit_url("Sign in", "the login page").await.map(|_| "opened"))
        .build()
        .unwrap();
    for revision in [Revision::V2025_11_25, MODERN] {
        let mut client = RawClient::connect_as(&server, revision, everything()).await;
        let answer = client.call("open", json!({})).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text(&answer).contains("`the login page` is no address"), "{answer}");
    }
    let opening = builder().on_elicit_url(async |_: UrlParams| CreateResult::accept([("a", "b")]));
    let (_client, mut server) = connect_raw(opening, Revision::V2025_11_25).await;
    let params = json!({"mode": "url", "message": "Sign in", "url": "the login page", "elicitationId": "1"});
    server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params})).await;
    let answer = server.receive().await.unwrap();
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn a_resource_without_an_address_is_warned_of_and_served() {
    let warnings = Warnings::default();
    let listening = tracing::subscriber::set_default(warnings.clone());
    let server = Server::builder("odd", "1")
        .resource(Resource::new("config", "config"), async || "a")
        .resource(Resource::new("x://config", "config"), async || "b")
        .build()
        .unwrap();
    drop(listening);
    assert_eq!(warnings.count(), 1);
    for revision in Revision::ALL {
        let client = connect(builder(), &server, revision).await;
        assert_eq!(client.read("config").await.unwrap().contents.len(), 1, "{revision}");
    }
}

#[tokio::test]
async fn a_result_that_asks_in_another_shape_is_the_servers_fault_and_asks_nobody() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let answering = builder().on_elicit(move |_: FormParams| {
        count.fetch_add(1, Ordering::Relaxed);
        async { CreateResult::decline() }
    });
    let form = r#"{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{}}}}"#;
    let many: Vec<String> = (0..101).map(|n| format!(r#""{n}":{form}"#)).collect();
    let (client, mut server) = connect_raw(answering, MODERN).await;
    for members in [
        r#""inputRequests":[]"#.to_owned(),
        r#""inputRequests":{}"#.to_owned(),
        r#""requestState":7"#.to_owned(),
        format!(r#""inputRequests":{{"a":{form},"a":{form}}}"#),
        format!(r#""inputRequests":{{{}}}"#, many.join(",")),
    ] {
        let call = tokio::spawn(client.call("a").send());
        let request = server.expect("tools/call").await;
        let result = format!(r#"{{"resultType":"input_required",{members}}}"#);
        server.send_text(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"])).await;
        let error = call.await.unwrap().unwrap_err();
        assert!(error.is_peer_misbehaved(), "{members}: {error:?}");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}
