//! Servers that change what they offer while they run.

use mcpeer::{
    server::Server,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::peers::RawClient;

/// Follows everything that a filter names, in the way of the revision.
async fn follow(client: &mut RawClient, revision: Revision, filter: Value) {
    if revision.era() == Era::Legacy {
        for uri in filter["resourceSubscriptions"].as_array().into_iter().flatten() {
            let answer = client.request("resources/subscribe", json!({"uri": uri})).await;
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
        return;
    }
    client.start("subscriptions/listen", json!({"notifications": filter})).await;
    let acknowledged = client.receive().await.unwrap();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    assert_eq!(acknowledged["params"]["notifications"], filter, "{acknowledged}");
}

#[tokio::test]
async fn a_change_is_told_to_every_connection_in_the_way_of_its_era() {
    let server = Server::builder("changes", "1").tool("now", async || "now").build().unwrap();
    let mut clients = Vec::new();
    for revision in Revision::ALL {
        let mut client = RawClient::connect(&server, revision).await;
        follow(&mut client, revision, json!({"toolsListChanged": true})).await;
        // What came before is done once this is answered.
        client.request("tools/list", json!({})).await;
        clients.push(client);
    }
    // What is not declared is not told.
    server.prompts_changed();
    server.tools_changed();
    server.tools_changed();
    for mut client in clients {
        let told = client.receive().await.unwrap();
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
        client.request("tools/list", json!({})).await;
        assert_eq!(client.notifications, Vec::<Value>::new(), "changes that are the same are told once");
    }
}
