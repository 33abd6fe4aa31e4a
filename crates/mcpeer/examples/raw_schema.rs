//! A tool whose arguments and results are described by JSON Schemas written by hand, as a proxy or a plugin has them.
//!
//! `cargo run --example raw_schema --features schema`
#![allow(clippy::print_stdout, reason = "the conversation is printed")]

use mcpeer::{
    client::Client,
    model::tools::CallResult,
    server::{Args, Server, Tool},
    transport::memory,
};
use schemars::json_schema;
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let order = json_schema!({
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 1}, "what": {"enum": ["tea", "coffee"]}},
        "required": ["count", "what"],
    });
    let receipt = json_schema!({"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]});
    let fetched = json_schema!({"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}});

    let server = Server::builder("shop", "1.0.0")
        .tool(Tool::raw("order", order).output_schema(receipt), async |Args(order): Args<Value>| {
            let price = if order["what"] == "tea" { 2.5 } else { 3.0 };
            CallResult::structured(&json!({"total": price * order["count"].as_f64().unwrap_or_default()}))
        })
        .tool(Tool::raw("fetched", fetched), async || "never called")
        .build()?;

    // Nothing is fetched: a schema that leads elsewhere disables its tool, and its tool alone.
    for disabled in server.disabled_tools() {
        println!("{} is disabled: {}", disabled.name, disabled.reason);
        assert_eq!(disabled.name, "fetched");
    }

    let (ours, theirs) = memory::pair();
    tokio::spawn(async move { server.serve(theirs).await });
    let client = Client::builder("guest", "1.0.0").connect_with(ours).await?;
    assert_eq!(client.tools().all().await?.len(), 1);

    let receipt = client.call("order").arguments(&json!({"count": 2, "what": "tea"})).await?;
    println!("the receipt: {}", receipt.as_text());
    assert_eq!(receipt.as_text(), r#"{"total":5.0}"#);

    // The model hears what is wrong with its arguments, and where.
    let refused = client.call("order").arguments(&json!({"count": 0, "what": "tea"})).await?;
    println!("the tool says: {}", refused.as_text());
    assert!(refused.is_failed());
    let reason = "`arguments.count`: the value is less than the minimum of 1";
    assert_eq!(refused.as_text(), format!("the arguments do not fit the tool `order`: {reason}"));
    Ok(())
}
