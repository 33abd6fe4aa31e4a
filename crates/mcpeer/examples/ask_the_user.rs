//! A tool that asks the user with one `await`, in whichever era the client speaks.
//!
//! `cargo run --example ask_the_user`

use std::error::Error;

use mcpeer::{
    Client, Server,
    handler::{Context, ask::Elicited},
    model::capabilities::{ClientCapabilities, Elicitation},
    rpc::Raw,
    transport::memory,
};
use serde_json::{Map, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Delivery {
    /// Where to?
    address: String,
    /// How fast?
    speed: Speed,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Speed {
    /// Tomorrow, by bike
    Fast,
    /// Next week, on foot
    Slow,
}

async fn order(cx: Context) -> mcpeer::Result<String> {
    Ok(match cx.elicit::<Delivery>("Where shall we send it?").await? {
        Elicited::Accept(delivery) => format!("on its way to {}, {:?}", delivery.address, delivery.speed),
        Elicited::Decline | Elicited::Cancel => "not ordered".to_owned(),
    })
}

/// Calls the tool of the server as a host does: answers what it asks, round for round.
async fn call(server: &Server, answer: impl Fn(&Value) -> Value) -> Result<(Value, usize), Box<dyn Error>> {
    let (ours, theirs) = memory::pair();
    let server = server.clone();
    tokio::spawn(async move { server.serve(theirs).await });
    let can = ClientCapabilities::new().elicitation(Elicitation::new());
    let client = Client::builder("host", "1.0.0").capabilities(can).connect_with(ours).await?;
    let mut params = json!({"name": "order"});
    for round in 0.. {
        match client.peer().request_raw("tools/call", Some(Raw::from_value(&params)?)).await {
            Ok(result) => return Ok((result.decode()?, round)),
            Err(error) if error.is_input_required() => {
                let asked: Value = error.raw().expect("it says what is asked for").decode()?;
                let questions = asked["inputRequests"].as_object().expect("questions by key");
                let answers = questions.iter().map(|(key, question)| (key.clone(), answer(question)));
                params["inputResponses"] = answers.collect::<Map<_, _>>().into();
                params["requestState"] = asked["requestState"].clone();
            }
            Err(error) => return Err(error.into()),
        }
    }
    unreachable!("a server asks no more than so often")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("shop", "1.0.0").tool("order", order).build()?;
    let (result, rounds) = call(&server, |question| {
        let speed = &question["params"]["requestedSchema"]["properties"]["speed"];
        assert_eq!(speed["oneOf"][0], json!({"const": "fast", "title": "Tomorrow, by bike"}));
        json!({"action": "accept", "content": {"address": "Main Street 1", "speed": "fast"}})
    })
    .await?;
    assert_eq!((&result["content"][0]["text"], rounds), (&json!("on its way to Main Street 1, Fast"), 1));
    let (result, _) = call(&server, |_| json!({"action": "decline"})).await?;
    assert_eq!(result["content"][0]["text"], "not ordered");
    Ok(())
}
