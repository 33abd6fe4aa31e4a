//! A tool that takes its time: where the client lets it, a call becomes a task, which the client follows to its end, or
//! hands over.
//!
//! `cargo run --example tasks --features tasks`

use std::{error::Error, time::Duration};

use mcpeer::{
    client::{self, Client, tasks::Begun},
    handler::Context,
    model::elicitation::{CreateResult, FormParams},
    server::{self, Server, Tool},
    transport::memory,
    version::{Era, Revision},
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    /// What goes on top?
    topping: String,
}

/// A handler like any other. As a task it is asked for from time to time, and so is its question.
async fn bake(cx: Context) -> mcpeer::Result<String> {
    let order = cx.elicit::<Order>("What shall it be?").await?;
    let topping = order.accepted().map_or("nothing".to_owned(), |order| order.topping);
    tokio::time::sleep(Duration::from_millis(50)).await;
    Ok(format!("a pizza with {topping}"))
}

async fn connect(server: &Server, revision: Revision) -> mcpeer::Result<Client> {
    let (ours, theirs) = memory::pair();
    let server = server.clone();
    tokio::spawn(async move { server.serve(theirs).await });
    Client::builder("host", "1.0.0")
        .extension(client::tasks::Tasks::new())
        .on_elicit(async |_: FormParams| CreateResult::accept([("topping", "olives")]))
        .revisions([revision])
        .connect_with(ours)
        .await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let tasks = server::tasks::Tasks::new().poll_interval(Duration::from_millis(100));
    let server = Server::builder("kitchen", "1.0.0").extension(tasks).tool(Tool::new("bake").task(), bake).build()?;

    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let client = connect(&server, revision).await?;

        // One call, as ever: it asks for its task and answers the question. In the stateful era there is none.
        assert_eq!(client.call("bake").await?.as_text(), "a pizza with olives");

        // Or the task itself. Its id is all that has to be kept.
        let id = match client.call("bake").as_task().await? {
            Begun::Task(task) => task.id().to_owned(),
            Begun::Complete(pizza) => {
                assert_eq!((revision.era(), &*pizza.as_text()), (Era::Legacy, "a pizza with olives"));
                continue;
            }
        };
        client.close().await;

        // Another connection, another day.
        let client = connect(&server, revision).await?;
        assert_eq!(client.task(id).wait().await?.as_text(), "a pizza with olives");
    }
    Ok(())
}
