//! A tool that does something before it asks, and does it once however often its handler runs.
//!
//! `cargo run --example ask_and_act_once`

use std::{
    error::Error,
    sync::atomic::{AtomicU32, Ordering},
};

use mcpeer::{
    Client, Server,
    handler::Context,
    model::capabilities::{ClientCapabilities, Elicitation},
    rpc::Raw,
    transport::memory,
};
use serde_json::{Map, Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sure {
    sure: bool,
}

static RUNS: AtomicU32 = AtomicU32::new(0);
static RESERVED: AtomicU32 = AtomicU32::new(0);

async fn reserve() -> u32 {
    RESERVED.fetch_add(1, Ordering::SeqCst) + 17
}

async fn book(cx: Context) -> mcpeer::Result<String> {
    // What stands before a question runs once for each round; a step runs once for the call.
    RUNS.fetch_add(1, Ordering::SeqCst);
    let seat = cx.step("reserve", reserve()).await?;
    let answer = cx.elicit::<Sure>(format!("Take seat {seat}?")).await?;
    let is_sure = answer.accepted().is_some_and(|answer| answer.sure);
    Ok(if is_sure { format!("booked seat {seat}") } else { "not booked".to_owned() })
}

/// Calls the tool of the server as a host does: answers what it asks, round for round.
async fn call(server: &Server, answer: impl Fn(&Value) -> Value) -> Result<(Value, usize), Box<dyn Error>> {
    let (ours, theirs) = memory::pair();
    let server = server.clone();
    tokio::spawn(async move { server.serve(theirs).await });
    let can = ClientCapabilities::new().elicitation(Elicitation::new());
    let client = Client::builder("host", "1.0.0").capabilities(can).connect_with(ours).await?;
    let mut params = json!({"name": "book"});
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
    let server = Server::builder("theatre", "1.0.0").tool("book", book).build()?;
    let (result, _) = call(&server, |_| json!({"action": "accept", "content": {"sure": true}})).await?;
    assert_eq!(result["content"][0]["text"], "booked seat 17");
    assert_eq!((RUNS.load(Ordering::SeqCst), RESERVED.load(Ordering::SeqCst)), (2, 1));
    Ok(())
}
