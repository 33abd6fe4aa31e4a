//! A tool that does something before it asks, and does it once however often its handler runs.
//!
//! `cargo run --example ask_and_act_once`

use std::{
    error::Error,
    future::ready,
    sync::atomic::{AtomicU32, Ordering},
};

use mcpeer::{
    Client, Server,
    client::Policy,
    handler::Context,
    model::elicitation::{CreateResult, FormParams},
    transport::memory,
};

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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("theatre", "1.0.0").tool("book", book).build()?;
    // In the stateless era the handler runs anew with the answer; in the stateful one it waits for it.
    for (policy, seat, runs) in [(Policy::ModernOnly, 17, 2), (Policy::LegacyOnly, 18, 3)] {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        let host = Client::builder("host", "1.0.0").policy(policy);
        let client = host
            .on_elicit(move |form: FormParams| {
                assert_eq!(form.message, format!("Take seat {seat}?"));
                ready(CreateResult::accept([("sure", true)]))
            })
            .connect_with(ours)
            .await?;
        assert_eq!(client.call("book").await?.as_text(), format!("booked seat {seat}"));
        assert_eq!((RUNS.load(Ordering::SeqCst), RESERVED.load(Ordering::SeqCst)), (runs, seat - 16));
    }
    Ok(())
}
