//! The tools of `../../tools.mjs`.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    json::of,
    made::{object, result, said},
};

#[derive(Clone, Default)]
pub struct Calls {
    cancelled: Arc<watch::Sender<u64>>,
}

impl ServerHandler for Calls {
    fn get_info(&self) -> ServerConfig {
        of(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "rmcp-server", "version": "1.0.0"},
        }))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let sum = object(json!({"sum": {"type": "number"}}));
        Ok(result(json!({"tools": [
            {"name": "echo", "inputSchema": object(json!({"text": {"type": "string"}}))},
            {
                "name": "add",
                "inputSchema": object(json!({"a": {"type": "number"}, "b": {"type": "number"}})),
                "outputSchema": sum,
            },
            {"name": "count", "inputSchema": object(json!({"to": {"type": "integer"}}))},
            {"name": "slow", "inputSchema": object(json!({}))},
            {"name": "cancelled", "inputSchema": object(json!({"at_least": {"type": "integer"}}))},
            {"name": "fail", "inputSchema": object(json!({"message": {"type": "string"}}))},
        ]})))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let result: CallToolResult = match &*params.name {
            "echo" => said(text("text")),
            "add" => {
                let sum = json!({"sum": arguments["a"].as_f64().zip(arguments["b"].as_f64()).map(|(a, b)| a + b)});
                CallToolResult::structured(sum)
            }
            "count" => {
                let to = arguments["to"].as_u64().unwrap_or_default();
                for step in 1..=to {
                    progress(&context, step as f64, Some(to as f64)).await;
                }
                said(to.to_string())
            }
            "slow" => {
                // A request whose stream is closed is dropped; one that a notification cancels is told so.
                let _counted = Counted(self.cancelled.clone());
                progress(&context, 0.0, None).await;
                context.ct.cancelled().await;
                said("cancelled")
            }
            "cancelled" => {
                let at_least = arguments["at_least"].as_u64().unwrap_or_default();
                let mut cancelled = self.cancelled.subscribe();
                let count = *cancelled.wait_for(|count| *count >= at_least).await.expect("it is kept here");
                said(count.to_string())
            }
            "fail" => result(json!({"content": [{"type": "text", "text": text("message")}], "isError": true})),
            _ => return Err(ErrorData::invalid_params("there is no such tool", None)),
        };
        Ok(result.into())
    }
}

/// Counts a cancelled call when it is over.
struct Counted(Arc<watch::Sender<u64>>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count += 1);
    }
}

async fn progress(context: &RequestContext<RoleServer>, progress: f64, total: Option<f64>) {
    if let Some(token) = context.meta.get_progress_token() {
        let mut params = ProgressNotificationParam::new(token, progress);
        params.total = total;
        // The client may have gone.
        let _ = context.peer.notify_progress(params).await;
    }
}
