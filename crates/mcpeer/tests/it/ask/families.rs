//! Prompts and resources ask as tools do.

use mcpeer::{
    Server,
    handler::Context,
    model::{
        elicitation::{CreateResult, FormParams, RequestedSchema, StringSchema},
        input::InputRequired,
        roots::Root,
    },
    server::{IntoPromptResult, IntoResourceResult, Prompt, PromptResult, ProtocolError, Resource, ResourceResult},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use super::peer::talk_of;
use crate::peers::RawClient;

async fn first_root(cx: Context) -> Result<String, ProtocolError> {
    let unasked = |error: mcpeer::Error| mcpeer::rpc::Error::new(1, error.to_string());
    let roots: Vec<Root> = cx.roots().await.map_err(unasked)?;
    Ok(roots[0].uri.clone())
}

fn name_form() -> InputRequired {
    let form = RequestedSchema::new([("name", StringSchema::new())]);
    InputRequired::new().ask("name", FormParams::new("Your name?", form))
}

fn name(cx: &Context) -> Option<String> {
    let content = cx.input_responses()?.decode::<CreateResult>("name")?.content?;
    Some(content.decode::<Value>().ok()?["name"].as_str()?.to_owned())
}

fn server() -> Server {
    Server::builder("s", "1")
        .prompt(Prompt::new("root"), first_root)
        .resource(Resource::new("test://root", "root"), first_root)
        .prompt(Prompt::new("name"), async |cx: Context| -> PromptResult {
            name(&cx).map_or_else(|| name_form().into_prompt_result(), IntoPromptResult::into_prompt_result)
        })
        .resource(Resource::new("test://name", "name"), async |cx: Context| -> ResourceResult {
            name(&cx).map_or_else(|| name_form().into_resource_result(), IntoResourceResult::into_resource_result)
        })
        .build()
        .unwrap()
}

fn answer(method: &str, _: &Value) -> Value {
    match method {
        "roots/list" => json!({"roots": [{"uri": "file:///a"}]}),
        _ => json!({"action": "accept", "content": {"name": "Ada"}}),
    }
}

fn said(answer: &Value) -> &str {
    let result = &answer["result"];
    let text = result["messages"][0]["content"]["text"].as_str().or_else(|| result["contents"][0]["text"].as_str());
    text.unwrap_or_else(|| panic!("no text: {answer}"))
}

const CASES: [(&str, &str, &str); 4] = [
    ("prompts/get", "root", "file:///a"),
    ("resources/read", "test://root", "file:///a"),
    ("prompts/get", "name", "Ada"),
    ("resources/read", "test://name", "Ada"),
];

fn params(method: &str, name: &str) -> Value {
    if method == "prompts/get" { json!({"name": name}) } else { json!({"uri": name}) }
}

#[tokio::test]
async fn prompts_and_resources_ask_with_one_await_and_by_hand() {
    for revision in Revision::ALL {
        for (method, name, expected) in CASES {
            if expected == "Ada" && !revision.has_elicitation() {
                continue;
            }
            let capabilities = json!({"roots": {}, "elicitation": {}});
            let mut client = RawClient::connect_as(&server(), revision, capabilities).await;
            let talk = talk_of(&mut client, revision, method, params(method, name), answer).await;
            assert_eq!(said(&talk.answer), expected, "{method} {name} {revision}");
            assert_eq!(talk.asked().len(), 1, "{method} {name} {revision}");
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_answer_gets_an_error_that_says_so() {
    for revision in Revision::ALL {
        for (method, name, expected) in CASES {
            let mut client = RawClient::connect(&server(), revision).await;
            let answer = client.request(method, params(method, name)).await;
            let missing = if expected == "Ada" { "elicitation" } else { "roots" };
            let code = if revision.era() == Era::Modern { -32021 } else { -32603 };
            assert_eq!(answer["error"]["code"], code, "{answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(&format!("`{missing}`")), "{message}");
            if revision.era() == Era::Modern {
                assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {missing: {}}}));
            }
        }
    }
}
