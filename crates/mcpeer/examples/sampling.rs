//! A tool that has the client's model answer, with a tool that the model may use.
//!
//! `cargo run --example sampling`

use std::error::Error;

use mcpeer::{
    Client, Server,
    handler::Context,
    model::{
        RawObject,
        capabilities::{ClientCapabilities, Sampling},
        sampling::{CreateParams, Message},
        tools::Tool,
    },
    rpc::Raw,
    transport::memory,
};
use serde_json::{Map, Value, json};

async fn translate(cx: Context) -> mcpeer::Result<String> {
    let dictionary = Tool::new("look_up", [("type", "object")]);
    let question = CreateParams::new([Message::user("Translate: Guten Tag")], 100).tools([dictionary]);
    let answer = cx.sample(question).await?;
    let content = serde_json::to_value(&answer.content).expect("content can be written");
    Ok(format!("{} says {}", answer.model, content["text"]))
}

/// Calls the tool of the server as a host does: answers what it asks, round for round.
async fn call(server: &Server, answer: impl Fn(&Value) -> Value) -> Result<(Value, usize), Box<dyn Error>> {
    let (ours, theirs) = memory::pair();
    let server = server.clone();
    tokio::spawn(async move { server.serve(theirs).await });
    let can = ClientCapabilities::new().sampling(Sampling::new().tools(RawObject::default()));
    let client = Client::builder("host", "1.0.0").capabilities(can).connect_with(ours).await?;
    let mut params = json!({"name": "translate"});
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
    let server = Server::builder("translator", "1.0.0").tool("translate", translate).build()?;
    let (result, rounds) = call(&server, |question| {
        assert_eq!(question["method"], "sampling/createMessage");
        assert_eq!(question["params"]["tools"][0]["name"], "look_up");
        json!({"role": "assistant", "content": {"type": "text", "text": "Good day"}, "model": "small-1"})
    })
    .await?;
    assert_eq!((&result["content"][0]["text"], rounds), (&json!("small-1 says \"Good day\""), 1));
    Ok(())
}
