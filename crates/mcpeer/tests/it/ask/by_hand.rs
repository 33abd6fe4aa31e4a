//! Results that ask for input by hand, and what a request says about itself.

use mcpeer::{
    Server,
    handler::Context,
    model::{
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema},
        input::InputRequired,
        tools::CallResult,
    },
    server::{IntoToolResult, ToolResult},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::peer::{everything, talk};
use crate::peers::{RawClient, text};

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
    assert!(text(&talk.answer).contains("10 times"), "{}", talk.answer);
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
