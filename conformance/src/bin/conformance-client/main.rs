//! The client that the official conformance suites run: the server's address is its last argument, the scenario and the
//! revision are in the environment. It does what a host would, ends with 0, and says what was not as it should be.

use std::{env, error::Error, future::ready};

use mcpeer::{
    Client,
    client::Policy,
    model::{
        content::Role,
        elicitation::{CreateResult, FormParams},
        roots::Root,
        sampling,
    },
    skills::Mismatch,
    transport::http,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

type Outcome = Result<(), Box<dyn Error>>;

/// What a scenario wants to be called.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Wanted {
    tool_calls: Vec<Wish>,
}

#[derive(Deserialize)]
struct Wish {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let url = env::args().next_back().filter(|last| last.starts_with("http")).ok_or("give the address of a server")?;
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO")?;
    let is_modern = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").is_ok_and(|version| version == "2026-07-28");
    let policy = if is_modern { Policy::ModernOnly } else { Policy::LegacyOnly };
    let client = Client::builder("mcpeer-conformance-client", env!("CARGO_PKG_VERSION"))
        .policy(policy)
        .roots([Root::new("file:///project")])
        .on_elicit(|form: FormParams| ready(answer(&form)))
        .on_sample(|_| ready(sampling::CreateResult::new(Role::Assistant, "Nothing comes to mind.", "none")))
        .connect(http::client(&url))
        .await?;
    run(&client, &scenario).await?;
    client.close().await;
    Ok(())
}

/// What the user says: yes, and what the form has by itself.
fn answer(form: &FormParams) -> CreateResult {
    let form = serde_json::to_value(form).unwrap_or_default();
    let fields = form["requestedSchema"]["properties"].as_object().into_iter().flatten();
    let unsaid = fields.filter(|(_, field)| field["type"] == "boolean" && field.get("default").is_none());
    CreateResult::accept(unsaid.map(|(name, _)| (name.clone(), true.into())).collect::<Map<_, _>>())
}

async fn run(client: &Client, scenario: &str) -> Outcome {
    let call = async |name: &str, arguments: Value| client.call(name).arguments(&arguments).await;
    match scenario {
        "tools_call" => {
            client.tools().all().await?;
            call("add_numbers", json!({"a": 5, "b": 3})).await?;
        }
        "elicitation-sep1034-client-defaults" => drop(call("test_client_elicitation_defaults", json!({})).await?),
        "sse-retry" => drop(call("test_reconnection", json!({})).await?),
        "sep-2322-client-request-state" => {
            for name in ["echo_state", "no_state", "unrelated", "no_result_type"] {
                call(&format!("test_mrtr_{name}"), json!({})).await?;
            }
        }
        "http-standard-headers" => {
            for tool in client.tools().all().await? {
                call(&tool.name, json!({})).await?;
            }
            for resource in client.resources().all().await? {
                client.read(&resource.uri).await?;
            }
            for prompt in client.prompts().all().await? {
                client.prompt(&prompt.name, &json!({})).await?;
            }
        }
        "http-custom-headers" => {
            client.tools().all().await?;
            let wanted: Wanted = serde_json::from_str(&env::var("MCP_CONFORMANCE_CONTEXT")?)?;
            for wish in wanted.tool_calls {
                call(&wish.name, Value::Object(wish.arguments)).await?;
            }
        }
        "http-invalid-tool-headers" => {
            for tool in client.tools().all().await? {
                call(&tool.name, json!({"region": "us-west1"})).await?;
            }
        }
        "json-schema-2020-12-preservation" => {
            let tools = client.tools().all().await?;
            let tool =
                tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool").ok_or("the tool is missing")?;
            call("json_schema_echo", json!({"schema": tool.input_schema})).await?;
        }
        "sep-2640-client-no-prefetch" => drop(client.skills().all().await?),
        name if name.starts_with("sep-2640-client-verify-") => {
            for entry in client.skills().all().await? {
                // What is not what its entry says is refused, and nothing more of it is read.
                match client.load_skill(&entry).await {
                    Ok(skill) => drop(skill.read("references/FORMS.md").await?),
                    Err(error) if Mismatch::of(&error).is_some() => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        // What the others want to see is the connection, and a list.
        _ => drop(client.tools().all().await?),
    }
    Ok(())
}
