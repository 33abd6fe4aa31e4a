//! A server at an address.

use mcpeer::server::Server;
use serde_json::json;
use tokio::net::TcpStream;

use crate::{line::Served, web::modern};

#[tokio::test]
async fn a_bound_server_serves_its_path_until_it_is_to_end() {
    let server = Server::builder("test", "1").tool("echo", async || "done").build().unwrap();
    let mut served = Served::new(&server.http()).await;
    let call = modern(1, "tools/call", &json!({"name": "echo"}));
    let mut line = served.line().await;
    for _ in 0..2 {
        let answer = line.call(&call).await;
        assert_eq!((answer.status, &answer.json()["result"]["content"][0]["text"]), (200, &json!("done")));
    }
    let mut elsewhere = call.clone();
    *elsewhere.uri_mut() = "/elsewhere".parse().unwrap();
    let answer = line.call(&elsewhere).await;
    assert_eq!((answer.status, answer.code()), (404, -32600));
    assert!(answer.text.contains("/mcp"), "{answer:?}");

    line.send(&modern("s", "subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}}))).await;
    line.until("acknowledged").await;
    served.end();
    // The stream of changes ends with its result, then the connection, then the server.
    line.until("\"resultType\":\"complete\"").await;
    served.ended().await;
    assert!(TcpStream::connect(served.address).await.is_err());
}
