use mcpeer::{
    Client,
    client::Policy,
    transport::http::{self, client::reqwest::ClientBuilder},
};
use tonic::{
    service::Routes,
    transport::{Server, server::TcpIncoming},
};

use super::{call, check, send, server};

#[tokio::test]
async fn it_is_served_beside_grpc_over_both_versions_of_http() {
    let (mcp, mut heard) = server();
    let router = Routes::default().into_axum_router().route_service("/mcp", mcp.http().service());
    let incoming = TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = incoming.local_addr().unwrap();
    let serving = Server::builder().accept_http1(true).add_routes(Routes::from(router));
    tokio::spawn(serving.serve_with_incoming(incoming));

    check(address, "/mcp", &mut heard).await;
    // What tonic itself says to what is no method of gRPC.
    let elsewhere = send(address, "/greeter.Greeter/Hello", call("echo")).await;
    assert!(elsewhere.contains("grpc-status: 12\r\n"), "{elsewhere}");

    // HTTP/2 names the host in the address.
    for policy in [Policy::ModernOnly, Policy::LegacyOnly] {
        let over_2 = ClientBuilder::new().no_proxy().http2_prior_knowledge();
        let connector = http::client(&format!("http://{address}/mcp")).reqwest(over_2);
        let client = Client::builder("test", "1").policy(policy).connect(connector).await.unwrap();
        assert_eq!(client.call("echo").await.unwrap().as_text(), "done");
        client.close().await;
    }
}
