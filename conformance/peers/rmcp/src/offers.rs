//! What `../../offers.mjs` offers.
#![allow(deprecated, reason = "what the stateless era no longer has is still spoken")]

mod asking;
mod listed;

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

use self::asking::{Asking, Stop};
use crate::{
    json::of,
    made::{result, said},
};

const COUNTER: &str = "test://counter";
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

#[derive(Clone)]
pub struct Offers(Arc<State>);

/// What changes. A server is made anew for each request of the stateless era, so they share it.
struct State {
    counter: AtomicU64,
    added: Mutex<BTreeSet<String>>,
    followed: Mutex<BTreeSet<String>>,
    level: Mutex<String>,
    roots_changes: watch::Sender<u64>,
    changes: broadcast::Sender<String>,
    /// For subscriptions that are acknowledged and not yet followed.
    followers: Mutex<VecDeque<broadcast::Receiver<String>>>,
}

impl Default for Offers {
    fn default() -> Self {
        Self(Arc::new(State {
            counter: AtomicU64::new(0),
            added: Mutex::default(),
            followed: Mutex::default(),
            level: Mutex::new("debug".to_owned()),
            roots_changes: watch::Sender::new(0),
            changes: broadcast::channel(64).0,
            followers: Mutex::default(),
        }))
    }
}

impl Offers {
    fn has_added(&self, what: &str) -> bool {
        self.0.added.lock().expect("nothing panics").contains(what)
    }

    async fn log(&self, context: &RequestContext<RoleServer>) {
        // The stateless era names the level in each request, or wants none.
        let least = match is_modern(context) {
            true => context.meta.get("io.modelcontextprotocol/logLevel").and_then(Value::as_str).map(str::to_owned),
            false => Some(self.0.level.lock().expect("nothing panics").clone()),
        };
        let rank = |level: &str| LEVELS.iter().position(|known| *known == level);
        let Some(least) = least.as_deref().and_then(rank) else { return };
        let messages = [
            ("debug", json!("quiet")),
            ("info", json!({"step": 1})),
            ("warning", json!("careful")),
            ("error", json!("broken")),
        ];
        for (level, data) in messages {
            if rank(level) >= Some(least) {
                let params = of(json!({"level": level, "logger": "features", "data": data}));
                let _ = context.peer.notify_logging_message(params).await;
            }
        }
    }

    async fn changed(&self, what: &str, context: &RequestContext<RoleServer>) {
        if is_modern(context) {
            let _ = self.0.changes.send(what.to_owned());
            return;
        }
        let _ = match what {
            "tool" | "nothing" => context.peer.notify_tool_list_changed().await,
            "prompt" => context.peer.notify_prompt_list_changed().await,
            "resource" => context.peer.notify_resource_list_changed().await,
            uri if self.0.followed.lock().expect("nothing panics").contains(uri) => {
                context.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            }
            _ => Ok(()),
        };
    }

    async fn run(&self, name: &str, arguments: &Value, asking: &Asking<'_>) -> Result<String, Stop> {
        let context = asking.context;
        match name {
            "log" => {
                self.log(context).await;
                Ok("logged".to_owned())
            }
            "roots_changed" => {
                let mut changes = self.0.roots_changes.subscribe();
                let count = *changes.wait_for(|count| *count > 0).await.expect("it is kept here");
                Ok(count.to_string())
            }
            "change" => {
                let count = self.0.counter.fetch_add(1, Ordering::SeqCst) + 1;
                self.changed(COUNTER, context).await;
                Ok(count.to_string())
            }
            "extend" => {
                let what = arguments["what"].as_str().unwrap_or_default();
                self.0.added.lock().expect("nothing panics").insert(what.to_owned());
                self.changed(what, context).await;
                Ok(what.to_owned())
            }
            "added" if self.has_added("tool") => Ok("added".to_owned()),
            _ => asking.run(name, arguments["how"].as_str().unwrap_or_default()).await,
        }
    }
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

impl ServerHandler for Offers {
    fn get_info(&self) -> ServerConfig {
        of(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "tools": {"listChanged": true},
                "prompts": {"listChanged": true},
                "resources": {"listChanged": true, "subscribe": true},
                "completions": {},
                "logging": {},
            },
            "serverInfo": {"name": "rmcp-server", "version": "1.0.0"},
        }))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(result(listed::tools(self.has_added("tool"))))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(result(listed::resources(self.has_added("resource"))))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(result(listed::templates()))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(result(listed::prompts(self.has_added("prompt"))))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !listed::has_tool(&params.name, self.has_added("tool")) {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        }
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        let asking = Asking::new(&context, params.request_state, params.input_responses);
        match self.run(&params.name, &arguments, &asking).await {
            Ok(text) => Ok(said::<CallToolResult>(text).into()),
            Err(Stop::Open(result)) => Ok(result.into()),
            Err(Stop::Failed(text)) => {
                let content = json!([{"type": "text", "text": text}]);
                Ok(result::<CallToolResult>(json!({"content": content, "isError": true})).into())
            }
        }
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = json!(params.arguments);
        let user = |text: String| json!({"role": "user", "content": {"type": "text", "text": text}});
        let messages = match &*params.name {
            "greet" => {
                let Some(name) = arguments["name"].as_str() else {
                    return Err(ErrorData::invalid_params("the prompt needs a name", None));
                };
                let style = arguments["style"].as_str().unwrap_or("plain");
                let reply = json!({"role": "assistant", "content": {"type": "text", "text": "With pleasure."}});
                json!([user(format!("Greet {name}, {style}")), reply])
            }
            "asked" => {
                let how = arguments["how"].as_str().unwrap_or_default();
                let asking = Asking::new(&context, params.request_state, params.input_responses);
                match asking.run("asked", how).await {
                    Ok(text) => json!([user(text)]),
                    Err(Stop::Open(result)) => return Ok(GetPromptResponse::InputRequired(result)),
                    Err(Stop::Failed(text)) => return Err(ErrorData::internal_error(text, None)),
                }
            }
            "added" if self.has_added("prompt") => json!([]),
            _ => return Err(ErrorData::invalid_params("there is no such prompt", None)),
        };
        Ok(GetPromptResponse::Complete(result(json!({"messages": messages}))))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &*params.uri;
        let text = |text: &str| json!({"uri": uri, "mimeType": "text/plain", "text": text});
        let contents = match uri {
            "test://greeting" => text("hello"),
            "test://bytes" => json!({"uri": uri, "mimeType": "application/octet-stream", "blob": "AAEC/w=="}),
            COUNTER => text(&self.0.counter.load(Ordering::SeqCst).to_string()),
            uri if uri.starts_with("test://item/") => text(&format!("item {}", &uri["test://item/".len()..])),
            uri if uri.starts_with("test://asked/") => {
                let asking = Asking::new(&context, params.request_state, params.input_responses);
                match asking.run("asked", &uri["test://asked/".len()..]).await {
                    Ok(answer) => text(&answer),
                    Err(Stop::Open(result)) => return Ok(ReadResourceResponse::InputRequired(result)),
                    Err(Stop::Failed(text)) => return Err(ErrorData::internal_error(text, None)),
                }
            }
            _ => return Err(ErrorData::resource_not_found("there is none", Some(json!({"uri": uri})))),
        };
        Ok(ReadResourceResponse::Complete(result(json!({"contents": [contents]}))))
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(result(listed::completion(&json!(params))))
    }

    async fn set_level(&self, params: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        *self.0.level.lock().expect("nothing panics") = json!(params.level).as_str().unwrap_or_default().to_owned();
        Ok(())
    }

    async fn subscribe(&self, params: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.0.followed.lock().expect("nothing panics").insert(params.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.followed.lock().expect("nothing panics").remove(&params.uri);
        Ok(())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.0.roots_changes.send_modify(|count| *count += 1);
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // This SDK acknowledges before it calls `listen`, and what changes in between is to be told.
        self.0.followers.lock().expect("nothing panics").push_back(self.0.changes.subscribe());
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = self.0.followers.lock().expect("nothing panics").pop_front();
        let (mut changes, sink) = (changes.expect("each filter is accepted first"), subscription.sink());
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // What was not asked for is refused here, and that is what it should be.
            let _ = match change.as_deref() {
                Ok("tool" | "nothing") => sink.notify_tool_list_changed().await,
                Ok("prompt") => sink.notify_prompt_list_changed().await,
                Ok("resource") => sink.notify_resource_list_changed().await,
                Ok(uri) => sink.notify_resource_updated(uri).await,
                Err(_) => return Ok(()),
            };
        }
    }
}
