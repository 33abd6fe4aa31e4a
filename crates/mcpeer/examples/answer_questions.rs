//! A client that answers what servers ask: forms, addresses to open, a model, its folders. The same in both eras.
//!
//! `cargo run --example answer_questions`
#![allow(clippy::print_stdout, reason = "what the user would see is printed")]

use std::error::Error;

use mcpeer::{
    client::{Builder, Client},
    handler::Context,
    model::{
        content::Role,
        elicitation::{CreateResult, FormParams, UrlParams},
        roots::Root,
        sampling::{self, CreateParams, Message},
    },
    rpc,
    server::Server,
    transport::memory,
    version::Revision,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Trip {
    city: String,
    #[serde(default = "one")]
    seats: u8,
}

fn one() -> u8 {
    1
}

/// A host: it would show its user who asks and what, and let him decline.
fn host() -> Builder {
    Client::builder("host", "1.0.0")
        // What is filled in is checked against the form, and gets the defaults of what was left out.
        .on_elicit(async |form: FormParams| {
            println!("a form: {}", form.message);
            CreateResult::accept([("city", "Rome")])
        })
        .on_elicit_url(async |address: UrlParams| {
            println!("an address: {} {}", address.message, address.url);
            if address.url.starts_with("https://") { CreateResult::new("accept") } else { CreateResult::decline() }
        })
        .on_sample(async |question: CreateParams| match question.max_tokens {
            ..=1000 => Ok(sampling::CreateResult::new(Role::Assistant, "Go by train.", "small-1")),
            _ => Err(rpc::Error::new(-1, "the user rejected it")),
        })
        .roots([Root::new("file:///home/me/trips")])
}

async fn plan(cx: Context) -> mcpeer::Result<String> {
    // Asked together: in the stateless era they go out in one round.
    let (folders, trip) = tokio::join!(cx.roots(), cx.elicit::<Trip>("Where to, and how many?"));
    let Some(trip) = trip?.accepted() else { return Ok("no trip".to_owned()) };
    if !cx.elicit_url("Pay here", "https://trips.example.com/pay").await?.is_accepted() {
        return Ok("not paid".to_owned());
    }
    let advice = cx.sample(CreateParams::new([Message::user(format!("How to get to {}?", trip.city))], 100)).await?;
    let advice = advice.content.as_slice()[0].as_text().unwrap_or_default().to_owned();
    Ok(format!("{} for {}: {advice} It is in {}", trip.city, trip.seats, folders?[0].uri))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("trips", "1.0.0").tool("plan", plan).build()?;
    for revision in Revision::ALL.into_iter().filter(|revision| revision.has_url_elicitation()) {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        let client = host().revisions([revision]).connect_with(ours).await?;
        let planned = client.call("plan").await?;
        println!("at {revision}: {}", planned.as_text());
        assert_eq!(planned.as_text(), "Rome for 1: Go by train. It is in file:///home/me/trips");
    }
    Ok(())
}
