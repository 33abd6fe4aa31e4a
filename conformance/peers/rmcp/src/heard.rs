//! What a server says unasked, and how its questions are answered.

use std::sync::{Arc, Mutex};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::*,
    service::{NotificationContext, RequestContext},
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::json::{json_of, of};

type Progress = Vec<(f64, Option<f64>)>;

#[derive(Clone)]
pub struct Heard {
    info: Value,
    pub progress: Arc<watch::Sender<Progress>>,
    pub logs: Arc<Mutex<Vec<Value>>>,
    pub asked: Arc<Mutex<Vec<Value>>>,
    /// The methods of what changed, with the resource where it is one.
    pub changes: Arc<watch::Sender<Vec<String>>>,
}

impl Heard {
    pub fn new(info: Value) -> Self {
        Self { info, progress: Arc::default(), logs: Arc::default(), asked: Arc::default(), changes: Arc::default() }
    }

    pub fn change(&self, what: &str) {
        self.changes.send_modify(|changes| changes.push(what.to_owned()));
    }

    /// Notes a notification of a subscription.
    pub fn notification(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.change("tool"),
            ServerNotification::PromptListChangedNotification(_) => self.change("prompt"),
            ServerNotification::ResourceListChangedNotification(_) => self.change("resource"),
            ServerNotification::ResourceUpdatedNotification(updated) => self.change(&updated.params.uri),
            other => panic!("nobody asked for {other:?}"),
        }
    }

    fn note(&self, question: &Value) {
        self.asked.lock().expect("nothing panics").push(question.clone());
    }
}

impl ClientHandler for Heard {
    fn get_info(&self) -> ClientConfig {
        of(self.info.clone())
    }

    /// Each question ends in the action that is wanted, in brackets.
    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = json_of(params);
        self.note(&params);
        let message = params["message"].as_str().unwrap_or_default();
        let action = message.rsplit_once('(').map_or("", |(_, action)| action.trim_end_matches(')'));
        if action != "accept" || params["mode"] == "url" {
            return Ok(of(json!({"action": action})));
        }
        Ok(of(json!({"action": "accept", "content": {"name": "Ada", "age": 36, "colour": "blue"}})))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let params = json_of(params);
        self.note(&params);
        let content =
            &params["messages"].as_array().and_then(|messages| messages.last()).expect("a message")["content"];
        let content = content.get(0).unwrap_or(content);
        let said = |text: String| json!({"role": "assistant", "model": "small-1", "stopReason": "endTurn", "content": {"type": "text", "text": text}});
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(of(if content["type"] == "tool_result" {
            said(format!("It is {}", text(&content["content"][0]["text"])))
        } else if params["tools"].is_null() {
            said(format!("{}{}!", text(&params["systemPrompt"]), text(&content["text"])))
        } else {
            let used = json!({"type": "tool_use", "id": "use-1", "name": params["tools"][0]["name"], "input": {"word": "tea"}});
            json!({"role": "assistant", "model": "small-1", "stopReason": "toolUse", "content": [used]})
        }))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.note(&Value::Null);
        Ok(of(json!({"roots": [{"uri": "file:///work", "name": "work"}, {"uri": "file:///play"}]})))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.send_modify(|seen| seen.push((params.progress, params.total)));
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        let params = json_of(params);
        let entry = json!([params["level"], params["logger"], params["data"]]);
        self.logs.lock().expect("nothing panics").push(entry);
    }

    async fn on_resource_updated(&self, params: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.change(&params.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change("resource");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change("tool");
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change("prompt");
    }
}
