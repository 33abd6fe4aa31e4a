//! What every handler can ask for, whatever it serves, and where it runs.

use std::{
    sync::{Arc, Mutex, mpsc},
    thread,
};

use mcpeer::{
    handler::Context,
    model::{Request, prompts::Argument},
    rpc,
    server::{
        Args, Builder, Claims, Completes, FromContext, Parameter, Params, Principal, Progress, Prompt, ProtocolError,
        Resource, ResourceTemplate, Server, State, Typed, Uri, Variables, blocking, named,
    },
    version::Revision,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peers::{RawClient, text};

#[derive(Deserialize, JsonSchema, Serialize)]
struct Name {
    name: String,
}

enum Greet {}

impl Request for Greet {
    const METHOD: &'static str = "com.example/greet";
    type Params = Name;
    type Result = Name;
}

/// A parameter of one's own, made out of another.
struct Greeting(String);

impl FromContext for Greeting {
    fn from_context(cx: &Context) -> Result<Self, rpc::Error> {
        cx.state().map(Self).ok_or_else(|| ProtocolError::invalid_params("no greeting").0)
    }
}

/// A parameter that is never there.
struct Never;

impl FromContext for Never {
    fn from_context(_: &Context) -> Result<Self, rpc::Error> {
        Err(ProtocolError::invalid_params("never").0)
    }
}

#[derive(Deserialize)]
struct Token {
    scope: String,
}

/// Tells what the parameters hold that every handler can have.
fn told(
    name: &str,
    State(state): &State<u32>,
    Greeting(greeting): &Greeting,
    Principal(who): &Principal,
    Claims(token): &Claims<Token>,
    progress: &Progress,
) -> String {
    let scope = token.as_ref().map(|token| token.scope.as_str());
    format!("{greeting}, {name}! {state} {who:?} {scope:?} {}", progress.is_wanted())
}

const TOLD: &str = "Hi, Ada! 7 None None false";

const TEMPLATE: &str = "greet://{name}";

fn builder() -> Builder {
    Server::builder("extractors", "1").state(7_u32).state("Hi".to_owned())
}

/// The same in every family, async.
fn waiting() -> Server {
    builder()
        .tool(
            "greet",
            async |s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress, a: Args<Name>| {
                told(&a.0.name, &s, &g, &p, &c, &w)
            },
        )
        .prompt(
            Prompt::new("greet"),
            async |a: Args<Name>, w: Progress, c: Claims<Token>, p: Principal, g: Greeting, s: State<u32>| {
                told(&a.0.name, &s, &g, &p, &c, &w)
            },
        )
        .resource_template(
            ResourceTemplate::new(TEMPLATE, "greet"),
            async |s: State<u32>, g: Greeting, v: Variables<Name>, p: Principal, c: Claims<Token>, w: Progress| {
                told(&v.0.name, &s, &g, &p, &c, &w)
            },
        )
        .resource(
            Resource::new("fixed://Ada", "fixed"),
            async |c: Claims<Token>, w: Progress, u: Uri, s: State<u32>, g: Greeting, p: Principal| {
                told(u.0.trim_start_matches("fixed://"), &s, &g, &p, &c, &w)
            },
        )
        .completion(
            Completes::prompt("greet", "name"),
            async |c: Claims<Token>, s: State<u32>, t: Typed, w: Progress, g: Greeting, p: Principal| {
                [told(&t.value, &s, &g, &p, &c, &w)]
            },
        )
        .method::<Greet, _>(
            async |c: Claims<Token>, s: State<u32>, n: Params<Name>, w: Progress, g: Greeting, p: Principal| {
                Ok(Name { name: told(&n.0.name, &s, &g, &p, &c, &w) })
            },
        )
        .build()
        .unwrap()
}

/// The same, done at once, with names.
fn immediate() -> Server {
    let names = ["s", "g", "p", "c", "w", "name"];
    let greet = |s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress, name: String| {
        told(&name, &s, &g, &p, &c, &w)
    };
    builder()
        .tool("greet", named(names, greet))
        .prompt(Prompt::new("greet"), named(names, greet))
        .resource_template(ResourceTemplate::new(TEMPLATE, "greet"), named(names, greet))
        .resource(
            Resource::new("fixed://Ada", "fixed"),
            move |s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress, _: Uri| {
                greet(s, g, p, c, w, "Ada".to_owned())
            },
        )
        .completion(
            Completes::prompt("greet", "name"),
            named(
                names,
                move |s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress, name: String| {
                    [greet(s, g, p, c, w, name)]
                },
            ),
        )
        .method::<Greet, _>(|Params(name): Params<Name>, s: State<u32>, g: Greeting, p: Principal, w: Progress| {
            Ok(Name { name: told(&name.name, &s, &g, &p, &Claims(None), &w) })
        })
        .build()
        .unwrap()
}

/// The same, on threads for blocking work.
fn elsewhere() -> Server {
    let here = thread::current().id();
    let names = ["s", "g", "p", "c", "w", "name"];
    let greet = move |s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress, name: String| {
        assert_ne!(thread::current().id(), here, "it runs elsewhere");
        told(&name, &s, &g, &p, &c, &w)
    };
    builder()
        .tool("greet", blocking(named(names, greet)))
        .prompt(Prompt::new("greet"), blocking(named(names, greet)))
        .resource_template(ResourceTemplate::new(TEMPLATE, "greet"), blocking(named(names, greet)))
        .resource(
            Resource::new("fixed://Ada", "fixed"),
            blocking(move |_: Uri, s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress| {
                greet(s, g, p, c, w, "Ada".to_owned())
            }),
        )
        .completion(
            Completes::prompt("greet", "name"),
            blocking(move |t: Typed, s: State<u32>, g: Greeting, p: Principal, c: Claims<Token>, w: Progress| {
                [greet(s, g, p, c, w, t.value)]
            }),
        )
        .method::<Greet, _>(blocking(move |n: Params<Name>, s: State<u32>, g: Greeting, p: Principal, w: Progress| {
            Ok(Name { name: greet(s, g, p, Claims(None), w, n.0.name) })
        }))
        .build()
        .unwrap()
}

/// Asks a handler of each family, and gives what each told.
async fn ask(client: &mut RawClient) -> Vec<(&'static str, String)> {
    let name = json!({"name": "Ada"});
    let tool = client.call("greet", name.clone()).await;
    let prompt = client.request("prompts/get", json!({"name": "greet", "arguments": name})).await;
    let template = client.request("resources/read", json!({"uri": "greet://Ada"})).await;
    let fixed = client.request("resources/read", json!({"uri": "fixed://Ada"})).await;
    let argument = json!({"name": "name", "value": "Ada"});
    let reference = json!({"type": "ref/prompt", "name": "greet"});
    let completion = client.request("completion/complete", json!({"ref": reference, "argument": argument})).await;
    let own = client.request("com.example/greet", name).await;
    let at = |answer: &Value, pointer: &str| match answer.pointer(pointer) {
        Some(found) => found.as_str().unwrap().to_owned(),
        None => answer.to_string(),
    };
    vec![
        ("tool", text(&tool).to_owned()),
        ("prompt", at(&prompt, "/result/messages/0/content/text")),
        ("template", at(&template, "/result/contents/0/text")),
        ("fixed", at(&fixed, "/result/contents/0/text")),
        ("completion", at(&completion, "/result/completion/values/0")),
        ("own", at(&own, "/result/name")),
    ]
}

#[tokio::test]
async fn every_family_of_handlers_has_the_same_parameters_in_any_order() {
    for (how, server) in [("waiting", waiting()), ("immediate", immediate()), ("elsewhere", elsewhere())] {
        for revision in Revision::ALL {
            let mut client = RawClient::connect(&server, revision).await;
            for (what, told) in ask(&mut client).await {
                assert_eq!(told, TOLD, "{how} {what} {revision}");
            }
        }
    }
}

#[tokio::test]
async fn progress_goes_out_from_every_family() {
    let work = async |progress: Progress| {
        progress.tell(1.0, None, None).await;
        "done"
    };
    let server = Server::builder("progress", "1")
        .tool("work", work)
        .prompt(Prompt::new("work").arguments([Argument::new("a")]), work)
        .resource(Resource::new("work://a", "work"), work)
        .completion(Completes::prompt("work", "a"), async |progress: Progress| {
            progress.tell(1.0, None, None).await;
            ["done"]
        })
        .method::<Greet, _>(async |progress: Progress| {
            progress.tell(1.0, None, None).await;
            Ok(Name { name: "done".to_owned() })
        })
        .build()
        .unwrap();
    let reference = json!({"type": "ref/prompt", "name": "work"});
    let requests = [
        ("tools/call", json!({"name": "work"})),
        ("prompts/get", json!({"name": "work"})),
        ("resources/read", json!({"uri": "work://a"})),
        ("completion/complete", json!({"ref": reference, "argument": {"name": "a", "value": ""}})),
        ("com.example/greet", json!({})),
    ];
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for (method, mut params) in requests.clone() {
            params["_meta"] = json!({"progressToken": method});
            let answer = client.request(method, params).await;
            assert!(answer["result"].is_object(), "{answer}");
            let progress = client.notifications.pop().unwrap_or_else(|| panic!("no progress: {method} {revision}"));
            assert_eq!(progress["params"]["progressToken"], method, "{revision}");
        }
    }
}

#[tokio::test]
async fn a_parameter_that_cannot_be_made_refuses_the_request() {
    let server = Server::builder("never", "1")
        .tool("a", |_: Never| "no")
        .prompt(Prompt::new("a"), |_: Never| "no")
        .resource(Resource::new("a://b", "a"), async |_: Never| "no")
        .method::<Greet, _>(blocking(|_: Never| Ok(Name { name: "no".to_owned() })))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for (method, params) in [
            ("tools/call", json!({"name": "a"})),
            ("prompts/get", json!({"name": "a"})),
            ("resources/read", json!({"uri": "a://b"})),
            ("com.example/greet", json!({})),
        ] {
            let answer = client.request(method, params).await;
            let error = &answer["error"];
            assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!("never")), "{method} {revision}");
        }
    }
}

#[test]
fn state_is_missed_by_every_family_when_the_server_is_made() {
    let new = || Server::builder("state", "1");
    let table = [
        (new().tool("a", |_: State<u64>| ()), "tool `a`"),
        (new().prompt(Prompt::new("a"), |_: State<u64>| ""), "prompt `a`"),
        (new().resource(Resource::new("a://b", "a"), async |_: State<u64>| ""), "resource `a://b`"),
        (
            new().resource_template(ResourceTemplate::new("a://{b}", "a"), blocking(|_: State<u64>| "")),
            "resource template `a://{b}`",
        ),
        (
            new()
                .prompt(Prompt::new("a").arguments([Argument::new("b")]), || "")
                .completion(Completes::prompt("a", "b"), named(["s"], |_: State<u64>| [""])),
            "completion of the prompt `a`",
        ),
        (new().method::<Greet, _>(|_: State<u64>| Ok(Name { name: String::new() })), "method `com.example/greet`"),
    ];
    for (builder, handler) in table {
        let expected = format!("the handler of the {handler} asks for state of the type `u64`: give it to `state`");
        assert_eq!(builder.build().unwrap_err().to_string(), expected);
    }
    let server = new().dynamic_prompts().dynamic_resources().dynamic_tools().build().unwrap();
    assert!(server.tools().add("a", |_: State<u64>| ()).is_err());
    assert!(server.prompts().add(Prompt::new("a"), |_: State<u64>| "").is_err());
    assert!(server.resources().add(Resource::new("a://b", "a"), |_: State<u64>| "").is_err());
}

#[test]
fn names_that_nobody_gives_are_missed_when_the_server_is_made() {
    let new = || Server::builder("names", "1");
    let echo = named(["who"], |who: String| who);
    let table = [
        (new().resource(Resource::new("a://b", "a"), echo.clone()), "resource `a://b`"),
        (new().resource_template(ResourceTemplate::new("a://{b}", "a"), echo), "resource template `a://{b}`"),
        (
            new()
                .prompt(Prompt::new("a"), named(["b"], |b: String| b))
                .completion(Completes::prompt("a", "b"), named(["who"], |who: Option<String>| Vec::from_iter(who))),
            "completion of the prompt `a`",
        ),
    ];
    for (builder, handler) in table {
        let expected =
            format!("the handler of the {handler} asks for `who`, which nobody gives it: rename the parameter");
        assert_eq!(builder.build().unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn texts_by_name_are_read_as_what_their_type_asks_for() {
    let page = |section: String, page: Option<u32>| format!("{section} {page:?}");
    let template = "docs://{section}{?page}";
    let server = Server::builder("names", "1")
        .resource_template(ResourceTemplate::new(template, "docs"), named(["section", "page"], page))
        .prompt(
            Prompt::new("page"),
            named([Parameter::new("section").description("Which one"), Parameter::new("page")], page),
        )
        .completion(
            Completes::template(template, "page"),
            named(["page", "section"], |page: String, section: Option<String>| [format!("{page} of {section:?}")]),
        )
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let read = client.request("resources/read", json!({"uri": "docs://log?page=3"})).await;
        assert_eq!(read["result"]["contents"][0]["text"], "log Some(3)", "{revision}");
        let read = client.request("resources/read", json!({"uri": "docs://log"})).await;
        assert_eq!(read["result"]["contents"][0]["text"], "log None", "{revision}");
        let read = client.request("resources/read", json!({"uri": "docs://log?page=x"})).await;
        let message = "\"docs://log?page=x\" does not fit its template: `page`: expected an integer of at least 0, \
                       found \"x\"";
        assert_eq!(read["error"], json!({"code": -32602, "message": message}), "{revision}");

        let list = client.request("prompts/list", json!({})).await;
        let arguments = json!([
            {"name": "section", "description": "Which one", "required": true},
            {"name": "page", "required": false},
        ]);
        assert_eq!(list["result"]["prompts"][0]["arguments"], arguments, "{revision}");
        let arguments = json!({"section": "log", "page": "4"});
        let got = client.request("prompts/get", json!({"name": "page", "arguments": arguments})).await;
        assert_eq!(got["result"]["messages"][0]["content"]["text"], "log Some(4)", "{revision}");

        let reference = json!({"type": "ref/resource", "uri": template});
        let argument = json!({"name": "page", "value": "1"});
        let context = json!({"arguments": {"section": "log"}});
        let params = json!({"ref": reference, "argument": argument, "context": context});
        let completion = client.request("completion/complete", params).await;
        let expected = match revision >= Revision::V2025_06_18 {
            true => "1 of Some(\"log\")",
            false => completion["result"]["completion"]["values"][0].as_str().unwrap(),
        };
        assert_eq!(completion["result"]["completion"]["values"], json!([expected]), "{revision}");
    }
}

#[tokio::test]
async fn arguments_of_a_prompt_stand_in_the_order_of_the_type() {
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only listed")]
    struct Unsorted {
        zebra: Option<String>,
        #[serde(rename = "monkey")]
        ape: String,
        lion: String,
        #[serde(default)]
        bear: u8,
    }
    let server = Server::builder("order", "1").prompt(Prompt::new("zoo"), |_: Args<Unsorted>| "zoo").build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let list = client.request("prompts/list", json!({})).await;
        let arguments = list["result"]["prompts"][0]["arguments"].as_array().unwrap();
        let arguments: Vec<_> = arguments
            .iter()
            .map(|argument| (argument["name"].as_str().unwrap(), argument["required"] == true))
            .collect();
        assert_eq!(arguments, [("zebra", false), ("monkey", true), ("lion", true), ("bear", false)], "{revision}");
    }
}

/// Each family has a handler that blocks until it is let go on.
#[tokio::test]
async fn blocking_work_of_any_family_holds_up_nothing_else() {
    for revision in Revision::ALL {
        let (go, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let block = move || {
            wait.lock().unwrap().recv().unwrap();
            "at last"
        };
        let server = Server::builder("blocking", "1")
            .tool("now", || "now")
            .prompt(Prompt::new("block"), blocking(block.clone()))
            .resource(Resource::new("block://a", "block"), blocking(block))
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        for (method, params) in
            [("prompts/get", json!({"name": "block"})), ("resources/read", json!({"uri": "block://a"}))]
        {
            let id = client.start(method, params).await;
            assert_eq!(text(&client.call("now", json!({})).await), "now");
            go.send(()).unwrap();
            assert!(client.answer(id).await.to_string().contains("at last"), "{method} {revision}");
        }
    }
}

#[tokio::test]
async fn a_panic_at_once_fails_its_request_alone() {
    let boom = || -> &'static str { panic!("the secret is 42") };
    let server = Server::builder("panics", "1")
        .prompt(Prompt::new("boom"), boom)
        .resource(Resource::new("boom://a", "boom"), boom)
        .method::<Greet, _>(|Params(_): Params<Name>| -> Result<Name, rpc::Error> { panic!("the secret is 42") })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for (method, params) in [
            ("prompts/get", json!({"name": "boom"})),
            ("resources/read", json!({"uri": "boom://a"})),
            ("com.example/greet", json!({"name": "Ada"})),
        ] {
            let answer = client.request(method, params).await;
            assert_eq!(answer["error"]["code"], -32603, "{method} {revision}");
            assert!(!answer.to_string().contains("42"), "{answer}");
        }
    }
}
