//! Servers that answer as a test says.

use std::{
    collections::HashMap,
    future::Future,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// What a client sent.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The method of the message, or the verb where there is none.
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.verb)
    }
}

/// A request that waits for its response. Dropped, it breaks off.
pub(crate) struct Asked {
    pub(crate) seen: Seen,
    socket: TcpStream,
}

impl Asked {
    pub(crate) fn method(&self) -> &str {
        self.seen.method()
    }

    /// Answers with a status, further headers (whole lines), and a body.
    pub(crate) async fn answer(mut self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
        self.write(&format!("{head}{body}")).await;
    }

    pub(crate) async fn json(self, status: u16, body: &Value) {
        self.json_with(status, "", body).await;
    }

    pub(crate) async fn json_with(self, status: u16, headers: &str, body: &Value) {
        self.answer(status, &format!("content-type: application/json\r\n{headers}"), &body.to_string()).await;
    }

    pub(crate) fn result_of(&self, result: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": self.seen.body["id"], "result": result})
    }

    pub(crate) fn error_of(&self, code: i64) -> Value {
        json!({"jsonrpc": "2.0", "id": self.seen.body["id"], "error": {"code": code, "message": "refused"}})
    }

    pub(crate) async fn result(self, result: &Value) {
        let body = self.result_of(result);
        self.json(200, &body).await;
    }

    /// The text of a tool's result.
    pub(crate) async fn text(self, text: &str) {
        self.result(&said(text)).await;
    }

    pub(crate) async fn accept(self) {
        self.answer(202, "", "").await;
    }

    /// Opens an event stream, which lasts until this is dropped.
    pub(crate) async fn open_events(&mut self) {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";
        self.write(head).await;
    }

    pub(crate) async fn event(&mut self, message: &Value) {
        self.write(&format!("event: message\ndata: {message}\n\n")).await;
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.write_bytes(text.as_bytes()).await;
    }

    pub(crate) async fn write_bytes(&mut self, bytes: &[u8]) {
        // The client may have hung up.
        let _ = self.socket.write_all(bytes).await;
    }

    /// Waits until the client hangs up.
    pub(crate) async fn hung_up(&mut self) {
        while !matches!(self.socket.read(&mut [0; 256]).await, Ok(0) | Err(_)) {}
    }
}

pub(crate) fn said(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

/// What a server of the stateless era says of itself.
pub(crate) fn discovered() -> Value {
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private"
    })
}

/// What one of the stateful era says.
pub(crate) fn initialized(version: &str) -> Value {
    json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
}

/// A server that runs until the test ends.
pub(crate) struct Script {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Script {
    /// Serves each request by a future of its own.
    pub(crate) async fn new<F, Serving>(serve: F) -> Self
    where
        F: Fn(Asked) -> Serving + Clone + Send + 'static,
        Serving: Future<Output = ()> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<Seen>>>::default());
        let log = seen.clone();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                let (serve, log) = (serve.clone(), log.clone());
                tokio::spawn(async move {
                    if let Some(seen) = read(&mut socket).await {
                        log.lock().unwrap().push(seen.clone());
                        serve(Asked { seen, socket }).await;
                    }
                });
            }
        });
        Self { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The methods of what came, or its verbs where there is none.
    pub(crate) fn methods(&self) -> Vec<String> {
        self.seen().iter().map(|seen| seen.method().to_owned()).collect()
    }
}

async fn read(socket: &mut TcpStream) -> Option<Seen> {
    let mut text = Vec::new();
    let head = loop {
        if let Some(at) = text.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        let mut piece = [0; 4096];
        let length = socket.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        text.extend_from_slice(&piece[..length]);
    };
    let mut body = text.split_off(head + 4);
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    let mut first = lines.next()?.split(' ');
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    while body.len() < length {
        let mut piece = [0; 4096];
        let more = socket.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        body.extend_from_slice(&piece[..more]);
    }
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    Some(Seen { verb: first.next()?.to_owned(), path: first.next()?.to_owned(), headers, body })
}
