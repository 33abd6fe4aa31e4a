//! Prompts, and the completion of their arguments and of the variables of templates.

use std::borrow::Cow;

use mcpeer::{
    handler::Context,
    model::{
        Content,
        completion::Completion,
        content::Image,
        prompts::{Argument, GetResult, Message},
    },
    server::{Args, BuildError, Completes, Prompt, ProtocolError, ResourceTemplate, Server, Typed, Uri},
    version::{Era, Revision},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peers::{RawClient, plain};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Strict,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    tone: Option<Tone>,
    #[serde(default)]
    lines: u32,
    /// The code to review.
    code: String,
}

fn server() -> Server {
    Server::builder("prompts", "1.0.0")
        .prompt(
            Prompt::new("review").description("Has code reviewed"),
            async |cx: Context, Args(asked): Args<Review>| {
                assert_eq!(cx.method(), "prompts/get");
                let tone = match asked.tone {
                    Some(Tone::Kind) => "kindly",
                    Some(Tone::Strict) => "strictly",
                    None => "somehow",
                };
                format!("Review {tone} {} lines: {}", asked.lines, asked.code)
            },
        )
        .prompt(Prompt::new("talk").arguments([Argument::new("about")]), async || {
            [Message::user("Hello"), Message::assistant("Hi")]
        })
        .prompt(Prompt::new("constructor"), async || {
            GetResult::new([Message::user("a name like any")]).description("d")
        })
        .prompt(Prompt::new("fails"), async || Err::<String, _>("the secret is 42"))
        .prompt(Prompt::new("refuses"), async || Err::<String, _>(ProtocolError::invalid_params("not today")))
        .prompt(Prompt::new("panics"), async || -> String { panic!("the secret is 42") })
        .resource_template(ResourceTemplate::new("repo://{owner}/{name}", "repositories"), async |Uri(uri): Uri| uri)
        .completion(Completes::prompt("review", "tone"), async |typed: Typed| typed.among(["kind", "strict"]))
        .completion(Completes::prompt("review", "lines"), async || (0..250).map(|n| n.to_string()).collect::<Vec<_>>())
        .completion(Completes::prompt("review", "code"), async || {
            Completion::new((0..101).map(|n| n.to_string()).collect::<Vec<_>>())
        })
        .completion(Completes::prompt("talk", "about"), async || Err::<[String; 0], _>("the secret is 42"))
        .completion(Completes::template("repo://{owner}/{name}", "name"), async |typed: Typed, cx: Context| {
            assert_eq!(cx.method(), "completion/complete");
            [format!("{}/{}", typed.other("owner").unwrap_or("?"), typed.value)]
        })
        .build()
        .unwrap()
}

async fn get(client: &mut RawClient, name: &str, arguments: Value) -> Value {
    client.request("prompts/get", json!({"name": name, "arguments": arguments})).await
}

async fn complete(client: &mut RawClient, reference: Value, argument: Value) -> Value {
    client.request("completion/complete", json!({"ref": reference, "argument": argument})).await
}

fn prompt(name: &str) -> Value {
    json!({"type": "ref/prompt", "name": name})
}

/// Params that are as good as absent; the stateless era has none without an envelope.
fn absent(revision: Revision) -> Value {
    if revision.era() == Era::Legacy { Value::Null } else { json!({}) }
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[tokio::test]
async fn prompts_are_written_in_every_revision() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let said = |text: &str| json!([{"role": "user", "content": {"type": "text", "text": text}}]);
        for (arguments, text) in [
            (json!({"code": "x", "tone": "kind", "lines": "12"}), "Review kindly 12 lines: x"),
            (json!({"code": "x", "tone": null, "other": "y"}), "Review somehow 0 lines: x"),
        ] {
            let answer = get(&mut client, "review", arguments).await;
            assert_eq!(plain(answer), json!({"messages": said(text)}), "{revision}");
        }
        let answer = get(&mut client, "constructor", Value::Null).await;
        assert_eq!(plain(answer), json!({"messages": said("a name like any"), "description": "d"}), "{revision}");
        let answer = plain(client.request("prompts/get", json!({"name": "talk"})).await);
        assert_eq!(answer["messages"][1]["role"], "assistant", "{answer}");
    }
}

#[tokio::test]
async fn arguments_come_from_the_handlers_type_unless_the_prompt_names_its_own() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let listed = plain(client.request("prompts/list", absent(revision)).await);
        let review = json!({"name": "review", "description": "Has code reviewed", "arguments": [
            {"name": "tone", "required": false},
            {"name": "lines", "required": false},
            {"name": "code", "description": "The code to review.", "required": true},
        ]});
        assert_eq!(listed["prompts"][0], review, "{revision}");
        assert_eq!(listed["prompts"][1], json!({"name": "talk", "arguments": [{"name": "about"}]}));
        assert_eq!(listed["prompts"][2], json!({"name": "constructor"}));
    }
}

#[tokio::test]
async fn what_cannot_be_written_is_an_error_that_says_why() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (name, arguments, message) in [
            ("none", json!({}), "unknown prompt `none`: `prompts/list` names the prompts"),
            ("__proto__", json!({}), "unknown prompt `__proto__`: `prompts/list` names the prompts"),
            ("review", json!({}), "the prompt `review` needs the argument `code`"),
            ("review", json!({"code": null}), "the prompt `review` needs the argument `code`"),
            ("review", json!({"code": 7}), "`params.arguments.code`: expected a string, found a number"),
            ("review", json!(["x"]), "`params.arguments` must be an object"),
            (
                "review",
                json!({"code": "x", "lines": "many"}),
                "the arguments do not fit the prompt `review`: `lines`: expected an integer of at least 0, found \"many\"",
            ),
            ("refuses", json!({}), "not today"),
        ] {
            let answer = get(&mut client, name, arguments).await;
            assert_eq!((code(&answer), &answer["error"]["message"]), (-32602, &json!(message)), "{revision}");
        }
        for name in ["fails", "panics"] {
            let answer = get(&mut client, name, json!({})).await;
            assert_eq!(code(&answer), -32603, "{revision}");
            assert!(!answer.to_string().contains("42"), "{answer}");
        }
    }
}

#[tokio::test]
async fn arguments_are_completed_by_at_most_a_hundred_values() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let answer = complete(&mut client, prompt("review"), json!({"name": "tone", "value": "S"})).await;
        let expected = json!({"completion": {"values": ["strict"], "total": 1, "hasMore": false}});
        assert_eq!(plain(answer), expected, "{revision}");
        for (argument, total) in [("lines", 250), ("code", 101)] {
            let answer = complete(&mut client, prompt("review"), json!({"name": argument, "value": ""})).await;
            let completion = &answer["result"]["completion"];
            assert_eq!(completion["values"].as_array().unwrap().len(), 100, "{revision}");
            assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(total), &json!(true)), "{revision}");
        }
        // Nobody completes this one.
        let answer = complete(&mut client, prompt("constructor"), json!({"name": "a", "value": ""})).await;
        assert_eq!(plain(answer), json!({"completion": {"values": [], "total": 0, "hasMore": false}}), "{revision}");
    }
}

#[tokio::test]
async fn variables_are_completed_with_what_is_known_of_the_others() {
    let reference = json!({"type": "ref/resource", "uri": "repo://{owner}/{name}"});
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (context, expected) in [
            (Value::Null, "?/ru"),
            (json!({}), "?/ru"),
            (json!({"arguments": null}), "?/ru"),
            (json!({"arguments": {"owner": "rust-lang"}}), "rust-lang/ru"),
        ] {
            let argument = json!({"name": "name", "value": "ru"});
            let params = json!({"ref": reference, "argument": argument, "context": context});
            let answer = client.request("completion/complete", params).await;
            assert_eq!(answer["result"]["completion"]["values"], json!([expected]), "{revision}: {answer}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_completed() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let argument = json!({"name": "a", "value": ""});
        for reference in [
            prompt("none"),
            json!({"type": "ref/resource", "uri": "x://none"}),
            json!({"type": "ref/tool", "name": "review"}),
            json!({}),
            Value::Null,
        ] {
            let answer = complete(&mut client, reference.clone(), argument.clone()).await;
            assert_eq!(code(&answer), -32602, "{reference} at {revision}: {answer}");
        }
        let answer = complete(&mut client, prompt("talk"), json!({"name": "about", "value": ""})).await;
        assert_eq!(code(&answer), -32603, "{revision}");
        assert!(!answer.to_string().contains("42"), "{answer}");
    }
}

#[tokio::test]
async fn only_what_is_offered_is_declared_and_served() {
    let server = Server::builder("bare", "1").build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for method in ["tools/list", "resources/list", "resources/read", "prompts/get", "completion/complete"] {
            let answer = client.request(method, json!({})).await;
            assert_eq!(code(&answer), -32601, "{method} at {revision}");
        }
    }
    let client = crate::peers::connect(crate::peers::builder(), &self::server(), Revision::V2026_07_28).await;
    let declared = serde_json::to_value(client.capabilities()).unwrap();
    let expected = json!({
        "completions": {},
        "prompts": {"listChanged": true},
        "resources": {"listChanged": true, "subscribe": true},
    });
    assert_eq!((client.era(), declared), (Era::Modern, expected));
}

#[test]
fn a_completion_of_nothing_is_refused() {
    let nothing = |completes: Completes| {
        Server::builder("none", "1")
            .prompt(Prompt::new("talk").arguments([Argument::new("about")]), async || "")
            .resource_template(ResourceTemplate::new("a://{b}", "b"), async || "")
            .completion(completes, async || ["x"])
            .build()
    };
    assert!(nothing(Completes::prompt("talk", "about")).is_ok());
    assert!(nothing(Completes::template("a://{b}", "b")).is_ok());
    for completes in
        [Completes::prompt("none", "about"), Completes::prompt("talk", "none"), Completes::template("a://{b}", "c")]
    {
        let error = nothing(completes.clone()).unwrap_err();
        assert_eq!(error, BuildError::NothingToComplete { completes });
    }
    let error = Server::builder("two", "1")
        .prompt(Prompt::new("talk").arguments([Argument::new("about")]), async || "")
        .completion(Completes::prompt("talk", "about"), async || ["x"])
        .completion(Completes::prompt("talk", "about"), async || ["y"])
        .build()
        .unwrap_err();
    assert_eq!(error.to_string(), "two completions are for `about` of the prompt `talk`: leave one out");
}

#[tokio::test]
async fn completions_change_while_the_server_runs() {
    let topic = Completes::prompt("talk", "about");
    let page = Completes::template("docs://{page}", "page");
    let server = Server::builder("dynamic", "1")
        .prompt(Prompt::new("talk").arguments([Argument::new("about")]), || "Hello")
        .resource_template(ResourceTemplate::new("docs://{page}", "docs"), |Uri(uri): Uri| uri)
        .dynamic_completions()
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let mut values = async |reference: Value, name: &str| {
            let answer = complete(&mut client, reference, json!({"name": name, "value": ""})).await;
            answer["result"]["completion"]["values"].clone()
        };
        assert_eq!(values(prompt("talk"), "about").await, json!([]), "{revision}");
        server.completions().add(topic.clone(), || ["cats"]).unwrap();
        server.completions().add(page.clone(), async || ["index"]).unwrap();
        assert_eq!(values(prompt("talk"), "about").await, json!(["cats"]), "{revision}");
        let template = json!({"type": "ref/resource", "uri": "docs://{page}"});
        assert_eq!(values(template, "page").await, json!(["index"]), "{revision}");
        server.completions().replace(topic.clone(), || ["dogs"]).unwrap();
        assert_eq!(values(prompt("talk"), "about").await, json!(["dogs"]), "{revision}");
        assert!(server.completions().remove(&topic) && server.completions().remove(&page));
        assert_eq!(values(prompt("talk"), "about").await, json!([]), "{revision}");
    }
}

#[test]
fn completions_that_cannot_be_are_refused_while_the_server_runs() {
    let topic = Completes::prompt("talk", "about");
    let server = Server::builder("dynamic", "1")
        .prompt(Prompt::new("talk").arguments([Argument::new("about")]), || "Hello")
        .dynamic_completions()
        .build()
        .unwrap();
    let completions = server.completions();
    let missing = completions.replace(topic.clone(), || ["cats"]).unwrap_err();
    assert_eq!(missing.to_string(), "there is no completion of `about` of the prompt `talk`: add it");
    let nothing = completions.add(Completes::prompt("talk", "with"), || ["cats"]).unwrap_err();
    assert_eq!(nothing, BuildError::NothingToComplete { completes: Completes::prompt("talk", "with") });
    completions.add(topic.clone(), || ["cats"]).unwrap();
    let twice = completions.add(topic.clone(), || ["dogs"]).unwrap_err();
    assert_eq!(twice, BuildError::DuplicateCompletion { completes: topic.clone() });
    let undeclared = Server::builder("fixed", "1")
        .prompt(Prompt::new("talk").arguments([Argument::new("about")]), || "Hello")
        .build()
        .unwrap();
    let undeclared = undeclared.completions().add(topic, || ["cats"]).unwrap_err();
    assert_eq!(undeclared, BuildError::NotDeclared { kind: "completions" });
}

#[tokio::test]
async fn whatever_a_handler_of_a_prompt_returns_is_messages() {
    let image = || Content::from(Image::new("AAAA", "image/png"));
    let server = Server::builder("messages", "1")
        .prompt(Prompt::new("text"), || "hello")
        .prompt(Prompt::new("string"), async || "hello".to_owned())
        .prompt(Prompt::new("cow"), || Cow::Borrowed("hello"))
        .prompt(Prompt::new("message"), || Message::user("hello"))
        .prompt(Prompt::new("list"), || vec![Message::user("hello")])
        .prompt(Prompt::new("array"), async || [Message::user("hello")])
        .prompt(Prompt::new("whole"), || GetResult::new([Message::user("hello")]))
        .prompt(Prompt::new("result"), || Ok::<_, ProtocolError>(vec![Message::user("hello")]))
        .prompt(Prompt::new("content"), image)
        .prompt(Prompt::new("both"), async || [Message::user(Content::text("see")), Message::assistant("I see")])
        .build()
        .unwrap();
    let said = |content: Value| json!([{"role": "user", "content": content}]);
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for name in ["text", "string", "cow", "message", "list", "array", "whole", "result"] {
            let answer = get(&mut client, name, Value::Null).await;
            assert_eq!(plain(answer)["messages"], said(json!({"type": "text", "text": "hello"})), "{name} {revision}");
        }
        let content = plain(get(&mut client, "content", Value::Null).await);
        let expected = said(json!({"type": "image", "data": "AAAA", "mimeType": "image/png"}));
        assert_eq!(content["messages"], expected, "{revision}");
        let both = plain(get(&mut client, "both", Value::Null).await);
        assert_eq!(both["messages"][1]["role"], "assistant", "{revision}");
    }
}
