//! A tool that asks the user with one `await`, in whichever era the client speaks.
//!
//! `cargo run --example ask_the_user`

use std::{error::Error, future::ready};

use mcpeer::{
    Client, Server,
    client::Policy,
    handler::{Context, ask::Elicited},
    model::elicitation::{CreateResult, FormParams},
    transport::memory,
};
use serde_json::json;

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

/// A user, whom the host shows the form, and what he says.
type User = fn(&FormParams) -> CreateResult;

fn ada(form: &FormParams) -> CreateResult {
    let form = serde_json::to_value(form).expect("a form can be written");
    let speed = &form["requestedSchema"]["properties"]["speed"];
    assert_eq!(speed["oneOf"][0], json!({"const": "fast", "title": "Tomorrow, by bike"}));
    CreateResult::accept([("address", "Main Street 1"), ("speed", "fast")])
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("shop", "1.0.0").tool("order", order).build()?;
    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        let users: [(User, _); 2] =
            [(ada, "on its way to Main Street 1, Fast"), (|_| CreateResult::decline(), "not ordered")];
        for (user, said) in users {
            let (ours, theirs) = memory::pair();
            let server = server.clone();
            tokio::spawn(async move { server.serve(theirs).await });
            let host = Client::builder("host", "1.0.0").policy(policy.clone());
            let client = host.on_elicit(move |form: FormParams| ready(user(&form))).connect_with(ours).await?;
            assert_eq!(client.call("order").await?.as_text(), said);
        }
    }
    Ok(())
}
