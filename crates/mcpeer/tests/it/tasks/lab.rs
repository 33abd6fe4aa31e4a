//! The tools that the official conformance suite calls, and how a client speaks of tasks.

use std::time::Duration;

use mcpeer::{
    Result, Server,
    handler::Context,
    rpc,
    server::{Args, Builder, ProtocolError, Tool, tasks::Tasks},
    version::Revision,
};
use serde_json::{Value, json};

use crate::peers::RawClient;

pub(crate) const ID: &str = "io.modelcontextprotocol/tasks";
pub(crate) const MODERN: Revision = Revision::V2026_07_28;

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Slow {
    #[serde(default)]
    seconds: u64,
    #[serde(default)]
    label: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Greet {
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Delete {
    filename: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Confirm {
    confirm: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Name {
    name: String,
}

impl Name {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

async fn slow(Args(slow): Args<Slow>) -> String {
    tokio::time::sleep(Duration::from_secs(slow.seconds)).await;
    format!("computed {}", slow.label)
}

async fn confirm_delete(cx: Context, Args(delete): Args<Delete>) -> Result<String> {
    let answer = cx.elicit::<Confirm>(format!("Delete {}?", delete.filename)).await?;
    let is_confirmed = answer.accepted().is_some_and(|answer| answer.confirm);
    Ok(if is_confirmed { format!("deleted {}", delete.filename) } else { "kept".to_owned() })
}

async fn multi_input(cx: Context) -> Result<String> {
    let (first, second) = tokio::join!(
        cx.elicit::<Name>("Your first name?").key("first"),
        cx.elicit::<Name>("Your last name?").key("last")
    );
    let name = |name: Option<Name>| name.map_or("nobody".to_owned(), |name| name.name);
    Ok(format!("{} {}", name(first?.accepted()), name(second?.accepted())))
}

async fn with_task(cx: Context) -> Result<String> {
    let Some(Name { name }) = cx.elicit::<Name>("Who are you?").key("user_name").await?.accepted() else {
        return Ok("nobody".to_owned());
    };
    let is_task = cx.become_task().await;
    assert_eq!(is_task, cx.is_task());
    Ok(format!("Hello, {name}"))
}

/// The builder of a server with these tools.
pub(crate) fn builder(tasks: Tasks) -> Builder {
    Server::builder("lab", "1")
        .extension(tasks)
        .tool("greet", async |Args(greet): Args<Greet>| format!("Hello, {}!", greet.name))
        .tool(Tool::new("slow_compute").task(), slow)
        .tool(Tool::new("failing_job").task_only(), async || {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Err::<String, _>("it failed")
        })
        .tool(Tool::new("protocol_error_job").task(), async || -> std::result::Result<String, ProtocolError> {
            Err(rpc::Error::new(-32603, "the job broke").into())
        })
        .tool(Tool::new("confirm_delete").task(), confirm_delete)
        .tool(Tool::new("multi_input").task(), multi_input)
        .tool(Tool::new("test_tool_with_task").task_on_demand(), with_task)
}

pub(crate) fn lab() -> Server {
    builder(Tasks::new()).build().unwrap()
}

/// What a client declares that takes tasks.
pub(crate) fn takes_tasks() -> Value {
    json!({"elicitation": {}, "sampling": {}, "extensions": {ID: {}}})
}

pub(crate) async fn connect(server: &Server) -> RawClient {
    RawClient::connect_as(server, MODERN, takes_tasks()).await
}

/// Calls a tool whose call becomes a task, and gives the task's id.
pub(crate) async fn start(client: &mut RawClient, name: &str, arguments: Value) -> String {
    let answer = client.call(name, arguments).await;
    assert_created(&answer);
    answer["result"]["taskId"].as_str().unwrap().to_owned()
}

/// Checks that an answer says that there is a task, and no more.
pub(crate) fn assert_created(answer: &Value) {
    let result = answer["result"].as_object().unwrap_or_else(|| panic!("no result: {answer}"));
    assert_eq!(result["resultType"], "task", "{answer}");
    let known = ["resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "_meta"];
    assert!(result.keys().all(|name| known.contains(&name.as_str())), "{answer}");
    assert_eq!(result["status"], "working");
    assert!(result["taskId"].as_str().unwrap().len() >= 32);
    assert!(result["ttlMs"].as_u64().unwrap() > 0 && result["pollIntervalMs"].as_u64().unwrap() > 0);
    for name in ["createdAt", "lastUpdatedAt"] {
        let time = result[name].as_str().unwrap();
        assert!(time.len() == 24 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    }
}

pub(crate) async fn get(client: &mut RawClient, id: &str) -> Value {
    client.request("tasks/get", json!({"taskId": id})).await
}

/// Asks how a task stands until it is in a state, and gives what it is then.
pub(crate) async fn until(client: &mut RawClient, id: &str, status: &str) -> Value {
    for _ in 0..1_000 {
        let answer = get(client, id).await;
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{answer}");
        assert!(result.get("requestState").is_none(), "{answer}");
        if result["status"] == status {
            return result.clone();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the task is never {status}: {}", get(client, id).await);
}

/// Checks that an answer says that something was heard, and no more.
pub(crate) fn assert_heard(answer: &Value) {
    let result = answer["result"].as_object().unwrap_or_else(|| panic!("no result: {answer}"));
    assert_eq!(result["resultType"], "complete");
    assert!(result.keys().all(|name| name == "resultType" || name == "_meta"), "{answer}");
}

/// Answers some of what a task asks.
pub(crate) async fn update(client: &mut RawClient, id: &str, responses: Value) {
    assert_heard(&client.request("tasks/update", json!({"taskId": id, "inputResponses": responses})).await);
}

pub(crate) async fn cancel(client: &mut RawClient, id: &str) {
    assert_heard(&client.request("tasks/cancel", json!({"taskId": id})).await);
}

/// The keys of what a task asks.
pub(crate) fn keys(task: &Value) -> Vec<String> {
    let requests = task["inputRequests"].as_object().unwrap_or_else(|| panic!("nothing is asked: {task}"));
    requests.keys().cloned().collect()
}

pub(crate) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

pub(crate) fn text(task: &Value) -> &str {
    task["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {task}"))
}
