//! Questions that are asked together, of a client that cannot answer several of them: all that is missing is named.

use std::collections::BTreeSet;

use mcpeer::{
    Result, Server,
    handler::Context,
    model::{
        elicitation::{FormParams, RequestedSchema, StringSchema, UrlParams},
        input::{InputRequired, RootsRequest},
        sampling::{CreateParams, IncludeContext, Message},
        tools::Tool,
    },
    rpc,
    server::{Prompt, ProtocolError},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::{RawClient, text};

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "nobody answers")]
struct Name {
    name: String,
}

fn sampled(has_tools: bool) -> CreateParams {
    let params = CreateParams::new([Message::user("Hello")], 9);
    if has_tools { params.tools([Tool::new("add", [("type", "object")])]) } else { params }
}

/// Asks for everything at once.
async fn everything(cx: Context) -> Result<String> {
    let (form, address, model, roots) = tokio::join!(
        cx.elicit::<Name>("Who?"),
        cx.elicit_url("Sign in", "https://example.com/"),
        cx.sample(sampled(true)),
        cx.roots(),
    );
    let accepted = [form?.is_accepted(), address?.is_accepted()];
    Ok(format!("{accepted:?} {} {}", model?.model, roots?.len()))
}

fn by_hand() -> InputRequired {
    let form = RequestedSchema::new([("name", StringSchema::new())]);
    InputRequired::new()
        .ask("form", FormParams::new("Who?", form))
        .ask("address", UrlParams::new("Sign in", "https://example.com/"))
        .ask("model", sampled(true))
        .ask("roots", RootsRequest::new())
}

fn server() -> Server {
    Server::builder("s", "1")
        .tool("await", everything)
        .tool("hand", async || by_hand())
        .tool("models", async |cx: Context| -> Result<String> {
            let (plain, tools) = tokio::join!(cx.sample(sampled(false)), cx.sample(sampled(true)));
            Ok(format!("{} {}", plain?.model, tools?.model))
        })
        .tool("context", async |cx: Context| -> Result<String> {
            Ok(cx.sample(sampled(false).include_context(IncludeContext::ThisServer)).await?.model)
        })
        .tool("given up", async |cx: Context| -> Result<String> {
            tokio::select! {
                biased;
                _ = cx.elicit::<Name>("Who?") => {}
                () = async {} => {}
            }
            Ok(cx.roots().await?.len().to_string())
        })
        .prompt(Prompt::new("await"), async |cx: Context| -> Result<String, ProtocolError> {
            everything(cx).await.map_err(|error| rpc::Error::new(1, error.to_string()).into())
        })
        .build()
        .unwrap()
}

/// The names that stand in a text.
fn names(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Sends a request that cannot be served, and checks what is named.
async fn assert_named(revision: Revision, declared: Value, (method, name): (&str, &str), missing: (Value, &[&str])) {
    let (missing, expected) = missing;
    let mut client = RawClient::connect_as(&server(), revision, declared).await;
    let answer = client.request(method, json!({"name": name})).await;
    let said = match (revision.era(), method) {
        (Era::Modern, _) => {
            assert_eq!(answer["error"]["code"], -32021, "{answer}");
            assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": missing}), "{answer}");
            answer["error"]["message"].as_str().unwrap()
        }
        (Era::Legacy, "tools/call") => {
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            text(&answer)
        }
        (Era::Legacy, _) => {
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            answer["error"]["message"].as_str().unwrap()
        }
    };
    assert_eq!(names(said), expected.iter().copied().collect(), "{revision} {method} {name}: {said}");
}

const ASKING: [(&str, &str); 3] = [("tools/call", "await"), ("tools/call", "hand"), ("prompts/get", "await")];

#[tokio::test]
async fn all_that_a_client_lacks_for_questions_asked_together_is_named_at_once() {
    let all = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}});
    for revision in Revision::ALL {
        let expected: &[&str] = match (revision.has_elicitation(), revision.has_url_elicitation()) {
            (false, _) => &["elicitation", "sampling.tools", "roots"],
            (_, false) => &["elicitation", "elicitation.url", "sampling.tools", "roots"],
            _ => &["elicitation.form", "elicitation.url", "sampling.tools", "roots"],
        };
        for request in ASKING {
            assert_named(revision, json!({}), request, (all.clone(), expected)).await;
        }
    }
}

#[tokio::test]
async fn what_a_client_has_is_not_named_among_what_it_lacks() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        for request in ASKING {
            let missing = json!({"elicitation": {"url": {}}, "sampling": {"tools": {}}, "roots": {}});
            let names: &[&str] = &["elicitation.url", "sampling.tools", "roots"];
            assert_named(revision, json!({"elicitation": {}, "sampling": {}}), request, (missing, names)).await;
            let missing = json!({"elicitation": {"form": {}}, "roots": {}});
            let declared = json!({"elicitation": {"url": {}}, "sampling": {"tools": {}}});
            assert_named(revision, declared, request, (missing, &["elicitation.form", "roots"])).await;
        }
        let missing = json!({"sampling": {"tools": {}}});
        assert_named(revision, json!({}), ("tools/call", "models"), (missing, &["sampling.tools"])).await;
        let missing = json!({"sampling": {"context": {}}});
        assert_named(revision, json!({}), ("tools/call", "context"), (missing, &["sampling.context"])).await;
    }
}

#[tokio::test]
async fn a_question_that_was_taken_back_is_not_missed() {
    for revision in Revision::ALL {
        let request = ("tools/call", "given up");
        assert_named(revision, json!({}), request, (json!({"roots": {}}), &["roots"])).await;
    }
}
