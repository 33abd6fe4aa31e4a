//! A peer that speaks raw JSON, so that tests see what crosses.

use mcpeer::{
    client::{Builder, Client},
    server::Server,
    transport::{Transport, TransportExt, memory},
    version::{Era, Revision},
};
use serde_json::{Map, Value, json};

/// A client that writes and reads raw JSON.
pub(crate) struct RawClient<T = memory::Memory> {
    transport: T,
    revision: Revision,
    next_id: i64,
    /// What the client says that it can do.
    capabilities: Value,
    /// The messages that came beside answers, in order.
    pub(crate) notifications: Vec<Value>,
}

impl RawClient {
    /// Starts the server and opens a connection at a revision, by handshake where its era has one.
    pub(crate) async fn connect(server: &Server, revision: Revision) -> Self {
        Self::connect_as(server, revision, json!({})).await
    }

    /// Does the same as a client that can do something.
    pub(crate) async fn connect_as(server: &Server, revision: Revision, capabilities: Value) -> Self {
        let mut client = Self::open(server, revision);
        client.capabilities = capabilities;
        client.initialize().await;
        client
    }

    /// Starts the server and opens a connection on which nothing was said yet.
    pub(crate) fn open(server: &Server, revision: Revision) -> Self {
        let (transport, theirs) = memory::pair();
        let server = server.clone();
        tokio::spawn(async move { server.serve(theirs).await });
        Self::over(transport, revision, json!({}))
    }
}

impl<T: Transport> RawClient<T> {
    /// Makes a client on a transport on which nothing was said yet.
    pub(crate) fn over(transport: T, revision: Revision, capabilities: Value) -> Self {
        Self { transport, revision, next_id: 0, capabilities, notifications: Vec::new() }
    }

    /// Shakes hands, where the era does so.
    pub(crate) async fn initialize(&mut self) {
        let client = self;
        let revision = client.revision;
        if revision.era() == Era::Legacy {
            let params = json!({
                "protocolVersion": revision.as_str(),
                "capabilities": client.capabilities,
                "clientInfo": {"name": "raw", "version": "0"},
            });
            let answer = client.request("initialize", params).await;
            assert_eq!(answer["result"]["protocolVersion"], revision.as_str(), "{answer}");
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
    }

    /// Sends a request, with the envelope where the era has one, and gives the answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.answer(id).await
    }

    /// Sends a request and gives its id.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let params = self.enveloped(params);
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})).await;
        self.next_id
    }

    /// Waits for the answer to a request; other messages are kept.
    pub(crate) async fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive().await.expect("the server ended without an answer");
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Says that nothing more will come; the server can still answer.
    pub(crate) async fn end_input(&mut self) {
        self.transport.close().await.unwrap();
    }

    /// Declares other capabilities from the next request on, in the stateless era.
    pub(crate) fn declare(&mut self, capabilities: Value) {
        self.capabilities = capabilities;
    }

    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments})).await
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.transport.send_text(text).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Option<Value> {
        loop {
            let text = self.transport.receive_text().await.unwrap()?;
            // The rest is what a test harness prints, where that is the server's process.
            if text.starts_with(['{', '[']) {
                return Some(serde_json::from_str(&text).unwrap());
            }
        }
    }

    fn enveloped(&self, mut params: Value) -> Value {
        if self.revision.era() == Era::Modern
            && let Value::Object(members) = &mut params
        {
            let meta = members.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision.as_str().into();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        params
    }
}

/// Gives the text of a result's only content, which must be text.
pub(crate) fn text(answer: &Value) -> &str {
    let content = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("no content: {answer}"));
    assert_eq!(content.len(), 1, "{answer}");
    content[0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

/// Takes out of a result what only one era adds, so that both can be compared.
pub(crate) fn plain(mut answer: Value) -> Value {
    assert!(answer["result"].is_object(), "no result: {answer}");
    let result = answer["result"].as_object_mut().expect("just checked");
    for name in ["resultType", "ttlMs", "cacheScope", "_meta"] {
        result.remove(name);
    }
    answer["result"].take()
}

/// A server that reads and writes raw JSON.
pub(crate) struct RawServer {
    transport: memory::Memory,
    revision: Revision,
}

impl RawServer {
    /// Gives a server, and the other end of its transport.
    pub(crate) fn new(revision: Revision) -> (Self, memory::Memory) {
        let (transport, theirs) = memory::pair();
        (Self { transport, revision }, theirs)
    }

    /// Goes through the opening of a connection, whatever the client begins with.
    pub(crate) async fn open(&mut self, capabilities: Value) {
        loop {
            let message = self.receive().await.expect("the client left during the opening");
            let id = &message["id"];
            match (message["method"].as_str(), self.revision.era()) {
                (Some("server/discover"), Era::Modern) => {
                    let result = json!({
                        "supportedVersions": [self.revision.as_str()],
                        "capabilities": capabilities,
                        "ttlMs": 0,
                        "cacheScope": "private",
                    });
                    return self.answer(id, result).await;
                }
                (Some("initialize"), Era::Legacy) => {
                    let result = json!({
                        "protocolVersion": self.revision.as_str(),
                        "capabilities": capabilities,
                        "serverInfo": {"name": "raw", "version": "0"},
                    });
                    self.answer(id, result).await;
                }
                (Some("notifications/initialized"), Era::Legacy) => return,
                (_, _) => self.refuse(id, -32601, "unknown method").await,
            }
        }
    }

    /// Answers a request with a result, which gets what the era adds.
    pub(crate) async fn answer(&mut self, id: &Value, mut result: Value) {
        if self.revision.era() == Era::Modern && result.get("resultType").is_none() {
            result["resultType"] = "complete".into();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    pub(crate) async fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})).await;
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.transport.send_text(text).await.unwrap();
    }

    /// Receives the next message; `None` once the client has left.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let text = self.transport.receive_text().await.unwrap()?;
        Some(serde_json::from_str(&text).unwrap())
    }

    /// Receives the next message, which must be of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.receive().await.unwrap_or_else(|| panic!("the client left without `{method}`"));
        assert_eq!(message["method"], method, "{message}");
        message
    }
}

/// Connects a client to a server that reads and writes raw JSON.
pub(crate) async fn connect_raw(builder: Builder, revision: Revision) -> (Client, RawServer) {
    connect_raw_that_offers(json!({"tools": {}, "logging": {}}), builder, revision).await
}

/// Connects a client to a server that declares these capabilities, and reads and writes raw JSON.
pub(crate) async fn connect_raw_that_offers(
    capabilities: Value,
    builder: Builder,
    revision: Revision,
) -> (Client, RawServer) {
    let (mut server, transport) = RawServer::new(revision);
    let opening = tokio::spawn(async move {
        server.open(capabilities).await;
        server
    });
    let client = builder.connect_with(transport).await.unwrap();
    assert_eq!(client.revision(), revision);
    (client, opening.await.unwrap())
}

/// Connects a client to a server at one revision.
pub(crate) async fn connect(builder: Builder, server: &Server, revision: Revision) -> Client {
    let (ours, theirs) = memory::pair();
    let server = server.clone();
    tokio::spawn(async move { server.serve(theirs).await });
    let client = builder.revisions([revision]).connect_with(ours).await.unwrap();
    assert_eq!(client.revision(), revision);
    client
}

/// A client to be connected.
pub(crate) fn builder() -> Builder {
    Client::builder("test", "1.0.0")
}
