//! A crate that knows mcpeer by another name only: everything that the macro writes must go by that name.

use peer::{Client, Server, handler::Context, transport::memory};

/// Serves one of each kind.
struct Desk;

/// Everything by another name.
#[peer::server(crate = "peer")]
impl Desk {
    /// Counts letters.
    #[tool(read_only)]
    fn count(&self, text: String) -> String {
        text.chars().count().to_string()
    }

    /// Says hello.
    #[prompt]
    async fn greet(&self, cx: Context, name: String) -> String {
        format!("Say hello to {name} at {}", cx.revision())
    }

    /// A section.
    #[resource("desk://{section}")]
    fn read(&self, section: String) -> String {
        section
    }

    #[completion(prompt = "greet", argument = "name")]
    fn names(name: String) -> Vec<String> {
        vec![format!("{name}!")]
    }
}

#[tokio::test(flavor = "current_thread")]
async fn what_the_macro_writes_goes_by_the_name_that_the_crate_has_here() {
    let (ours, theirs) = memory::pair();
    let server: Server = Desk.server().build().unwrap();
    tokio::spawn(async move { server.serve(theirs).await });
    let client = Client::builder("test", "0").connect_with(ours).await.unwrap();
    assert_eq!(client.server_info().unwrap().name, "renamed");
    assert_eq!(client.tools().all().await.unwrap()[0].name, "count");
    assert_eq!(client.prompts().all().await.unwrap()[0].name, "greet");
    assert_eq!(client.resource_templates().all().await.unwrap()[0].uri_template, "desk://{section}");
    let counted = client.call("count").arguments(&std::collections::BTreeMap::from([("text", "seven")])).await.unwrap();
    assert_eq!(counted.as_text(), "5");
}
