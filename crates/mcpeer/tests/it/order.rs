//! What is made of a type stands in the order in which the type has it.

use mcpeer::{
    Result, Server,
    handler::Context,
    server::{Args, Json, Prompt, named},
    version::Revision,
};
use serde_json::{Value, json};

use crate::{
    ask::peer::{everything, talk},
    peers::RawClient,
};

/// The names of the fields are in no order of the alphabet.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Trip {
    to: String,
    from: String,
    seats: Option<u8>,
    /// How to sit.
    class: Option<Class>,
    back: Option<bool>,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Class {
    Second,
    First,
}

const TRIP: [&str; 5] = ["to", "from", "seats", "class", "back"];

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Booking {
    trip: Trip,
    others: Vec<Trip>,
    #[serde(flatten)]
    payer: Payer,
    at: Option<String>,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Payer {
    name: String,
    card: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    #[serde(rename = "in")]
    #[allow(dead_code, reason = "only its name matters")]
    currency: String,
    amount: u32,
}

fn server() -> Server {
    Server::builder("trips", "1.0.0")
        .tool("ask", async |cx: Context| -> Result<String> {
            Ok(cx.elicit::<Trip>("Where to?").await?.is_accepted().to_string())
        })
        .tool("book", async |Args(booking): Args<Booking>| Json(booking))
        .tool(
            "find",
            named(["to", "from", "at"], |to: String, from: String, at: Option<u8>| format!("{to}{from}{at:?}")),
        )
        .tool("pay", |Args(payer): Args<Payer>, Args(sum): Args<Sum>| format!("{}{}", sum.amount, payer.name))
        .prompt(Prompt::new("plan"), async |Args(trip): Args<Trip>| trip.to)
        .prompt(
            Prompt::new("find"),
            named(["to", "from", "at"], |to: String, from: String, at: Option<u8>| format!("{to}{from}{at:?}")),
        )
        .build()
        .unwrap()
}

fn fields(schema: &Value) -> Vec<&str> {
    schema["properties"]
        .as_object()
        .unwrap_or_else(|| panic!("no fields: {schema}"))
        .keys()
        .map(String::as_str)
        .collect()
}

fn find<'a>(list: &'a Value, name: &str) -> &'a Value {
    list.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()
}

#[tokio::test]
async fn forms_have_their_fields_in_the_order_of_the_type() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_elicitation()) {
        let mut client = RawClient::connect_as(&server(), revision, everything()).await;
        let declining = |_: &str, _: &Value| json!({"action": "decline"});
        let talk = talk(&mut client, revision, json!({"name": "ask"}), declining).await;
        let asked = talk.asked();
        let form = &asked[0].1["requestedSchema"];
        assert_eq!(fields(form), TRIP, "{revision}");
        assert_eq!(form["required"], json!(["to", "from"]), "{revision}");
        assert_eq!(form["properties"]["class"]["enum"], json!(["second", "first"]), "{revision}");
    }
}

#[tokio::test]
async fn schemas_of_tools_have_their_members_in_the_order_of_the_type() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let answer = client.request("tools/list", json!({})).await;
        let tools = &answer["result"]["tools"];
        let book = find(tools, "book");
        let schemas = match revision.has_structured_content() {
            true => vec![&book["inputSchema"], &book["outputSchema"]],
            false => vec![&book["inputSchema"]],
        };
        for schema in schemas {
            assert_eq!(fields(schema), ["trip", "others", "name", "card", "at"], "{revision}: {schema}");
            assert_eq!(fields(&schema["properties"]["trip"]), TRIP, "{revision}");
            assert_eq!(fields(&schema["properties"]["others"]["items"]), TRIP, "{revision}");
        }
        assert_eq!(fields(&find(tools, "find")["inputSchema"]), ["to", "from", "at"], "{revision}");
        assert_eq!(fields(&find(tools, "pay")["inputSchema"]), ["name", "card", "in", "amount"], "{revision}");
    }
}

#[tokio::test]
async fn prompts_have_their_arguments_in_the_order_of_the_type() {
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server(), revision).await;
        let answer = client.request("prompts/list", json!({})).await;
        let prompts = &answer["result"]["prompts"];
        let names = |prompt: &str| -> Vec<String> {
            let arguments = find(prompts, prompt)["arguments"].as_array().unwrap();
            arguments.iter().map(|argument| argument["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names("plan"), TRIP, "{revision}");
        assert_eq!(names("find"), ["to", "from", "at"], "{revision}");
    }
}
