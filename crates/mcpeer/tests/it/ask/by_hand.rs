//! Results that ask for input by hand, and what a request says about itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use mcpeer::{
    Server,
    handler::{Context, ask::Rounds},
    model::{
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema},
        input::{InputRequired, RootsRequest},
        tools::CallResult,
    },
    server::{IntoToolResult, Prompt, ToolResult},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::peer::{everything, retry, talk};
use crate::peers::{RawClient, text};

const MODERN: Revision = Revision::V2026_07_28;

/// Asks for a name, then for a nickname, with a state of its own.
async fn names(cx: Context) -> ToolResult {
    let ask = |message: &str| FormParams::new(message, RequestedSchema::new([("name", StringSchema::new())]));
    let responses = cx.input_responses();
    let given = |key: &str| {
        let answer = responses.as_ref()?.decode::<CreateResult>(key)?;
        Some(answer.content?.decode::<Value>().ok()?["name"].as_str()?.to_owned())
    };
    let first = InputRequired::new().ask("name", ask("Your name?"));
    match (cx.request_state(), given("name"), given("nick")) {
        (None, None, _) => first.request_state("begun").into_tool_result(),
        (Some(state), Some(name), _) if state == "begun" => {
            InputRequired::new().ask("nick", ask("Your nickname?")).request_state(name).into_tool_result()
        }
        (Some(name), None, Some(nick)) => format!("{name}, called {nick}").into_tool_result(),
        other => format!("{other:?}").into_tool_result(),
    }
}

#[tokio::test]
async fn a_handler_that_asks_by_hand_serves_both_eras() {
    let server = Server::builder("s", "1").tool("names", names).build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect_as(&server, revision, everything()).await;
        let talk = talk(&mut client, revision, json!({"name": "names"}), |method, params| {
            assert_eq!(method, "elicitation/create");
            let name = if params["message"] == "Your name?" { "Ada" } else { "Countess" };
            json!({"action": "accept", "content": {"name": name}})
        })
        .await;
        if revision.has_elicitation() {
            assert_eq!(text(&talk.answer), "Ada, called Countess", "{revision}");
            assert_eq!(talk.rounds.len(), 2, "{revision}");
        } else {
            assert_eq!(talk.answer["result"]["isError"], true, "{}", talk.answer);
            assert!(text(&talk.answer).contains("`elicitation`"), "{}", talk.answer);
        }
    }
}

#[tokio::test]
async fn what_the_client_cannot_answer_is_not_asked_by_hand_either() {
    let server = Server::builder("s", "1").tool("names", names).build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect_as(&server, revision, json!({"sampling": {}})).await;
        let answer = client.request("tools/call", json!({"name": "names"})).await;
        match revision.era() {
            Era::Modern => {
                assert_eq!(answer["error"]["code"], -32021, "{answer}");
                assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
            }
            Era::Legacy => assert_eq!(answer["result"]["isError"], true, "{answer}"),
        }
    }
}

#[tokio::test]
async fn asking_by_hand_without_end_has_an_end() {
    let server = Server::builder("s", "1")
        .tool("t", async || {
            let form = FormParams::new("Again?", RequestedSchema::new([("name", StringSchema::new())]));
            InputRequired::new().ask("again", form)
        })
        .build()
        .unwrap();
    let revision = Revision::V2025_11_25;
    let mut client = RawClient::connect_as(&server, revision, everything()).await;
    let talk = talk(&mut client, revision, json!({"name": "t"}), |_, _| json!({"action": "cancel"})).await;
    assert_eq!(talk.rounds.len(), 10);
    assert!(text(&talk.answer).contains("10 rounds"), "{}", talk.answer);
}

#[tokio::test]
async fn rounds_and_questions_by_hand_are_bounded_in_both_eras() {
    let server = Server::builder("s", "1")
        .rounds(Rounds::new().max_rounds(3).max_questions(2))
        .tool("often", async || InputRequired::new().ask("again", RootsRequest::new()).request_state("s"))
        .tool("many", async || {
            let ask = |result: InputRequired, key: &str| result.ask(key, RootsRequest::new());
            ["a", "b", "c"].into_iter().fold(InputRequired::new(), ask)
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        for (tool, rounds, reason) in [("often", 3, "more than 3 rounds"), ("many", 0, "3 questions at once")] {
            let mut client = RawClient::connect_as(&server, revision, everything()).await;
            let talk = talk(&mut client, revision, json!({"name": tool}), |_, _| json!({"roots": []})).await;
            assert_eq!(talk.rounds.len(), rounds, "{tool} {revision}");
            assert_eq!(talk.answer["result"]["isError"], true, "{}", talk.answer);
            assert!(text(&talk.answer).contains(reason), "{}", talk.answer);
        }
    }
}

/// A server whose tools count how often they run.
fn counting(rounds: Rounds) -> (Server, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let (first, second, third) = (runs.clone(), runs.clone(), runs.clone());
    let server = Server::builder("s", "1")
        .rounds(rounds)
        .tool("names", move |cx: Context| {
            first.fetch_add(1, Ordering::SeqCst);
            names(cx)
        })
        .tool("plain", move || second.fetch_add(1, Ordering::SeqCst).to_string())
        .prompt(Prompt::new("plain"), move || std::future::ready(third.fetch_add(1, Ordering::SeqCst).to_string()))
        .build()
        .unwrap();
    (server, runs)
}

fn ada(_: &str, _: &Value) -> Value {
    json!({"action": "accept", "content": {"name": "Ada"}})
}

fn assert_refused(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("`requestState`"), "{answer}");
}

#[tokio::test]
async fn the_state_of_a_result_by_hand_is_sealed_as_any_other() {
    let (server, runs) = counting(Rounds::new());
    let mut client = RawClient::connect_as(&server, MODERN, everything()).await;
    let call = json!({"name": "names"});
    let reply = client.request("tools/call", call.clone()).await;
    let state = reply["result"]["requestState"].as_str().unwrap();
    assert!(!state.contains("begun") && state.len() > 40, "{state}");
    let next = retry(&call, &reply, ada);
    for wrong in [
        json!({"requestState": "begun"}),
        json!({"requestState": format!("{state}A")}),
        json!({"requestState": 7}),
        json!({"name": "plain"}),
        json!({"arguments": {"more": 1}}),
    ] {
        let mut next = next.clone();
        next.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_refused(&client.request("tools/call", next).await);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1, "a handler runs behind a state that opens only");
    let reply = client.request("tools/call", next).await;
    assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
    let expired = counting(Rounds::new().expiry(Duration::ZERO)).0;
    let mut client = RawClient::connect_as(&expired, MODERN, everything()).await;
    let reply = client.request("tools/call", call.clone()).await;
    assert_refused(&client.request("tools/call", retry(&call, &reply, ada)).await);
}

#[tokio::test]
async fn a_foreign_state_is_refused_where_nothing_is_asked_either() {
    let (server, runs) = counting(Rounds::new());
    let mut client = RawClient::connect_as(&server, MODERN, everything()).await;
    for (method, name) in [("tools/call", "plain"), ("prompts/get", "plain")] {
        assert_refused(&client.request(method, json!({"name": name, "requestState": "AAAA"})).await);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    for harmless in [json!({"arguments": {}}), json!({"inputResponses": {"x": {"action": "accept"}}}), json!({})] {
        let mut params = json!({"name": "plain"});
        params.as_object_mut().unwrap().extend(harmless.as_object().unwrap().clone());
        let answer = client.request("tools/call", params).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    // To the stateful era it is a member like any other.
    let mut client = RawClient::connect(&server, Revision::V2025_11_25).await;
    let answer = client.request("tools/call", json!({"name": "plain", "requestState": "AAAA"})).await;
    assert_eq!(text(&answer), "3");
}

#[tokio::test]
async fn a_step_before_a_result_by_hand_runs_once() {
    for revision in [Revision::V2025_11_25, MODERN] {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = runs.clone();
        let server = Server::builder("s", "1")
            .tool("t", move |cx: Context| {
                let counted = counted.clone();
                async move {
                    let step = cx.step("reserve", async { counted.fetch_add(1, Ordering::SeqCst) }).await;
                    match (step, cx.input_responses()) {
                        (Ok(seat), Some(_)) => format!("seat {seat}").into_tool_result(),
                        (Ok(_), None) => InputRequired::new().ask("r", RootsRequest::new()).into_tool_result(),
                        (Err(error), _) => error.to_string().into_tool_result(),
                    }
                }
            })
            .build()
            .unwrap();
        let mut client = RawClient::connect_as(&server, revision, everything()).await;
        let talk = talk(&mut client, revision, json!({"name": "t"}), |_, _| json!({"roots": []})).await;
        assert_eq!((text(&talk.answer), runs.load(Ordering::SeqCst)), ("seat 0", 1), "{revision}");
    }
}

#[tokio::test]
async fn a_request_tells_of_its_trace() {
    let server = Server::builder("s", "1")
        .tool("t", async |cx: Context| -> Result<CallResult, String> {
            let trace = cx.trace_context().ok_or("no trace")?;
            Ok(CallResult::new([mcpeer::model::Content::from(format!("{} {:?}", trace.traceparent, trace.tracestate))]))
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let meta = json!({"traceparent": "00-1-2-01", "tracestate": "a=b"});
        let answer = client.request("tools/call", json!({"name": "t", "_meta": meta})).await;
        assert_eq!(text(&answer), "00-1-2-01 Some(\"a=b\")", "{revision}");
        let answer = client.request("tools/call", json!({"name": "t"})).await;
        assert_eq!(text(&answer), "no trace", "{revision}");
    }
}
