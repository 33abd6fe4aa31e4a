//! Answers of a client that are none to their questions.

use mcpeer::{
    Result, Server,
    handler::Context,
    model::sampling::{CreateParams, Message},
    server::{Prompt, Resource},
    version::Revision,
};
use serde_json::{Value, json};

use super::peer::{everything, questions, talk};
use crate::peers::{RawClient, text};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

async fn name(cx: Context) -> Result<String> {
    let answer = cx.elicit::<Name>("Who are you?").key("q").await?;
    Ok(answer.accepted().map_or("nobody".to_owned(), |answer| answer.name))
}

fn server() -> Server {
    Server::builder("s", "1")
        .tool("form", name)
        .tool("address", async |cx: Context| {
            cx.elicit_url("Sign in", "https://example.com").key("q").await.map(|answer| format!("{answer:?}"))
        })
        .tool("model", async |cx: Context| {
            let params = CreateParams::new([Message::user("Hello")], 10);
            cx.sample(params).key("q").await.map(|said| said.model)
        })
        .tool("roots", async |cx: Context| cx.roots().key("q").await.map(|roots| roots.len().to_string()))
        .prompt(Prompt::new("form"), name)
        .resource(Resource::new("a://form", "form"), name)
        .build()
        .unwrap()
}

async fn client() -> RawClient {
    RawClient::connect_as(&server(), Revision::V2026_07_28, everything()).await
}

#[tokio::test]
async fn what_is_no_answer_at_all_is_refused_in_the_stateless_era() {
    let mut client = client().await;
    let requests = ["form", "address", "model", "roots"].map(|tool| ("tools/call", json!({"name": tool})));
    let others = [("prompts/get", json!({"name": "form"})), ("resources/read", json!({"uri": "a://form"}))];
    for (method, mut params) in requests.into_iter().chain(others) {
        for wrong in [json!(12345), json!("Ada"), json!([]), json!({}), Value::Null] {
            params["inputResponses"] = json!({"q": wrong});
            let answer = client.request(method, params.clone()).await;
            assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.starts_with("`inputResponses.q"), "{method} {params}: {message}");
        }
    }
}

#[tokio::test]
async fn an_answer_under_another_key_is_none_to_any_question() {
    let mut client = client().await;
    let params = json!({"name": "form", "inputResponses": {"other": 12345}});
    let asked = client.request("tools/call", params).await;
    assert_eq!(questions(&asked)[0].0, "q");
}

#[tokio::test]
async fn a_form_filled_in_otherwise_is_the_handlers_to_judge() {
    let mut client = client().await;
    let response = json!({"action": "accept", "content": {"name": 7}});
    let answer = client.request("tools/call", json!({"name": "form", "inputResponses": {"q": response}})).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn what_is_no_answer_at_all_fails_the_question_in_the_stateful_era() {
    let revision = Revision::V2025_11_25;
    let mut client = RawClient::connect_as(&server(), revision, everything()).await;
    let talk = talk(&mut client, revision, json!({"name": "form"}), |_, _| json!({"name": "Ada"})).await;
    assert_eq!(talk.answer["result"]["isError"], true);
    assert!(text(&talk.answer).contains("does not fit"), "{}", talk.answer);
}
