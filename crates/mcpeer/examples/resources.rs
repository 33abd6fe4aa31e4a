//! What a server has to read: a resource, resources by the pattern of their addresses, and a list that is made anew.
//!
//! `cargo run --example resources`

use std::{collections::BTreeMap, error::Error, sync::Arc};

use mcpeer::{
    client::Client,
    model::resources::{List, ListParams, Read, ReadParams},
    server::{Json, Resource, ResourceTemplate, Server, Variables},
    transport::memory,
    version::Revision,
};

#[derive(serde::Deserialize)]
struct Page {
    topic: String,
    /// In the query, so that it may be absent.
    language: Option<String>,
}

fn server() -> Result<Server, Box<dyn Error>> {
    let pages = Arc::new(BTreeMap::from([("tea", "Boil water."), ("rock/roll", "Turn it up.")]));
    let listed = pages.clone();
    let server = Server::builder("docs", "1.0.0")
        .resource(Resource::new("docs://index", "index").title("All topics"), {
            let pages = pages.clone();
            move || {
                let topics: Vec<_> = pages.keys().copied().collect();
                async move { Json(topics) }
            }
        })
        // `None` is a resource that is not there.
        .resource_template(
            ResourceTemplate::new("docs://page/{topic}{?language}", "pages").mime_type("text/plain"),
            move |Variables(page): Variables<Page>| {
                let text = pages.get(&*page.topic).copied();
                async move { text.map(|text| format!("{} ({text})", page.language.unwrap_or("en".into()))) }
            },
        )
        .list_resources(move |_| {
            let pages = listed.keys().map(|topic| (topic.replace('/', "%2F"), *topic));
            let pages: Vec<_> = pages.map(|(path, name)| Resource::new(format!("docs://page/{path}"), name)).collect();
            async move { Ok(pages) }
        })
        .build()?;
    Ok(server)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server()?;
    for revision in Revision::ALL {
        let (ours, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        let client = Client::builder("reader", "1.0.0").revisions([revision]).connect_with(ours).await?;

        let listed = client.request::<List>(ListParams::new()).await?;
        let uris: Vec<_> = listed.resources.iter().map(|resource| &*resource.uri).collect();
        assert_eq!(uris, ["docs://index", "docs://page/rock%2Froll", "docs://page/tea"]);

        for (uri, text) in [
            ("docs://index", r#"["rock/roll","tea"]"#),
            ("docs://page/tea?language=de", "de (Boil water.)"),
            ("docs://page/rock%2Froll", "en (Turn it up.)"),
        ] {
            let read = client.request::<Read>(ReadParams::new(uri)).await?;
            assert!(serde_json::to_value(&read.contents)?[0]["text"] == text, "{uri} at {revision}");
        }

        let error = client.request::<Read>(ReadParams::new("docs://page/none")).await.unwrap_err();
        assert!([-32002, -32602].contains(&error.rpc().unwrap().code));
    }
    Ok(())
}
