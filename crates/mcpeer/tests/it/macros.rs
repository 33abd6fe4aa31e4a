//! Servers made out of the methods of a type: what the macro writes behaves as its twin that is written by hand.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use mcpeer::{
    handler::Context,
    model::tools::CallResult,
    schemars::JsonSchema,
    server::{Args, FromCall, Json, Server, Tool, ToolCall, ToolResult},
    version::Revision,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::peers::{builder, connect};

/// The crate by another name.
mod reexported {
    pub(crate) mod inner {
        pub(crate) use mcpeer as peer;
    }
}

type Cx = Context;
type Number = f64;

/// The name that the tool was called by.
struct Called(String);

impl FromCall for Called {
    fn from_call(call: &ToolCall<'_>, _: &Context) -> Result<Self, ToolResult> {
        Ok(Self(call.name().to_owned()))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Meter,
    Mile,
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    value: i64,
    next: Option<Box<Node>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Default)]
struct Calculator {
    calls: AtomicU32,
}

/// Adds, and more.
#[mcpeer::server(instructions = "Count on it.", version = "1.2.3")]
impl Calculator {
    /// Adds two numbers.
    ///
    /// Exactly.
    #[tool]
    async fn add(
        &self,
        /// The first number.
        a: Number,
        /// The second number.
        b: f64,
    ) -> String {
        self.calls.fetch_add(1, Ordering::Relaxed);
        (a + b).to_string()
    }

    /// This comment is not told.
    #[tool(name = "sum", title = "Sum", description = "Adds many", read_only)]
    async fn add_many(cx: Cx, numbers: Vec<f64>, Called(name): Called) -> Json<Sum> {
        assert_eq!((cx.method(), name.as_str()), ("tools/call", "sum"));
        Json(Sum { sum: numbers.iter().sum() })
    }

    #[tool]
    fn length(&self, r#in: Option<Unit>, mut steps: u32, list: Option<Node>) -> Result<String, String> {
        let mut next = list;
        while let Some(node) = next {
            steps += u32::try_from(node.value).map_err(|error| error.to_string())?;
            next = node.next.map(|next| *next);
        }
        match r#in {
            Some(Unit::Mile) => Err("miles are not measured".to_owned()),
            Some(Unit::Meter) | None => Ok(format!("{steps} m")),
        }
    }

    #[tool]
    fn calls(&self) -> String {
        self.calls.load(Ordering::Relaxed).to_string()
    }

    #[tool]
    async fn add_pair(Args(sum): Args<Sum>, more: f64) -> CallResult {
        CallResult::text((sum.sum + more).to_string())
    }

    #[cfg(any())]
    #[tool]
    async fn absent(&self, missing: Missing) -> Missing {
        missing
    }

    fn untold(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }
}

struct Generic<T>(T);

#[mcpeer::server(name = "generic")]
impl<T: ToString + Send + Sync + 'static> Generic<T> {
    #[tool]
    async fn show(&self) -> String {
        self.0.to_string()
    }
}

struct Renamed;

#[reexported::inner::peer::server(crate = "crate::macros::reexported::inner::peer")]
impl Renamed {
    #[tool]
    async fn echo(&self, text: String) -> String {
        text
    }
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first number.
    a: Number,
    /// The second number.
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Length {
    r#in: Option<Unit>,
    steps: u32,
    list: Option<Node>,
}

/// The same two tools by hand.
fn twin() -> Server {
    Server::builder("twin", "1.2.3")
        .tool(Tool::new("add").description("Adds two numbers.\n\nExactly."), async |Args(add): Args<Add>| {
            (add.a + add.b).to_string()
        })
        .tool("length", async |Args(length): Args<Length>| {
            let (mut steps, mut next) = (length.steps, length.list);
            while let Some(node) = next {
                steps += u32::try_from(node.value).map_err(|error| error.to_string())?;
                next = node.next.map(|next| *next);
            }
            match length.r#in {
                Some(Unit::Mile) => Err("miles are not measured".to_owned()),
                Some(Unit::Meter) | None => Ok(format!("{steps} m")),
            }
        })
        .build()
        .unwrap()
}

async fn tools(server: &Server, revision: Revision) -> Vec<Value> {
    let client = connect(builder(), server, revision).await;
    let tools = client.tools().all().await.unwrap();
    tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
}

#[tokio::test]
async fn methods_and_what_is_written_by_hand_are_the_same_tools() {
    let (made, by_hand) = (Calculator::default().server().build().unwrap(), twin());
    for revision in Revision::ALL {
        let (made, by_hand) = (tools(&made, revision).await, tools(&by_hand, revision).await);
        let named = |name: &str| made.iter().find(|tool| tool["name"] == name).unwrap();
        for tool in &by_hand {
            let name = tool["name"].as_str().unwrap();
            assert_eq!(tool["description"], named(name)["description"], "{revision}");
            assert_eq!(tool["inputSchema"], named(name)["inputSchema"], "{revision}");
        }
    }
}

#[tokio::test]
async fn calls_are_answered_as_those_of_what_is_written_by_hand() {
    let calls = [
        ("add", json!({"a": 1, "b": 2.5})),
        ("add", json!({"b": 2, "a": 1, "c": [1]})),
        ("add", json!({"a": 1})),
        ("add", json!({})),
        ("add", json!({"a": "1", "b": 2})),
        ("add", json!({"a": 1, "b": {"c": 1}})),
        ("length", json!({"steps": 1.0})),
        ("length", json!({"steps": 1.5})),
        ("length", json!({"steps": -1})),
        ("length", json!({"steps": 1, "in": null, "list": null})),
        ("length", json!({"steps": 1, "in": "meter", "list": {"value": 2, "next": {"value": 3}}})),
        ("length", json!({"steps": 1, "list": {"value": 2, "next": {"value": "3"}}})),
        ("length", json!({"steps": 1, "in": "mile"})),
        ("length", json!({"steps": 1, "in": "yard"})),
    ];
    let (made, by_hand) = (Calculator::default().server().build().unwrap(), twin());
    for revision in Revision::ALL {
        let (made, by_hand) = (connect(builder(), &made, revision).await, connect(builder(), &by_hand, revision).await);
        for (name, arguments) in &calls {
            let ours = made.call(*name).arguments(arguments).await.unwrap();
            let theirs = by_hand.call(*name).arguments(arguments).await.unwrap();
            assert_eq!(ours.as_text(), theirs.as_text(), "{revision} {name} {arguments}");
            assert_eq!(ours.is_failed(), theirs.is_failed(), "{revision} {name} {arguments}");
        }
    }
}

#[tokio::test]
async fn parameters_are_arguments_or_made_from_the_call_whatever_their_types_are_called() {
    let server = Calculator::default().server().build().unwrap();
    for revision in Revision::ALL {
        let client = connect(builder(), &server, revision).await;
        let sum = client.call("sum").arguments(&json!({"numbers": [1, 2, 3]})).await.unwrap();
        assert_eq!(serde_json::from_str::<Value>(&sum.as_text()).unwrap(), json!({"sum": 6.0}), "{revision}");
        let pair = client.call("add_pair").arguments(&json!({"sum": 1, "more": 2})).await.unwrap();
        assert_eq!(pair.as_text(), "3", "{revision}");
    }
    let tools = tools(&server, Revision::V2026_07_28).await;
    let schema = |name: &str| &tools.iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"];
    let numbers = json!({"type": "array", "items": {"type": "number"}});
    assert_eq!(*schema("sum"), json!({"type": "object", "properties": {"numbers": numbers}, "required": ["numbers"]}));
    let number = json!({"type": "number"});
    assert_eq!(
        *schema("add_pair"),
        json!({"type": "object", "properties": {"sum": number, "more": number}, "required": ["sum", "more"]})
    );
    assert_eq!(*schema("calls"), json!({"type": "object", "properties": {}, "additionalProperties": false}));
}

#[tokio::test]
async fn calls_share_what_the_methods_belong_to() {
    let calculator = Calculator::default();
    assert_eq!(calculator.untold(), 0);
    let server = calculator.server().build().unwrap();
    for (revision, before) in Revision::ALL.into_iter().zip(0..) {
        let client = connect(builder(), &server, revision).await;
        assert_eq!(client.call("calls").await.unwrap().as_text(), before.to_string(), "{revision}");
        client.call("add").arguments(&json!({"a": 1, "b": 2})).await.unwrap();
    }
}

#[tokio::test]
async fn what_is_said_at_the_block_and_in_the_manifest_describes_the_server() {
    let server = Calculator::default().server().build().unwrap();
    let client = connect(builder(), &server, Revision::V2026_07_28).await;
    let expected = json!({"name": "mcpeer", "version": "1.2.3", "description": "Adds, and more."});
    assert_eq!(serde_json::to_value(client.server_info().unwrap()).unwrap(), expected);
    assert_eq!(client.instructions().as_deref(), Some("Count on it."));
    let tools = tools(&server, Revision::V2026_07_28).await;
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["add", "sum", "length", "calls", "add_pair"]);
    let sum = &tools[1];
    assert_eq!((&sum["title"], &sum["description"]), (&json!("Sum"), &json!("Adds many")));
    assert_eq!(sum["annotations"], json!({"readOnlyHint": true}));
    assert_eq!(sum["outputSchema"]["required"], json!(["sum"]));
}

#[tokio::test]
async fn generic_types_and_other_names_of_the_crate_will_do() {
    let generic = Generic(Arc::new("seven")).server().build().unwrap();
    let renamed = Renamed.server().build().unwrap();
    for revision in Revision::ALL {
        let client = connect(builder(), &generic, revision).await;
        assert_eq!(client.call("show").await.unwrap().as_text(), "seven");
        let client = connect(builder(), &renamed, revision).await;
        assert_eq!(client.call("echo").arguments(&json!({"text": "again"})).await.unwrap().as_text(), "again");
    }
}
