//! Who hears of changes, where not everybody may see everything.

use mcpeer::{
    server::{Item, Resource, ResourceTemplate, Server},
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::RawClient;

/// A server whose secrets only clients with sampling may see. A principal would say it better, but nothing
/// authenticates anybody in memory.
fn server() -> Server {
    Server::builder("vault", "1")
        .resource(Resource::new("vault://open", "open"), async || "text")
        .resource(Resource::new("vault://secret/one", "secret one"), async || "text")
        .resource_template(ResourceTemplate::new("secret://{name}", "secrets"), async || "text")
        .visible(|item, cx| {
            let is_secret = match item {
                Item::Resource(resource) => resource.uri.contains("secret"),
                item => item.name().contains("secret"),
            };
            assert!(item.name() != "vault://panics", "a filter with a mistake");
            !is_secret || cx.client_capabilities().is_some_and(|client| client.sampling.is_some())
        })
        .build()
        .unwrap()
}

/// Follows resources, and takes what is said until all is followed.
async fn follow(client: &mut RawClient, revision: Revision, uris: &[&str]) {
    if revision.era() == Era::Legacy {
        for uri in uris {
            let answer = client.request("resources/subscribe", json!({"uri": uri})).await;
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
        return;
    }
    client.start("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": uris}})).await;
    let acknowledged = client.receive().await.unwrap();
    assert_eq!(acknowledged["params"]["notifications"]["resourceSubscriptions"], json!(uris), "{acknowledged}");
}

#[tokio::test]
async fn a_change_of_a_resource_reaches_only_who_may_see_it() {
    let followed = ["vault://open", "vault://secret/one", "vault://", "secret://a", "vault://unknown"];
    let changed = [
        "vault://secret/one",
        "vault://open",
        "secret://a",
        "vault://secret/unknown",
        "vault://unknown",
        "vault://panics",
        "vault://open/below",
    ];
    for revision in Revision::ALL {
        let server = server();
        let mut trusted = RawClient::connect_as(&server, revision, json!({"sampling": {}})).await;
        let mut other = RawClient::connect(&server, revision).await;
        for client in [&mut trusted, &mut other] {
            follow(client, revision, &followed).await;
        }
        changed.iter().for_each(|uri| server.resource_updated(*uri));
        for (client, expected) in [
            (&mut trusted, &["vault://secret/one", "vault://open", "secret://a", "vault://secret/unknown"][..]),
            (&mut other, &["vault://open"]),
        ] {
            // What was told before it has arrived before its answer.
            client.request("resources/list", json!({})).await;
            let told: Vec<&Value> =
                client.notifications.iter().map(|notification| &notification["params"]["uri"]).collect();
            let expected: Vec<&str> =
                expected.iter().copied().chain(["vault://unknown", "vault://open/below"]).collect();
            assert_eq!(json!(told), json!(expected), "{revision}");
        }
    }
}

#[tokio::test]
async fn each_subscription_of_a_connection_hears_what_its_own_request_may_see() {
    let server = server();
    let revision = Revision::V2026_07_28;
    let mut client = RawClient::connect_as(&server, revision, json!({"sampling": {}})).await;
    follow(&mut client, revision, &["vault://secret/one"]).await;
    // The same connection, another request: it stands for somebody who may see less.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": revision.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let filter = json!({"resourceSubscriptions": ["vault://secret/one"]});
    let params = json!({"_meta": meta, "notifications": filter});
    client.send(&json!({"jsonrpc": "2.0", "id": "other", "method": "subscriptions/listen", "params": params})).await;
    client.receive().await.unwrap();
    server.resource_updated("vault://secret/one");
    client.request("resources/list", json!({})).await;
    let told: Vec<&Value> = client
        .notifications
        .iter()
        .map(|notification| &notification["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"])
        .collect();
    assert_eq!(told, [&json!(1)]);
}
