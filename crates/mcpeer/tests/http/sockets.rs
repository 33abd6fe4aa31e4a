//! A server at an address.

use mcpeer::server::Server;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
};

use crate::web::modern;

/// Writes a request as it crosses a socket.
pub(crate) fn text(request: &http::Request<String>, path: &str) -> String {
    let mut text = format!("POST {path} HTTP/1.1\r\ncontent-length: {}\r\n", request.body().len());
    for (name, value) in request.headers() {
        text.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
    }
    format!("{text}\r\n{}", request.body())
}

/// Reads what comes until it has this in it.
pub(crate) async fn read_until(socket: &mut TcpStream, wanted: &str) -> String {
    let mut text = String::new();
    while !text.contains(wanted) {
        let mut piece = [0; 4096];
        let length = socket.read(&mut piece).await.unwrap();
        assert_ne!(length, 0, "the connection ended; so far: {text}");
        text.push_str(std::str::from_utf8(&piece[..length]).unwrap());
    }
    text
}

#[tokio::test]
async fn a_bound_server_serves_its_path_until_it_is_to_end() {
    let server = Server::builder("test", "1").tool("echo", async || "done").build().unwrap();
    let bound = server.http().bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr();
    let (end, ending) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve_until(async move { drop(ending.await) }));

    let call = modern(1, "tools/call", &json!({"name": "echo"}));
    let mut socket = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        socket.write_all(text(&call, "/mcp").as_bytes()).await.unwrap();
        let answer = read_until(&mut socket, "\"done\"").await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }
    socket.write_all(text(&call, "/elsewhere").as_bytes()).await.unwrap();
    let answer = read_until(&mut socket, "/mcp").await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");

    let listen = modern("s", "subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}}));
    socket.write_all(text(&listen, "/mcp").as_bytes()).await.unwrap();
    read_until(&mut socket, "acknowledged").await;
    end.send(()).unwrap();
    // The stream of changes ends with its result, then the connection, then the server.
    read_until(&mut socket, "\"resultType\":\"complete\"").await;
    serving.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}
