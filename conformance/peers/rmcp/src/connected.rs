//! A client that is connected, to a child or over HTTP.

use std::{ops::Deref, process::Stdio};

use rmcp::{
    Peer, RoleClient,
    model::{ClientRequest, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt as _, RunningService},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::{
    heard::Heard,
    json::{json_of, of},
    report::Outcome,
};

pub const MODERN: &str = "2026-07-28";

pub struct Connected {
    pub running: RunningService<RoleClient, Heard>,
    pub heard: Heard,
    pub version: String,
    pub server: Value,
    child: Option<Child>,
}

impl Connected {
    /// Connects, declaring these capabilities.
    pub async fn open(version: &str, server: &[String], capabilities: Value) -> Outcome<Self> {
        let offered = if matches!(version, "auto" | MODERN) { "2025-11-25" } else { version };
        let heard = Heard::new(json!({
            "protocolVersion": offered,
            "capabilities": capabilities,
            "clientInfo": {"name": "rmcp-client", "version": "1.0.0"},
        }));
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        let mode = match version {
            "auto" => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
            MODERN => ClientLifecycleMode::Discover { preferred_versions },
            _ => ClientLifecycleMode::Initialize,
        };
        let mut child = None;
        let running = match server {
            [http, url] if http == "http" => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
                // It takes 1 MiB unless told otherwise, and 32 calls are made at once.
                config.max_sse_event_size = 64 << 20;
                config.max_concurrent_requests = 64;
                heard.clone().serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), mode).await?
            }
            [command, arguments @ ..] => {
                let mut command = Command::new(command);
                command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
                let mut process = command.spawn()?;
                let pipes = process.stdout.take().zip(process.stdin.take()).expect("piped");
                child = Some(process);
                heard.clone().serve_with_lifecycle(pipes, mode).await?
            }
            [] => return Err("no server is named".into()),
        };
        let info = running.peer().peer_info().map(json_of).unwrap_or_default();
        let version = text(&info["protocolVersion"]);
        let server = info["serverInfo"]["name"].clone();
        Ok(Self { running, heard, version, server, child })
    }

    pub fn peer(&self) -> &Peer<RoleClient> {
        self.running.deref()
    }

    /// Sends a request, gives its result.
    pub async fn ask(&self, method: &str, params: Option<Value>) -> Outcome<Value> {
        let mut request = json!({"method": method});
        if let Some(params) = params {
            request["params"] = params;
        }
        Ok(json_of(self.peer().send_request(of::<ClientRequest>(request)).await?))
    }

    /// Goes through all pages of a list.
    pub async fn every(&self, method: &str, member: &str) -> Outcome<Vec<Value>> {
        let (mut entries, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.ask(method, Some(params)).await?;
            entries.extend(page[member].as_array().cloned().unwrap_or_default());
            if page["nextCursor"].is_null() {
                return Ok(entries);
            }
            params = json!({"cursor": page["nextCursor"]});
        }
    }

    /// Closes, and tells how the child ended.
    pub async fn close(self) -> Outcome<Option<i32>> {
        self.running.cancel().await?;
        match self.child {
            Some(mut child) => Ok(child.wait().await?.code()),
            None => Ok(None),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
