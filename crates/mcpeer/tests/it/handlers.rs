//! Handlers of tools: what they can ask for, what they can return, and where they run.

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use mcpeer::{
    handler::Context,
    model::{
        Content,
        content::{Audio, EmbeddedResource, Image, ResourceLink},
        resources::TextContents,
        tools::CallResult,
    },
    rpc,
    server::{Args, Json, Principal, Progress, ProtocolError, Server, State, Tool, blocking},
    version::Revision,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peers::{RawClient, plain, text};

#[derive(Deserialize, JsonSchema)]
struct Number {
    number: u32,
}

#[derive(Serialize, JsonSchema)]
struct Double {
    double: u32,
}

#[tokio::test]
async fn handlers_share_state_by_its_type() {
    let server = Server::builder("state", "1")
        .state("ignored")
        .state("second")
        .state(Arc::new(AtomicU32::new(7)))
        .tool("next", async |State(count): State<Arc<AtomicU32>>, Args(step): Args<Number>| {
            count.fetch_add(step.number, Ordering::Relaxed).to_string()
        })
        .tool("text", |text: State<&'static str>| *text)
        .tool("blocking", blocking(|State(count): State<Arc<AtomicU32>>| count.load(Ordering::Relaxed).to_string()))
        .build()
        .unwrap();
    let mut expected = 7;
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("next", json!({"number": 3})).await), expected.to_string());
        expected += 3;
        assert_eq!(text(&client.call("blocking", json!({})).await), expected.to_string());
        assert_eq!(text(&client.call("text", json!({})).await), "second", "{revision}");
    }
}

#[test]
fn state_that_was_not_given_is_missed_when_the_server_is_made() {
    let asks = async |_: Context, State(number): State<u64>| number.to_string();
    let error = Server::builder("state", "1").state(7_u32).tool("asks", asks).build().unwrap_err();
    let expected = "the handler of the tool `asks` asks for state of the type `u64`: give it to `state`";
    assert_eq!(error.to_string(), expected);
    let error = Server::builder("state", "1").tool("asks", |_: State<u64>| ()).build().unwrap_err();
    assert_eq!(error.to_string(), expected);
    let error = Server::builder("state", "1").tool("asks", blocking(|_: State<u64>| ())).build().unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn callers_without_authorization_have_no_name() {
    let server = Server::builder("who", "1")
        .tool("who", async |Principal(name): Principal| format!("{name:?}"))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("who", json!({})).await), "None");
    }
}

#[tokio::test]
async fn progress_can_be_asked_for_alone() {
    let server = Server::builder("progress", "1")
        .tool("work", async |progress: Progress| {
            progress.tell(1.0, Some(2.0), None).await;
            progress.is_wanted().to_string()
        })
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        assert_eq!(text(&client.call("work", json!({})).await), "false");
        let answer = client.request("tools/call", json!({"name": "work", "_meta": {"progressToken": 1}})).await;
        assert_eq!(text(&answer), "true");
        assert_eq!(client.notifications.len(), 1, "{revision}");
    }
}

fn content_server() -> Server {
    Server::builder("contents", "1")
        .tool("image", async || Image::new("AAAA", "image/png"))
        .tool("audio", async || Audio::new("AAAA", "audio/wav"))
        .tool("link", async || ResourceLink::new("file:///a", "a"))
        .tool("resource", async || EmbeddedResource::new(TextContents::new("file:///a", "A")))
        .tool("content", async || Content::text("any"))
        .tool("list", async || vec!["one", "two"])
        .tool("array", || ["one", "two"])
        .tool("cow", || Cow::Borrowed("moo"))
        .tool("result", async || Ok::<_, String>(vec![Content::text("any")]))
        .tool("tuple", async || ("see", Image::new("AAAA", "image/png"), ResourceLink::new("file:///a", "a")))
        .tool("both", async || ("fourteen", Json(Double { double: 14 })))
        .tool("maybe", async |Args(input): Args<Number>| match input.number {
            0 => Err(ProtocolError(rpc::Error::new(rpc::Error::INTERNAL_ERROR, "no"))),
            number => Ok(Json(Double { double: 2 * number })),
        })
        .tool("whole", async || CallResult::structured(&json!({"free": "form"})))
        .tool("any", async || Json(json!({"free": "form"})))
        .build()
        .unwrap()
}

#[tokio::test]
async fn every_kind_of_content_can_be_returned() {
    let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "a"});
    let table = [
        ("image", json!([image])),
        ("audio", json!([{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}])),
        ("link", json!([link])),
        ("resource", json!([{"type": "resource", "resource": {"uri": "file:///a", "text": "A"}}])),
        ("content", json!([{"type": "text", "text": "any"}])),
        ("array", json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])),
        ("cow", json!([{"type": "text", "text": "moo"}])),
        ("result", json!([{"type": "text", "text": "any"}])),
        ("list", json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])),
        ("tuple", json!([{"type": "text", "text": "see"}, image, link])),
    ];
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&content_server(), revision).await;
        for (name, content) in &table {
            let result = plain(client.call(name, json!({})).await);
            // What a revision does not know is left out, or goes out in another form.
            let is_known = |content: &Value| match content["type"].as_str() {
                Some("audio") => revision >= Revision::V2025_03_26,
                Some("resource_link") => revision >= Revision::V2025_06_18,
                _ => true,
            };
            if content.as_array().unwrap().iter().all(is_known) {
                assert_eq!(result, json!({"content": content}), "{name} at {revision}");
            }
        }
    }
}

#[tokio::test]
async fn text_of_ones_own_stands_beside_what_is_for_programs() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&content_server(), revision).await;
        let result = plain(client.call("both", json!({})).await);
        assert_eq!(result["content"], json!([{"type": "text", "text": "fourteen"}]));
        let expected = (revision >= Revision::V2025_06_18).then(|| json!({"double": 14}));
        assert_eq!(result.get("structuredContent"), expected.as_ref(), "{revision}");
    }
}

#[tokio::test]
async fn tools_advertise_the_schema_of_what_their_handlers_return() {
    let mut client = RawClient::connect(&content_server(), Revision::V2026_07_28).await;
    let list = client.request("tools/list", json!({})).await;
    let schema = |name: &str| {
        let tools = list["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap().get("outputSchema").cloned()
    };
    let double = json!({
        "type": "object",
        "properties": {"double": {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32}},
        "required": ["double"],
    });
    let double = [double.clone(), {
        let mut without_maximum = double;
        without_maximum["properties"]["double"].as_object_mut().unwrap().remove("maximum");
        without_maximum
    }];
    for name in ["both", "maybe"] {
        assert!(double.contains(&schema(name).unwrap()), "{name}: {:?}", schema(name));
    }
    for name in ["whole", "any", "image", "list"] {
        assert_eq!(schema(name), None, "{name}");
    }

    let own = schemars::json_schema!({"type": "object", "required": ["double"]});
    let server = Server::builder("own", "1")
        .tool(Tool::new("own").output_schema(own), async || Json(Double { double: 2 }))
        .build()
        .unwrap();
    let mut client = RawClient::connect(&server, Revision::V2026_07_28).await;
    let list = client.request("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][0]["outputSchema"], json!({"type": "object", "required": ["double"]}));
}

#[tokio::test]
async fn an_error_of_the_protocol_is_told_from_a_failed_tool() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&content_server(), revision).await;
        assert_eq!(client.call("maybe", json!({"number": 0})).await["error"]["code"], -32603);
        assert_eq!(text(&client.call("maybe", json!({"number": 4})).await), r#"{"double":8}"#, "{revision}");
    }
}

/// Blocks until it is let go on, on a thread that is not the test's.
#[tokio::test]
async fn blocking_work_holds_up_nothing_else() {
    for revision in Revision::ALL {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        let here = thread::current().id();
        let server = Server::builder("blocking", "1")
            .tool(
                "block",
                blocking(move |Args(input): Args<Number>, cx: Context| {
                    wait.lock().unwrap().recv().unwrap();
                    assert_ne!(thread::current().id(), here);
                    format!("{} {}", input.number, cx.method())
                }),
            )
            .tool("now", async || "now")
            .build()
            .unwrap();
        let mut client = RawClient::connect(&server, revision).await;
        let id = client.start("tools/call", json!({"name": "block", "arguments": {"number": 3}})).await;
        assert_eq!(text(&client.call("now", json!({})).await), "now");
        go.send(()).unwrap();
        assert_eq!(text(&client.answer(id).await), "3 tools/call", "{revision}");
    }
}

#[tokio::test]
async fn a_panic_in_blocking_work_fails_its_call_alone() {
    let server = Server::builder("blocking", "1")
        .tool("panics", blocking(|| -> String { panic!("the secret is 42") }))
        .tool("fails", blocking(|| Err::<(), _>("the disk is full")))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        let answer = client.call("panics", json!({})).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("42"), "{answer}");
        assert_eq!(text(&client.call("fails", json!({})).await), "the disk is full", "{revision}");
    }
}
