//! Tools that come and go while the server runs, and tools that not everybody sees.
//!
//! `cargo run --example dynamic_tools`

use std::error::Error;

use mcpeer::{
    client::{Change, Client},
    model::subscriptions::Filter,
    server::{Server, Tool},
    transport::memory,
    version::Revision,
};

async fn names(client: &Client) -> mcpeer::Result<Vec<String>> {
    Ok(client.tools().all().await?.into_iter().map(|tool| tool.name).collect())
}

fn server() -> Result<Server, Box<dyn Error>> {
    let server = Server::builder("plugins", "1.0.0")
        // There is none yet, but clients are to look for them.
        .dynamic_tools()
        // Over HTTP the principal is who authorization says it is; in memory there is none.
        .visible(|item, cx| item.name() != "reset" || cx.principal() == Some("admin"))
        .build()?;
    server.tools().add("reset", async || "done")?;
    Ok(server)
}

async fn come_and_go(revision: Revision) -> Result<(), Box<dyn Error>> {
    let server = server()?;
    let (ours, theirs) = memory::pair();
    let serving = server.clone();
    tokio::spawn(async move { serving.serve(theirs).await });
    let client = Client::builder("host", "1.0.0").revisions([revision]).connect_with(ours).await?;
    let mut watch = client.watch(Filter::new().tools_list_changed(true)).await?;
    assert!(names(&client).await?.is_empty());

    server.tools().add(Tool::new("greet").description("Says hello"), async || "Hello!")?;
    assert_eq!(watch.next().await, Some(Change::Tools));
    assert_eq!(names(&client).await?, ["greet"]);
    assert_eq!(client.call("greet").await?.as_text(), "Hello!");

    server.tools().replace("greet", async || "Good morning!")?;
    assert_eq!(watch.next().await, Some(Change::Tools));
    assert_eq!(client.call("greet").await?.as_text(), "Good morning!");

    server.tools().disable("greet")?;
    assert_eq!(watch.next().await, Some(Change::Tools));
    assert!(names(&client).await?.is_empty());
    assert!(client.call("greet").await.is_err());

    server.tools().enable("greet")?;
    assert_eq!(watch.next().await, Some(Change::Tools));
    assert_eq!(names(&client).await?, ["greet"]);

    // What a request may not see is not there for it.
    let error = client.call("reset").await.unwrap_err();
    assert_eq!(error.rpc().unwrap().message, "unknown tool `reset`: `tools/list` names the tools");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    for revision in Revision::ALL {
        come_and_go(revision).await?;
    }
    Ok(())
}
