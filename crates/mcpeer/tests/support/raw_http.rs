//! The client's side of Streamable HTTP by hand: what a script that knows only the specification would write.

use std::{
    collections::HashMap,
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use mcpeer::{
    driver::io::{Inbound, Link, Outbound},
    transport::{Received, Transport},
};
use serde_json::Value;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::{AbortHandle, JoinHandle},
};

/// A client's end of a server at an address.
pub(crate) struct RawHttp {
    ends: Arc<Ends>,
    texts: Option<UnboundedSender<String>>,
    sending: JoinHandle<()>,
    arrived: UnboundedReceiver<String>,
    message: String,
}

struct Ends {
    http: reqwest::Client,
    url: String,
    who: &'static str,
    arrives: UnboundedSender<String>,
    session: Mutex<Vec<(&'static str, String)>>,
    open: Mutex<HashMap<String, AbortHandle>>,
}

impl RawHttp {
    pub(crate) fn new(url: &str, who: &'static str) -> Self {
        let (arrives, arrived) = unbounded_channel();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let (session, open) = Default::default();
        let ends = Arc::new(Ends { http, url: url.to_owned(), who, arrives, session, open });
        let (texts, mut sent) = unbounded_channel();
        let sender = ends.clone();
        let sending = tokio::spawn(async move {
            while let Some(text) = sent.recv().await {
                sender.send(text).await;
            }
            sender.end().await;
        });
        Self { ends, texts: Some(texts), sending, arrived, message: String::new() }
    }
}

impl RawHttp {
    /// The headers that name the session.
    #[allow(dead_code, reason = "not every test that has this file looks at them")]
    pub(crate) fn session(&self) -> Vec<(&'static str, String)> {
        self.ends.session.lock().unwrap().clone()
    }
}

impl Ends {
    /// Sends a message. What follows waits for whatever has no answer, and for the handshake.
    async fn send(self: &Arc<Self>, text: String) {
        let message: Value = serde_json::from_str(&text).unwrap();
        let method = message["method"].as_str().unwrap_or_default();
        let is_modern = !message["params"]["_meta"][VERSION].is_null();
        let is_in_session = !self.session.lock().unwrap().is_empty();
        if method == "notifications/cancelled" && !is_in_session {
            // To cancel is to hang up.
            let id = message["params"]["requestId"].to_string();
            return self.open.lock().unwrap().remove(&id).iter().for_each(AbortHandle::abort);
        }
        let mut request = self.http.post(&self.url).header("content-type", "application/json");
        request = request.header("accept", "application/json, text/event-stream").header("x-who", self.who);
        for (name, value) in if is_modern { repeated(&message) } else { self.session.lock().unwrap().clone() } {
            request = request.header(name, value);
        }
        let (ends, request) = (self.clone(), request.body(text));
        let is_first = method == "initialize";
        let taking = tokio::spawn(async move { ends.take(request, is_first).await });
        if method.is_empty() || message.get("id").is_none() || is_first {
            let _ = taking.await;
        } else {
            self.open.lock().unwrap().insert(message["id"].to_string(), taking.abort_handle());
        }
        if method == "notifications/initialized" {
            self.listen().await;
        }
    }

    /// Takes in what comes back for a message.
    async fn take(&self, request: reqwest::RequestBuilder, is_first: bool) {
        // The server may have ended.
        let Ok(mut response) = request.send().await else { return };
        if is_first && let Some(id) = response.headers().get("mcp-session-id") {
            let id = id.to_str().unwrap().to_owned();
            self.session.lock().unwrap().push(("mcp-session-id", id));
        }
        let kind = response.headers().get("content-type").map_or("", |kind| kind.to_str().unwrap()).to_owned();
        match &*kind {
            "text/event-stream" => self.read(&mut response).await,
            "application/json" => {
                let Ok(text) = response.text().await else { return };
                if is_first {
                    let answer: Value = serde_json::from_str(&text).unwrap();
                    let version = answer["result"]["protocolVersion"].as_str().unwrap_or_default().to_owned();
                    self.session.lock().unwrap().push(("mcp-protocol-version", version));
                }
                let _ = self.arrives.send(text);
            }
            _ => {}
        }
    }

    /// Reads an event stream, whose events are as our server writes them.
    async fn read(&self, response: &mut reqwest::Response) {
        let mut text = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            let mut searched = text.len().saturating_sub(1);
            text.extend_from_slice(&piece);
            while let Some(at) = text[searched..].windows(2).position(|end| end == b"\n\n") {
                let rest = text.split_off(searched + at + 2);
                let event = String::from_utf8(std::mem::replace(&mut text, rest)).unwrap();
                searched = 0;
                let data: Vec<&str> = event.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
                if !data.concat().is_empty() {
                    let _ = self.arrives.send(data.join("\n"));
                }
            }
        }
    }

    /// Opens the stream of what belongs to no request.
    async fn listen(self: &Arc<Self>) {
        let request = self.within(self.http.get(&self.url)).header("accept", "text/event-stream");
        let Ok(mut response) = request.send().await else { return };
        if response.status().is_success() {
            let ends = self.clone();
            let reading = tokio::spawn(async move { ends.read(&mut response).await });
            self.open.lock().unwrap().insert("the session's".to_owned(), reading.abort_handle());
        }
    }

    fn within(&self, mut request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        request = request.header("x-who", self.who);
        for (name, value) in &*self.session.lock().unwrap() {
            request = request.header(*name, value);
        }
        request
    }

    async fn end(&self) {
        if self.session.lock().unwrap().iter().any(|(name, _)| *name == "mcp-session-id") {
            let _ = self.within(self.http.delete(&self.url)).send().await;
        }
        self.open.lock().unwrap().drain().for_each(|(_, open)| open.abort());
    }
}

impl Drop for RawHttp {
    fn drop(&mut self) {
        self.ends.open.lock().unwrap().drain().for_each(|(_, open)| open.abort());
    }
}

impl Transport for RawHttp {
    fn link(&self) -> Link {
        Link::Exchange
    }

    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Received<'_>>> {
        self.arrived.poll_recv(cx).map(|text| {
            let Some(text) = text else { return Ok(Received::InputEnded) };
            self.message = text;
            Ok(Received::Message(Inbound::pipe(self.message.as_bytes())))
        })
    }

    fn send(&mut self, outbound: Outbound) {
        if let (Outbound::Message { text, .. }, Some(texts)) = (outbound, &self.texts) {
            texts.send(String::from_utf8(text).unwrap()).unwrap();
        }
    }

    fn buffered(&self) -> usize {
        0
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.texts = None;
        Pin::new(&mut self.sending).poll(cx).map(|_| Ok(()))
    }
}

/// Sends one message, and gives status and body of what comes back.
#[allow(dead_code, reason = "not every test that has this file looks at statuses")]
pub(crate) async fn edge(
    url: &str,
    session: &[(&'static str, String)],
    headers: Vec<(&'static str, String)>,
    text: String,
) -> (u16, Value) {
    let mut request = reqwest::Client::builder().no_proxy().build().unwrap().post(url);
    request = request.header("content-type", "application/json");
    request = request.header("accept", "application/json, text/event-stream");
    for (name, value) in session.iter().cloned().chain(headers) {
        request = request.header(name, value);
    }
    let response = request.body(text).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default())
}

/// What a message of the stateless era says in its headers.
pub(crate) fn repeated(message: &Value) -> Vec<(&'static str, String)> {
    let params = &message["params"];
    let mut headers = vec![("mcp-protocol-version", params["_meta"][VERSION].as_str().unwrap_or_default().to_owned())];
    let method = message["method"].as_str().unwrap_or_default();
    headers.push(("mcp-method", method.to_owned()));
    let name = match method {
        "tools/call" | "prompts/get" => &params["name"],
        "resources/read" => &params["uri"],
        "tasks/get" | "tasks/update" | "tasks/cancel" => &params["taskId"],
        _ => &Value::Null,
    };
    headers.extend(name.as_str().map(|name| ("mcp-name", name.to_owned())));
    headers
}

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
