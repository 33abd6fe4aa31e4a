//! The server that has everything, started as its users start it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use mcpeer::{Client, transport::child, version::Revision};
use serde_json::{Value, json};

const SERVER: &str = env!("CARGO_BIN_EXE_everything-server");

#[tokio::test]
async fn it_serves_both_eras_over_stdio() {
    for revision in Revision::ALL {
        let command = child::Command::new(SERVER).arg("stdio");
        let client = Client::builder("test", "1.0.0").revisions([revision]).connect(command).await.unwrap();
        let tools = client.tools().all().await.unwrap();
        assert_eq!(tools[0].name, "test_simple_text");
        let probe = tools.iter().find(|tool| tool.input_schema.to_string().contains("x-mcp-header"));
        assert_eq!(probe.unwrap().name, "test_x_mcp_header", "the suites try the first one, by its text");
        for (tool, arguments, said) in [
            ("test_simple_text", json!({}), "This is a simple text response for testing."),
            ("echo", json!({"text": "hi"}), "hi"),
            ("sleep", json!({"ms": 1}), "slept for 1 ms"),
            ("burst", json!({"n": 3}), "done"),
            ("test_x_mcp_header_integer", json!({"level": 7}), "level: 7"),
            ("greet", json!({"name": "Ada"}), "Hello, Ada!"),
        ] {
            let result = client.call(tool).arguments(&arguments).await.unwrap();
            assert_eq!(result.as_text(), said, "{tool} at {revision}");
        }
        assert_eq!(client.call("panic").await.unwrap_err().rpc().unwrap().code, -32603);
        client.close().await;
    }
}

/// The server over HTTP, ended when the test is over.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start() -> Self {
        let mut child = Command::new(SERVER).env("PORT", "0").stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        Self { address: address.unwrap_or_else(|| panic!("it said {line:?}")).to_owned(), child }
    }

    /// Sends a message of the stateless era, and gives the status line and the answer.
    fn ask(&self, method: &str, name: Option<&str>, params: &Value) -> (String, Value) {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let name = name.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: {method}\r\n{name}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), serde_json::from_str(body).unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn it_serves_the_stateless_era_over_http() {
    let served = Served::start();
    let (status, answer) = served.ask("server/discover", None, &json!({}));
    assert_eq!(status, "HTTP/1.1 200 OK");
    let capabilities = &answer["result"]["capabilities"];
    for declared in ["tools", "resources", "prompts", "logging", "completions"] {
        assert!(capabilities[declared].is_object(), "{declared} is missing: {answer}");
    }
    assert_eq!(
        capabilities["extensions"],
        json!({"io.modelcontextprotocol/skills": {"directoryRead": true}, "io.modelcontextprotocol/tasks": {}})
    );
    let (status, answer) =
        served.ask("resources/read", Some("test://template/123/data"), &json!({"uri": "test://template/123/data"}));
    assert_eq!(status, "HTTP/1.1 200 OK");
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(text, r#"{"id":"123","templateTest":true,"data":"Data for ID: 123"}"#);
}
