//! What our client finds at the servers of the other SDKs, which offer what `conformance/peers/offers.mjs` does.

use std::sync::{Arc, Mutex};

use mcpeer::{
    Result,
    client::{Builder, Change, Client},
    model::{
        completion::{Argument, CompleteParams, Context, PromptReference, Reference, ResourceReference},
        content::Role,
        elicitation::{CreateResult, FormParams, UrlParams},
        logging::{Level, MessageParams},
        resources::{Contents, UpdatedParams},
        roots::Root,
        sampling::{self, CreateParams},
        subscriptions::Filter,
        tools::CallResult,
    },
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::{
    foreign::Sdk,
    served::Over,
    started::{text_of, with_server},
};

const COUNTER: &str = "test://counter";

/// For each revision a test over pipes and one over HTTP: what our client
/// offers, what the connection then speaks.
macro_rules! finds {
    ($module:ident, $sdk:expr; $($name:ident: $offered:expr => $spoken:expr;)+) => {
        mod $module {
            mod over_pipes {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        our_client_finds_everything(Over::Pipe, $sdk, &$offered, $spoken).await;
                    }
                )+
            }
            mod over_http {
                use super::super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        our_client_finds_everything(Over::Http, $sdk, &$offered, $spoken).await;
                    }
                )+
            }
        }
    };
}

finds! { typescript_1, Sdk::TypeScript1;
    a_typescript_1_server_offers_everything_at_2024_11_05: [Revision::V2024_11_05] => Revision::V2024_11_05;
    a_typescript_1_server_offers_everything_at_2025_03_26: [Revision::V2025_03_26] => Revision::V2025_03_26;
    a_typescript_1_server_offers_everything_at_2025_06_18: [Revision::V2025_06_18] => Revision::V2025_06_18;
    a_typescript_1_server_offers_everything_at_2025_11_25: [Revision::V2025_11_25] => Revision::V2025_11_25;
}

finds! { typescript_2, Sdk::TypeScript2;
    a_typescript_2_server_offers_everything_at_2024_11_05: [Revision::V2024_11_05] => Revision::V2024_11_05;
    a_typescript_2_server_offers_everything_at_2025_03_26: [Revision::V2025_03_26] => Revision::V2025_03_26;
    a_typescript_2_server_offers_everything_at_2025_06_18: [Revision::V2025_06_18] => Revision::V2025_06_18;
    a_typescript_2_server_offers_everything_at_2025_11_25: [Revision::V2025_11_25] => Revision::V2025_11_25;
    a_typescript_2_server_offers_everything_at_2026_07_28: [Revision::V2026_07_28] => Revision::V2026_07_28;
    a_typescript_2_server_offers_everything_in_the_era_that_we_find: Revision::ALL => Revision::V2026_07_28;
}

finds! { python, Sdk::Python;
    a_python_server_offers_everything_at_2024_11_05: [Revision::V2024_11_05] => Revision::V2024_11_05;
    a_python_server_offers_everything_at_2025_03_26: [Revision::V2025_03_26] => Revision::V2025_03_26;
    a_python_server_offers_everything_at_2025_06_18: [Revision::V2025_06_18] => Revision::V2025_06_18;
    a_python_server_offers_everything_at_2025_11_25: [Revision::V2025_11_25] => Revision::V2025_11_25;
    a_python_server_offers_everything_at_2026_07_28: [Revision::V2026_07_28] => Revision::V2026_07_28;
    a_python_server_offers_everything_in_the_era_that_we_find: Revision::ALL => Revision::V2026_07_28;
}

finds! { rmcp, Sdk::Rmcp;
    an_rmcp_server_offers_everything_at_2024_11_05: [Revision::V2024_11_05] => Revision::V2024_11_05;
    an_rmcp_server_offers_everything_at_2025_03_26: [Revision::V2025_03_26] => Revision::V2025_03_26;
    an_rmcp_server_offers_everything_at_2025_06_18: [Revision::V2025_06_18] => Revision::V2025_06_18;
    an_rmcp_server_offers_everything_at_2025_11_25: [Revision::V2025_11_25] => Revision::V2025_11_25;
    an_rmcp_server_offers_everything_at_2026_07_28: [Revision::V2026_07_28] => Revision::V2026_07_28;
    an_rmcp_server_offers_everything_in_the_era_that_we_find: Revision::ALL => Revision::V2026_07_28;
}

async fn our_client_finds_everything(over: Over, sdk: Sdk, offered: &[Revision], spoken: Revision) {
    let Some(server) = sdk.server() else { return };
    let seen = Seen::default();
    let builder = seen.heard_by(Client::builder("interop_client", "1.0.0").revisions(offered.iter().copied()));
    with_server(over, &server.with(&["features"]), builder, async |client| {
        assert_eq!(client.revision(), spoken);
        resources(&client, sdk).await;
        prompts(&client).await;
        completion(&client).await;
        logs(&client, &seen).await;
        questions(&client, &seen, sdk).await;
        watched(&client).await;
        subscribed(&client, &seen).await;
    })
    .await;
}

async fn resources(client: &Client, sdk: Sdk) {
    let mut listed: Vec<_> =
        client.resources().all().await.expect("a list").into_iter().map(|found| found.uri).collect();
    listed.sort_unstable();
    assert_eq!(listed, ["test://bytes", COUNTER, "test://greeting"]);

    assert_eq!(read(client, "test://greeting").await, "hello");
    assert_eq!(read(client, "test://item/alpha").await, "item alpha");
    let bytes = client.read("test://bytes").await.expect("some bytes").contents;
    let [Contents::Blob(bytes)] = &*bytes else { panic!("not bytes: {bytes:?}") };
    assert_eq!((&*bytes.blob, bytes.mime_type.as_deref()), ("AAEC/w==", Some("application/octet-stream")));

    let missing = client.read("test://missing").await.expect_err("there is none");
    // In the stateful era it is -32002; most of these SDKs say in both what the stateless one says.
    let is_right = matches!(sdk, Sdk::Rmcp) && client.era() == Era::Legacy;
    assert_eq!(missing.rpc().expect("the server's error").code, if is_right { -32002 } else { -32602 });

    let templates = client.resource_templates().all().await.expect("a list");
    let templates: Vec<_> = templates.iter().map(|found| (&*found.uri_template, &*found.name)).collect();
    assert_eq!(templates, [("test://item/{id}", "item"), ("test://asked/{how}", "asked")]);
}

async fn read(client: &Client, uri: &str) -> String {
    match &*client.read(uri).await.expect("it can be read").contents {
        [Contents::Text(text)] => text.text.clone(),
        other => panic!("not a text: {other:?}"),
    }
}

async fn prompts(client: &Client) {
    let listed = client.prompts().all().await.expect("a list");
    let [greet, asked] = &*listed else { panic!("not two prompts: {listed:?}") };
    assert_eq!(asked.name, "asked");
    let arguments = greet.arguments.iter().flatten();
    let arguments: Vec<_> =
        arguments.map(|argument| (&*argument.name, argument.required.unwrap_or_default())).collect();
    assert_eq!((&*greet.name, &*arguments), ("greet", &[("name", true), ("style", false)][..]));

    for (arguments, text) in
        [(json!({"name": "Ada", "style": "formal"}), "Greet Ada, formal"), (json!({"name": "Ada"}), "Greet Ada, plain")]
    {
        let messages = client.prompt("greet", &arguments).await.expect("messages").messages;
        let messages: Vec<_> = messages.iter().map(|said| (&said.role, said.content.as_text())).collect();
        assert_eq!(messages, [(&Role::User, Some(text)), (&Role::Assistant, Some("With pleasure."))]);
    }
    assert!(client.prompt("greet", &json!({})).await.expect_err("it needs a name").rpc().is_some());
}

async fn completion(client: &Client) {
    let complete = async |reference: Reference, name: &str, typed: &str, known: Option<(&str, &str)>| {
        let params = CompleteParams::new(reference, Argument::new(name, typed));
        let params = match known {
            None => params,
            Some(known) => params.context(Context::new().arguments([known])),
        };
        client.complete(&params).await.expect("a completion").completion.values
    };
    let greet = || PromptReference::new("greet").into();
    assert_eq!(complete(ResourceReference::new("test://item/{id}").into(), "id", "al", None).await, ["alpha", "alps"]);
    assert_eq!(complete(greet(), "name", "a", None).await, ["ada", "alan"]);
    assert_eq!(complete(greet(), "style", "f", Some(("name", "ada"))).await, ["formal", "friendly"]);
}

async fn logs(client: &Client, seen: &Seen) {
    let all = [
        ("debug", json!("quiet")),
        ("info", json!({"step": 1})),
        ("warning", json!("careful")),
        ("error", json!("broken")),
    ];
    let logged = async |level: Option<Level>| {
        seen.logs.lock().expect("no test failed").clear();
        let call = client.call("log").arguments(&json!({}));
        let call = match level {
            Some(level) => call.log_level(level),
            None => call,
        };
        call.await.expect("it logs");
        let logs = seen.logs.lock().expect("no test failed").clone();
        logs.into_iter()
            .map(|message| {
                assert_eq!(message.logger.as_deref(), Some("features"));
                (message.level.as_str().to_owned(), serde_json::to_value(&message.data).expect("JSON"))
            })
            .collect::<Vec<_>>()
    };
    let expected =
        |from: usize| all[from..].iter().map(|(level, data)| ((*level).to_owned(), data.clone())).collect::<Vec<_>>();
    if client.era() == Era::Modern {
        assert_eq!(logged(None).await, [], "nobody asked for any");
        assert_eq!(logged(Some(Level::Info)).await, expected(1), "one call asked for some");
        assert_eq!(logged(None).await, [], "that was for one call");
    }
    for (level, from) in [(Level::Warning, 2), (Level::Debug, 0)] {
        client.set_log_level(level).await.expect("the server logs");
        assert_eq!(logged(None).await, expected(from));
    }
}

async fn questions(client: &Client, seen: &Seen, sdk: Sdk) {
    let call = async |tool: &str, how: &str| {
        seen.asked.lock().expect("no test failed").clear();
        client.call(tool).arguments(&json!({"how": how})).await
    };
    let text = |outcome: Result<CallResult>| text_of(&outcome.expect("a result")).to_owned();
    let asked = || {
        let mut asked = seen.asked.lock().expect("no test failed").clone();
        asked.sort_unstable();
        asked
    };
    let has_forms = client.revision() >= Revision::V2025_06_18;
    if has_forms {
        for how in ["accept", "decline", "cancel"] {
            let answer: Value = serde_json::from_str(&text(call("form", how).await)).expect("the answer, as JSON");
            // What was left out has its default.
            let filled = json!({"name": "Ada", "age": 36, "colour": "blue", "member": false});
            assert_eq!((&answer["action"], answer.get("content")), (&json!(how), (how == "accept").then_some(&filled)));
        }
        assert_eq!(text(call("interview", "accept").await), "Ada at file:///work: Greet Ada!");
        assert_eq!(asked(), ["Greet Ada", "Who are you? (accept)", "roots"]);
    } else {
        for tool in ["form", "interview"] {
            cannot_ask(call(tool, "accept").await, sdk);
        }
    }
    elsewhere(client, has_forms).await;
    for how in ["accept", "decline"] {
        let outcome = call("address", how).await;
        if client.revision() >= Revision::V2025_11_25 {
            assert_eq!(text(outcome), how);
            assert_eq!(asked(), ["https://example.com/login"]);
        } else {
            assert!(outcome.expect("a result").is_failed());
        }
    }
    assert_eq!(text(call("sample", "").await), "small-1: Be brief. Hello!");
    let tea = call("use_tools", "").await;
    if client.revision() >= Revision::V2025_11_25 {
        assert_eq!(text(tea), "It is a drink, says look_up");
    } else {
        cannot_ask(tea, sdk);
    }
    assert_eq!(text(call("roots", "").await), "file:///work work, file:///play -");
    client.roots_changed().await.expect("the connection lives");
    if client.era() == Era::Legacy {
        assert_eq!(text(call("roots_changed", "").await), "1");
    }
}

/// Prompts and resources ask, too.
async fn elsewhere(client: &Client, has_forms: bool) {
    for (how, told) in [("accept", "You are Ada"), ("decline", "You are nobody")] {
        let prompt = client.prompt("asked", &json!({"how": how})).await;
        let resource = client.read(format!("test://asked/{how}")).await;
        if has_forms {
            assert_eq!(prompt.expect("messages").messages[0].content.as_text(), Some(told));
            let contents = resource.expect("contents").contents;
            assert!(matches!(&*contents, [Contents::Text(text)] if text.text == told), "{contents:?}");
        } else {
            assert!(prompt.expect_err("nobody can be asked").rpc().is_some());
            assert!(resource.expect_err("nobody can be asked").rpc().is_some());
        }
    }
}

/// The client has declared no forms, since the revision has none.
fn cannot_ask(outcome: Result<CallResult>, sdk: Sdk) {
    match (sdk, outcome) {
        // This SDK says it as in the stateless era.
        (Sdk::Python, Err(error)) => assert_eq!(error.rpc().expect("the server's error").code, -32021),
        (Sdk::TypeScript1 | Sdk::TypeScript2 | Sdk::Rmcp, Ok(result)) => assert!(result.is_failed()),
        (_, other) => panic!("a question that cannot be asked gave {other:?}"),
    }
}

/// Watches all that changes.
async fn watched(client: &Client) {
    let filter = Filter::new()
        .tools_list_changed(true)
        .prompts_list_changed(true)
        .resources_list_changed(true)
        .resource_subscriptions([COUNTER.to_owned()]);
    let mut watch = client.watch(filter.clone()).await.expect("it can be watched");
    assert_eq!(watch.honoured(), filter);

    assert_eq!(call(client, "change").await, "1");
    assert_eq!(watch.next().await, Some(Change::Resource { uri: COUNTER.to_owned() }));
    assert_eq!(read(client, COUNTER).await, "1");

    for (what, change) in [("tool", Change::Tools), ("prompt", Change::Prompts), ("resource", Change::Resources)] {
        client.call("extend").arguments(&json!({"what": what})).await.expect("it is added");
        assert_eq!(watch.next().await, Some(change));
        let names: Vec<String> = match what {
            "tool" => client.tools().all().await.expect("a list").into_iter().map(|found| found.name).collect(),
            "prompt" => client.prompts().all().await.expect("a list").into_iter().map(|found| found.name).collect(),
            _ => client.resources().all().await.expect("a list").into_iter().map(|found| found.name).collect(),
        };
        assert!(names.iter().any(|name| name == "added"), "there are {names:?}");
    }
    assert_eq!(call(client, "added").await, "added");
}

/// Subscribes without a watch, where the era has that.
async fn subscribed(client: &Client, seen: &Seen) {
    let updates = || seen.updates.lock().expect("no test failed").clone();
    if client.era() == Era::Modern {
        assert!(client.subscribe(COUNTER).await.expect_err("this era listens").is_misuse());
    } else {
        client.subscribe(COUNTER).await.expect("the server takes subscriptions");
        call(client, "change").await;
        // It came before the answer, or comes before the next one.
        call(client, "added").await;
        assert_eq!(updates(), [COUNTER]);
        client.unsubscribe(COUNTER).await.expect("it has been subscribed to");
        seen.updates.lock().expect("no test failed").clear();
    }
    // The watch of before is over, too.
    call(client, "added").await;
    call(client, "change").await;
    call(client, "added").await;
    assert_eq!(updates(), Vec::<String>::new());
}

async fn call(client: &Client, tool: &str) -> String {
    text_of(&client.call(tool).arguments(&json!({})).await.expect("a result")).to_owned()
}

/// What a server asked and said.
#[derive(Clone, Default)]
pub(super) struct Seen {
    pub(super) asked: Arc<Mutex<Vec<String>>>,
    pub(super) logs: Arc<Mutex<Vec<MessageParams>>>,
    pub(super) updates: Arc<Mutex<Vec<String>>>,
}

impl Seen {
    /// Lets a client answer as the questions say: each ends in the action that is wanted, in brackets.
    fn heard_by(&self, builder: Builder) -> Builder {
        let Self { asked, logs, updates } = self.clone();
        let ask = move |text: &str| asked.lock().expect("no test failed").push(text.to_owned());
        let (form, address, sample) = (ask.clone(), ask.clone(), ask.clone());
        builder
            .on_elicit(move |question: FormParams| {
                form(&question.message);
                std::future::ready(match wanted(&question.message) {
                    "accept" => {
                        CreateResult::accept([("name", json!("Ada")), ("age", json!(36)), ("colour", json!("blue"))])
                    }
                    "decline" => CreateResult::decline(),
                    _ => CreateResult::cancel(),
                })
            })
            .on_elicit_url(move |question: UrlParams| {
                address(&question.url);
                std::future::ready(match wanted(&question.message) {
                    "accept" => CreateResult::accept([] as [(&str, Value); 0]),
                    _ => CreateResult::decline(),
                })
            })
            .on_sample(move |question: CreateParams| {
                let said = |said: sampling::Contents| sampling::CreateResult::new(Role::Assistant, said, "small-1");
                let last = question.messages.last().expect("there is one").content.as_slice();
                std::future::ready(match (last, question.tools.as_deref()) {
                    ([sampling::Content::ToolResult(found)], _) => {
                        said(format!("It is {}", found.content[0].as_text().expect("a text")).into())
                    }
                    (_, Some([tool])) => {
                        let used = sampling::ToolUse::new("use-1", &*tool.name, [("word", "tea")]);
                        said(used.into()).stop_reason(sampling::StopReason::ToolUse)
                    }
                    ([sampling::Content::Text(text)], None) => {
                        sample(&text.text);
                        let prompt = question.system_prompt.as_deref().unwrap_or_default();
                        said(format!("{prompt}{}!", text.text).into())
                    }
                    _ => panic!("nobody expected {question:?}"),
                })
            })
            .sampling_tools()
            .on_roots(move || {
                ask("roots");
                std::future::ready(vec![Root::new("file:///work").name("work"), Root::new("file:///play")])
            })
            .on_log(move |message| logs.lock().expect("no test failed").push(message))
            .on_notification(move |notification| {
                if notification.method == "notifications/resources/updated" {
                    let params: UpdatedParams =
                        notification.params.expect("it has params").decode().expect("they name the resource");
                    updates.lock().expect("no test failed").push(params.uri);
                }
            })
    }
}

fn wanted(question: &str) -> &str {
    let wanted = question.strip_suffix(')').and_then(|question| question.rsplit_once('('));
    wanted.expect("the question says what the user is to do").1
}
