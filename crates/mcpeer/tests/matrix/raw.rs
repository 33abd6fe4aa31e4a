//! A client that writes and reads raw JSON over any link.

use mcpeer::{
    transport::TransportExt,
    version::{Era, Revision},
};
use serde_json::{Value, json};

use crate::link::Pipe;

pub(crate) struct Raw {
    pipe: Pipe,
    revision: Revision,
    capabilities: Value,
    next_id: i64,
    /// What came beside answers, in order.
    pub(crate) beside: Vec<Value>,
}

impl Raw {
    pub(crate) fn over(pipe: Pipe, revision: Revision, capabilities: Value) -> Self {
        Self { pipe, revision, capabilities, next_id: 0, beside: Vec::new() }
    }

    /// Shakes hands, where the era does so.
    pub(crate) async fn initialize(&mut self) {
        if self.revision.era() == Era::Modern {
            return;
        }
        let version = self.revision.as_str();
        let info = json!({"name": "raw", "version": "0"});
        let params = json!({"protocolVersion": version, "capabilities": self.capabilities, "clientInfo": info});
        let answer = self.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.answer(id).await
    }

    pub(crate) async fn call(&mut self, name: &str) -> Value {
        self.request("tools/call", json!({"name": name})).await
    }

    /// Sends a request and gives its id.
    pub(crate) async fn start(&mut self, method: &str, mut params: Value) -> i64 {
        self.next_id += 1;
        if self.revision.era() == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = self.revision.as_str().into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})).await;
        self.next_id
    }

    /// Waits for the answer to a request; other messages are kept.
    pub(crate) async fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.receive().await;
            if message.get("method").is_none() && message["id"] == id {
                return message;
            }
            self.beside.push(message);
        }
    }

    /// Waits until something came beside answers that this is true of.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.beside.iter().position(&is_it) {
                return self.beside.remove(at);
            }
            let message = self.receive().await;
            self.beside.push(message);
        }
    }

    /// The headers that name the session, over HTTP.
    pub(crate) fn session(&self) -> Vec<(&'static str, String)> {
        if let Pipe::Http(http) = &self.pipe { http.session() } else { Vec::new() }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: String) {
        self.pipe.send_text(text).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        loop {
            let text = self.pipe.receive_text().await.unwrap().expect("the server ended");
            // The rest is what a test harness prints, where that is the server's process.
            if text.starts_with(['{', '[']) {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    pub(crate) async fn close(&mut self) {
        self.pipe.close().await.unwrap();
    }
}
