//! One side of a connection under its driver, and the other side by hand: JSON in, JSON out.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::{
    driver::{Driver, Options, Run},
    error::Error,
    handler::{Context, Misbehaved, Notification, Reply, Request, Service, Serving},
    peer::Peer,
    proto::{Config, Connection, Policy, io::Closed},
    rpc::Raw,
    transport::{
        Link, Transport, TransportExt,
        memory::{self, Memory},
    },
    version::{Era, Revision},
};

/// The other side by hand.
pub(crate) struct Wire(pub(crate) Memory);

impl Wire {
    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, text: &str) {
        self.0.send_text(text).await.expect("the connection is open");
    }

    /// Waits for the next message.
    pub(crate) async fn receive(&mut self) -> Value {
        self.receive_or_end().await.expect("the connection is open")
    }

    /// Waits for the next message, or the end.
    pub(crate) async fn receive_or_end(&mut self) -> Option<Value> {
        let text = self.0.receive_text().await.expect("the connection is open")?;
        Some(serde_json::from_str(&text).expect("messages are JSON"))
    }

    /// Gives what was sent by the time that every task waits.
    pub(crate) async fn drain(&mut self) -> Vec<Value> {
        all_wait().await;
        let mut messages = Vec::new();
        while let Ok(text) = tokio::time::timeout(Duration::ZERO, self.0.receive_text()).await {
            let Some(text) = text.expect("the connection is open") else { break };
            messages.push(serde_json::from_str(&text).expect("messages are JSON"));
        }
        messages
    }

    /// Waits for a request and answers it.
    pub(crate) async fn answer(&mut self, method: &str, result: Value) {
        let request = self.receive().await;
        assert_eq!(request["method"], method, "{request}");
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }
}

/// Returns when every other task waits: a paused clock moves only then.
pub(crate) async fn all_wait() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// A service of closures, which notes what it hears.
#[derive(Default)]
pub(crate) struct Closures {
    call: Option<Box<dyn Fn(Request, Context) -> Run + Send + Sync>>,
    pub(crate) heard: Arc<Heard>,
}

/// What a service was told.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) notifications: Mutex<Vec<String>>,
    pub(crate) misbehaved: Mutex<Vec<String>>,
    pub(crate) closed: Mutex<Vec<String>>,
    /// `+URI` where the peer begins to watch, `-URI` where it ends.
    pub(crate) watched: Mutex<Vec<String>>,
}

impl Heard {
    pub(crate) fn misbehaved(&self) -> Vec<String> {
        self.misbehaved.lock().unwrap().clone()
    }
}

impl Closures {
    /// Serves every request by a closure.
    pub(crate) fn sync(call: impl Fn(Request, Context) -> Run + Send + Sync + 'static) -> Self {
        Self { call: Some(Box::new(call)), heard: Arc::default() }
    }

    /// Serves every request by a future.
    pub(crate) fn of<F>(call: impl Fn(Request, Context) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Reply> + Send + 'static,
    {
        Self::sync(move |request, cx| Run::Pending(Box::pin(call(request, cx))))
    }
}

impl Service for Closures {
    fn call(&self, request: Request, cx: Context) -> Run {
        match &self.call {
            Some(call) => call(request, cx),
            None => Run::Ready(done()),
        }
    }

    fn notify(&self, notification: Notification, _: &Peer) {
        self.heard.notifications.lock().unwrap().push(notification.method.into_owned());
    }

    fn misbehaved(&self, report: &Misbehaved) {
        self.heard.misbehaved.lock().unwrap().push(report.reason.clone());
    }

    fn watched(&self, uri: &str) {
        self.heard.watched.lock().unwrap().push(format!("+{uri}"));
    }

    fn unwatched(&self, uri: &str) {
        self.heard.watched.lock().unwrap().push(format!("-{uri}"));
    }

    fn closed(&self, reason: &Error) {
        self.heard.closed.lock().unwrap().push(reason.to_string());
    }
}

/// An empty result.
pub(crate) fn done() -> Reply {
    result(&json!({}))
}

pub(crate) fn result(value: &Value) -> Reply {
    Reply::Complete(Raw::from_value(value).unwrap().into())
}

/// A peer whose driver runs in a task.
pub(crate) struct Side {
    pub(crate) peer: Peer,
    pub(crate) heard: Arc<Heard>,
    pub(crate) task: JoinHandle<Closed>,
}

/// Starts a driver.
pub(crate) fn start<T: Transport>(connection: Connection, transport: T, service: Closures, options: Options) -> Side {
    let heard = service.heard.clone();
    let driver = Driver::new(connection, transport, Serving::new(Arc::new(service)), options);
    let peer = Peer::new(driver.remote().clone());
    Side { peer, heard, task: tokio::spawn(driver) }
}

fn implementation() -> Raw {
    Raw::trusted(r#"{"name":"tested","version":"1"}"#)
}

pub(crate) fn server_config() -> Config {
    let mut config = Config::server(implementation());
    config.capabilities = Raw::trusted(r#"{"tools":{},"logging":{}}"#);
    config.handlers.fallback = true;
    config
}

pub(crate) fn client_config(era: Era) -> Config {
    let mut config = Config::client(implementation());
    config.capabilities = Raw::trusted(r#"{"sampling":{},"roots":{}}"#);
    config.handlers.fallback = true;
    config.policy = match era {
        Era::Legacy => Policy::LegacyOnly,
        Era::Modern => Policy::ModernOnly,
    };
    config
}

/// A server over any transport.
pub(crate) fn serve<T: Transport>(transport: T, service: Closures, options: Options) -> Side {
    start(Connection::server(Arc::new(server_config()), Link::Pipe), transport, service, options)
}

/// A server that has settled on an era.
pub(crate) async fn server(era: Era, service: Closures) -> (Side, Wire) {
    server_with(era, service, Options::default()).await
}

pub(crate) async fn server_with(era: Era, service: Closures, options: Options) -> (Side, Wire) {
    let (here, there) = memory::pair();
    let side = serve(here, service, options);
    let mut wire = Wire(there);
    greet(era, &mut wire).await;
    (side, wire)
}

/// Does by hand what a client does at the start.
pub(crate) async fn greet(era: Era, wire: &mut Wire) {
    if era == Era::Legacy {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"sampling": {}, "roots": {}},
            "clientInfo": {"name": "wire", "version": "1"},
        });
        wire.send(json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})).await;
        assert_eq!(wire.receive().await["result"]["protocolVersion"], "2025-06-18");
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }
}

/// A client that has settled on an era.
pub(crate) async fn client(era: Era) -> (Side, Wire) {
    client_with(era, Closures::default(), Options::default()).await
}

pub(crate) async fn client_with(era: Era, service: Closures, options: Options) -> (Side, Wire) {
    let (here, there) = memory::pair();
    #[allow(clippy::disallowed_methods, reason = "a test reads the paused clock")]
    let now = tokio::time::Instant::now().into_std();
    let connection = Connection::client(Arc::new(client_config(era)), Link::Pipe, now);
    let side = start(connection, here, service, options);
    let mut wire = Wire(there);
    welcome(era, &mut wire).await;
    side.peer.remote().connected().await.expect("the handshake succeeds");
    (side, wire)
}

/// Does by hand what a server does at the start.
async fn welcome(era: Era, wire: &mut Wire) {
    let info = json!({"name": "wire", "version": "1"});
    let capabilities = json!({"tools": {}, "logging": {}, "resources": {"subscribe": true}});
    match era {
        Era::Legacy => {
            let result = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": info});
            wire.answer("initialize", result).await;
            assert_eq!(wire.receive().await["method"], "notifications/initialized");
        }
        Era::Modern => {
            let result = json!({
                "resultType": "complete",
                "supportedVersions": [Revision::V2026_07_28.as_str()],
                "capabilities": capabilities,
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": info},
            });
            wire.answer("server/discover", result).await;
        }
    }
}

/// A request as a client of the era sends it.
pub(crate) fn request(era: Era, id: impl Into<Value>, method: &str, params: Value) -> Value {
    let params = if era == Era::Modern { enveloped(params) } else { params };
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

fn enveloped(mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "wire", "version": "1"});
    params
}

/// The cancellation of a request.
pub(crate) fn cancelled(era: Era, id: impl Into<Value>) -> Value {
    let params = json!({"requestId": id.into()});
    let params = if era == Era::Modern { enveloped(params) } else { params };
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
}

/// A result as a server of the era sends it.
pub(crate) fn answer(era: Era, id: &Value, mut result: Value) -> Value {
    if era == Era::Modern {
        result["resultType"] = json!("complete");
    }
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];
