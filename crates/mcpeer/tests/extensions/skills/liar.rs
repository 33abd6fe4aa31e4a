//! A server whose every answer is written by a test.

use std::sync::{Arc, Mutex};

use mcpeer::{
    Client,
    client::Policy,
    transport::{TransportExt, memory},
    version::{Era, Revision},
};
use serde_json::{Value, json};

/// What was asked, in order: the method, and the address where there was one.
pub(super) type Asked = Arc<Mutex<Vec<String>>>;

/// Connects a client to a server that declares these extensions and answers as it is told, `None` by an error.
pub(super) async fn connect(
    revision: Revision,
    extensions: Value,
    answer: impl Fn(&str, &Value) -> Option<Value> + Send + 'static,
) -> (Client, Asked) {
    let (ours, mut theirs) = memory::pair();
    let asked = Asked::default();
    let (log, is_modern) = (asked.clone(), revision.era() == Era::Modern);
    tokio::spawn(async move {
        while let Ok(Some(text)) = theirs.receive_text().await {
            let message: Value = serde_json::from_str(&text).unwrap();
            let (id, method, params) = (&message["id"], message["method"].as_str().unwrap(), &message["params"]);
            if id.is_null() {
                continue;
            }
            let capabilities = json!({"resources": {}, "extensions": extensions});
            let result = match method {
                "server/discover" => Some(json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities})),
                "initialize" => Some(json!({"protocolVersion": revision.as_str(), "capabilities": capabilities,
                    "serverInfo": {"name": "liar", "version": "1"}})),
                method => {
                    let uri = params["uri"].as_str().map(|uri| format!(" {uri}")).unwrap_or_default();
                    log.lock().unwrap().push(format!("{method}{uri}"));
                    answer(method, params)
                }
            };
            let answer = match result {
                Some(mut result) => {
                    if is_modern {
                        result["resultType"] = json!("complete");
                        result["ttlMs"] = json!(0);
                        result["cacheScope"] = json!("private");
                    }
                    json!({"jsonrpc": "2.0", "id": id, "result": result})
                }
                None => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "no"}}),
            };
            theirs.send_text(answer.to_string()).await.unwrap();
        }
    });
    let policy = if is_modern { Policy::ModernOnly } else { Policy::LegacyOnly };
    let client = Client::builder("test", "1.0.0").policy(policy).revisions([revision]);
    (client.connect_with(ours).await.unwrap(), asked)
}

/// Gives what was asked.
pub(super) fn told(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap().clone()
}
