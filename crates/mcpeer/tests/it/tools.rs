//! Tools: how they are declared, listed and called.

use std::{convert::Infallible, fmt, io};

use mcpeer::{
    handler::Context,
    model::{logging::Level, tools::CallResult},
    rpc,
    server::{Args, BuildError, FromCall, Json, ProtocolError, Server, Tool, ToolCall, ToolResult},
    version::{Era, Revision},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peers::{RawClient, plain, text};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    /// How many.
    count: u8,
    note: Option<String>,
    #[serde(default)]
    lines: Vec<Line>,
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

struct Who(String);

impl FromCall for Who {
    fn from_call(call: &ToolCall<'_>, _: &Context) -> Result<Self, ToolResult> {
        if call.arguments().is_some() {
            Err(ToolResult::error("no arguments, please"))
        } else {
            Ok(Self(call.name().into()))
        }
    }
}

async fn add(cx: Context, Args(add): Args<Add>) -> Result<String, Infallible> {
    assert_eq!(cx.method(), "tools/call");
    Ok((add.a + add.b).to_string())
}

fn server() -> Server {
    Server::builder("tools", "1.0.0")
        .tool("add", add)
        .tool("reversed", async |Args(add): Args<Add>, _: Context| (add.a + add.b).to_string())
        .tool("sync", |Args(add): Args<Add>| (add.a + add.b).to_string())
        .tool("order", async |Args(order): Args<Order>| {
            format!(
                "{} {:?} {}",
                order.count,
                order.note,
                order.lines.iter().map(|line| &*line.text).collect::<String>()
            )
        })
        .tool("nothing", async || ())
        .tool("static", async || "text")
        .tool("json", async |Args(add): Args<Add>| Json(Sum { sum: add.a + add.b }))
        .tool("whole", async || CallResult::new([]))
        .tool("fails", async || Err::<(), _>(io::Error::other("the disk is \"full\"")))
        .tool("refuses", async || {
            Err::<String, _>(ProtocolError(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "the vault is sealed")))
        })
        .tool("both", async || Ok::<_, ProtocolError>(Err::<String, _>("not today")))
        .tool("panics", async || -> String { panic!("the secret is 42") })
        .tool("panics at once", || -> String { panic!("the secret is 42") })
        .tool("who", async |Who(who): Who| who)
        .build()
        .unwrap()
}

#[tokio::test]
async fn handlers_take_their_parameters_in_any_order_in_every_revision() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for name in ["add", "reversed", "sync"] {
            let answer = client.call(name, json!({"a": 1, "b": 2.5})).await;
            assert_eq!(plain(answer), json!({"content": [{"type": "text", "text": "3.5"}]}), "{name} at {revision}");
        }
    }
}

#[tokio::test]
async fn whatever_a_handler_returns_is_a_result() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let mut call = async |name: &str| plain(client.request("tools/call", json!({"name": name})).await);
        assert_eq!(call("nothing").await, json!({"content": []}));
        assert_eq!(call("whole").await, json!({"content": []}));
        assert_eq!(call("static").await, json!({"content": [{"type": "text", "text": "text"}]}));
        assert_eq!(
            call("fails").await,
            json!({"content": [{"type": "text", "text": "the disk is \"full\""}], "isError": true})
        );
        assert_eq!(call("both").await, json!({"content": [{"type": "text", "text": "not today"}], "isError": true}));
        assert_eq!(call("who").await, json!({"content": [{"type": "text", "text": "who"}]}));
    }
}

#[tokio::test]
async fn structured_content_goes_out_as_text_too() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let result = plain(client.call("json", json!({"a": 1, "b": 2})).await);
        assert_eq!(result["content"], json!([{"type": "text", "text": "{\"sum\":3.0}"}]));
        let has_structure = result.get("structuredContent").is_some();
        assert_eq!(has_structure, revision >= Revision::V2025_06_18, "{revision}");
        if has_structure {
            assert_eq!(result["structuredContent"], json!({"sum": 3.0}));
        }
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model_by_member() {
    let table = [
        (json!({"count": "x"}), "`arguments.count`: expected an integer from 0 to 255, found string \"x\""),
        (json!({"count": 256}), "`arguments.count`: expected an integer from 0 to 255, found integer `256`"),
        (json!({"note": "n"}), "`arguments.count` is missing"),
        (json!({}), "`arguments.count` is missing"),
        (json!({"count": 1, "lines": [{"text": "a"}, {}]}), "`arguments.lines[1].text` is missing"),
        (json!({"count": 1, "note": []}), "`arguments.note`: expected a string, found an array"),
    ];
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (arguments, reason) in &table {
            let answer = client.call("order", arguments.clone()).await;
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            assert_eq!(text(&answer), format!("the arguments do not fit the tool `order`: {reason}"), "{revision}");
        }
    }
}

#[tokio::test]
async fn whole_numbers_may_be_written_with_a_fraction_of_zeros() {
    let refused =
        "the arguments do not fit the tool `order`: `arguments.count`: expected an integer from 0 to 255, found ";
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let answer = client.call("order", json!({"count": 3.0, "note": "1.0", "lines": [{"text": "2.0"}]})).await;
        assert_eq!(text(&answer), "3 Some(\"1.0\") 2.0", "{revision}");
        for (arguments, found) in [
            (json!({"count": 3.5}), "number `3.5`"),
            (json!({"count": 256.0}), "integer `256`"),
            (json!({"count": -1.0}), "integer `-1`"),
        ] {
            let answer = client.call("order", arguments).await;
            assert_eq!(text(&answer), format!("{refused}{found}"), "{revision}");
        }
        let answer = client.call("order", json!({"count": 1.0, "note": []})).await;
        assert!(text(&answer).ends_with("`arguments.note`: expected a string, found an array"), "{answer}");
    }
}

#[tokio::test]
async fn optional_arguments_may_be_null_or_absent() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for arguments in [json!({"count": 1}), json!({"count": 1, "note": null})] {
            let answer = client.call("order", arguments).await;
            assert_eq!(text(&answer), "1 None ");
        }
    }
}

#[tokio::test]
async fn params_that_do_not_fit_the_method_are_protocol_errors_that_name_the_member() {
    let table = [
        ("tools/call", json!({}), "`params.name` is missing"),
        ("tools/call", json!({"arguments": {}}), "`params.name` is missing"),
        ("tools/call", json!({"name": 7}), "`params.name`: expected a string, found a number"),
        (
            "tools/call",
            json!({"name": "add", "arguments": [1]}),
            "`params.arguments`: expected an object, found an array",
        ),
        (
            "tools/call",
            json!({"name": "add", "arguments": "{}"}),
            "`params.arguments`: expected an object, found a string",
        ),
        ("tools/call", json!({"name": "ad"}), "unknown tool `ad`: `tools/list` names the tools"),
        ("tools/call", json!({"name": "Add"}), "unknown tool `Add`: `tools/list` names the tools"),
        ("tools/call", json!({"name": ""}), "unknown tool ``: `tools/list` names the tools"),
        ("tools/list", json!({"cursor": 1}), "`params.cursor`: expected a string, found a number"),
    ];
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for (method, params, message) in &table {
            let answer = client.request(method, params.clone()).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert_eq!(answer["error"]["message"], *message, "{revision}");
        }
    }
}

#[tokio::test]
async fn params_of_another_type_keep_the_method_and_the_id() {
    let mut client = RawClient::connect(&server(), Revision::V2025_11_25).await;
    for method in ["tools/call", "tools/list"] {
        let answer = client.request(method, json!([1])).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 70, "method": "tools/call"})).await;
    assert_eq!(client.answer(70).await["error"]["code"], -32602);
}

#[tokio::test]
async fn an_error_of_the_protocol_is_no_result() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let answer = client.call("refuses", json!({})).await;
        assert_eq!(answer["error"], json!({"code": -32603, "message": "the vault is sealed"}), "{revision}");
    }
}

#[tokio::test]
async fn a_panic_fails_its_call_alone_and_says_nothing() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        for name in ["panics", "panics at once"] {
            let answer = client.call(name, json!({})).await;
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
            assert!(!answer.to_string().contains("42"), "{answer}");
        }
        assert_eq!(text(&client.call("add", json!({"a": 1, "b": 1})).await), "2");
    }
}

#[tokio::test]
async fn input_schemas_are_plain() {
    let mut client = RawClient::connect(&server(), Revision::V2026_07_28).await;
    let list = client.request("tools/list", json!({})).await;
    let schema = |name: &str| {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"].clone()
    };
    assert_eq!(
        schema("order"),
        json!({"type": "object", "required": ["count"], "properties": {
            "count": {"type": "integer", "minimum": 0, "maximum": 255, "description": "How many."},
            "note": {"type": "string"},
            "lines": {"type": "array", "items": {
                "type": "object", "required": ["text"], "properties": {"text": {"type": "string"}},
            }},
        }})
    );
    assert_eq!(schema("nothing"), json!({"type": "object", "properties": {}, "additionalProperties": false}));
}

#[tokio::test]
async fn a_tool_tells_what_it_was_given() {
    let tool = Tool::new("sum")
        .title("Sum")
        .description("Adds")
        .read_only()
        .idempotent()
        .destructive(false)
        .open_world(false)
        .output::<Sum>();
    let server = Server::builder("tools", "1.0.0")
        .tool(tool, async |Args(add): Args<Add>| Json(Sum { sum: add.a + add.b }))
        .build()
        .unwrap();
    let mut client = RawClient::connect(&server, Revision::V2026_07_28).await;
    let list = client.request("tools/list", json!({})).await;
    assert_eq!(
        list["result"]["tools"],
        json!([{
            "name": "sum",
            "title": "Sum",
            "description": "Adds",
            "annotations":
                {"readOnlyHint": true, "idempotentHint": true, "destructiveHint": false, "openWorldHint": false},
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                "required": ["a", "b"],
            },
            "outputSchema": {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]},
        }])
    );
}

#[tokio::test]
async fn pages_hold_every_tool_once_in_the_order_of_declaration() {
    let names: Vec<_> = (0..7).map(|number| format!("tool{number}")).collect();
    for (page_size, expected_pages) in [(1, 7), (3, 3), (7, 1), (50, 1)] {
        let builder = Server::builder("pages", "1.0.0").page_size(page_size);
        let server =
            names.iter().fold(builder, |builder, name| builder.tool(name.as_str(), async || ())).build().unwrap();
        for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
            let mut client = RawClient::connect(&server, revision).await;
            let mut found = Vec::new();
            let mut pages = 0;
            let mut cursor = Value::Null;
            loop {
                let list = client.request("tools/list", json!({"cursor": cursor})).await;
                pages += 1;
                let tools = list["result"]["tools"].as_array().unwrap_or_else(|| panic!("{list}"));
                found.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
                match list["result"].get("nextCursor") {
                    Some(next) => cursor = next.clone(),
                    None => break,
                }
            }
            assert_eq!((&found, pages), (&names, expected_pages), "{page_size} at {revision}");
        }
    }
}

#[tokio::test]
async fn cursors_of_another_list_are_refused() {
    let server = server();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for cursor in ["", "1", "1-0000000000000000", "2"] {
            let answer = client.request("tools/list", json!({"cursor": cursor})).await;
            assert_eq!(answer["error"]["code"], -32602, "{cursor}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_server_without_tools_has_no_methods_for_them() {
    let server = Server::builder("empty", "1.0.0").build().unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        for method in ["tools/list", "tools/call"] {
            assert_eq!(client.request(method, json!({})).await["error"]["code"], -32601, "{method} at {revision}");
        }
    }
}

#[tokio::test]
async fn progress_comes_before_the_answer_and_only_where_it_was_asked_for() {
    let server = Server::builder("progress", "1.0.0")
        .tool("work", async |cx: Context| {
            for step in 1..=3 {
                cx.progress(f64::from(step), Some(3.0), Some("working")).await;
            }
            "done"
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let answer = client.request("tools/call", json!({"name": "work", "_meta": {"progressToken": "t"}})).await;
        assert_eq!(text(&answer), "done");
        let progress: Vec<_> = client.notifications.drain(..).collect();
        assert_eq!(progress.len(), 3, "{progress:?}");
        for (step, notification) in (1..).zip(&progress) {
            assert_eq!(notification["method"], "notifications/progress");
            assert_eq!(notification["params"]["progressToken"], "t");
            assert_eq!(notification["params"]["progress"], f64::from(step));
        }
        assert_eq!(text(&client.call("work", json!({})).await), "done");
        assert_eq!(client.notifications, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_cancelled_call_is_told_so_and_not_answered() {
    for revision in Revision::ALL {
        let (ended, mut has_ended) = tokio::sync::mpsc::unbounded_channel();
        let server = Server::builder("cancel", "1.0.0")
            .tool("wait", move |cx: Context| {
                let ended = ended.clone();
                async move {
                    cx.cancelled().await;
                    ended.send(cx.is_cancelled()).unwrap();
                    "too late"
                }
            })
            .tool("now", async || "now")
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let id = client.start("tools/call", json!({"name": "wait"})).await;
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        client.send(&cancelled).await;
        assert_eq!(has_ended.recv().await, Some(true));
        // `answer` fails on an answer to anything else.
        assert_eq!(text(&client.call("now", json!({})).await), "now", "{revision}");
    }
}

#[tokio::test]
async fn log_messages_obey_the_level_that_the_client_set() {
    let server = Server::builder("log", "1.0.0")
        .logging()
        .tool("work", async |cx: Context| {
            cx.log(Level::Debug, "fine print").await;
            cx.log(Level::Error, "smoke").await;
            "done"
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let mut params = json!({"name": "work"});
        if revision.era() == Era::Legacy {
            let answer = client.request("logging/setLevel", json!({"level": "warning"})).await;
            assert!(answer.get("result").is_some(), "{answer}");
        } else {
            params["_meta"] = json!({"io.modelcontextprotocol/logLevel": "warning"});
        }
        let answer = client.request("tools/call", params).await;
        assert_eq!(text(&answer), "done");
        let data: Vec<_> = client.notifications.iter().map(|message| message["params"]["data"].clone()).collect();
        assert_eq!(data, [json!("smoke")], "{revision}");
    }
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let error = Server::builder("twice", "1").tool("a", async || ()).tool("b", async || ()).tool("a", async || ());
    let error = error.build().unwrap_err();
    assert_eq!(error, BuildError::DuplicateTool { name: "a".into() });
    assert_eq!(error.to_string(), "two tools are named `a`: rename one");
}

#[test]
fn arguments_without_names_are_refused() {
    let error = Server::builder("text", "1").tool("a", async |Args(text): Args<String>| text).build().unwrap_err();
    let expected = "the arguments of the tool `a` are of type \"string\": give `Args` a type with named fields";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_handler_takes_up_to_six_parameters() {
    struct Part;

    impl FromCall for Part {
        fn from_call(_: &ToolCall<'_>, _: &Context) -> Result<Self, ToolResult> {
            Ok(Self)
        }
    }

    async fn six(_: Part, _: Part, _: Part, _: Part, _: Part, _: Part) {}
    assert!(Server::builder("six", "1").tool("six", six).build().is_ok());
}

#[test]
fn any_error_that_can_be_displayed_will_do() {
    struct Odd;

    impl fmt::Display for Odd {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("odd")
        }
    }

    assert!(Server::builder("odd", "1").tool("odd", async || Err::<String, _>(Odd)).build().is_ok());
}
